package plot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
)

// Formats are the names that Write knows.
var Formats = []string{"png", "svg", "pdf"}

// Picture is a picture that can be written.
type Picture struct {
	*Description        // what it shows; its Caption stands below it
	File         string // name of the file, without folder and ending

	title         string
	panels        []*plot.Plot
	columns       int
	aligned       bool // panels have axes of different widths
	legend        legend
	width, height vg.Length
}

// Draw makes the picture that a Spec asks for from the runs of a store. An error of a Spec from
// a file begins with its place.
func Draw(ctx context.Context, st *store.Store, s *Spec) (*Picture, error) {
	draw := map[Kind]func(context.Context, *store.Store) (*Picture, error){
		Lines: s.lines, Bars: s.bars, Heat: s.heat, Histogram: s.histogram, Correlation: s.correlation, Time: s.time,
	}[s.Kind]
	if draw == nil {
		return nil, fmt.Errorf("plot: kind %q is not one of %s", s.Kind, strings.Join(Kinds, ", "))
	}
	p, err := draw(ctx, st)
	if err != nil {
		return nil, s.placed(err)
	}
	p.finish(s)
	return p, nil
}

// panelHeight is about the height of the axis of a panel, of which there are so many rows.
func (p *Picture) panelHeight(rows int) vg.Length {
	const row, labels = 13, 42 // of the legend; of the horizontal axis
	height := p.height - 2*gap
	if n := len(p.legend.entries); n > 0 && !p.beside() {
		columns := max(1, int((p.width-2*gap)/(p.legend.width()+2*gap)))
		height -= vg.Length((n+columns-1)/columns+1)*row + gap
	}
	height -= p.foot()
	return max(height/vg.Length(rows)-labels, labels)
}

// finish names the picture, and breaks the headings and labels of panels that are narrow: an axis would else become shorter,
// to leave its label room.
func (p *Picture) finish(s *Spec) {
	p.File, p.title = s.File, clean(s.Title)
	rows := (len(p.panels) + p.columns - 1) / p.columns
	for _, panel := range p.panels {
		panel.Title.Text = strings.Join(wrap(panel.Title.Text, panel.Title.TextStyle, p.panelWidth()+20), "\n")
		panel.X.Label.Text = strings.Join(wrap(panel.X.Label.Text, panel.X.Label.TextStyle, p.panelWidth()), "\n")
		if !p.aligned { // whose rows are named for it
			panel.Y.Label.Text = strings.Join(wrap(panel.Y.Label.Text, panel.Y.Label.TextStyle, p.panelHeight(rows)), "\n")
		}
	}
}

// placed returns an error with the place of the Spec that caused it.
func (s *Spec) placed(err error) error {
	at, what := s.Place, err.Error()
	if key, rest, ok := strings.Cut(what, ": "); ok && s.places[key] != "" {
		if at = s.places[key]; strings.HasPrefix(at, "--") {
			what = rest
		}
	}
	var unknown *store.UnknownName
	var step *unknownStep
	switch {
	case errors.As(err, &step):
		at = s.mentioning(step.name)
	case errors.As(err, &unknown):
		at = s.mentioning(unknown.Name)
		if n := usage.Nearest(unknown.Name, unknown.Known); n != "" {
			what += "; did you mean " + n + "?"
		} else if a, b, ok := strings.Cut(unknown.Name, "/"); ok && slices.Contains(unknown.Known, a) {
			what += "; a quotient is written with spaces: " + a + " / " + strings.TrimSpace(b)
		}
	}
	if at == "" {
		return errors.New(what)
	}
	if !strings.HasPrefix(at, "--") {
		what = "plots: " + what
	}
	return spec.Error{Place: at, What: what}
}

// mentioning returns the place of the first key that has a name, else that of the Spec.
func (s *Spec) mentioning(name string) string {
	for _, k := range s.keys() {
		if k.list != nil && slices.ContainsFunc(*k.list, func(v string) bool { return mentions(v, name) }) || k.text != nil && mentions(*k.text, name) {
			return s.places[k.name]
		}
	}
	return s.Place
}

