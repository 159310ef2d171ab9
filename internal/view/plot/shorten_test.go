package plot

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestShorten cuts texts to a width, long ones too, and keeps as many letters as fit.
func TestShorten(t *testing.T) {
	sty := letters(10, ink)
	assert.Equal(t, "short", shorten("short", sty, 100))
	for _, n := range []int{20, 1000, 100_000} {
		began := time.Now()
		s := shorten("a"+strings.Repeat("m", n)+"z", sty, 100)
		assert.Less(t, time.Since(began), 5*time.Second)
		assert.LessOrEqual(t, sty.Width(s), sty.Width(s+"m"))
		assert.LessOrEqual(t, float64(sty.Width(s)), 100.0)
		assert.Greater(t, float64(sty.Width(s)), 80.0, "no more letters fit")
		assert.Regexp(t, "^am+…m+z$", s)
	}
	assert.Equal(t, "a…", shorten("abcdefgh", sty, 1))
}
