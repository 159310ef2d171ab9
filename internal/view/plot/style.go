package plot

import (
	"image/color"
	"sort"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Greys of axes and grids.
var (
	ink  = color.RGBA{0x22, 0x22, 0x22, 0xff}
	soft = color.RGBA{0x66, 0x66, 0x66, 0xff}
	grid = color.RGBA{0xdd, 0xdd, 0xdd, 0xff}
)

// pale returns a color for areas that others must be seen through.
func pale(c color.RGBA) color.NRGBA { return color.NRGBA{c.R, c.G, c.B, 0x28} }

// letters returns a style of text. Liberation Sans has the widths of Arial and Helvetica, which
// readers of SVG files have if they lack it; Write names these, too.
func letters(size float64, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)},
		Handler: handler,
	}
}

// raised is how much higher a text with draw.YCenter must be for its small letters to be in the middle: the center is that
// of the font's whole height.
func raised(sty text.Style) vg.Length { return 0.11 * sty.Font.Size }

var handler = text.Plain{Fonts: font.DefaultCache}

// shorten cuts the middle of a text that is wider than the width.
func shorten(s string, sty text.Style, width vg.Length) string {
	r := []rune(s)
	if sty.Width(s) <= width || len(r) < 4 {
		return s
	}
	cut := func(keep int) string {
		head := (keep + 1) / 2
		return string(r[:head]) + "…" + string(r[len(r)-(keep-head):])
	}
	// The most letters that fit, by halving: to measure a text takes as long as it is.
	keep := sort.Search(len(r)-3, func(i int) bool { return sty.Width(cut(i+3)) > width }) + 2
	if keep < 3 {
		return string(r[:1]) + "…"
	}
	return cut(keep)
}

// wrap breaks a text into lines no wider than the width, at spaces.
func wrap(s string, sty text.Style, width vg.Length) (lines []string) {
	line := ""
	for _, w := range words(s) {
		next := w
		if line != "" {
			next = line + " " + w
		}
		if line != "" && sty.Width(next) > width {
			lines = append(lines, line)
			next = w
		}
		line = shorten(next, sty, width)
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
