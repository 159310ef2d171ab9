package gpu_test

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

// stride selects every stride-th of the 2^32 float32 numbers: -stride 1 tries all of them,
// which takes an hour.
var stride = flag.Uint64("stride", 16411, "try one of so many float32 numbers")

// function is a function of package gpu with its documented error bound in ulp.
type function struct {
	single    func(float32) float32
	double    func(float64) float64
	reference func(float64) float64 // within an ulp or two of float64
	exact     func(float64) *big.Float
	bound     float64
	from, to  float64 // the range in which float64 results are neither zero nor infinite
}

var functions = map[string]function{
	"Exp":  {gpu.Exp[float32], gpu.Exp[float64], math.Exp, func(x float64) *big.Float { return bigExp(exact(x)) }, 1.1, -745, 709.7},
	"Exp2": {gpu.Exp2[float32], gpu.Exp2[float64], math.Exp2, func(x float64) *big.Float { return bigExp(number().Mul(exact(x), bigLn2)) }, 1, -1074, 1023.99},
	"Log":  {gpu.Log[float32], gpu.Log[float64], math.Log, func(x float64) *big.Float { return bigLog(exact(x)) }, 1, 0, math.MaxFloat64},
	"Log2": {gpu.Log2[float32], gpu.Log2[float64], math.Log2, func(x float64) *big.Float {
		return number().Quo(bigLog(exact(x)), bigLn2)
	}, 1.5, 0, math.MaxFloat64},
	"Sin":  {gpu.Sin[float32], gpu.Sin[float64], math.Sin, func(x float64) *big.Float { return bigSin(x, 0) }, 2, -math.MaxFloat64, math.MaxFloat64},
	"Cos":  {gpu.Cos[float32], gpu.Cos[float64], math.Cos, func(x float64) *big.Float { return bigSin(x, 1) }, 2, -math.MaxFloat64, math.MaxFloat64},
	"Tanh": {gpu.Tanh[float32], gpu.Tanh[float64], math.Tanh, bigTanh, 2.6, -300, 300},
	"Rsqrt": {gpu.Rsqrt[float32], gpu.Rsqrt[float64], func(x float64) float64 { return 1 / math.Sqrt(x) }, func(x float64) *big.Float {
		return number().Quo(exact(1), number().Sqrt(exact(x)))
	}, 1, 0, math.MaxFloat64},
}

// ulps32 returns the distance between got and want in units of the last place of a float32
// of want's size.
func ulps32(got float32, want float64) float64 {
	_, e := math.Frexp(want)
	return math.Abs(math.Ldexp(float64(got)-want, 23-max(e-1, -126)))
}

// within requires a float32 result to be within bound ulp of the reference, and returns its
// error.
func within(t *testing.T, got float32, want, bound float64, x ...any) float64 {
	t.Helper()
	switch {
	case math.IsNaN(want):
		require.True(t, got != got, "%v is %v and should be no number", x, got)
		return 0
	case float64(got) == want:
		return 0
	case math.IsInf(float64(got), 0): // the largest error is the rounding error
		require.Greater(t, math.Abs(want), 0x1.fffffcp127, "%v is %v and should be %v", x, got, want)
		return 0
	}
	if math.IsInf(want, 0) { // of float64
		want = math.Copysign(0x1p1023, want)
	}
	e := ulps32(got, want)
	require.LessOrEqual(t, e, bound, "%v is %v and should be %v", x, got, want)
	return e
}

// TestFunctions32 tries float32 numbers of all sizes, evenly distributed over their bit
// patterns, and then many near 1, where functions are used most.
func TestFunctions32(t *testing.T) {
	step := *stride
	if testing.Short() {
		step = 40961
	}
	for name, f := range functions {
		t.Run(name, func(t *testing.T) {
			worst, n := 0.0, 0
			try := func(x float32) {
				worst = max(worst, within(t, f.single(x), f.reference(float64(x)), f.bound, x))
				n++
			}
			for u := uint64(0); u < 1<<32; u += step {
				try(math.Float32frombits(uint32(u)))
			}
			r := rand.New(rand.NewPCG(1, 2))
			for range min(n, 100_000) {
				try((r.Float32() - 0.5) * 16)
			}
			t.Logf("at most %.3f ulp over %d numbers", worst, n)
		})
	}
}

// TestFunctions64 compares with references of higher precision.
func TestFunctions64(t *testing.T) {
	n := 2000
	if testing.Short() {
		n = 300
	}
	for name, f := range functions {
		t.Run(name, func(t *testing.T) {
			worst, tried := 0.0, 0
			try := func(x float64) {
				if !(x >= f.from && x <= f.to) || x == 0 {
					return
				}
				want := f.exact(x)
				got := f.double(x)
				require.False(t, math.IsNaN(got) || math.IsInf(got, 0), "%v is %v and should be %v", x, got, want)
				if want.Sign() == 0 {
					require.Zero(t, got)
					return
				}
				e := ulps(got, want)
				require.LessOrEqual(t, e, f.bound, "%v is %v and should be %v", x, got, want)
				worst = max(worst, e)
				tried++
			}
			r := rand.New(rand.NewPCG(3, 4))
			for range n {
				try(math.Float64frombits(r.Uint64())) // all sizes
				try(math.Abs(math.Float64frombits(r.Uint64())))
				try((r.Float64() - 0.5) * 16)
				try((r.Float64() - 0.5) * 1500)
				try(1 + (r.Float64()-0.5)*0x1p-6)
			}
			// The arguments nearest to multiples of pi/2, and the smallest numbers.
			for _, x := range []float64{0x1.6ac5b262ca1ffp+849, 5.319372648326541e+255, 0x1p1023, math.MaxFloat64, 0x1p22, 0x1.fffffffffffffp21,
				math.Pi / 2, math.Pi, 5e-324, 0x1p-1022, 0x1.fffffffffffffp-1023, 1, -1} {
				try(x)
				try(-x)
			}
			require.Greater(t, tried, n)
			t.Logf("at most %.3f ulp over %d numbers", worst, tried)
		})
	}
}

