package compile

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/testing/langtest"
)

// langCase is a kernel and its parameters after in and out.
type langCase struct {
	native any
	more   func(r *rand.Rand, threads int) []any
	shape  *device.Shape // nil: langGrid blocks of langBlock threads
	shared int           // bytes of dynamic shared memory
}

// launch returns the case's launch on a device; all cases have the same number
// of threads.
func (c langCase) launch() device.Launch {
	if s := c.shape; s != nil {
		return device.Launch{DynamicShared: c.shared, Grid: s.Grid[0], GridY: s.Grid[1], GridZ: s.Grid[2], Block: s.Block[0], BlockY: s.Block[1], BlockZ: s.Block[2]}
	}
	return device.Launch{Grid: langGrid, Block: langBlock, DynamicShared: c.shared}
}

const (
	langGrid  = 2
	langBlock = 64
)

func random[T any](r *rand.Rand, n int, f func() T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = f()
	}
	return s
}

func numbers[T uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64 | float32 | float64](r *rand.Rand, n int) []T {
	return random(r, n, func() T { return T(r.Int32N(250)) - 100 })
}

func points(r *rand.Rand, n int) []langtest.Point {
	return random(r, n, func() (p langtest.Point) {
		p = langtest.Point{Tag: uint8(r.Uint32()), X: int32(r.Uint32N(99)), OK: r.Uint32()&1 == 0, Pair: [2]uint16{uint16(r.Uint32()), 3}}
		p.In.D, p.In.B[1], p.In.B[2] = float64(r.Uint32N(1000)), r.Uint32()&1 == 0, r.Uint32()&1 == 0
		return p
	})
}

var langCases = map[string]langCase{
	"Ints8":       {native: langtest.Ints8},
	"Ints16":      {native: langtest.Ints16},
	"Ints32":      {native: langtest.Ints32},
	"Ints64":      {native: langtest.Ints64},
	"Conversions": {native: langtest.Conversions},
	"Floats":      {native: langtest.Floats},
	"Math":        {native: langtest.Math},
	"MathDevice":  {native: langtest.MathDevice},
	"Loops":       {native: langtest.Loops},
	"Switches":    {native: langtest.Switches},
	"Returns":     {native: langtest.Returns},
	"Iterators":   {native: langtest.Iterators},
	"Slices":      {native: langtest.Slices},
	"Functions":   {native: langtest.Functions},
	"LoopVars":    {native: langtest.LoopVars},
	"FoldSum":     {native: langtest.FoldSum, more: func(r *rand.Rand, n int) []any { return []any{zeroOf(langtest.FoldSum, 3)} }},
	"FoldMax":     {native: langtest.FoldMax, more: func(r *rand.Rand, n int) []any { return []any{zeroOf(langtest.FoldMax, 3)} }},
	"Variadics":   {native: langtest.Variadics},
	"Locals":      {native: langtest.Locals},
	"Pointers":    {native: langtest.Pointers},
	"Index":       {native: langtest.Index},
	"Dimensions":  {native: langtest.Dimensions, shape: &device.Shape{Grid: [3]int{1, 2, 1}, Block: [3]int{4, 2, 8}}},
	"Shared":      {native: langtest.Shared},
	"Tables":      {native: langtest.Tables},
	"Dynamic":     {native: langtest.Dynamic, shared: 256 + 16*langBlock + 3},
	"Warps":       {native: langtest.Warps},
	"Traps":       {native: langtest.Traps},
	"Stacks":      {native: langtest.Stacks},
	"Queues":      {native: langtest.Queues},
	"Constants":   {native: langtest.Constants},
	"Nested": {native: langtest.Nested, more: func(r *rand.Rand, n int) []any {
		gs := reflect.MakeSlice(reflect.TypeOf(langtest.Nested).In(3), n, n)
		copy(bytesOf(gs), bytesOf(reflect.ValueOf(numbers[uint32](r, 12*n))))
		return []any{gs.Interface(), &points(r, 1)[0]}
	}},
	"Records": {native: langtest.Records, more: func(r *rand.Rand, n int) []any {
		rs, ns, ps := make([]langtest.Record, n), make([]langtest.Nest, n), reflect.MakeSlice(reflect.TypeOf(langtest.Records).In(5), n, n)
		for _, s := range []any{rs, ns, ps.Interface()} {
			b := bytesOf(reflect.ValueOf(s))
			copy(b, bytesOf(reflect.ValueOf(random(r, len(b)/4, func() uint32 { return r.Uint32N(1000) })))) // no NaN
		}
		return []any{rs, ns, ps.Interface(), make([][2]float64, n)}
	}},
	"Structs": {native: langtest.Structs, more: func(r *rand.Rand, n int) []any { return []any{points(r, n)} }},
	"Narrow": {native: langtest.Narrow, more: func(r *rand.Rand, n int) []any {
		return []any{numbers[int8](r, n), numbers[uint8](r, n), numbers[int16](r, n), numbers[uint16](r, n),
			random(r, n, func() bool { return r.Uint32()&1 == 0 }), numbers[int64](r, n), numbers[float64](r, n)}
	}},
	"Params": {native: langtest.Params, more: func(r *rand.Rand, n int) []any {
		return []any{&numbers[uint32](r, 1)[0], points(r, 1)[0], true, int8(-7), uint16(65000), uint64(1) << 40, float32(2.5), 7.25,
			[3]int16{-1, 2, 3}, &[4]uint32{1, 2, 3, 4}}
	}},
	"Arrays": {native: langtest.Arrays, more: func(r *rand.Rand, n int) []any {
		ms := reflect.MakeSlice(reflect.TypeOf(langtest.Arrays).In(3), n, n)
		copy(bytesOf(ms), bytesOf(reflect.ValueOf(numbers[uint32](r, 4*n))))
		return []any{ms.Interface()}
	}},
	"Atomics": {native: langtest.Atomics, more: func(r *rand.Rand, n int) []any {
		return []any{numbers[uint32](r, n), numbers[int32](r, n), numbers[uint64](r, n), numbers[int64](r, n), numbers[float32](r, n), numbers[float64](r, n)}
	}},
	"NamedBarriers":  {native: langtest.NamedBarriers},
	"Approximations": {native: langtest.Approximations},
	"FloatOrder": {native: langtest.FloatOrder, more: func(r *rand.Rand, n int) []any {
		return []any{numbers[float32](r, n), numbers[float64](r, n)}
	}},
	"Ordered": {native: langtest.Ordered, more: func(r *rand.Rand, n int) []any {
		return []any{numbers[uint32](r, 4*n), numbers[float32](r, 2*n), numbers[uint64](r, 2*n)}
	}},
}

