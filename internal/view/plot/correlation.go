package plot

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// pair is a point of both selections.
type pair struct {
	name, series string
	a, b         float64
	runs         []int64
	first        row // one of the runs
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
	return s.correlated(d, pairs), nil
}

// Correlate draws B over A of pairs that are in no store. The description has the title, the labels, the unit and the names of
// the series; a series has its color by its place among these.
func Correlate(about Description, pairs []Pair) *Picture {
	for i := range about.Series {
		about.Looks = append(about.Looks, Look{Color: i})
	}
	d := &data{Description: about, series: about.Series, unit: about.Unit}
	var list []pair
	for _, p := range pairs {
		list = append(list, pair{name: p.Name, series: about.Series[p.Series], a: p.A, b: p.B})
	}
	s := &Spec{Kind: Correlation, Title: about.Title}
	p := s.correlated(d, list)
	p.finish(s)
	return p
}

// correlated draws pairs.
func (s *Spec) correlated(d *data, pairs []pair) *Picture {
	all := nothing()
	for _, p := range pairs {
		all.add(p.a)
		all.add(p.b)
	}
	p := &Picture{Description: &d.Description}
	p.legend = s.legendOf(d, func(l Look) func(draw.Canvas) {
		return func(c draw.Canvas) { c.DrawGlyph(l.glyph(), c.Center()) }
	})
	p.size(s, 1, 13, 12)
	if wide := p.legend.width(); s.Width == 0 && wide <= 0.3*p.width { // beside a square
		p.width += wide
	}
	x := axis{span: all.margin(true), log: true, ticker: ticks{unit: d.unit, log: true, most: p.mostTicks()}}
	y := x
	x.label, y.label = d.XLabel, d.YLabel
	panel := panel("", x, y)
	panel.Add(gridlines{vertical: true}, scatter{pairs, d.series, d.Looks})
	p.panels = []*plot.Plot{panel}
	return p
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
	for _, p := range pairs {
		d.drawn = append(d.drawn, p.runs...)
		d.part(p.series, p.first, s.Series, "")
	}
	if err := s.few(d); err != nil {
		return nil, nil, err
	}
	d.XLabel, d.YLabel = cmp.Or(s.XLabel, s.measured(s.Y, unit)+", "+on[0]), cmp.Or(s.YLabel, s.measured(s.Y, unit)+", "+on[1])
	d.XUnit, d.Unit = unit, unit
	d.notes = append([]string{agreement(pairs)}, d.notes...)
	return d, pairs, s.describe(ctx, st, d)
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
		pairs = append(pairs, pair{join(r, vary), join(r, s.Series), quantile(sides[0][key], 0.5), quantile(sides[1][key], 0.5), ids[key], first[key]})
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(a.a, b.a), strings.Compare(a.name, b.name)) })
	if alone > 0 {
		notes = append(notes, fmt.Sprintf("Left out: %s without a counterpart.", count(alone, "point")))
	}
	return pairs, unit, notes, nil
}

// scatter draws pairs, the line on which both values are the same, and the names of those farthest from it.
type scatter struct {
	pairs  []pair
	series []string
	looks  []Look
}

// Plot implements plot.Plotter.
func (s scatter) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	c.StrokeLine2(draw.LineStyle{Color: soft, Width: vg.Points(0.8), Dashes: []vg.Length{4, 3}}, toX(p.X.Min), toY(p.Y.Min), toX(p.X.Max), toY(p.Y.Max))
	for _, v := range s.pairs {
		c.DrawGlyph(s.looks[slices.Index(s.series, v.series)].glyph(), vg.Point{X: toX(v.a), Y: toY(v.b)})
	}
	sty := letters(7.5, ink)
	sty.YAlign = draw.YCenter
	for _, l := range s.labels(c.Rectangle, sty, toX, toY) {
		c.FillText(sty, vg.Point{X: l.at.Min.X, Y: (l.at.Min.Y+l.at.Max.Y)/2 + raised(sty)}, l.text)
	}
}

// label is a name and where it stands.
type label struct {
	text string
	at   vg.Rectangle
}

// pointRadius is how far a point extends from its middle.
const pointRadius = vg.Length(3)

// labels places the names of the pairs that differ most where they cover neither a point nor each other. A name without such a
// place is in the caption alone.
func (s scatter) labels(panel vg.Rectangle, sty text.Style, toX, toY func(float64) vg.Length) (list []label) {
	var taken []vg.Rectangle
	for _, v := range s.pairs {
		p := vg.Point{X: toX(v.a), Y: toY(v.b)}
		taken = append(taken, vg.Rectangle{Min: p.Sub(vg.Point{X: pointRadius, Y: pointRadius}), Max: p.Add(vg.Point{X: pointRadius, Y: pointRadius})})
	}
	for _, v := range outliers(s.pairs) {
		name := shorten(clean(v.name), sty, 0.45*(panel.Max.X-panel.Min.X))
		if r, ok := beside(panel, vg.Point{X: toX(v.a), Y: toY(v.b)}, sty.Width(name), taken); ok {
			taken = append(taken, r)
			list = append(list, label{name, r})
		}
	}
	return list
}

// beside returns where a text of a width stands beside a point: the first of eight places where it covers nothing and stays in
// the panel.
func beside(panel vg.Rectangle, at vg.Point, wide vg.Length, taken []vg.Rectangle) (r vg.Rectangle, ok bool) {
	const high, away = 8, 5
	for _, corner := range []vg.Point{{X: away, Y: -high / 2}, {X: -away - wide, Y: -high / 2}, {X: away, Y: away / 2}, {X: -away - wide, Y: away / 2},
		{X: away, Y: -away/2 - high}, {X: -away - wide, Y: -away/2 - high}, {X: -wide / 2, Y: away}, {X: -wide / 2, Y: -away - high}} {
		r := vg.Rectangle{Min: at.Add(corner)}
		r.Max = r.Min.Add(vg.Point{X: wide, Y: high})
		inside := r.Min.X >= panel.Min.X && r.Max.X <= panel.Max.X && r.Min.Y >= panel.Min.Y && r.Max.Y <= panel.Max.Y
		if inside && !slices.ContainsFunc(taken, func(t vg.Rectangle) bool { return overlap(r, t) }) {
			return r, true
		}
	}
	return r, false
}

// overlap reports whether rectangles have an area in common.
func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// agreement says how well the values agree, and which agree least.
func agreement(pairs []pair) string {
	var off float64
	var a, b []float64
	for _, v := range pairs {
		off += math.Abs(v.b/v.a - 1)
		a, b = append(a, math.Log(v.a)), append(b, math.Log(v.b))
	}
	text := fmt.Sprintf("%s, mean error %.1f%%", count(len(pairs), "point"), 100*off/float64(len(pairs)))
	different := map[float64]bool{}
	for _, x := range a {
		different[x] = true
	}
	if r := stat.Correlation(a, b, nil); len(different) > 2 && !math.IsNaN(r) {
		text += fmt.Sprintf(", correlation of logarithms %.3f", r)
	}
	for i, v := range outliers(pairs) {
		text += map[bool]string{true: "; farthest off: ", false: ", "}[i == 0] + fmt.Sprintf("%s (y/x %s)", v.name, digits(v.b/v.a, 3))
	}
	return text + "."
}
