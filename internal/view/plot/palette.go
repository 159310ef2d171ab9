package plot

import (
	"cmp"
	"context"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/table"
)

// shade is a color of series, on white and on a dark page.
type shade struct{ light, dark color.RGBA }

// shades are those of Okabe and Ito ("Color Universal Design", 2008) without yellow, which is hard to see on white, and three of
// Tol's scheme "muted" (Technical Note SRON/EPS/TN/09-002, 2021). Neighbors differ in lightness, so that they also differ in grey.
// Those of a dark page have the same hue, and are lighter.
var shades = []shade{
	{color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0x2f, 0xa4, 0xe7, 0xff}}, // blue
	{color.RGBA{0xe6, 0x9f, 0x00, 0xff}, color.RGBA{0xf5, 0xb8, 0x2e, 0xff}}, // orange
	{color.RGBA{0x00, 0x00, 0x00, 0xff}, color.RGBA{0xf2, 0xf2, 0xf2, 0xff}}, // black, white
	{color.RGBA{0x56, 0xb4, 0xe9, 0xff}, color.RGBA{0x9a, 0xd5, 0xf5, 0xff}}, // sky blue
	{color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0xff, 0x85, 0x2e, 0xff}}, // vermilion
	{color.RGBA{0xcc, 0x79, 0xa7, 0xff}, color.RGBA{0xea, 0xa8, 0xca, 0xff}}, // reddish purple
	{color.RGBA{0x00, 0x9e, 0x73, 0xff}, color.RGBA{0x21, 0xcf, 0x9d, 0xff}}, // green
	{color.RGBA{0x88, 0x22, 0x55, 0xff}, color.RGBA{0xd9, 0x5b, 0x98, 0xff}}, // wine
	{color.RGBA{0x99, 0x99, 0x33, 0xff}, color.RGBA{0xc9, 0xc9, 0x5c, 0xff}}, // olive
	{color.RGBA{0x33, 0x22, 0x88, 0xff}, color.RGBA{0x8f, 0x7f, 0xf0, 0xff}}, // indigo
}

// dashes and glyphs tell series apart without color. A glyph is a symbol of ECharts in the page, which knows no crosses.
var (
	dashes = [][]vg.Length{nil, {6, 2}, {2, 2}, {7, 2, 2, 2}, {10, 3}, {1, 2}, {5, 2, 1, 2, 1, 2}}
	glyphs = []struct {
		draw   draw.GlyphDrawer
		symbol string
	}{
		{draw.CircleGlyph{}, "circle"}, {draw.BoxGlyph{}, "rect"}, {draw.PyramidGlyph{}, "triangle"}, {draw.RingGlyph{}, "emptyCircle"},
		{draw.CrossGlyph{}, "path://M0,1L1,0L5,4L9,0L10,1L6,5L10,9L9,10L5,6L1,10L0,9L4,5Z"}, {draw.SquareGlyph{}, "emptyRect"}, {draw.TriangleGlyph{}, "emptyTriangle"},
		{draw.PlusGlyph{}, "path://M4,0L6,0L6,4L10,4L10,6L6,6L6,10L4,10L4,6L0,6L0,4L4,4Z"},
	}
)

// patterns is the number of fillings of a bar: full, and with stripes in three directions.
const patterns = 4

// mostSeries is the number of series that readers can tell apart.
const mostSeries = 28

// Look is how a series looks in every renderer: Color is an index of the colors, and Mark tells apart what has one color. Dashes
// and glyphs go by both, so that colors also differ in these; stripes of bars by Mark alone.
type Look struct {
	Color int `json:"color"`
	Mark  int `json:"mark"`
}

func (l Look) color() color.RGBA { return shades[l.Color%len(shades)].light }

func (l Look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.color(), Width: vg.Points(1.4), Dashes: dashes[(l.Color+l.Mark)%len(dashes)]}
}

func (l Look) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.color(), Radius: vg.Points(2.6), Shape: glyphs[(l.Color+l.Mark)%len(glyphs)].draw}
}

