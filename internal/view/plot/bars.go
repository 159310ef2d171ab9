package plot

import (
	"context"
	"image/color"
	"math"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// bars draws a group of bars for each x, a bar for each series.
func (s *Spec) bars(ctx context.Context, st *store.Store) (*Picture, error) {
	d, x, y, err := s.measuredOver(ctx, st)
	if err != nil {
		return nil, err
	}
	p := &Picture{Description: &d.Description}
	p.size(s, len(d.facets), 16, 9.5)
	p.legend = s.legendOf(d, barSign)
	p.bars(s, d, x, y)
	if len(s.Baseline) > 0 {
		for _, panel := range p.panels {
			panel.Add(level(1))
		}
	}
	return p, nil
}

// barSign draws the sign of bars in a legend.
func barSign(l Look) func(draw.Canvas) { return func(c draw.Canvas) { fill(c, c.Rectangle, l) } }

// bars adds a panel with groups of bars for each facet.
func (p *Picture) bars(s *Spec, d *data, x, y axis) {
	for _, f := range d.facets {
		panel := panel(s.heading(f, d.columns), x, y)
		p.fit(panel, d.x.names)
		panel.Add(gridlines{})
		group := groups{series: len(d.series), touch: s.Kind == Histogram && len(d.series) == 1}
		for i, name := range d.series {
			for at, category := range d.x.names {
				if v := d.cells[place{f, name, category}]; v != nil {
					group.bars = append(group.bars, bar{i, at, d.Looks[i], *v})
				}
			}
		}
		panel.Add(group)
		p.panels = append(p.panels, panel)
	}
}

// fit writes names below an axis so that they do not overlap: in several lines, or turned and
// with their middle cut out.
func (p *Picture) fit(panel *plot.Plot, names []string) {
	panel.X.Tick.Length, panel.X.Tick.LineStyle.Color = vg.Points(3), color.White // the labels keep a distance
	sty := panel.X.Tick.Label
	room := p.panelWidth() / vg.Length(len(names))
	var broken, short []string
	high := 0
	for _, n := range names {
		lines := breakAt(clean(n), sty, room)
		high = max(high, len(lines))
		for _, l := range lines {
			if sty.Width(l) > room {
				high = math.MaxInt
			}
		}
		broken = append(broken, strings.Join(lines, "\n"))
		short = append(short, shorten(clean(n), sty, 0.35*p.height))
	}
	if high <= 4 {
		panel.X.Tick.Marker = categories(broken)
		return
	}
	panel.X.Tick.Marker = categories(short)
	panel.X.Tick.Length = vg.Points(7) // the first letters stay below the axis
	panel.X.Tick.Label.Rotation = math.Pi / 5
	panel.X.Tick.Label.XAlign, panel.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
}

// panelWidth is about the width of the axis of a panel.
func (p *Picture) panelWidth() vg.Length {
	const labels = 38 // those of the vertical axis
	width := p.width - 2*gap
	if p.beside() {
		width -= p.legend.width() + 1.5*gap
	}
	return max(width/vg.Length(p.columns)-labels, labels)
}

// mostTicks is how many numbers an axis below a panel has room for.
func (p *Picture) mostTicks() int { return max(int(p.panelWidth()/30), 3) }

// breakAt breaks a name into lines, after spaces and punctuation.
func breakAt(name string, sty text.Style, width vg.Length) (lines []string) {
	line, last := "", 0
	for i, r := range name {
		end := i + utf8.RuneLen(r)
		if !strings.ContainsRune(" ,:/_;", r) && end < len(name) {
			continue
		}
		part := name[last:end]
		if line != "" && sty.Width(strings.TrimSpace(line+part)) > width {
			lines = append(lines, strings.TrimSpace(line))
			line = ""
		}
		line, last = line+part, end
	}
	return append(lines, strings.TrimSpace(line))
}

// bar is the bar of a series in a group.
type bar struct {
	series, group int
	look          Look
	cell
}

// groups draws grouped bars with whiskers.
type groups struct {
	series int
	bars   []bar
	touch  bool // groups have no room between them
}

// Plot implements plot.Plotter.
func (g groups) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	share := 0.8 // of the room of a group
	if g.touch {
		share = 1
	}
	wide := share / float64(g.series)
	for _, b := range g.bars {
		from := float64(b.group) - share/2 + wide*float64(b.series)
		zero := toY(math.Max(p.Y.Min, math.Min(0, p.Y.Max)))
		r := vg.Rectangle{Min: vg.Point{X: toX(from), Y: zero}, Max: vg.Point{X: toX(from + wide), Y: toY(b.center)}}
		if r.Max.Y < r.Min.Y {
			r.Min.Y, r.Max.Y = r.Max.Y, r.Min.Y
		}
		if inner := (r.Max.X - r.Min.X) * 0.06; g.series > 1 {
			r.Min.X += inner
			r.Max.X -= inner
		}
		fill(c, r, b.look)
		if b.lo != b.hi {
			x, lo, hi := (r.Min.X+r.Max.X)/2, toY(b.lo), toY(b.hi)
			whisker(c, x, lo, hi, draw.LineStyle{Color: color.White, Width: vg.Points(2.2)}) // so that it is seen on black
			whisker(c, x, lo, hi, draw.LineStyle{Color: ink, Width: vg.Points(0.8)})
		}
	}
}

// fill fills a bar with the color of its series, and with stripes by its mark.
func fill(c draw.Canvas, r vg.Rectangle, l Look) {
	c.SetColor(l.color())
	c.Fill(r.Path())
	if pattern := l.Mark % patterns; pattern > 0 {
		stripes(c, r, pattern)
	}
	c.SetLineStyle(draw.LineStyle{Color: ink, Width: vg.Points(0.4)})
	c.Stroke(r.Path())
}

// stripes draws white lines over a rectangle: up, down or level.
func stripes(c draw.Canvas, r vg.Rectangle, pattern int) {
	inside := draw.Canvas{Canvas: c.Canvas, Rectangle: r}
	sty := draw.LineStyle{Color: color.White, Width: vg.Points(1)}
	w, h := r.Max.X-r.Min.X, r.Max.Y-r.Min.Y
	for at := -max(w, h); at < w+h; at += 4 {
		line := []vg.Point{{X: r.Min.X + at, Y: r.Min.Y}, {X: r.Min.X + at + h, Y: r.Max.Y}}
		switch pattern {
		case 2:
			line[0].Y, line[1].Y = line[1].Y, line[0].Y
		case 3:
			line = []vg.Point{{X: r.Min.X, Y: r.Min.Y + at}, {X: r.Max.X, Y: r.Min.Y + at}}
		}
		c.StrokeLines(sty, inside.ClipLinesXY(line)...)
	}
}