// mentions reports whether a value of a key is or contains the name.
func mentions(value, name string) bool {
	m := measureOf(value)
	if value == name || m.name == name || m.over == name {
		return true
	}
	n, _, _, err := store.ParseCondition(value)
	return err == nil && n == name
}

// fixed makes PDF files that depend on nothing but the picture.
var fixed = sync.OnceFunc(func() {
	epoch := time.Unix(0, 0).UTC()
	fpdf.SetDefaultCreationDate(epoch)
	fpdf.SetDefaultModificationDate(epoch)
	fpdf.SetDefaultCatalogSort(true)
})

// Write writes the picture in one of Formats. PNG has 200 dots per inch.
func (p *Picture) Write(w io.Writer, format string) error {
	var c interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case "png":
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(p.width, p.height), vgimg.UseDPI(200))}
	case "svg":
		c = vgsvg.New(p.width, p.height)
	case "pdf":
		fixed()
		c = vgpdf.New(p.width, p.height)
	default:
		return fmt.Errorf("plot: unknown format %q; there are %s", format, strings.Join(Formats, ", "))
	}
	p.draw(draw.New(c))
	if format == "svg" {
		var b bytes.Buffer
		if _, err := c.WriteTo(&b); err != nil {
			return err
		}
		_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")))
		return err
	}
	_, err := c.WriteTo(w)
	return err
}

// gap is the margin of pictures and between their parts.
const gap = vg.Length(8)

// draw draws title, panels, legend and notes.
func (p *Picture) draw(c draw.Canvas) {
	c.SetColor(plot.New().BackgroundColor)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, gap, -gap, gap, -gap)
	c.Max.Y -= lines(c, c.Max.Y, p.title, 11)
	foot := vg.Length(0)
	small := letters(7, soft)
	var notes []string
	for _, n := range p.Caption {
		notes = append(notes, wrap(clean(n), small, c.Max.X-c.Min.X)...)
	}
	small.YAlign = draw.YTop
	for i := range notes {
		foot += small.Height("x") * 1.5
		c.FillText(small, vg.Point{X: c.Min.X, Y: c.Min.Y + vg.Length(len(notes)-i)*small.Height("x")*1.5}, notes[i])
	}
	if foot > 0 {
		c.Min.Y += foot + gap/2
	}
	c = p.legend.draw(c, p.beside())
	rows := (len(p.panels) + p.columns - 1) / p.columns
	if p.aligned {
		var tiles [][]*plot.Plot
		for row := range slices.Chunk(p.panels, p.columns) {
			tiles = append(tiles, row)
		}
		for i, row := range plot.Align(tiles, draw.Tiles{Rows: rows, Cols: p.columns, PadX: gap, PadY: gap / 2}, c) {
			for k, at := range row {
				tiles[i][k].Draw(at)
			}
		}
		return
	}
	for i, panel := range p.panels {
		at := c
		w, h := (c.Max.X-c.Min.X+gap)/vg.Length(p.columns), (c.Max.Y-c.Min.Y+gap)/vg.Length(rows)
		at.Min.X += w * vg.Length(i%p.columns)
		at.Max.X = at.Min.X + w - gap
		at.Max.Y -= h * vg.Length(i/p.columns)
		at.Min.Y = at.Max.Y - h + gap
		panel.Draw(at)
	}
}

// lines draws a heading below y and returns its height.
func lines(c draw.Canvas, y vg.Length, text string, size float64) (height vg.Length) {
	sty := letters(size, ink)
	sty.YAlign = draw.YTop
	for _, l := range wrap(text, sty, c.Max.X-c.Min.X) {
		c.FillText(sty, vg.Point{X: c.Min.X, Y: y - height}, l)
		height += vg.Points(size * 1.35)
	}
	if height > 0 {
		height += gap / 2
	}
	return height
}

