package plot

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/weft-gpu/weft/results/store"
)

// pair is a point of both selections.
type pair struct {
	name, series string
	a, b         float64
	runs         []int64
}

// off is by what factor the values of a pair differ.
func (p pair) off() float64 { return math.Max(p.a/p.b, p.b/p.a) }

// named is the number of outliers with their names.
const named = 3

// correlation draws a metric of the runs of b over that of the runs of a, such as simulated times
// over measured ones. Runs whose settings are the same, apart from those that a and b name,
// belong together; of repeated runs the medians count.
func (s *Spec) correlation(ctx context.Context, st *store.Store) (*Picture, error) {
	d, pairs, err := s.compared(ctx, st)
	if err != nil {
		return nil, err
	}
	all := nothing()
	for _, p := range pairs {
		all.add(p.a)
		all.add(p.b)
	}
	p := &Picture{Notes: d.notes}
	p.legend = s.legendOf(d, func(i int) func(draw.Canvas) {
		return func(c draw.Canvas) { c.DrawGlyph(glyphOf(i), c.Center()) }
	})
	p.size(s, 1, 13, 12)
	if wide := p.legend.width(); s.Width == 0 && wide <= 0.3*p.width { // beside a square
		p.width += wide
	}
	x := axis{span: all.margin(true), log: true, ticker: ticks{unit: d.unit, log: true, most: p.mostTicks()}}
	y := x
	x.label, y.label = d.sides[0], d.sides[1]
	panel := panel("", x, y)
	panel.Add(gridlines{vertical: true}, scatter{pairs, d.series})
	p.panels = []*plot.Plot{panel}
	return p, nil
}

// compared returns the pairs that a correlation shows, and as data their series, unit and notes.
func (s *Spec) compared(ctx context.Context, st *store.Store) (*data, []pair, error) {
	if len(s.Y) > 1 {
		return nil, nil, fmt.Errorf("y: a correlation shows one metric")
	}
	var pairs []pair
	var notes []string
	var err error
	on, unit := [2]string{strings.Join(s.A, ", "), strings.Join(s.B, ", ")}, "s"
	if s.Record != "" {
		pairs, on, notes, err = s.against(ctx, st)
	} else {
		pairs, unit, notes, err = s.pairs(ctx, st)
	}
	if err != nil {
		return nil, nil, err
	}
	series := map[string]bool{}
	for _, p := range pairs {
		if p.a <= 0 || p.b <= 0 {
			return nil, nil, fmt.Errorf("y: a value of %s is not positive, and the axes are logarithmic", s.Y[0])
		}
		series[p.series] = true
	}
	d := &data{series: s.sorted(series, s.Series), cells: map[place]*cell{}, unit: unit, notes: notes}
	d.sides = [2]string{cmp.Or(s.XLabel, s.measured(s.Y, unit)+", "+on[0]), cmp.Or(s.YLabel, s.measured(s.Y, unit)+", "+on[1])}
	return d, pairs, s.few(d)
}

// outliers are the pairs whose values differ most: by a tenth at least, and named ones alone.
func outliers(pairs []pair) (list []pair) {
	for _, v := range slices.SortedFunc(slices.Values(pairs), func(a, b pair) int { return cmp.Compare(b.off(), a.off()) })[:min(named, len(pairs))] {
		if v.off() >= 1.1 && v.name != "" {
			list = append(list, v)
		}
	}
	return list
}

// pairs returns the runs of both selections that belong together.
func (s *Spec) pairs(ctx context.Context, st *store.Store) (pairs []pair, unit string, notes []string, err error) {
	settings, _, err := st.Names(ctx)
	if err != nil {
		return nil, "", nil, err
	}
	m := measureOf(s.Y[0])
	var selects []string // names that tell the sides apart
	for _, c := range slices.Concat(s.A, s.B) {
		name, _, _, err := store.ParseCondition(c)
		if err != nil {
			return nil, "", nil, err
		}
		selects = append(selects, name)
	}
	apart := slices.DeleteFunc(slices.Concat(factors, settings), func(n string) bool { return slices.Contains(selects, n) })
	slices.Sort(apart)
	apart = slices.Compact(apart)
	var sides [2]map[string][]float64
	first, ids := map[string]row{}, map[string][]int64{}
	for i, where := range [][]string{s.A, s.B} {
		rows, columns, err := s.rows(ctx, st, slices.Concat(s.Where, where), slices.Concat(apart, s.Series), m.names())
		if err != nil {
			return nil, "", nil, err
		}
		unit = m.unit(columns)
		sides[i] = map[string][]float64{}
		for _, r := range rows {
			if v, ok := m.of(r); ok {
				key := join(r, apart)
				sides[i][key] = append(sides[i][key], v)
				ids[key] = append(ids[key], r.id)
				if _, ok := first[key]; !ok {
					first[key] = r
				}
			}
		}
	}
	var common []row
	alone := 0
	for key := range first {
		if sides[0][key] == nil || sides[1][key] == nil {
			alone++
			continue
		}
		common = append(common, first[key])
	}
	if len(common) == 0 {
		return nil, "", nil, fmt.Errorf("no runs of a and b belong together: %d and %d points differ in more than %s", len(sides[0]), len(sides[1]), strings.Join(slices.Compact(selects), ", "))
	}
	vary := slices.DeleteFunc(slices.Clone(apart), func(n string) bool {
		return !slices.ContainsFunc(common, func(r row) bool { return r.texts[n] != common[0].texts[n] })
	})
	for _, r := range common {
		key := join(r, apart)
		for _, v := range sides {
			slices.Sort(v[key])
		}
		pairs = append(pairs, pair{join(r, vary), join(r, s.Series), quantile(sides[0][key], 0.5), quantile(sides[1][key], 0.5), ids[key]})
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(a.a, b.a), strings.Compare(a.name, b.name)) })
	if alone > 0 {
		notes = append(notes, fmt.Sprintf("Left out: %s without a counterpart.", count(alone, "point")))
	}
	return pairs, unit, notes, nil
}

