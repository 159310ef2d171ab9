package gpu_test

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

func TestBitTricks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		x, y := r.Uint64()>>(i%64), r.Uint64()
		u, v := uint32(x), uint32(y)
		k := r.Uint32N(200)
		require.Equal(t, uint32(bits.OnesCount64(x)), gpu.PopCount(x))
		require.Equal(t, uint32(bits.OnesCount32(u)), gpu.PopCount(u))
		require.Equal(t, uint32(bits.LeadingZeros64(x)), gpu.LeadingZeros(x))
		require.Equal(t, uint32(bits.LeadingZeros32(u)), gpu.LeadingZeros(u))
		require.Equal(t, uint32(bits.TrailingZeros64(x)), gpu.TrailingZeros(x))
		require.Equal(t, uint32(bits.TrailingZeros32(u)), gpu.TrailingZeros(u))
		require.Equal(t, bits.Reverse64(x), gpu.Reverse(x))
		require.Equal(t, bits.Reverse32(u), gpu.Reverse(u))
		require.Equal(t, bits.RotateLeft64(x, int(k)), gpu.RotateLeft(x, k))
		require.Equal(t, bits.RotateLeft32(u, int(k)), gpu.RotateLeft(u, k))
		hi, _ := bits.Mul64(x, y)
		require.Equal(t, hi, gpu.MulHi(x, y))
		hi32, _ := bits.Mul32(u, v)
		require.Equal(t, hi32, gpu.MulHi(u, v))
	}
	assert.Equal(t, uint32(32), gpu.LeadingZeros(uint32(0)))
	assert.Equal(t, uint32(32), gpu.TrailingZeros(uint32(0)))
	assert.Equal(t, uint32(64), gpu.TrailingZeros(uint64(0)))
}

// FMA rounds once; the reference is exact arithmetic.
func TestFMA(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	twice := 0
	for range 200_000 {
		// A factor with few bits puts many products halfway between two floats.
		a := float32(r.Uint32N(1<<24)) * 0x1p-12
		b := float32(r.Uint32N(1<<(1+r.Uint32N(24)))) * 0x1p-12
		c := float32(r.Uint32N(1<<9)) * float32(math.Ldexp(1, int(r.Uint32N(90))-70))
		if r.Uint32N(2) == 0 {
			c = -c
		}
		x := new(big.Float).SetPrec(300).SetFloat64(float64(a))
		x.Mul(x, big.NewFloat(float64(b)))
		x.Add(x, big.NewFloat(float64(c)))
		want, _ := x.Float32()
		require.Equal(t, want, gpu.FMA(a, b, c), "%b %b %b", a, b, c)
		if float32(math.FMA(float64(a), float64(b), float64(c))) != want {
			twice++
		}
	}
	assert.Positive(t, twice, "no input shows the difference to rounding twice")
	assert.Equal(t, math.FMA(1.1, 1.3, -1.43), gpu.FMA(1.1, 1.3, -1.43))
	assert.True(t, math.IsInf(float64(gpu.FMA(float32(math.Inf(1)), 1, 1)), 1))
	assert.Equal(t, float32(math.Inf(-1)), gpu.FMA(float32(math.MaxFloat32), -2, 0))
}

func TestFloatFunctions(t *testing.T) {
	assert.Equal(t, float32(math.Sqrt2), gpu.Sqrt(float32(2)))
	assert.Equal(t, math.Sqrt2, gpu.Sqrt(2.0))
	assert.Equal(t, float32(-3), gpu.Floor(float32(-2.5)))
	assert.Equal(t, -2.0, gpu.Ceil(-2.5))
	assert.Equal(t, float32(-2), gpu.Trunc(float32(-2.5)))
	assert.Equal(t, uint32(0x7fc00001), gpu.Float32bits(gpu.Abs(gpu.Float32frombits(0xffc00001))))
	assert.Zero(t, gpu.Float64bits(gpu.Abs(math.Copysign(0, -1))))
	assert.Equal(t, 1.5, gpu.Float64frombits(gpu.Float64bits(1.5)))
}

// As plain Go, the approximations equal the functions themselves.
func TestApproximations(t *testing.T) {
	for _, x := range []float32{0.3, 1, 2.5, 17} {
		assert.Equal(t, gpu.Exp2(x), gpu.ApproxExp2(x))
		assert.Equal(t, gpu.Log2(x), gpu.ApproxLog2(x))
		assert.Equal(t, gpu.Sin(x), gpu.ApproxSin(x))
		assert.Equal(t, gpu.Cos(x), gpu.ApproxCos(x))
		assert.Equal(t, gpu.Tanh(x), gpu.ApproxTanh(x))
		assert.Equal(t, gpu.Sqrt(x), gpu.ApproxSqrt(x))
		assert.Equal(t, gpu.Rsqrt(x), gpu.ApproxRsqrt(x))
		assert.Equal(t, 1/x, gpu.ApproxRcp(x))
	}
}
