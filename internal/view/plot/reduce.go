package plot

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// reduce computes what is drawn of each cell.
func (d *data) reduce(s *Spec, varied []string) error {
	how := s.Reduce
	if how == "" {
		how = "median"
		if len(s.Baseline) > 0 {
			how = "geomean"
		}
	}
	lo, hi := math.MaxInt, 0
	byPlace := func(a, b place) int {
		return cmp.Or(strings.Compare(a.facet, b.facet), strings.Compare(a.series, b.series), strings.Compare(a.x, b.x))
	}
	for _, at := range slices.SortedFunc(maps.Keys(d.cells), byPlace) { // so that an error is always the same
		c := d.cells[at]
		slices.Sort(c.values)
		v := c.values
		lo, hi = min(lo, len(v)), max(hi, len(v))
		if how == "geomean" && v[0] <= 0 {
			return fmt.Errorf("reduce: geomean is of positive numbers, and a value at %s is %s", at.text(), digits(v[0], 4))
		}
		c.center = reduction(how, v)
		switch {
		case s.Spread == "none" || how == "sum":
			c.lo, c.hi = c.center, c.center
		case s.Spread == "quartiles":
			slices.Sort(c.low)
			slices.Sort(c.high)
			c.lo, c.hi = quantile(c.low, 0.25), quantile(c.high, 0.75)
		default:
			c.lo, c.hi = slices.Min(c.low), slices.Max(c.high)
		}
	}
	if what := spreadOf[s.Kind]; d.within && what != "" && s.Spread != "none" && how != "sum" {
		d.notes = append(d.notes, strings.ToUpper(what[:1])+what[1:]+" include the intervals (95%) of runs that were simulated in part.")
	}
	if hi > 1 {
		d.notes = append(d.notes, reducedNote(s, how, lo, hi, varied))
	}
	return nil
}

// spreadOf is how a picture shows a spread.
var spreadOf = map[Kind]string{Lines: "bands", Bars: "whiskers"}

// reducedNote says what a point of the picture stands for.
func reducedNote(s *Spec, how string, lo, hi int, varied []string) string {
	if how == "geomean" {
		how = "geometric mean"
	}
	runs := count(hi, "run")
	if lo != hi {
		runs = fmt.Sprintf("%d to %d runs", lo, hi)
	}
	note := fmt.Sprintf("Each value is the %s of %s", how, runs)
	if len(varied) > 0 {
		note += " that differ in " + strings.Join(varied, ", ")
	}
	what := spreadOf[s.Kind]
	if what != "" && s.Spread != "none" && how != "sum" {
		from := "from the least to the greatest"
		if s.Spread == "quartiles" {
			from = "from the first to the third quartile"
		}
		note += "; " + what + " are " + from
	}
	return note + "."
}

func (p place) text() string {
	var words []string
	for _, w := range []string{p.facet, p.series, p.x} {
		if w != "" {
			words = append(words, w)
		}
	}
	return strings.Join(words, ", ")
}

// reduction computes one of Reductions of sorted values.
func reduction(how string, v []float64) float64 {
	sum := 0.0
	switch how {
	case "min":
		return v[0]
	case "max":
		return v[len(v)-1]
	case "median":
		return quantile(v, 0.5)
	case "geomean":
		for _, x := range v {
			sum += math.Log(x)
		}
		return math.Exp(sum / float64(len(v)))
	}
	for _, x := range v {
		sum += x
	}
	if how == "mean" {
		return sum / float64(len(v))
	}
	return sum
}

// quantile returns a quantile of sorted values, linear between neighbors.
func quantile(v []float64, q float64) float64 {
	at := q * float64(len(v)-1)
	i := int(at)
	if i+1 >= len(v) {
		return v[len(v)-1]
	}
	f := at - float64(i)
	return v[i]*(1-f) + v[i+1]*f
}
