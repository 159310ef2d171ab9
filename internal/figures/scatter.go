package figures

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Point is a run: its simulated and its measured kernel time in milliseconds.
type Point struct{ Simulated, Measured float64 }

var row = regexp.MustCompile(`(?m)^\| [\w-]+ \| [\w-]+ \| [^|]+ \| ([\d.]+) \| ([\d.]+) \| [-+][\d.]+% \|`)

// Points returns the runs in the table below a heading of a document.
func Points(text, heading string) (points []Point, err error) {
	_, text, ok := strings.Cut(text, "\n## "+heading+"\n")
	if !ok {
		return nil, fmt.Errorf("no heading %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	for _, m := range row.FindAllStringSubmatch(text, -1) {
		simulated, err1 := strconv.ParseFloat(m[1], 64)
		measured, err2 := strconv.ParseFloat(m[2], 64)
		if err1 != nil || err2 != nil || simulated <= 0 || measured <= 0 {
			return nil, fmt.Errorf("not two times: %s", m[0])
		}
		points = append(points, Point{simulated, measured})
	}
	if len(points) == 0 {
		return nil, fmt.Errorf("no table below %q", heading)
	}
	return points, nil
}

// MeanError returns the mean of the relative errors of the simulated times.
func MeanError(points []Point) float64 {
	sum := 0.0
	for _, p := range points {
		sum += math.Abs(p.Simulated/p.Measured - 1)
	}
	return sum / float64(len(points))
}

// Scatter draws simulated against measured times on logarithmic axes, with the line
// on which both are equal.
func Scatter(points []Point) string {
	const width, height, left, right, top, bottom = 560, 470, 70, 20, 44, 60
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
		s.printf(`<circle class="point" cx="%.1f" cy="%.1f" r="4"/>`, x(p.Measured), y(p.Simulated))
	}
	s.text(left, 26, "code", "start", fmt.Sprintf("kernel time of %d runs, mean error %.1f%%", len(points), 100*MeanError(points)))
	s.text((left+width-right)/2, height-16, "axis", "middle", "measured on an H200, ms")
	s.printf(`<g transform="translate(18 %d) rotate(-90)">`, (top+height-bottom)/2)
	s.text(0, 0, "axis", "middle", "simulated, ms")
	s.printf(`</g>`)
	return s.end()
}
