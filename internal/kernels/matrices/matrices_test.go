//go:build !kernel

package matrices_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/kernels/matrices"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// The matrices of the tests have m rows, n columns, and k products for each element.
const m, n, k = 128, 96, 80

// factors returns random matrices in f16, of rows of a and columns of b, the same in float32, and bounds of the error of a sum.
func factors() (a, b []uint32, x, y []float32) { return randomFactors(m, n, k) }

// randomFactors is factors of other sizes.
func randomFactors(m, n, k int) (a, b []uint32, x, y []float32) {
	r := rand.New(rand.NewPCG(7, 8))
	list := func(length int) (packed []uint32, plain []float32) {
		for range length * k / 2 {
			w := gpu.PackF16(r.Float32()*2-1, r.Float32()*2-1)
			packed, plain = append(packed, w), append(plain, gpu.FromF16(w), gpu.FromF16(w>>16))
		}
		return packed, plain
	}
	a, x = list(m)
	b, y = list(n)
	return a, b, x, y
}

// check compares a product with that of the CPU in float64. Each step rounds to one of 24 bits, or cuts off as much.
func check(t *testing.T, x, y, c []float32) {
	t.Helper()
	compare(t, x, y, c, m, n, k)
}

// compare is check of other sizes.
func compare(t *testing.T, x, y, c []float32, m, n, k int) {
	t.Helper()
	for row := range m {
		for column := range n {
			sum, size := 0., 0.
			for i := range k {
				p := float64(x[row*k+i]) * float64(y[column*k+i])
				sum, size = sum+p, size+math.Abs(p)
			}
			require.InDelta(t, sum, c[row*n+column], size*float64(k)*math.Ldexp(1, -24), "row %d, column %d", row, column)
		}
	}
}

// adjacency returns random rows of bits, and the counts of common ones.
func adjacency(rows, columns, bitsOfRow int) (a, b []uint32, want []int32) {
	r := rand.New(rand.NewPCG(9, 10))
	length := bitsOfRow / 32
	for range rows * length {
		a = append(a, r.Uint32()&r.Uint32())
	}
	for range columns * length {
		b = append(b, r.Uint32())
	}
	for row := range rows {
		for column := range columns {
			count := 0
			for i := range length {
				count += bits.OnesCount32(a[row*length+i] & b[column*length+i])
			}
			want = append(want, int32(count))
		}
	}
	return a, b, want
}

const grid = m / matrices.Rows * (n / matrices.Columns)

// TestNative runs the kernels as plain Go.
func TestNative(t *testing.T) {
	a, b, x, y := factors()
	c := make([]float32, m*n)
	require.NoError(t, gpu.Launch(grid, matrices.Threads, func(th gpu.Thread) { matrices.Tensor(th, a, b, c, n, k) }))
	check(t, x, y, c)
	c = make([]float32, m*n)
	require.NoError(t, gpu.Launch(grid, matrices.Threads, func(th gpu.Thread) { matrices.Plain(th, x, y, c, n, k) }))
	check(t, x, y, c)
	p, q, want := adjacency(48, 24, 512)
	counts := make([]int32, len(want))
	require.NoError(t, gpu.Launch(2, 64, func(th gpu.Thread) { matrices.Common(th, p, q, counts, 48, 24, 512) }))
	assert.Equal(t, want, counts)
}

// TestDevices runs the kernels on devices, with checks for races.
func TestDevices(t *testing.T) {
	compiler := compile.New()
	compiler.Mount(matrices.Sources.Path, matrices.Sources.Files)
	a, b, x, y := factors()
	p, q, want := adjacency(48, 24, 512)
	all := func(d device.Device) (cycles []uint64) {
		launch := func(kernel string, grid, block int, out device.Buffer, args ...any) {
			k, err := compiler.Kernel(t.Context(), "matrices."+kernel, nil)
			require.NoError(t, err)
			rep, err := d.Launch(t.Context(), device.Launch{Kernel: k, Grid: grid, Block: block, Args: args})
			require.NoError(t, err)
			cycles = append(cycles, rep.Cycles)
		}
		put := func(kind device.Kind, n int, data any) device.Buffer {
			buf, err := d.Alloc("data", kind, n)
			require.NoError(t, err)
			require.NoError(t, d.Write(buf, data))
			return buf
		}
		c := make([]float32, m*n)
		out := put(device.F32, len(c), c)
		launch("Tensor", grid, matrices.Threads, out, put(device.U32, len(a), a), put(device.U32, len(b), b), out, uint32(n), uint32(k))
		require.NoError(t, d.Read(out, c))
		check(t, x, y, c)
		launch("Plain", grid, matrices.Threads, out, put(device.F32, len(x), x), put(device.F32, len(y), y), out, uint32(n), uint32(k))
		require.NoError(t, d.Read(out, c))
		check(t, x, y, c)
		counts := make([]int32, len(want))
		out = put(device.S32, len(counts), counts)
		launch("Common", 2, 64, out, put(device.U32, len(p), p), put(device.U32, len(q), q), out, uint32(48), uint32(24), uint32(512))
		require.NoError(t, d.Read(out, counts))
		require.Equal(t, want, counts)
		require.NoError(t, d.Close())
		return cycles
	}
	races := device.NewRaces()
	all(function.New(function.Options{Races: races}))
	require.Empty(t, races.List())
	cfg, err := config.Load("h200")
	require.NoError(t, err)
	on := func(threads int) []uint64 {
		d, err := sim.New(cfg, sim.Options{Threads: threads, Strict: true})
		require.NoError(t, err)
		return all(d)
	}
	one := on(1)
	assert.Equal(t, one, on(3), "threads that simulate")
	assert.Less(t, one[0], one[1], "tensor cores take less time: %v", one)
	t.Log(one)
}
