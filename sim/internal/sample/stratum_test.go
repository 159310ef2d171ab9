package sample

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestExact measures pieces that follow a model without noise: the estimate is exact and the interval has no width.
func TestExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, model := range []Model{Proportional, Linear} {
		s := &Stratum{Model: model}
		cost := func(z Size) []float64 {
			if model == Proportional {
				return []float64{3 * z.Work, z.Work / 2}
			}
			return []float64{1000 + 2*z.Work + 7*z.Chain, 5*z.Chain + 1}
		}
		for range 30 {
			z := Size{Work: 100 + 900*random.Float64(), Chain: 10 * random.Float64()}
			s.Measured(z, 1, cost(z))
		}
		want, got := make([]float64, 2), make([]float64, 2)
		for range 50 {
			z := Size{Work: 100 + 900*random.Float64(), Chain: 10 * random.Float64()}
			for i, v := range cost(z) {
				want[i] += v
			}
			s.Skipped(z)
		}
		s.Estimate(s.Left, s.LeftSize, got)
		assert.InEpsilonSlice(t, want, got, 1e-9)
		assert.Less(t, s.Half(0)/got[0], 1e-9)
		// The deviations say the same as Half.
		assert.InDelta(t, s.Half(1), halfOf(s, 1), 1e-6)
	}
}

// halfOf returns half of the interval's width of a quantity, by the deviations of a stratum.
func halfOf(s *Stratum, quantity int) float64 {
	var all Deviations
	all.AddStratum(s)
	return all.Half(quantity)
}

// TestSameSize measures pieces of one size, which say nothing about other sizes: the estimate is their mean.
func TestSameSize(t *testing.T) {
	s := &Stratum{Model: Linear}
	for i := range 10 {
		s.Measured(Size{Work: 100, Chain: 5}, 1, []float64{float64(90 + 2*i)})
	}
	got := make([]float64, 1)
	s.Estimate(4, Size{Work: 400, Chain: 20}, got)
	assert.InDelta(t, 4*99, got[0], 1e-6)
}

// TestCoverage draws populations, measures a part of each at random, and counts how often the sum over the rest lies in the
// interval. The populations have what launches have: noise that grows with the size, outliers, and a bend that no line follows.
func TestCoverage(t *testing.T) {
	const trials = 1000
	for _, c := range []struct {
		name     string
		measured int
		left     int
		value    func(random *rand.Rand, z Size) float64
		least    float64
	}{
		{"noise, 20 of 200", 20, 180, func(r *rand.Rand, z Size) float64 { return (500 + 2*z.Work) * (1 + 0.1*r.NormFloat64()) }, 0.93},
		{"noise, 6 of 60", 6, 54, func(r *rand.Rand, z Size) float64 { return (500 + 2*z.Work) * (1 + 0.1*r.NormFloat64()) }, 0.9},
		{"outliers, 40 of 400", 40, 360, func(r *rand.Rand, z Size) float64 {
			return (2*z.Work + 100) * (1 + math.Abs(r.NormFloat64())*0.2)
		}, 0.9},
		{"bend, 30 of 300", 30, 270, func(r *rand.Rand, z Size) float64 { return max(1500, 2*z.Work) + 20*r.NormFloat64() }, 0.9},
	} {
		random, inside := rand.New(rand.NewPCG(7, 8)), 0
		for range trials {
			s := &Stratum{Model: Linear}
			draw := func() (Size, float64) {
				z := Size{Work: 100 + 1900*random.Float64(), Chain: 20}
				return z, c.value(random, z)
			}
			for range c.measured {
				z, v := draw()
				s.Measured(z, 1, []float64{v})
			}
			truth := 0.0
			for range c.left {
				z, v := draw()
				s.Skipped(z)
				truth += v
			}
			got := make([]float64, 1)
			s.Estimate(s.Left, s.LeftSize, got)
			if math.Abs(got[0]-truth) <= s.Half(0) {
				inside++
			}
		}
		t.Logf("%s: %d of %d", c.name, inside, trials)
		assert.GreaterOrEqual(t, float64(inside)/trials, c.least, c.name)
		assert.LessOrEqual(t, float64(inside)/trials, 0.999, "%s: an interval that always holds is too wide", c.name)
	}
}

// TestFew has so few pieces that nothing, or little, is known.
func TestFew(t *testing.T) {
	s := &Stratum{}
	half, _ := s.With(Size{Work: 1}, 0)
	assert.True(t, math.IsInf(half, 1))
	assert.Zero(t, s.Half(0))
	s.Measured(Size{Work: 10}, 1, []float64{100})
	half, piece := s.With(Size{Work: 20}, 0)
	assert.InDelta(t, 200, piece, 1e-9)
	assert.InDelta(t, Alone*200, half, 1e-9)
	s.Skipped(Size{Work: 20})
	require.InDelta(t, Alone*200, halfOf(s, 0), 1e-9)
	// Two equal pieces leave nothing open; two unequal ones, nearly everything: the quantile of one degree of freedom is 12.7.
	s.Measured(Size{Work: 10}, 1, []float64{100})
	assert.InDelta(t, 0, s.Half(0), 1e-9)
	s = &Stratum{}
	s.Measured(Size{Work: 10}, 1, []float64{100})
	s.Measured(Size{Work: 10}, 1, []float64{120})
	half, piece = s.With(Size{Work: 10}, 0)
	assert.InDelta(t, 110, piece, 1e-9)
	assert.InDelta(t, 12.706*10*math.Sqrt(3), half, 0.1) // 10 is the standard error of the mean
}