// Palette gives the values of columns their looks. A value has its color by its place among all values of the column in the
// store, whichever runs a figure shows: in all figures of a store a scheduler has one color.
type Palette struct {
	store  *store.Store
	values map[string][]string
}

// NewPalette returns the palette of a store, for Spec.Palette of all its figures.
func NewPalette(st *store.Store) *Palette { return &Palette{st, map[string][]string{}} }

// Values returns all values of a column or setting in the store, in the order of their looks: numbers by size, the rest by name.
func (p *Palette) Values(ctx context.Context, column string) ([]string, error) {
	if list, ok := p.values[column]; ok {
		return list, nil
	}
	t, err := p.store.Query(ctx, store.Query{Columns: []string{column}, Limit: mostRuns})
	if err != nil {
		return nil, err
	}
	list := []string{}
	for _, row := range t.Rows {
		list = append(list, table.Text(row[0]))
	}
	p.values[column] = distinct(list)
	return p.values[column], nil
}

// distinct sorts values and removes those that occur twice.
func distinct(list []string) []string {
	slices.SortFunc(list, func(a, b string) int {
		x, okX := table.Number(a)
		y, okY := table.Number(b)
		if okX && okY && x != y {
			return cmp.Compare(x, y)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(list)
}

// Looks returns the looks of series. parts has for each series the values of columns; a column without a name has the values in
// the order in which they first occur. The color is that of the first column in which the series differ.
func (p *Palette) Looks(ctx context.Context, columns []string, parts [][]string) ([]Look, error) {
	lead := 0
	for k := len(columns) - 1; k >= 0; k-- {
		if slices.ContainsFunc(parts, func(v []string) bool { return v[k] != parts[0][k] }) {
			lead = k
		}
	}
	var order []string
	if lead < len(columns) {
		for _, v := range parts {
			order = append(order, v[lead])
		}
		switch name := columns[lead]; {
		case name == "":
			slices.SortStableFunc(order, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
			order = slices.Compact(order)
		case isStep(name): // of no column of the store
			order = distinct(order)
		default:
			var err error
			if order, err = p.Values(ctx, name); err != nil {
				return nil, err
			}
		}
	}
	var rests []string
	used := map[Look]bool{}
	looks := make([]Look, len(parts))
	for i, v := range parts {
		if len(v) == 0 {
			continue
		}
		rest := fmt.Sprintf("%q", slices.Concat(v[:lead], v[lead+1:]))
		if !slices.Contains(rests, rest) {
			rests = append(rests, rest)
		}
		at := max(slices.Index(order, v[lead]), 0)
		l := Look{at % len(shades), at/len(shades) + slices.Index(rests, rest)}
		for used[l] {
			l.Mark++
		}
		used[l], looks[i] = true, l
	}
	return looks, nil
}

// Theme is what the page needs of the palette to draw as pictures do.
type Theme struct {
	Light    []string    `json:"light"` // colors of series by Look.Color
	Dark     []string    `json:"dark"`
	Dashes   [][]float64 `json:"dashes"` // by Color+Mark, as glyphs; a nil one is solid
	Symbols  []string    `json:"symbols"`
	Patterns int         `json:"patterns"` // of bars, by Mark
	Heat     []string    `json:"heat"`     // from the least to the greatest value
	Series   int         `json:"series"`   // the most that a figure shows
}

// ThemeOf returns the theme of all pages.
func ThemeOf() Theme {
	t := Theme{Patterns: patterns, Series: mostSeries}
	hex := func(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
	for _, s := range shades {
		t.Light, t.Dark = append(t.Light, hex(s.light)), append(t.Dark, hex(s.dark))
	}
	for _, d := range dashes {
		var list []float64
		for _, l := range d {
			list = append(list, float64(l))
		}
		t.Dashes = append(t.Dashes, list)
	}
	for _, g := range glyphs {
		t.Symbols = append(t.Symbols, g.symbol)
	}
	for _, c := range viridis {
		t.Heat = append(t.Heat, hex(c))
	}
	return t
}
