package compare

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// Side is one side of a comparison.
type Side struct {
	Name  string
	Store *store.Store
	Where []string // as store.Query.Where
}

// Difference is one metric of runs that belong together.
type Difference struct {
	What   string `json:"what"` // what varies between the pairs: "algorithm=bfs graph=demo"
	Metric string `json:"metric"`
	Unit   string `json:"unit,omitempty"`
	A      Center `json:"a"`
	B      Center `json:"b"`
	// Ratio is B's median divided by A's. P is the probability that a difference as large comes
	// from chance; 0 for runs without chance. Real reports whether the difference counts.
	Ratio float64 `json:"ratio"`
	P     float64 `json:"p"`
	Real  bool    `json:"real"`
	// Note says what limits the statement: "needs 4 runs for a significant difference".
	Note string `json:"note,omitempty"`
}

// Center is the median of the runs of one side with its confidence interval at 95%.
type Center struct {
	Runs   int     `json:"runs"`
	Median float64 `json:"median"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
}

// Result is a comparison.
type Result struct {
	A           string       `json:"a"`
	B           string       `json:"b"`
	Differences []Difference `json:"differences"`
	// Means are the geometric means of the ratios, by metric.
	Means []Mean `json:"geometric_means"`
	// Overview has the metrics, those that differ most first, if a pattern selected them.
	Overview []Overview `json:"overview,omitempty"`
	// OnlyA and OnlyB count the points without a counterpart.
	OnlyA int `json:"only_a"`
	OnlyB int `json:"only_b"`
	// Differ are the settings that keep points of the two sides apart, if none belong together.
	Differ []string `json:"differ,omitempty"`
	// Older are runs that were left out, since newer ones of their points differ in more than
	// settings.
	Older []Older `json:"older,omitempty"`

	points [2]int // of A and B
}

// Err is the error of a comparison in which no points belong together, so that nothing was compared; nil otherwise.
func (r *Result) Err() error {
	if r.points[0] > r.OnlyA {
		return nil
	}
	return fmt.Errorf("nothing was compared: no point of %s has a counterpart in %s", r.A, r.B)
}

// Older counts runs of one side that were left out.
type Older struct {
	Side   string   `json:"side"` // "A" or "B"
	Runs   int      `json:"runs"`
	Points int      `json:"points"`
	Differ []string `json:"differ"` // columns in which they differ from those that were compared: "version"
	// Versions are those of the runs that were left out.
	Versions []string `json:"versions"`
}

// Mean is the geometric mean of the ratios of a metric.
type Mean struct {
	Metric string  `json:"metric"`
	Pairs  int     `json:"pairs"`
	Ratio  float64 `json:"ratio"`
}

// always are columns that tell points apart, besides settings.
var always = []string{"algorithm", "scheduler", "kernel", "graph", "device", "seed"}

// points are the runs of one side, by what tells them apart.
type points struct {
	samples map[string]map[string][]float64 // by point and metric
	values  map[string]map[string]string    // by point: what it is
	order   []string
	exact   map[string]bool
	units   map[string]string
	older   Older
}

// Runs compares metrics of the runs of two sides whose status is ok. Names in except do not tell
// points apart, besides those in the conditions of the sides. A metric may be a pattern with * and ?.
func Runs(ctx context.Context, a, b Side, metrics, except []string) (*Result, error) {
	if err := known(ctx, except, a.Store, b.Store); err != nil {
		return nil, err
	}
	patterns := slices.ContainsFunc(metrics, isPattern)
	metrics, all, err := expand(ctx, metrics, a.Store, b.Store)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	const most = 24 // SQLite joins at most 64 tables
	for i, some := range slices.Collect(slices.Chunk(metrics, most)) {
		part, err := runs(ctx, a, b, some, except)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			r = part
			continue
		}
		r.Differences, r.Means = append(r.Differences, part.Differences...), append(r.Means, part.Means...)
	}
	if patterns {
		r.Overview = overview(r.Differences, all)
	}
	return r, nil
}

// runs is Runs for a few metrics without patterns.
func runs(ctx context.Context, a, b Side, metrics, except []string) (*Result, error) {
	except = slices.Clone(except)
	for _, s := range []Side{a, b} {
		for _, c := range s.Where {
			name, _, _, err := store.ParseCondition(c)
			if err != nil {
				return nil, err
			}
			except = append(except, name)
			if name == "scheduler" || name == "algorithm" {
				except = append(except, "kernel")
			}
		}
	}
	factors := slices.Clone(always)
	for _, s := range []Side{a, b} {
		written, _, err := s.Store.Names(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		factors = append(factors, written...)
	}
	slices.Sort(factors[len(always):])
	var names []string // a setting that one side writes tells points of the other apart by its default
	for _, name := range factors {
		if !slices.Contains(except, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	left, err := collect(ctx, a, metrics, names, except)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	right, err := collect(ctx, b, metrics, names, except)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name, err)
	}
	r := &Result{A: a.Name, B: b.Name, points: [2]int{len(left.order), len(right.order)}}
	for i, p := range []*points{left, right} {
		if p.older.Runs > 0 {
			p.older.Side = []string{"A", "B"}[i]
			r.Older = append(r.Older, p.older)
		}
	}
	vary := varying(left, right)
	logs := map[string][]float64{}
	for _, key := range left.order {
		if right.samples[key] == nil {
			r.OnlyA++
			continue
		}
		for _, m := range metrics {
			x, y := left.samples[key][m], right.samples[key][m]
			if len(x) == 0 || len(y) == 0 {
				continue
			}
			d := difference(x, y, left.exact[key] && right.exact[key] && !differ(x) && !differ(y))
			d.What, d.Metric, d.Unit = what(left.values[key], vary), m, left.units[m]
			r.Differences = append(r.Differences, d)
			if d.Ratio > 0 && !math.IsInf(d.Ratio, 0) {
				logs[m] = append(logs[m], math.Log(d.Ratio))
			}
		}
	}
	for _, key := range right.order {
		if left.samples[key] == nil {
			r.OnlyB++
		}
	}
	if r.OnlyA == len(left.order) {
		r.Differ = nearest(left, right)
	}
	for _, m := range metrics {
		if n := len(logs[m]); n > 0 {
			sum := 0.0
			for _, l := range logs[m] {
				sum += l
			}
			r.Means = append(r.Means, Mean{m, n, math.Exp(sum / float64(n))})
		}
	}
	return r, nil
}

// known returns an error for the first name that no column of runs, setting or metric of the stores has.
func known(ctx context.Context, names []string, stores ...*store.Store) error {
	var all []string
	for _, c := range store.Columns() {
		all = append(all, c.Name)
	}
	for _, st := range stores {
		settings, metrics, err := st.Names(ctx)
		if err != nil {
			return err
		}
		unwritten, parameters, err := st.Unwritten(ctx)
		if err != nil {
			return err
		}
		all = slices.Concat(all, settings, unwritten, parameters)
		for _, c := range metrics {
			all = append(all, c.Name)
		}
	}
	slices.Sort(all)
	for _, name := range names {
		if !slices.Contains(all, name) {
			return &store.UnknownName{Name: name, Known: slices.Compact(all)}
		}
	}
	return nil
}

// nearest returns the names whose values differ between two points of the sides that have as much in
// common as any two.
func nearest(a, b *points) (names []string) {
	const few = 1000 // comparisons of points; those of a study differ in the same names
	compared := 0
	for _, i := range a.order {
		for _, k := range b.order {
			if compared++; compared > few {
				return names
			}
			differ := differing(a.values[i], b.values[k])
			if len(names) == 0 || len(differ) < len(names) {
				names = differ
			}
		}
	}
	return names
}

// differing returns the names whose values differ, in order.
func differing(a, b map[string]string) (names []string) {
	for _, from := range []map[string]string{a, b} {
		for name := range from {
			if a[name] != b[name] && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// varying returns the names whose values differ between the points of both sides.
func varying(sides ...*points) (names []string) {
	first := map[string]string{}
	seen := map[string]bool{}
	for _, p := range sides {
		for _, key := range p.order {
			for name, v := range p.values[key] {
				if old, ok := first[name]; ok && old != v && !seen[name] {
					seen[name] = true
					names = append(names, name)
				}
				first[name] = v
			}
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		i, k := slices.Index(always, a), slices.Index(always, b)
		if i < 0 {
			i = len(always)
		}
		if k < 0 {
			k = len(always)
		}
		if i != k {
			return i - k
		}
		return strings.Compare(a, b)
	})
	return slices.DeleteFunc(names, func(n string) bool { return n == "kernel" })
}

// what describes a point by what varies.
func what(values map[string]string, vary []string) string {
	var words []string
	for _, name := range vary {
		if v, ok := values[name]; ok {
			words = append(words, name+"="+v)
		}
	}
	if len(words) == 0 {
		return "all"
	}
	return strings.Join(words, " ")
}

// differ reports whether not all values of a sample are the same. Those of simulations differ if
// except puts runs of several seeds together: such a sample has a chance as those of real GPUs.
func differ(sample []float64) bool { return slices.Min(sample) != slices.Max(sample) }

// difference compares two samples; exact means that each has one value, of deterministic runs.
func difference(a, b []float64, exact bool) Difference {
	var test benchmath.Assumption = benchmath.AssumeNothing
	if exact {
		test = benchmath.AssumeExact
	}
	x, y := benchmath.NewSample(slices.Clone(a), &benchmath.DefaultThresholds), benchmath.NewSample(slices.Clone(b), &benchmath.DefaultThresholds)
	const confidence = 0.95
	sx, sy := test.Summary(x, confidence), test.Summary(y, confidence)
	d := Difference{A: center(sx, len(a)), B: center(sy, len(b)), Ratio: 1}
	if sx.Center != sy.Center {
		d.Ratio = sy.Center / sx.Center
	}
	if exact {
		d.Real = sx.Center != sy.Center
		return d
	}
	c := test.Compare(x, y)
	d.P, d.Real = c.P, c.P < c.Alpha && sx.Center != sy.Center
	for _, w := range c.Warnings {
		d.Note = w.Error()
	}
	return d
}

// center returns the summary of a sample of n runs. An interval without bounds is the range of
// all numbers, which JSON does not have: it becomes the median.
func center(s benchmath.Summary, n int) Center {
	c := Center{n, s.Center, s.Lo, s.Hi}
	if math.IsInf(c.Lo, 0) || math.IsInf(c.Hi, 0) {
		c.Lo, c.Hi = s.Center, s.Center
	}
	return c
}
