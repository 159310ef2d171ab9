package devicetest

import (
	"math"
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device/devicetest/testkernels"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/ir"
)

// functionNames are those that testkernels.Functions32 applies, in order.
var functionNames = []string{"Exp", "Exp2", "Log", "Log2", "Sin", "Cos", "Tanh", "Rsqrt", "Pow"}

// testFunctions holds the functions of numbers to the bits that they have as
// plain Go.
func testFunctions(b *bench) {
	const n = 1500
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		switch i % 3 {
		case 0: // of all sizes
			x[i], y[i] = math.Float64frombits(r.Uint64()), math.Float64frombits(r.Uint64())
		case 1:
			x[i], y[i] = (r.Float64()-0.2)*40, (r.Float64()-0.5)*40
		default:
			x[i], y[i] = float64(math.Float32frombits(r.Uint32())), float64(r.Uint32N(20))-10
		}
	}
	copy(x, []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, math.MaxFloat32, -math.MaxFloat32, 1e-45, -1e-45, 0x1p-126, 5e-324,
		math.MaxFloat64, 88.72284, 709.78, -103.97, -745.1, 0x1p17, 0x1p22, math.Pi, math.Pi / 2, 0x1.6ac5b262ca1ffp+849})
	sameFunctions(b, "Functions64", ir.F64, x, y, testkernels.Functions64, math.Float64bits)
	x32, y32 := make([]float32, n), make([]float32, n)
	for i := range x {
		x32[i], y32[i] = float32(x[i]), float32(y[i])
		if i%3 == 0 && i > 40 {
			x32[i], y32[i] = math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32())
		}
	}
	sameFunctions(b, "Functions32", ir.F32, x32, y32, testkernels.Functions32, math.Float32bits)
}

func sameFunctions[T gpu.Float, U uint32 | uint64](b *bench, name string, kind ir.Kind, x, y []T, kernel func(t gpu.Thread, x, y, out []T), bits func(T) U) {
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

// testFloatOrder holds atomic minima and maxima of floats to the order of their bits.
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
		bf, bd := buffer(b, "f", ir.F32, f...), buffer(b, "d", ir.F64, d...)
		b.must("FloatOrder", grid, block, buffer(b, "in", ir.F32, in...), bf, bd)
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
