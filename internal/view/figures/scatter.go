package figures

import (
	"math"
	"strconv"
)

// Point is a run: its simulated and its measured kernel time in milliseconds, and the
// number of its group.
type Point struct {
	Simulated, Measured float64
	Group               int
}

// groupColors has the class of each group's points; see style.
var groupColors = []string{"point", "second"}

// Scatter draws simulated against measured times on logarithmic axes, with the line
// on which both are equal. groups names the groups of points, of which there are at
// most two.
func Scatter(points []Point, title string, groups []string) string {
	const width, height, left, right, top, bottom = 560, 490, 70, 20, 64, 60
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		low, high = min(low, p.Simulated, p.Measured), max(high, p.Simulated, p.Measured)
	}
	from, to := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	x := func(v float64) float64 { return left + (math.Log10(v)-from)/(to-from)*(width-left-right) }
	y := func(v float64) float64 { return height - bottom - (math.Log10(v)-from)/(to-from)*(height-top-bottom) }
	s := newPicture(width, height)
	for e := from; e <= to; e++ {
		v := math.Pow(10, e)
		s.printf(`<path class="grid" d="M%.1f %d V%d M%d %.1f H%d"/>`, x(v), top, height-bottom, left, y(v), width-right)
		label := strconv.FormatFloat(v, 'f', max(0, int(-e)), 64)
		s.text(x(v), height-bottom+20, "axis", "middle", label)
		s.text(left-8, y(v)+4, "axis", "end", label)
	}
	s.printf(`<path class="same" d="M%.1f %.1f L%.1f %.1f"/>`, x(math.Pow(10, from)), y(math.Pow(10, from)), x(math.Pow(10, to)), y(math.Pow(10, to)))
	for _, p := range points {
		s.printf(`<circle class="%s" cx="%.1f" cy="%.1f" r="3"/>`, groupColors[p.Group], x(p.Measured), y(p.Simulated))
	}
	s.text(left, 22, "code", "start", title)
	const char = 7.25
	for i, at := 0, float64(left); i < len(groups); i++ {
		s.printf(`<circle class="%s" cx="%.1f" cy="42" r="4"/>`, groupColors[i], at+4)
		s.text(at+14, 46, "axis", "start", groups[i])
		at += 14 + char*float64(len(groups[i])) + 24
	}
	s.text((left+width-right)/2, height-16, "axis", "middle", "measured on an H200, ms")
	s.printf(`<g transform="translate(18 %d) rotate(-90)">`, (top+height-bottom)/2)
	s.text(0, 0, "axis", "middle", "simulated, ms")
	s.printf(`</g>`)
	return s.end()
}
