package plot

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend names the series, beside the panels or, if names are long, below them.
type legend struct {
	title   string
	entries []entry
}

// entry is a series with its sign.
type entry struct {
	name string
	sign func(c draw.Canvas) // draws into a small canvas
}

const signWidth = vg.Length(24)

// width returns the width of the widest row; 0 if there is no legend.
func (l legend) width() vg.Length {
	if len(l.entries) == 0 {
		return 0
	}
	sty := letters(8, ink)
	width := sty.Width(l.title)
	for _, e := range l.entries {
		width = max(width, signWidth+6+sty.Width(e.name))
	}
	return width
}

// beside reports whether the legend of a picture stands beside the panels: if that leaves them enough room.
func (p *Picture) beside() bool {
	const least = vg.Length(130) // for a panel
	width, whole := p.legend.width(), p.width-2*gap
	return width > 0 && width <= 0.34*whole && whole-width >= least*vg.Length(p.columns)
}

// draw draws the legend and returns the canvas that is left.
func (l legend) draw(c draw.Canvas, beside bool) draw.Canvas {
	if len(l.entries) == 0 {
		return c
	}
	sty, head := letters(8, ink), letters(8, soft)
	rowHeight := vg.Length(13)
	width := l.width()
	whole := c.Max.X - c.Min.X
	rows := len(l.entries)
	if l.title != "" {
		rows++
	}
	sty.YAlign, head.YAlign = draw.YCenter, draw.YCenter
	beside = beside && vg.Length(rows)*rowHeight <= c.Max.Y-c.Min.Y
	columns := 1
	x, y := c.Max.X-width, c.Max.Y
	if !beside {
		width = min(width, whole)
		columns = max(1, int((whole+2*gap)/(width+2*gap)))
		rows = (len(l.entries) + columns - 1) / columns
		if l.title != "" {
			rows++
		}
		x, y = c.Min.X, c.Min.Y+vg.Length(rows)*rowHeight
	}
	top := y
	if l.title != "" {
		c.FillText(head, vg.Point{X: x, Y: y - rowHeight/2}, shorten(l.title, head, whole))
		top -= rowHeight
	}
	for i, e := range l.entries {
		at := vg.Point{X: x + vg.Length(i%columns)*(width+2*gap), Y: top - (vg.Length(i/columns)+0.5)*rowHeight}
		e.sign(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: at.X, Y: at.Y - 4}, Max: vg.Point{X: at.X + signWidth, Y: at.Y + 4}}})
		c.FillText(sty, vg.Point{X: at.X + signWidth + 6, Y: at.Y + raised(sty)}, shorten(e.name, sty, width-signWidth-6))
	}
	if beside {
		c.Max.X -= width + 1.5*gap
	} else {
		c.Min.Y += vg.Length(rows)*rowHeight + gap
	}
	return c
}