var specials = []float64{0, math.Copysign(0, -1), 1, -1, 2, -2, 0.5, -0.5, 3, -3, 4, -4, 2.5, -2.5, 0x1p24, 0x1p24 + 1, -0x1p24 - 1, 0x1p53, 0x1p53 + 2, 1e-45, -1e-45, 5e-324, 1e30, -1e30,
	math.MaxFloat32, -math.MaxFloat32, math.MaxFloat64, -math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 1000, -1000, 150, -150}

// TestFunctionSpecials compares zeros with their signs, infinities and NaN with Go's math.
func TestFunctionSpecials(t *testing.T) {
	for name, f := range functions {
		for _, x := range specials {
			want := f.reference(x)
			if math.IsNaN(want) || want == 0 || math.IsInf(want, 0) {
				assert.Equal(t, number64(want), number64(f.double(x)), "%s(%v)", name, x)
			}
			x := float32(x)
			if want := f.reference(float64(x)); math.IsNaN(want) || want == 0 || math.IsInf(want, 0) {
				assert.Equal(t, number64(want), number64(float64(f.single(x))), "%s(float32(%v))", name, x)
			}
		}
	}
	for e := -149; e < 128; e++ {
		p := float32(math.Ldexp(1, e))
		require.Equal(t, p, gpu.Exp2(float32(e)))
		require.Equal(t, float32(e), gpu.Log2(p))
	}
	for e := -1074; e < 1024; e++ {
		p := math.Ldexp(1, e)
		require.Equal(t, p, gpu.Exp2(float64(e)))
		require.Equal(t, float64(e), gpu.Log2(p))
	}
	s, c := gpu.SinCos(float32(1e30))
	assert.Equal(t, [2]float32{gpu.Sin(float32(1e30)), gpu.Cos(float32(1e30))}, [2]float32{s, c})
	s64, c64 := gpu.SinCos(1e300)
	assert.Equal(t, [2]float64{gpu.Sin(1e300), gpu.Cos(1e300)}, [2]float64{s64, c64})
}

// number64 returns the bits of x, with one pattern for every NaN.
func number64(x float64) uint64 {
	if math.IsNaN(x) {
		return 1
	}
	return math.Float64bits(x)
}

func TestPow32(t *testing.T) {
	n := 300_000
	if testing.Short() {
		n = 100_000
	}
	worst := 0.0
	try := func(x, y float32) {
		worst = max(worst, within(t, gpu.Pow(x, y), math.Pow(float64(x), float64(y)), 1, x, y))
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range n {
		try(math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32()))
		try(r.Float32()*4, (r.Float32()-0.5)*200)
		try(float32(r.Uint32N(40))-20, float32(r.Uint32N(40))-20)
	}
	for _, x := range specials {
		for _, y := range specials {
			try(float32(x), float32(y))
			if want := math.Pow(float64(float32(x)), float64(float32(y))); want == 0 || math.IsInf(want, 0) {
				assert.Equal(t, number64(want), number64(float64(gpu.Pow(float32(x), float32(y)))), "%v to the power of %v", x, y)
			}
		}
	}
	t.Logf("at most %.3f ulp", worst)
}

func TestPow64(t *testing.T) {
	n := 2000
	if testing.Short() {
		n = 300
	}
	worst := 0.0
	try := func(x, y float64) {
		got, rough := gpu.Pow(x, y), math.Pow(x, y)
		if !(x > 0) || math.IsNaN(rough) || math.IsInf(rough, 0) || rough < 1e-320 || x == 1 || y == 0 {
			if math.IsNaN(rough) || math.IsInf(rough, 0) || rough == 0 || rough == 1 {
				require.Equal(t, number64(rough), number64(got), "%v to the power of %v", x, y)
			}
			return
		}
		want := bigExp(number().Mul(exact(y), bigLog(exact(x))))
		e := ulps(got, want)
		require.LessOrEqual(t, e, 1.0, "%v to the power of %v is %v and should be %v", x, y, got, want)
		worst = max(worst, e)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range n {
		try(math.Float64frombits(r.Uint64()), math.Float64frombits(r.Uint64()))
		try(r.Float64()*4, (r.Float64()-0.5)*1000)
		x := 1 + (r.Float64()-0.5)*0x1p-10
		try(x, (r.Float64()-0.5)*0x1p20)
		try(x, 700/math.Log(x)*(1+0x1p-20*r.Float64()))
		x = math.Abs(math.Float64frombits(r.Uint64()))
		try(x, 1400*(r.Float64()-0.5)/math.Log(x))
	}
	for _, x := range specials {
		for _, y := range specials {
			try(x, y)
		}
	}
	assert.Equal(t, -8.0, gpu.Pow(-2.0, 3))
	assert.Equal(t, 0.25, gpu.Pow(-2.0, -2))
	t.Logf("at most %.3f ulp", worst)
}
