package headlines

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/internal/view/plot"
)

// Errors summarizes the errors of simulated times.
type Errors struct {
	compare.Summary
	// Bias is the geometric mean of simulated divided by measured times; Least and Most
	// are the extremes of that ratio, of points Low and High.
	Bias, Least, Most float64
	Low, High         string
}

// errorsOf summarizes points that were simulated.
func errorsOf(points []*Point) Errors {
	var pairs [][2]float64
	e := Errors{Least: math.Inf(1), Most: math.Inf(-1)}
	logs := 0.0
	for _, p := range points {
		pairs = append(pairs, [2]float64{p.Simulated, p.Measured()})
		r := p.Ratio()
		logs += math.Log(r)
		if r < e.Least {
			e.Least, e.Low = r, p.String()
		}
		if r > e.Most {
			e.Most, e.High = r, p.String()
		}
	}
	e.Summary = compare.Summarize(pairs)
	e.Bias = math.Exp(logs / float64(max(len(pairs), 1)))
	return e
}

// worst returns the point whose times differ most.
func (e *Errors) worst() string {
	if e.Most > 1/e.Least {
		return e.High
	}
	return e.Low
}

// orders counts the pairs of schemes for one algorithm and graph whose measured times
// differ by more than 20%, and how many of them the simulation orders in the same way.
func orders(points []*Point) compare.Order {
	var rows []compare.Row
	for _, p := range points {
		rows = append(rows, compare.Row{Algorithm: p.Algorithm, Graph: p.Graph, A: p.Simulated, B: p.Measured()})
	}
	return compare.Orders(rows, 0.2)
}

// repeated summarizes how much recordings of one point differ: for each point that
// several records have, the largest time against the smallest.
func repeated(points []*Point) compare.Summary {
	var pairs [][2]float64
	for _, p := range points {
		if len(p.Recorded) > 1 {
			pairs = append(pairs, [2]float64{slices.Max(p.Recorded), slices.Min(p.Recorded)})
		}
	}
	return compare.Summarize(pairs)
}

// table returns the errors of parts of the points in Markdown, the smallest mean error
// first.
func table(head string, points []*Point, of func(p *Point) string) string {
	parts := map[string][]*Point{}
	var names []string
	for _, p := range points {
		name := of(p)
		if parts[name] == nil {
			names = append(names, name)
		}
		parts[name] = append(parts[name], p)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(errorsOf(parts[a]).Mean, errorsOf(parts[b]).Mean), cmp.Compare(a, b))
	})
	var b strings.Builder
	fmt.Fprintf(&b, "\n\n| %s | points | mean error | median | simulated / measured, geometric mean | from | to |\n|---|---|---|---|---|---|---|\n", head)
	line := func(name string, e Errors) {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %.2f | %.2f | %.2f |\n", name, e.N, percent(e.Mean), percent(e.Median), e.Bias, e.Least, e.Most)
	}
	for _, name := range names {
		line(name, errorsOf(parts[name]))
	}
	line("all", errorsOf(points))
	return b.String() + "\n"
}

// percent returns a fraction as a percentage with one digit after the point.
func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// Picture draws all points.
func Picture(points []*Point) *plot.Picture {
	var list []plot.Pair
	for _, p := range points {
		x := plot.Pair{A: p.Measured(), B: p.Simulated}
		if p.Published() {
			x.Series = 1
		}
		list = append(list, x)
	}
	e := errorsOf(points)
	return plot.Correlate(plot.Description{
		Title:  fmt.Sprintf("kernel time of %s runs, mean error %s, worst x%.1f", format.Thousands(e.N), percent(e.Mean), e.Worst),
		XLabel: "measured on an H200", YLabel: "simulated", XUnit: "s", Unit: "s",
		Series: []string{"our baseline schemes", "schemes of published systems"},
	}, list)
}
