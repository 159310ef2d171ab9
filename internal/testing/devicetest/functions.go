package devicetest

import (
	"math"
	"math/rand/v2"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/testing/testkernels"
)

// functionNames are the functions that testkernels.Functions32 calls, in order.
var functionNames = []string{"Exp", "Exp2", "Log", "Log2", "Sin", "Cos", "Tanh", "Rsqrt", "Pow"}

// testFunctions checks that math functions have the same bits as in plain Go.
func testFunctions(b *bench) {
	const n = 1500
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		switch i % 3 {
		case 0: // numbers of all sizes
			x[i], y[i] = math.Float64frombits(r.Uint64()), math.Float64frombits(r.Uint64())
		case 1:
			x[i], y[i] = (r.Float64()-0.2)*40, (r.Float64()-0.5)*40
		default:
			x[i], y[i] = float64(math.Float32frombits(r.Uint32())), float64(r.Uint32N(20))-10
		}
	}
	copy(x, []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, math.MaxFloat32, -math.MaxFloat32, 1e-45, -1e-45, 0x1p-126, 5e-324,
		math.MaxFloat64, 88.72284, 709.78, -103.97, -745.1, 0x1p17, 0x1p22, math.Pi, math.Pi / 2, 0x1.6ac5b262ca1ffp+849})
	sameFunctions(b, "Functions64", device.F64, x, y, testkernels.Functions64, math.Float64bits)
	x32, y32 := make([]float32, n), make([]float32, n)
	for i := range x {
		x32[i], y32[i] = float32(x[i]), float32(y[i])
		if i%3 == 0 && i > 40 {
			x32[i], y32[i] = math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32())
		}
	}
	sameFunctions(b, "Functions32", device.F32, x32, y32, testkernels.Functions32, math.Float32bits)
}

func sameFunctions[T gpu.Float, U uint32 | uint64](b *bench, name string, kind device.Kind, x, y []T, kernel func(t gpu.Thread, x, y, out []T), bits func(T) U) {
	b.Helper()
	want := make([]T, len(x)*len(functionNames))
	require.NoError(b, gpu.Launch(1, 64, func(t gpu.Thread) { kernel(t, x, y, want) }))
	out := buffer(b, "out", kind, make([]T, len(want))...)
	b.must(name, 4, 96, buffer(b, "x", kind, x...), buffer(b, "y", kind, y...), out)
	for i, got := range read[T](b, out) {
		if want[i] != want[i] {
			require.True(b, got != got, "gpu.%s of %v, %v is %v and should be no number", functionNames[i%len(functionNames)], x[i/len(functionNames)], y[i/len(functionNames)], got)
			continue
		}
		require.Equal(b, bits(want[i]), bits(got), "gpu.%s of %v, %v is %v and should be %v",
			functionNames[i%len(functionNames)], x[i/len(functionNames)], y[i/len(functionNames)], got, want[i])
	}
}

// approximation is a function of testkernels.Approximate with its documented error: errors
// are |got-want| / scale(want).
type approximation struct {
	name      string
	which     uint32
	reference func(x float64) float64
	from, to  float64
	bound     float64
	unit      string
	scale     func(x, want float64) float64
}

func absolutely(_, _ float64) float64    { return 1 }
func relatively(_, want float64) float64 { return math.Abs(want) }

// asLogarithm makes the error absolute where the logarithm is small.
func asLogarithm(x, want float64) float64 {
	if x > 0.5 && x < 2 {
		return 1
	}
	return math.Abs(want)
}

func inUlps(_, want float64) float64 { return math.Ldexp(1, max(math.Ilogb(want), -126)-23) }

var approximations = []approximation{
	{"ApproxExp2", 0, math.Exp2, -126, 127.9, 2.5, "ulp", inUlps},
	{"ApproxLog2", 1, math.Log2, 0x1p-126, math.MaxFloat32, 0x1p-22, "absolute from 0.5 to 2, else relative", asLogarithm},
	{"ApproxLog2", 1, math.Log2, 0.5, 2, 0x1p-22, "absolute", asLogarithm},
	{"ApproxSin", 2, math.Sin, -2 * math.Pi, 2 * math.Pi, math.Exp2(-20.4), "absolute", absolutely},
	{"ApproxSin", 2, math.Sin, -100 * math.Pi, 100 * math.Pi, math.Exp2(-14.7), "absolute", absolutely},
	{"ApproxCos", 3, math.Cos, -2 * math.Pi, 2 * math.Pi, math.Exp2(-20.4), "absolute", absolutely},
	{"ApproxCos", 3, math.Cos, -100 * math.Pi, 100 * math.Pi, math.Exp2(-14.7), "absolute", absolutely},
	{"ApproxTanh", 4, math.Tanh, -12, 12, 0x1p-11, "relative", relatively},
	{"ApproxTanh", 4, math.Tanh, 0x1p-20, 0.5, 0x1p-11, "relative", relatively},
	{"ApproxSqrt", 5, math.Sqrt, 0x1p-126, math.MaxFloat32, 0x1p-23, "relative", relatively},
	{"ApproxRsqrt", 6, func(x float64) float64 { return 1 / math.Sqrt(x) }, 0x1p-126, math.MaxFloat32, math.Exp2(-22.9), "relative", relatively},
	{"ApproxRcp", 7, func(x float64) float64 { return 1 / x }, 0x1p-126, 0x1p126, 1, "ulp", inUlps},
}