// scatter draws pairs, the line on which both values are the same, and how far they are from it.
type scatter struct {
	pairs  []pair
	series []string
}

// Plot implements plot.Plotter.
func (s scatter) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	c.StrokeLine2(draw.LineStyle{Color: soft, Width: vg.Points(0.8), Dashes: []vg.Length{4, 3}}, toX(p.X.Min), toY(p.Y.Min), toX(p.X.Max), toY(p.Y.Max))
	for _, v := range s.pairs {
		c.DrawGlyph(glyphOf(slices.Index(s.series, v.series)), vg.Point{X: toX(v.a), Y: toY(v.b)})
	}
	s.labels(c, toX, toY)
	corner := letters(8, ink)
	corner.YAlign = draw.YTop
	for i, line := range s.corner(c, corner) {
		c.FillText(corner, vg.Point{X: c.Min.X + 6, Y: c.Max.Y - 6 - vg.Length(i)*11}, line)
	}
}

// labels names the pairs that differ most. A name stands beside its point where it covers the fewest others.
func (s scatter) labels(c draw.Canvas, toX, toY func(float64) vg.Length) {
	sty, corner := letters(7.5, ink), letters(8, ink)
	sty.YAlign = draw.YCenter
	var taken []vg.Rectangle
	for _, v := range s.pairs {
		p := vg.Point{X: toX(v.a), Y: toY(v.b)}
		taken = append(taken, vg.Rectangle{Min: p.Sub(vg.Point{X: 3, Y: 3}), Max: p.Add(vg.Point{X: 3, Y: 3})})
	}
	for i, line := range s.corner(c, corner) {
		top := c.Max.Y - 6 - vg.Length(i)*11
		taken = append(taken, vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: top - 11}, Max: vg.Point{X: c.Min.X + 6 + corner.Width(line), Y: top}})
	}
	for _, v := range outliers(s.pairs) {
		name := shorten(clean(v.name), sty, 0.45*(c.Max.X-c.Min.X))
		r, ok := beside(c, vg.Point{X: toX(v.a), Y: toY(v.b)}, sty.Width(name), taken)
		if !ok {
			continue
		}
		taken = append(taken, r)
		c.FillText(sty, vg.Point{X: r.Min.X, Y: (r.Min.Y+r.Max.Y)/2 + raised(sty)}, name)
	}
}

// beside returns where a text of a width stands beside a point: of eight places the first that covers the least. It is not ok
// to cover another text, or to leave the panel.
func beside(c draw.Canvas, at vg.Point, wide vg.Length, taken []vg.Rectangle) (best vg.Rectangle, ok bool) {
	const high, away = 8, 5
	least := math.MaxInt
	for _, corner := range []vg.Point{{X: away, Y: -high / 2}, {X: -away - wide, Y: -high / 2}, {X: away, Y: away / 2}, {X: -away - wide, Y: away / 2},
		{X: away, Y: -away/2 - high}, {X: -away - wide, Y: -away/2 - high}, {X: -wide / 2, Y: away}, {X: -wide / 2, Y: -away - high}} {
		r := vg.Rectangle{Min: at.Add(corner)}
		r.Max = r.Min.Add(vg.Point{X: wide, Y: high})
		covers := 0
		for _, t := range taken {
			if t.Max.X-t.Min.X > away+high && overlap(r, t) {
				covers += len(taken) // a text
			} else if overlap(r, t) {
				covers++
			}
		}
		if r.Min.X < c.Min.X || r.Max.X > c.Max.X || r.Min.Y < c.Min.Y || r.Max.Y > c.Max.Y {
			covers += 2 * len(taken)
		}
		if covers < least {
			best, least = r, covers
		}
	}
	return best, least < len(taken)
}

// corner returns the lines of the summary, broken for a narrow panel.
func (s scatter) corner(c draw.Canvas, sty text.Style) (lines []string) {
	for _, l := range s.summary() {
		lines = append(lines, wrap(l, sty, c.Max.X-c.Min.X-8)...)
	}
	return lines
}

// overlap reports whether rectangles have an area in common.
func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// summary says how well the values agree.
func (s scatter) summary() []string {
	var off float64
	var a, b []float64
	for _, v := range s.pairs {
		off += math.Abs(v.b/v.a - 1)
		a, b = append(a, math.Log(v.a)), append(b, math.Log(v.b))
	}
	list := []string{count(len(s.pairs), "point"), fmt.Sprintf("mean error %.1f%%", 100*off/float64(len(s.pairs)))}
	distinct := map[float64]bool{}
	for _, x := range a {
		distinct[x] = true
	}
	if r := stat.Correlation(a, b, nil); len(slices.Collect(maps.Keys(distinct))) > 2 && !math.IsNaN(r) {
		list = append(list, fmt.Sprintf("correlation of logarithms %.3f", r))
	}
	return list
}
