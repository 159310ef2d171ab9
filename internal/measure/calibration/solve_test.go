package calibration

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSearch looks for known values of responses of all kinds.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		name               string
		from, least, most  float64
		whole              bool
		row                func(x float64) float64
		at, within, probes float64
	}{
		{"a line", 100, 1, 2000, true, func(x float64) float64 { return 3*x + 40 }, 272, 0, 6},
		{"where it begins", 272, 1, 2000, true, func(x float64) float64 { return 3*x + 40 }, 272, 0, 1},
		{"a rate", 1, 0.125, 64, false, func(x float64) float64 { return 100 / x }, 0.64, 2e-3, 8},
		{"a corner", 2, 0.125, 64, false, func(x float64) float64 { return max(7, 4*x) }, 3.5, 1e-2, 12},
		{"flat at the beginning", 1, 0, 1000, true, func(x float64) float64 { return max(50, 10+x) }, 90, 0, 14},
		{"steps", 30, 0, 500, true, func(x float64) float64 { return 64 * math.Floor(x/8) }, 200, 8, 14},
		{"falling, whole", 8, 1, 1024, true, func(x float64) float64 { return 1e4 / x }, 80, 0.1, 14},
	} {
		probes := 0
		s := search{from: c.from, least: c.least, most: c.most, whole: c.whole, want: c.row(c.at), row: func(x float64) (float64, error) {
			probes++
			if c.whole {
				assert.Equal(t, math.Round(x), x, "%s: whole values only", c.name)
			}
			assert.True(t, x >= c.least && x <= c.most, "%s: %g is beyond the bounds", c.name, x)
			return c.row(x), nil
		}}
		x, err := s.run()
		require.NoError(t, err, c.name)
		assert.InDelta(t, c.at, x, c.within*max(c.at, 1)+1e-9, c.name)
		assert.LessOrEqual(t, float64(probes), c.probes, c.name)
	}
}

// TestSearchBetween checks that a value between two whole ones is said to be there.
func TestSearchBetween(t *testing.T) {
	s := search{from: 8, least: 1, most: 100, whole: true, want: 47, row: func(x float64) (float64, error) { return 10 * x, nil }}
	x, err := s.run()
	require.NoError(t, err)
	assert.InDelta(t, 4.7, x, 1e-9)
}

// TestSearchFails checks what has no value.
func TestSearchFails(t *testing.T) {
	flat := search{from: 8, least: 1, most: 100, want: 47, row: func(float64) (float64, error) { return 10, nil }}
	_, err := flat.run()
	require.ErrorIs(t, err, errFlat)
	low := search{from: 8, least: 4, most: 100, whole: true, want: 7, row: func(x float64) (float64, error) { return 10 + x, nil }}
	x, err := low.run()
	require.EqualError(t, err, "with 4 the row is 14, and not nearer to the recorded value with others")
	assert.InDelta(t, 4, x, 0)
	broken := errors.New("it broke")
	other := search{from: 8, least: 4, most: 100, want: 7, row: func(float64) (float64, error) { return 0, broken }}
	_, err = other.run()
	require.ErrorIs(t, err, broken)
}