func zeroOf(fn any, i int) any { return reflect.Zero(reflect.TypeOf(fn).In(i)).Interface() }

// langArgs returns in, out and the other arguments; equal seeds give equal
// arguments.
func langArgs(c langCase, seed uint64) []any {
	r := rand.New(rand.NewPCG(seed, 1))
	n := langGrid * langBlock
	in := random(r, n, r.Uint32)
	if seed > 1 { // small numbers take more branches
		in = random(r, n, func() uint32 { return r.Uint32N(130) })
	}
	args := []any{in, make([]uint32, n*langtest.Width)}
	if c.more != nil {
		args = append(args, c.more(r, n)...)
	}
	return args
}

// runNative runs the kernel as plain Go.
func runNative(t *testing.T, c langCase, args []any) {
	t.Helper()
	fn := reflect.ValueOf(c.native)
	in := make([]reflect.Value, 1+len(args))
	for i, a := range args {
		in[i+1] = reflect.ValueOf(a)
	}
	l := c.launch()
	err := gpu.LaunchDim(gpu.Dim{X: l.Grid, Y: l.GridY, Z: l.GridZ}, gpu.Dim{X: l.Block, Y: l.BlockY, Z: l.BlockZ}, func(th gpu.Thread) {
		call := append([]reflect.Value(nil), in...)
		call[0] = reflect.ValueOf(th)
		fn.Call(call)
	}, gpu.DynamicSharedBytes(l.DynamicShared))
	require.NoError(t, err)
}

func langCompiler(t testing.TB) *Compiler {
	t.Helper()
	c := New(ownSources...)
	c.Mount("langtest", langtest.Sources)
	return c
}

// TestLanguage runs every kernel of langtest as plain Go, as lowered IR, and
// optimised.
func TestLanguage(t *testing.T) {
	t.Run("lowered", func(t *testing.T) { testLanguage(t, true) })
	t.Run("optimised", func(t *testing.T) { testLanguage(t, false) })
}

func testLanguage(t *testing.T, plain bool) {
	c := langCompiler(t)
	c.NoOptimize = plain
	names, err := c.Entries("langtest")
	require.NoError(t, err)
	require.Len(t, names, len(langCases), "kernels without a case, or the other way round")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			lc, ok := langCases[name[len("langtest."):]]
			require.True(t, ok)
			k := kernel(t, c, name, nil)
			for seed := uint64(1); seed <= 3; seed++ {
				want, got := langArgs(lc, seed), langArgs(lc, seed)
				runNative(t, lc, want)
				require.NoError(t, interpret(k.Func, lc.launch(), got))
				require.Equal(t, want, got, "seed %d", seed)
			}
		})
	}
}
