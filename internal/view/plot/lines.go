package plot

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/table"
)

const (
	mostFacets     = 16
	mostCategories = 60
)

// lines draws y over x, a line for each series.
func (s *Spec) lines(ctx context.Context, st *store.Store) (*Picture, error) {
	d, x, y, err := s.measuredOver(ctx, st)
	if err != nil {
		return nil, err
	}
	p := &Picture{Description: &d.Description}
	p.size(s, len(d.facets), 16, 9.5)
	p.legend = s.legendOf(d, func(l Look) func(draw.Canvas) {
		return func(c draw.Canvas) {
			c.StrokeLine2(l.line(), c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
			c.DrawGlyph(l.glyph(), c.Center())
		}
	})
	if t, ok := x.ticker.(ticks); ok {
		x.ticker = t.within(p.mostTicks())
	}
	for _, f := range d.facets {
		panel := panel(s.heading(f, d.columns), x, y)
		if d.x.numbers == nil {
			p.fit(panel, d.x.names)
		}
		panel.Add(gridlines{vertical: d.x.numbers != nil})
		if len(s.Baseline) > 0 {
			panel.Add(level(1))
		}
		for _, bands := range []bool{true, false} { // no line under a band
			for i, name := range d.series {
				c := curve{look: d.Looks[i], bands: bands}
				for _, at := range d.x.names {
					if v := d.cells[place{f, name, at}]; v != nil {
						c.points = append(c.points, point{d.x.at(at), v.center, v.lo, v.hi})
					}
				}
				panel.Add(c)
			}
		}
		p.panels = append(p.panels, panel)
	}
	return p, nil
}

// measuredOver returns what a picture of lines or bars shows, and its axes.
func (s *Spec) measuredOver(ctx context.Context, st *store.Store) (d *data, x, y axis, err error) {
	if d, err = s.load(ctx, st, s.X, s.Y); err != nil {
		return nil, x, y, err
	}
	if err := s.few(d); err != nil {
		return nil, x, y, err
	}
	if x, y, err = s.axes(d, s.Kind == Bars); err != nil {
		return nil, x, y, err
	}
	d.XLabel, d.YLabel = x.label, y.label
	if len(s.X) == 1 {
		d.XUnit = s.unit(s.X[0], d.columns)
	}
	if len(s.Baseline) == 0 {
		d.Unit = d.unit
	}
	err = s.describe(ctx, st, d)
	return d, x, y, err
}

// few rejects pictures with more parts than readers can tell apart.
func (s *Spec) few(d *data) error {
	for _, x := range []struct {
		what  string
		names []string
		n     int
		most  int
	}{{"series", s.Series, len(d.series), mostSeries}, {"facet", s.Facet, len(d.facets), mostFacets}} {
		if x.n > x.most {
			return fmt.Errorf("%s: %s has %d values, and a picture can show %d; select some with where", x.what, strings.Join(x.names, " "), x.n, x.most)
		}
	}
	if n := len(d.x.names); n > mostCategories && (d.x.numbers == nil || s.Kind == Bars) {
		return fmt.Errorf("x: %s has %d values, and a picture of %s can show %d; select some with where", strings.Join(s.X, " "), n, s.Kind, mostCategories)
	}
	return nil
}

// legendOf names the series of a picture, if it has more than one.
func (s *Spec) legendOf(d *data, sign func(l Look) func(draw.Canvas)) (l legend) {
	if len(d.series) < 2 {
		return l
	}
	l.title = clean(d.By)
	for i, name := range d.series {
		l.entries = append(l.entries, entry{clean(name), sign(d.Looks[i])})
	}
	if len(s.Baseline) > 0 {
		l.entries = append(l.entries, entry{clean(strings.Join(s.Baseline, ", ")), func(c draw.Canvas) {
			c.StrokeLine2(levelLine, c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
		}})
	}
	return l
}

// axes returns the axes of lines and bars: the same for all panels.
func (s *Spec) axes(d *data, bars bool) (x, y axis, err error) {
	xs, ys := nothing(), nothing()
	for at, c := range d.cells {
		xs.add(d.x.at(at.x))
		ys.add(c.lo)
		ys.add(c.center)
		ys.add(c.hi)
	}
	if s.LogY && ys.lo <= 0 {
		return x, y, fmt.Errorf("logy: a value of %s is %s, and a logarithmic axis has positive values alone", strings.Join(s.Y, ", "), digits(ys.lo, 4))
	}
	if len(s.Baseline) > 0 {
		ys.add(1)
	}
	if bars && !s.LogY {
		ys.add(0)
	}
	x.label, y.label = s.XLabel, s.YLabel
	if x.label == "" {
		x.label = s.named(s.X, d.columns)
	}
	if y.label == "" {
		y.label = s.measured(s.Y, d.unit)
	}
	y.span, y.log = ys.padded(s.LogY, bars), s.LogY
	unit := d.unit
	if len(s.Baseline) > 0 {
		unit = ""
	}
	y.ticker = ticks{unit: unit, log: s.LogY}
	switch {
	case d.x.numbers == nil || bars:
		if s.LogX {
			return x, y, fmt.Errorf("logx: %q of %s is not a number", d.x.names[0], strings.Join(s.X, " "))
		}
		x.span = span{-0.5, float64(len(d.x.names)) - 0.5}
		x.ticker = categories(nil) // see fit
	case s.LogX && xs.lo <= 0:
		return x, y, fmt.Errorf("logx: a value of %s is %s, and a logarithmic axis has positive values alone", strings.Join(s.X, " "), digits(xs.lo, 4))
	default:
		var values []float64
		for _, name := range d.x.names {
			values = append(values, d.x.at(name))
		}
		x.span, x.log = xs.margin(s.LogX), s.LogX
		x.ticker = ticks{unit: s.unit(s.X[0], d.columns), at: few(values, s.LogX, 9), log: s.LogX}
	}
	return x, y, nil
}

// named returns the label of an axis of columns or settings, with their units: "l2.latency (cycle)".
func (s *Spec) named(names []string, columns map[string]table.Column) string {
	var words []string
	for _, name := range names {
		words = append(words, withUnit(name, s.unit(name, columns)))
	}
	return strings.Join(words, ", ")
}

// unit returns the unit of a column or setting.
func (s *Spec) unit(name string, columns map[string]table.Column) string {
	if u := columns[name].Unit; u != "" || s.UnitOf == nil {
		return u
	}
	return s.UnitOf(name)
}

// withUnit adds a unit to a name that does not say it, as "cycles" and "runs" do.
func withUnit(name, unit string) string {
	if unit == "" || name == unit || name == unit+"s" {
		return name
	}
	return name + " (" + unit + ")"
}

// heading returns the title of a panel: a text says for itself what it is, a number does not.
func (s *Spec) heading(facet string, columns map[string]table.Column) string {
	if _, number := table.Number(facet); !number || len(s.Facet) != 1 {
		return facet
	}
	return valued(s.Facet[0], facet, s.unit(s.Facet[0], columns))
}

// valued writes a name with its value and unit: "l2.latency = 100 cycle".
func valued(name, value, unit string) string {
	return strings.TrimSpace(name + " = " + value + " " + unit)
}

// measured returns the label of an axis of metrics.
func (s *Spec) measured(metrics []string, unit string) string {
	what := strings.Join(metrics, ", ")
	if len(s.Baseline) > 0 {
		base := strings.Join(s.Baseline, ", ")
		if s.Ratio == "relative" {
			return what + " relative to " + base
		}
		return "speed-up over " + base + " (" + what + ")"
	}
	if unit == "s" { // which the ticks have
		return what
	}
	return withUnit(what, unit)
}

// categories marks an axis with names, at 0, 1, 2, ...
type categories []string

// Ticks implements plot.Ticker.
func (n categories) Ticks(float64, float64) (list []plot.Tick) {
	for i, name := range n {
		list = append(list, plot.Tick{Value: float64(i), Label: name})
	}
	return list
}

// point is a value with its spread.
type point struct{ x, y, lo, hi float64 }

// curve is a line with markers, or its spread.
type curve struct {
	points []point
	look   Look
	bands  bool
}

// Plot implements plot.Plotter.
func (l curve) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	var mid, low, high []vg.Point
	spread := false
	for _, v := range l.points {
		x := toX(v.x)
		mid, low, high = append(mid, vg.Point{X: x, Y: toY(v.y)}), append(low, vg.Point{X: x, Y: toY(v.lo)}), append(high, vg.Point{X: x, Y: toY(v.hi)})
		spread = spread || v.lo != v.hi
	}
	sty := l.look.line()
	if !l.bands {
		if len(mid) > 1 {
			c.StrokeLines(sty, mid)
		}
		if len(mid) <= 40 {
			for _, pt := range mid {
				c.DrawGlyphNoClip(l.look.glyph(), pt)
			}
		}
		return
	}
	if !spread {
		return
	}
	if len(mid) == 1 {
		sty.Width = vg.Points(0.8)
		whisker(c, mid[0].X, low[0].Y, high[0].Y, sty)
		return
	}
	for i := len(low) - 1; i >= 0; i-- {
		high = append(high, low[i])
	}
	c.FillPolygon(pale(l.look.color()), high)
}

// whisker draws a spread as a line with ends.
func whisker(c draw.Canvas, x, lo, hi vg.Length, sty draw.LineStyle) {
	if math.Abs(float64(hi-lo)) < 0.5 {
		return
	}
	sty.Dashes = nil
	const half = 2.5
	c.StrokeLines(sty, []vg.Point{{X: x, Y: lo}, {X: x, Y: hi}}, []vg.Point{{X: x - half, Y: lo}, {X: x + half, Y: lo}}, []vg.Point{{X: x - half, Y: hi}, {X: x + half, Y: hi}})
}

// level draws a horizontal line.
type level float64

var levelLine = draw.LineStyle{Color: soft, Width: vg.Points(0.8), Dashes: []vg.Length{3, 3}}

// Plot implements plot.Plotter.
func (l level) Plot(c draw.Canvas, p *plot.Plot) {
	_, toY := p.Transforms(&c)
	c.StrokeLine2(levelLine, c.Min.X, toY(float64(l)), c.Max.X, toY(float64(l)))
}