// testApproximations compares the hardware's approximations with their documented errors,
// and logs the largest error.
func testApproximations(b *bench) {
	const n = 20_000
	r := rand.New(rand.NewPCG(3, 4))
	for _, a := range approximations {
		x := make([]float32, n)
		for i := range x {
			if a.from > 0 { // evenly distributed over the exponents
				x[i] = float32(math.Exp2(math.Log2(a.from) + r.Float64()*(math.Log2(a.to)-math.Log2(a.from))))
			} else {
				x[i] = float32(a.from + r.Float64()*(a.to-a.from))
			}
			x[i] = min(max(x[i], float32(a.from)), float32(a.to))
		}
		out := buffer(b, "out", device.F32, make([]float32, n)...)
		b.must("Approximate", 8, 128, a.which, buffer(b, "x", device.F32, x...), out)
		worst, at := 0.0, 0
		for i, got := range read[float32](b, out) {
			want := a.reference(float64(x[i]))
			if want == 0 {
				continue
			}
			if e := math.Abs(float64(got)-want) / a.scale(float64(x[i]), want); !(e <= worst) {
				worst, at = e, i
			}
		}
		b.Logf("gpu.%s from %.4g to %.4g: at most %.3g = 2^%.2f at %v (%s; %.3g stated)", a.name, a.from, a.to, worst, math.Log2(worst), x[at], a.unit, a.bound)
		assert.LessOrEqual(b, worst, a.bound, "gpu.%s of %v", a.name, x[at])
	}
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for which, c := range [][][2]float32{
		{{0, 1}, {inf, inf}, {-inf, 0}, {nan, nan}, {200, inf}, {-200, 0}},
		{{1, 0}, {0, -inf}, {inf, inf}, {-1, nan}, {nan, nan}},
		{{0, 0}, {inf, nan}, {nan, nan}},
		{{0, 1}, {inf, nan}, {nan, nan}},
		{{0, 0}, {inf, 1}, {-inf, -1}, {nan, nan}},
		{{0, 0}, {4, 2}, {inf, inf}, {-1, nan}, {nan, nan}},
		{{0, inf}, {inf, 0}, {-1, nan}, {nan, nan}},
		{{0, inf}, {inf, 0}, {-inf, 0}, {nan, nan}},
	} {
		var x []float32
		for _, pair := range c {
			x = append(x, pair[0])
		}
		out := buffer(b, "out", device.F32, make([]float32, len(x))...)
		b.must("Approximate", 1, 32, uint32(which), buffer(b, "x", device.F32, x...), out)
		for i, got := range read[float32](b, out) {
			if want := c[i][1]; want != want {
				require.True(b, got != got, "approximation %d of %v is %v", which, x[i], got)
			} else {
				require.Equal(b, want, got, "approximation %d of %v", which, x[i])
			}
		}
	}
}

// testFloatOrder checks that atomic minima and maxima order floats by their bits.
func testFloatOrder(b *bench) {
	const grid, block = 3, 70
	zero, nan, inf := math.Copysign(0, -1), math.NaN(), math.Inf(1)
	for _, c := range []struct{ in, at, want []float64 }{
		{[]float64{3, -4, 7, nan, -2.5, zero, 0}, []float64{100, -100}, []float64{-4, 7}},
		{[]float64{3, 1, 7, 2.5}, []float64{100, -100}, []float64{1, 7}},
		{[]float64{-3, -1, -7, -nan, -2.5}, []float64{100, -100}, []float64{-7, -1}},
		{[]float64{zero}, []float64{0, zero}, []float64{zero, zero}},
		{[]float64{0}, []float64{0, zero}, []float64{0, 0}},
		{[]float64{nan, -nan}, []float64{inf, -inf}, []float64{inf, -inf}},
		{[]float64{inf, -inf}, []float64{1, 1}, []float64{-inf, inf}},
	} {
		in := make([]float32, 300)
		for i := range in {
			in[i] = float32(c.in[i%len(c.in)])
		}
		f, d := make([]float32, 2+2*grid), make([]float64, 2+2*grid)
		f[0], f[1], d[0], d[1] = float32(c.at[0]), float32(c.at[1]), c.at[0], c.at[1]
		bf, bd := buffer(b, "f", device.F32, f...), buffer(b, "d", device.F64, d...)
		b.must("FloatOrder", grid, block, buffer(b, "in", device.F32, in...), bf, bd)
		f, d = read[float32](b, bf), read[float64](b, bd)
		for i, want := range c.want {
			require.Equal(b, math.Float64bits(want), math.Float64bits(d[i]), "%v: %v", c.in, d)
			require.Equal(b, math.Float32bits(float32(want)), math.Float32bits(f[i]), "%v: %v", c.in, f)
		}
		if len(c.in) == 1 { // every block has the whole input
			for i := range f {
				require.Equal(b, math.Float64bits(c.want[i%2]), math.Float64bits(d[i]), "%v: %v", c.in, d)
				require.Equal(b, math.Float32bits(float32(c.want[i%2])), math.Float32bits(f[i]), "%v: %v", c.in, f)
			}
		}
	}
}
