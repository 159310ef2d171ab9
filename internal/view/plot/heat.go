package plot

import (
	"cmp"
	"context"
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// viridis are stops of the color map of that name (Smith and van der Walt, SciPy 2015): its
// lightness grows evenly, also in grey and for the color-blind.
var viridis = []color.RGBA{
	{0x44, 0x01, 0x54, 0xff}, {0x47, 0x2d, 0x7b, 0xff}, {0x3b, 0x52, 0x8b, 0xff}, {0x2c, 0x72, 0x8e, 0xff}, {0x21, 0x91, 0x8c, 0xff},
	{0x28, 0xae, 0x80, 0xff}, {0x5e, 0xc9, 0x62, 0xff}, {0xad, 0xdc, 0x30, 0xff}, {0xfd, 0xe7, 0x25, 0xff},
}

// mapped returns the color of a share from 0 to 1.
func mapped(share float64) color.RGBA {
	at := math.Max(0, math.Min(1, share)) * float64(len(viridis)-1)
	i := min(int(at), len(viridis)-2)
	a, b, f := viridis[i], viridis[i+1], at-float64(i)
	mix := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + f*(float64(y)-float64(x)))) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// mostWritten is the number of cells of a panel in which values are written.
const mostWritten = 120

// heat draws a cell for each pair of values of x and y, with the color of a metric.
func (s *Spec) heat(ctx context.Context, st *store.Store) (*Picture, error) {
	d, values, err := s.cells(ctx, st)
	if err != nil {
		return nil, err
	}
	p := &Picture{Description: &d.Description}
	p.size(s, len(d.facets), 16, 10)
	p.legend = scale(d.Value, values, d.Unit)
	x := axis{span: span{-0.5, float64(len(d.x.names)) - 0.5}, label: d.XLabel, ticker: categories(nil)}
	y := axis{span: span{-0.5, float64(len(d.series)) - 0.5}, label: d.YLabel, ticker: categories(d.series)}
	for _, f := range d.facets {
		panel := panel(s.heading(f, d.columns), x, y)
		panel.Y.Tick.Length, panel.Y.Tick.LineStyle.Color = vg.Points(3), color.White // the labels keep a distance
		p.fit(panel, d.x.names)
		m := cells{values: values, unit: d.Unit}
		for row, name := range d.series {
			for col, category := range d.x.names {
				if v := d.cells[place{f, name, category}]; v != nil {
					m.list = append(m.list, heatCell{col, row, v.center})
				}
			}
		}
		m.write = len(d.series)*len(d.x.names) <= mostWritten
		panel.Add(m)
		p.panels = append(p.panels, panel)
	}
	return p, nil
}

// cells returns the cells of a heat map, whose series are its rows, and the range of their values.
func (s *Spec) cells(ctx context.Context, st *store.Store) (*data, span, error) {
	t := *s
	t.Series = s.Y
	d, err := t.load(ctx, st, s.X, []string{s.Value})
	if err != nil {
		return nil, span{}, err
	}
	for _, x := range []struct {
		name string
		n    int
	}{{"x", len(d.x.names)}, {"y", len(d.series)}} {
		if x.n > mostCategories {
			return nil, span{}, fmt.Errorf("%s: there are %d values, and a heat map can show %d; select some with where", x.name, x.n, mostCategories)
		}
	}
	if len(d.facets) > mostFacets {
		return nil, span{}, fmt.Errorf("facet: %s has %d values, and a picture can show %d; select some with where", strings.Join(s.Facet, " "), len(d.facets), mostFacets)
	}
	values := nothing()
	for _, c := range d.cells {
		values.add(c.center)
	}
	d.XLabel, d.YLabel, d.Value = cmp.Or(s.XLabel, s.named(s.X, d.columns)), cmp.Or(s.YLabel, s.named(s.Y, d.columns)), s.measured([]string{s.Value}, d.unit)
	if len(s.Baseline) == 0 {
		d.Unit = d.unit
	}
	if len(s.X) == 1 {
		d.XUnit = s.unit(s.X[0], d.columns)
	}
	if err := s.describe(ctx, st, d); err != nil {
		return nil, span{}, err
	}
	return d, values, nil
}

// scale is a legend with the colors of five values.
func scale(title string, values span, unit string) legend {
	l := legend{title: clean(title)}
	const steps = 5
	for i := steps - 1; i >= 0; i-- {
		share := float64(i) / (steps - 1)
		l.entries = append(l.entries, entry{shown(values.lo+share*(values.hi-values.lo), unit, 3), func(c draw.Canvas) {
			c.SetColor(mapped(share))
			c.Fill(c.Rectangle.Path())
		}})
	}
	return l
}

// heatCell is a cell of a heat map.
type heatCell struct {
	column, row int
	value       float64
}

// cells draws the cells of a panel.
type cells struct {
	values span
	unit   string
	list   []heatCell
	write  bool
}

// Plot implements plot.Plotter.
func (m cells) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for _, v := range m.list {
		share := 0.5
		if m.values.hi > m.values.lo {
			share = (v.value - m.values.lo) / (m.values.hi - m.values.lo)
		}
		r := vg.Rectangle{Min: vg.Point{X: toX(float64(v.column) - 0.5), Y: toY(float64(v.row) - 0.5)}, Max: vg.Point{X: toX(float64(v.column) + 0.5), Y: toY(float64(v.row) + 0.5)}}
		c.SetColor(mapped(share))
		c.Fill(r.Path())
		if !m.write {
			continue
		}
		sty := letters(7.5, color.White)
		if share > 0.55 {
			sty.Color = ink
		}
		sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
		if text := shown(v.value, m.unit, 3); sty.Width(text) < 0.95*(r.Max.X-r.Min.X) {
			c.FillText(sty, vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y+r.Max.Y)/2 + raised(sty)}, text)
		}
	}
}
