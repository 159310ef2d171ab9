package plot

import (
	"image/color"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// lightness returns L* (CIE 1976) of a color, from 0 to 100: what remains in grey.
func lightness(c color.RGBA) float64 {
	lin := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	y := 0.2126*lin(c.R) + 0.7152*lin(c.G) + 0.0722*lin(c.B)
	if y <= 0.008856 {
		return 903.3 * y
	}
	return 116*math.Cbrt(y) - 16
}

// hue returns the hue of a color in degrees, and its chroma from 0 to 1.
func hue(c color.RGBA) (angle, chroma float64) {
	r, g, b := float64(c.R)/255, float64(c.G)/255, float64(c.B)/255
	y, x := math.Sqrt(3)*(g-b), 2*r-g-b
	return math.Atan2(y, x) * 180 / math.Pi, max(r, g, b) - min(r, g, b)
}

// TestColors: every color is seen on white and its dark shade on a dark page, the first four differ from their neighbors in grey,
// both shades have one hue, and no two series have the same color and marker, or color and filling.
func TestColors(t *testing.T) {
	for i, s := range shades {
		assert.Less(t, lightness(s.light), 75.0, "color %d on white", i)
		assert.Greater(t, lightness(s.dark), 50.0, "color %d on a dark page", i)
		if i > 0 && i < 5 {
			assert.Greater(t, math.Abs(lightness(s.light)-lightness(shades[i-1].light)), 14.0, "colors %d and %d in grey", i-1, i)
		}
		light, chroma := hue(s.light)
		dark, still := hue(s.dark)
		if chroma < 0.1 {
			assert.Less(t, still, 0.1, "color %d", i)
			continue
		}
		assert.Less(t, math.Abs(math.Remainder(light-dark, 360)), 12.0, "the hues of color %d", i)
		for k := range i {
			assert.NotEqual(t, shades[k].dark, s.dark)
		}
	}
	type look struct {
		c color.RGBA
		g any
	}
	markers, fillings := map[look]bool{}, map[look]bool{}
	for i := range mostSeries {
		l := Look{i % len(shades), i / len(shades)}
		for seen, x := range map[*map[look]bool]look{&markers: {l.color(), l.glyph().Shape}, &fillings: {l.color(), l.Mark % patterns}} {
			assert.False(t, (*seen)[x], "series %d looks like another", i)
			(*seen)[x] = true
		}
	}
}

func TestTicks(t *testing.T) {
	labels := func(tk ticks, lo, hi float64) (list []string) {
		for _, x := range tk.Ticks(lo, hi) {
			if x.Label != "" {
				list = append(list, x.Label)
			}
		}
		return list
	}
	assert.Equal(t, []string{"0", "20 k", "40 k", "60 k", "80 k", "100 k"}, labels(ticks{}, 0, 1e5))
	assert.Equal(t, []string{"−1", "−0.5", "0", "0.5", "1"}, labels(ticks{}, -1, 1.2))
	assert.Equal(t, []string{"0 s", "500 µs", "1 ms", "1.5 ms", "2 ms"}, labels(ticks{unit: "s"}, 0, 2.2e-3))
	assert.Equal(t, []string{"1 µs", "10 µs", "100 µs", "1 ms"}, labels(ticks{unit: "s", log: true}, 9e-7, 2e-3))
	assert.Equal(t, []string{"20", "50", "100", "200"}, labels(ticks{log: true}, 15, 210))
	assert.Equal(t, []string{"66", "132"}, labels(ticks{at: []float64{66, 132}}, 0, 200))
	assert.Nil(t, few([]float64{1, 2, 4, 8, 16, 32, 64}, false, 9))
	assert.Len(t, few([]float64{1, 2, 4, 8, 16, 32, 64}, true, 9), 7)
	assert.Nil(t, few([]float64{1, 2, 4, 8, 16, 32, 64}, true, 5))
	assert.Equal(t, []string{"1 µs", "10 µs", "100 µs"}, labels(ticks{unit: "s", log: true, most: 4}, 9e-7, 2e-4))
	assert.Equal(t, []float64{5}, steps(5, 5, 4))
	assert.Equal(t, []float64{50}, steps(50, math.Nextafter(math.Nextafter(50, 60), 60), 4), "between two neighbors there is no round number")
	b, err := (&Spec{}).bins([]float64{50, math.Nextafter(50, 60), 50})
	assert.NoError(t, err)
	assert.Equal(t, 1, b.n)
}

func TestQuantile(t *testing.T) {
	v := []float64{1, 2, 3, 10}
	assert.Equal(t, 2.5, quantile(v, 0.5))
	assert.Equal(t, 1.75, quantile(v, 0.25))
	assert.Equal(t, 10.0, quantile(v, 1))
	assert.Equal(t, 4.0, quantile([]float64{4}, 0.25))
	for how, want := range map[string]float64{"min": 1, "max": 10, "median": 2.5, "mean": 4, "sum": 16, "geomean": math.Pow(60, 0.25)} {
		assert.InDelta(t, want, reduction(how, v), 1e-12, how)
	}
}