// words returns the words of a text.
func words(s string) []string { return strings.Fields(s) }

// clean replaces characters that files of pictures cannot have, such as control characters. A line end
// becomes a space.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if r == unicode.ReplacementChar || !unicode.IsGraphic(r) || r > 0xffff || unicode.Is(unicode.Co, r) {
			return '?'
		}
		return r
	}, s)
}

// panel returns a plot with our fonts and lines. Axes have the ranges x and y.
func panel(title string, x, y axis) *plot.Plot {
	p := plot.New()
	p.Title.Text = clean(title)
	p.Title.TextStyle = letters(8.5, ink)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	p.Title.Padding = vg.Points(3)
	for _, a := range []struct {
		to   *plot.Axis
		from axis
	}{{&p.X, x}, {&p.Y, y}} {
		label := a.to.Label.TextStyle
		a.to.Label.TextStyle = letters(9, ink)
		a.to.Label.TextStyle.XAlign, a.to.Label.TextStyle.YAlign = label.XAlign, label.YAlign
		tick := a.to.Tick.Label
		a.to.Tick.Label = letters(8, ink)
		a.to.Tick.Label.XAlign, a.to.Tick.Label.YAlign = tick.XAlign, tick.YAlign
		a.to.Label.Text = clean(a.from.label)
		a.to.Label.Padding = vg.Points(3)
		a.to.Padding = 0
		a.to.LineStyle = draw.LineStyle{Color: soft, Width: vg.Points(0.7)}
		a.to.Tick.LineStyle = draw.LineStyle{Color: soft, Width: vg.Points(0.6)}
		a.to.Tick.Length = vg.Points(4)
		a.to.Tick.Marker = a.from.ticker
		a.to.Min, a.to.Max = a.from.lo, a.from.hi
		if a.from.log {
			a.to.Scale = logScale{}
		}
	}
	return p
}

// axis is how an axis looks.
type axis struct {
	span
	log    bool
	label  string
	ticker plot.Ticker
}

// gridlines draws lines at the labels of an axis.
type gridlines struct{ vertical bool }

// Plot implements plot.Plotter.
func (g gridlines) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	sty := draw.LineStyle{Color: grid, Width: vg.Points(0.5)}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if y := toY(t.Value); !t.IsMinor() && c.ContainsY(y) {
			c.StrokeLine2(sty, c.Min.X, y, c.Max.X, y)
		}
	}
	if !g.vertical {
		return
	}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if x := toX(t.Value); !t.IsMinor() && c.ContainsX(x) {
			c.StrokeLine2(sty, x, c.Min.Y, x, c.Max.Y)
		}
	}
}

// size sets the size of a picture of n panels, each w by h cm unless the Spec says another size.
func (p *Picture) size(s *Spec, n int, w, h float64) {
	p.columns = 1
	if n > 1 {
		p.columns = int(math.Ceil(math.Sqrt(float64(n))))
		if n <= 3 {
			p.columns = n
		}
		w, h = 0.55*w, 0.7*h
	}
	rows := (n + p.columns - 1) / p.columns
	p.width = vg.Length(w*float64(p.columns)) * vg.Centimeter
	p.height = vg.Length(h*float64(rows)) * vg.Centimeter
	if n > 1 {
		p.width += 3 * vg.Centimeter // for the legend
	}
	if s.Width > 0 {
		p.width = vg.Length(s.Width) * vg.Centimeter
	}
	p.height += p.foot()
	if s.Height > 0 {
		p.height = vg.Length(s.Height) * vg.Centimeter
	}
}

// foot is the height of the caption.
func (p *Picture) foot() (height vg.Length) {
	small := letters(7, soft)
	for _, n := range p.Caption {
		height += vg.Length(len(wrap(clean(n), small, p.width-2*gap))) * small.Height("x") * 1.5
	}
	return height
}
