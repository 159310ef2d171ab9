package mma_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/floats"
	"github.com/weft-gpu/weft/internal/mma"
)

// small returns the number of an 8-bit float, by the definition of the OCP 8-bit Floating Point Specification.
func small(t mma.Type, x uint64) float64 {
	bits, bias := 3, 7
	if t == mma.E5M2 {
		bits, bias = 2, 15
	}
	exponent, fraction := int(x&0x7F)>>bits, float64(x&(1<<bits-1))/float64(int(1)<<bits)
	sign := 1 - 2*float64(x>>7)
	switch {
	case t == mma.E4M3 && x&0x7F == 0x7F, t == mma.E5M2 && exponent == 31 && fraction != 0:
		return math.NaN()
	case t == mma.E5M2 && exponent == 31:
		return sign * math.Inf(1)
	case exponent == 0:
		return sign * fraction * math.Pow(2, float64(1-bias))
	}
	return sign * (1 + fraction) * math.Pow(2, float64(exponent-bias))
}

// TestSmall multiplies each 8-bit float by 1, and has the limits of the formats as the OCP specification has them.
func TestSmall(t *testing.T) {
	for _, c := range []struct {
		of    mma.Type
		x     uint64
		value float64
	}{
		{mma.E4M3, 0x7E, 448}, {mma.E4M3, 0x08, 1. / 64}, {mma.E4M3, 0x01, 1. / 512}, {mma.E4M3, 0x38, 1}, {mma.E5M2, 0x7B, 57344}, {mma.E5M2, 0x04, 1. / 16384}, {mma.E5M2, 0x01, 1. / 65536}, {mma.E5M2, 0xBC, -1},
	} {
		assert.Equal(t, c.value, small(c.of, c.x))
	}
	for _, of := range []mma.Type{mma.E4M3, mma.E5M2} {
		w := newWarp(variant(t, fmt.Sprintf("m16n8k32.row.col.f32.%v.%v.f32", of, of)))
		one := bitsOf(of, 1)
		for x := range uint64(256) {
			put(w.a, of, w.v.ElementA, func(row, k int) uint64 {
				if row == k {
					return x
				}
				return 0
			})
			put(w.b, of, w.v.ElementB, func(int, int) uint64 { return one })
			got, want := float64(math.Float32frombits(uint32(w.results()[[2]int{5, 3}]))), small(of, x)
			require.True(t, got == want || got != got && want != want, "%v %#x: %v, want %v", of, x, got, want)
		}
	}
}

// TestSmallRounding is TestRounding for random 8-bit floats of all sizes: with sums of 22 bits below the largest term, and of f16.
func TestSmallRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for i := range mma.Variants {
		w := newWarp(&mma.Variants[i])
		v := w.v
		if v.Capability() != 89 {
			continue
		}
		var a, b [16][32]uint64
		for i := range a {
			for k := range a[i] {
				a[i][k], b[i][k] = uint64(r.IntN(256))&^0x40, uint64(r.IntN(256))&^0x40 // less than 2
			}
		}
		put(w.a, v.A, v.ElementA, func(row, k int) uint64 { return a[row][k] })
		put(w.b, v.B, v.ElementB, func(k, column int) uint64 { return b[column][k] })
		put(w.c, v.C, v.ElementC, func(row, column int) uint64 { return bitsOf(v.C, row-column) })
		for at, bits := range w.results() {
			exact, size := float64(at[0]-at[1]), math.Abs(float64(at[0]-at[1]))
			for k := range v.K {
				p := small(v.A, a[at[0]][k]) * small(v.B, b[at[1]][k])
				exact += p
				size = max(size, math.Abs(exact), math.Abs(p))
			}
			got, within := float64(math.Float32frombits(uint32(bits))), size*math.Pow(2, -18)
			if v.C == mma.F16 {
				got, within = floats.Half.Value(bits), size*math.Pow(2, -10)
			}
			assert.InDelta(t, exact, got, within, "%v at %v", v, at)
		}
	}
}
