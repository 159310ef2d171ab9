package papers

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Row is a run: its columns and settings, and its metrics.
type Row struct {
	Fields  map[string]string
	Metrics map[string]float64
}

// check is a parsed check of a claim.
type check struct {
	reduce  string
	metrics [][]string // one, or numerator and denominator; each is the first of a list that a run has
	sides   []side     // one, or numerator and denominator
	per     []string
	demand  demand
}

// side selects runs.
type side struct {
	pick       string // "", best, worst
	conditions []condition
}

type condition struct {
	name, op string
	values   []string
}

var (
	checkForm     = regexp.MustCompile(`^(all|geomean|mean|median|min|max|count)\((.+)\) (\S.*)$`)
	conditionForm = regexp.MustCompile(`^([a-zA-Z][\w.-]*)(!=|=|~|<|>)(.*)$`)
)

// parseCheck parses a check.
func parseCheck(text string) (*check, error) {
	m := checkForm.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("check %q is not REDUCTION(METRIC, RUNS) DEMAND; reductions are all, geomean, mean, median, min, max and count", text)
	}
	c := &check{reduce: m[1]}
	var err error
	if c.demand, err = parseDemand(m[3]); err != nil {
		return nil, fmt.Errorf("check %q: %w", text, err)
	}
	runs := m[2]
	if c.reduce != "count" {
		metric, rest, ok := strings.Cut(runs, ", ")
		if !ok {
			return nil, fmt.Errorf("check %q: %s needs a metric and runs, such as %s(cycles, scheduler=warp)", text, c.reduce, c.reduce)
		}
		for of := range strings.SplitSeq(metric, " / ") {
			c.metrics = append(c.metrics, strings.Split(of, "|"))
		}
		runs = rest
	}
	runs, per, paired := strings.Cut(runs, " per ")
	c.per = strings.Fields(per)
	for part := range strings.SplitSeq(runs, " / ") {
		s, err := parseSide(part)
		if err != nil {
			return nil, fmt.Errorf("check %q: %w", text, err)
		}
		c.sides = append(c.sides, s)
	}
	if len(c.sides) > 2 || len(c.metrics) > 2 || paired != (len(c.sides) == 2) || c.reduce == "count" && paired {
		return nil, fmt.Errorf("check %q: runs are CONDITIONS, or A / B per NAMES", text)
	}
	return c, nil
}

func parseSide(text string) (s side, err error) {
	words := strings.Fields(text)
	if len(words) > 0 && (words[0] == "best" || words[0] == "worst") {
		s.pick, words = words[0], words[1:]
	}
	for _, w := range words {
		m := conditionForm.FindStringSubmatch(w)
		if m == nil {
			return s, fmt.Errorf("%q is not NAME=VALUE", w)
		}
		s.conditions = append(s.conditions, condition{m[1], m[2], strings.Split(m[3], "|")})
	}
	if len(s.conditions) == 0 {
		return s, fmt.Errorf("no condition selects runs")
	}
	return s, nil
}

func (s side) holds(r Row) bool {
	return !slices.ContainsFunc(s.conditions, func(c condition) bool { return !c.holds(r.Fields[c.name]) })
}

func (c condition) holds(have string) bool {
	is := slices.ContainsFunc(c.values, func(v string) bool {
		switch c.op {
		case "~":
			return strings.Contains(have, v)
		case "<", ">":
			a, errA := strconv.ParseFloat(have, 64)
			b, errB := strconv.ParseFloat(v, 64)
			return errA == nil && errB == nil && (c.op == "<" && a < b || c.op == ">" && a > b)
		}
		return have == v
	})
	return is != (c.op == "!=")
}

// value returns the metric of a run; ok is false if the run does not have it.
func (c *check) value(r Row) (x float64, ok bool) {
	x, ok = first(r, c.metrics[0])
	if len(c.metrics) == 2 {
		y, has := first(r, c.metrics[1])
		return x / y, ok && has && y != 0
	}
	return x, ok
}

// first returns the first metric of some that a run has.
func first(r Row, names []string) (x float64, ok bool) {
	for _, name := range names {
		if x, ok = r.Metrics[name]; ok {
			return x, true
		}
	}
	return 0, false
}

// key returns what runs have in common that are divided by each other.
func (c *check) key(r Row) string {
	var list []string
	for _, name := range c.per {
		list = append(list, r.Fields[name])
	}
	return strings.Join(list, ", ")
}

// measure returns the values that the check reduces, in the order of the rows.
func (c *check) measure(rows []Row) ([]float64, error) {
	groups := make([]map[string][]float64, len(c.sides))
	var order []string
	var alone []float64
	for _, r := range rows {
		for i, s := range c.sides {
			if !s.holds(r) {
				continue
			}
			if c.reduce == "count" {
				alone = append(alone, 1)
				continue
			}
			x, ok := c.value(r)
			if r.Fields["status"] != "ok" || !ok {
				continue
			}
			if len(c.sides) == 1 {
				alone = append(alone, x)
				continue
			}
			if groups[i] == nil {
				groups[i] = map[string][]float64{}
			}
			k := c.key(r)
			if groups[i][k] == nil && i == 0 {
				order = append(order, k)
			}
			groups[i][k] = append(groups[i][k], x)
		}
	}
	if len(c.sides) == 1 {
		return alone, nil
	}
	var values []float64
	for _, k := range order {
		below, err := c.sides[1].one(groups[1][k], k)
		if err != nil {
			return nil, err
		}
		if len(below) == 0 {
			continue
		}
		above := groups[0][k]
		if c.sides[0].pick != "" {
			above, _ = c.sides[0].one(above, k)
		}
		for _, x := range above {
			values = append(values, x/below[0])
		}
	}
	return values, nil
}

// one returns the value of a side that has several runs.
func (s side) one(list []float64, key string) ([]float64, error) {
	switch {
	case len(list) == 0:
		return nil, nil
	case s.pick == "best":
		return []float64{slices.Min(list)}, nil
	case s.pick == "worst":
		return []float64{slices.Max(list)}, nil
	case slices.Min(list) == slices.Max(list):
		return list[:1], nil
	}
	return nil, fmt.Errorf("%d runs with different values at %s; say best or worst, or add conditions", len(list), key)
}

// reduced returns the numbers that a demand looks at, in order; there is at least one value. They are the extremes of
// all, and one number of the others.
func reduced(how string, values []float64) []float64 {
	if how == "all" {
		return []float64{slices.Min(values), slices.Max(values)}
	}
	return []float64{reduction(how, values)}
}

func reduction(how string, values []float64) float64 {
	sum, logs := 0.0, 0.0
	for _, x := range values {
		sum, logs = sum+x, logs+math.Log(x)
	}
	n := float64(len(values))
	switch how {
	case "count":
		return n
	case "min":
		return slices.Min(values)
	case "max":
		return slices.Max(values)
	case "mean":
		return sum / n
	case "geomean":
		return math.Exp(logs / n)
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
