package gpu_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

// atomics checks every atomic for one integer type.
func atomics[T gpu.Int](t *testing.T, start T) {
	one := func(f func(p *T) T) T {
		v := start
		require.NoError(t, gpu.Launch(1, 1, func(gpu.Thread) { assert.Equal(t, start, f(&v)) }))
		return v
	}
	assert.Equal(t, start+7, one(func(p *T) T { return gpu.AtomicAdd(p, 7) }))
	assert.Equal(t, min(start, 3), one(func(p *T) T { return gpu.AtomicMin(p, 3) }))
	assert.Equal(t, max(start, 3), one(func(p *T) T { return gpu.AtomicMax(p, 3, gpu.BlockScope) }))
	assert.Equal(t, start&6, one(func(p *T) T { return gpu.AtomicAnd(p, 6) }))
	assert.Equal(t, start|6, one(func(p *T) T { return gpu.AtomicOr(p, 6) }))
	assert.Equal(t, start^6, one(func(p *T) T { return gpu.AtomicXor(p, 6) }))
	assert.Equal(t, T(9), one(func(p *T) T { return gpu.AtomicExch(p, 9) }))
	assert.Equal(t, T(9), one(func(p *T) T { return gpu.AtomicCAS(p, start, 9, gpu.SystemScope) }))
	assert.Equal(t, start, one(func(p *T) T { return gpu.AtomicCAS(p, start+1, 9) }))
	assert.Equal(t, T(5), one(func(p *T) T { old := gpu.Load(p); gpu.Store(p, 5); return old }))
	assert.Equal(t, T(5), one(func(p *T) T { old := gpu.LoadAcquire(p); gpu.StoreRelease(p, 5); return old }))
	assert.Equal(t, T(5), one(func(p *T) T { old := gpu.LoadStreaming(p); gpu.StoreStreaming(p, 5); return old }))
	assert.Equal(t, start, one(func(p *T) T { return gpu.LoadCached(p) }))
}

type level uint32

func TestAtomics(t *testing.T) {
	atomics[uint32](t, math.MaxUint32-1)
	atomics[int32](t, -5)
	atomics[uint64](t, math.MaxUint64-1)
	atomics[int64](t, math.MinInt64+2)
	atomics[level](t, 4)
}

func TestFloatAtomics(t *testing.T) {
	a, b, z := float32(1), float64(1), float32(0)
	nan := float32(math.NaN())
	var sum float32
	require.NoError(t, gpu.Launch(1, 64, func(t gpu.Thread) { gpu.AtomicAdd(&sum, 0.5) }))
	assert.Equal(t, float32(32), sum)
	assert.Equal(t, float32(1), gpu.AtomicExch(&a, 2))
	assert.Equal(t, 1.0, gpu.AtomicAdd(&b, 1e-17), "outside of a launch too")
	assert.Equal(t, 1.0, b)
	gpu.AtomicCAS(&z, float32(math.Copysign(0, -1)), 5)
	assert.Equal(t, float32(0), z, "-0 is not 0")
	gpu.AtomicCAS(&nan, nan, 5)
	assert.Equal(t, float32(5), nan, "a NaN is itself")
}

func TestVectorAccesses(t *testing.T) {
	s := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	assert.Equal(t, [2]float32{3, 4}, gpu.Load2(s, 2))
	assert.Equal(t, [4]float32{5, 6, 7, 8}, gpu.Load4(s, 4))
	gpu.Store2(s, 6, [2]float32{9, 10})
	gpu.Store4(s, 0, [4]float32{4, 3, 2, 1})
	assert.Equal(t, []float32{4, 3, 2, 1, 5, 6, 9, 10}, s)
	assert.Equal(t, uint32(8), gpu.Len(s))
	err := gpu.Launch(1, 1, func(gpu.Thread) { gpu.Load4(s, 2) })
	assert.ErrorContains(t, err, "access of 4 elements at index 2, which is not a multiple of 4 (block 0, thread 0)")
	err = gpu.Launch(1, 1, func(gpu.Thread) { gpu.Store4(s[:6], 4, [4]float32{}) })
	assert.ErrorContains(t, err, "index out of range [7] with length 6")
	assert.Equal(t, float32(5), s[4], "a store out of range writes nothing")
}

type cell struct {
	open bool
	low  uint8
	at   [3]int16
}

func TestSharedIsPoisonedAndOnePerBlock(t *testing.T) {
	const grid, block = 3, 64
	var wrong int
	var sums [grid]uint32
	require.NoError(t, gpu.Launch(grid, block, func(t gpu.Thread) {
		n := gpu.Shared[uint32](t)
		c := gpu.Shared[[4]cell](t)
		if *n>>31 == 0 || !c[3].open || c[3].low != 0xA5 || c[3].at[2] != -0x5A5B {
			wrong++
		}
		t.Sync()
		if t.Idx() == 0 {
			*n = 0
		}
		t.Sync()
		gpu.AtomicAdd(n, 1, gpu.BlockScope)
		t.Sync()
		sums[t.Block()] = *n
	}))
	assert.Zero(t, wrong)
	assert.Equal(t, [grid]uint32{block, block, block}, sums)
	var open bool
	require.NoError(t, gpu.Launch(1, 1, func(t gpu.Thread) {
		c := gpu.Shared[cell](t)
		open = c.open || c.low != 0
	}, gpu.Poison(0)))
	assert.False(t, open)
}

// scratch has one shared variable for each line that calls it, as after inlining.
func scratch[T any](t gpu.Thread) *[8]T {
	return gpu.Shared[[8]T](t)
}

func TestSharedPlaces(t *testing.T) {
	var same, apart bool
	require.NoError(t, gpu.Launch(1, 2, func(t gpu.Thread) {
		var p [2]*uint32
		for i := range p {
			p[i] = gpu.Shared[uint32](t)
		}
		a := gpu.Shared[uint32](t)
		b := gpu.Shared[uint32](t)
		c := scratch[uint32](t)
		d := scratch[uint32](t)
		e := scratch[float32](t)
		c[0], d[0], e[0] = 1, 2, 3
		same, apart = p[0] == p[1], a != b && a != p[0] && c[0] == 1 && d[0] == 2
	}))
	assert.True(t, same, "one place in a loop is one variable")
	assert.True(t, apart)

	err := gpu.Launch(1, 1, func(t gpu.Thread) {
		a, b := gpu.Shared[uint32](t), gpu.Shared[uint32](t)
		*a, *b = 1, 2
	})
	assert.ErrorContains(t, err, "Shared: two variables on one line (block 0, thread 0)")
	err = gpu.Launch(1, 1, func(t gpu.Thread) { gpu.Shared[[]uint32](t) })
	assert.ErrorContains(t, err, "Shared: []uint32 contains pointers")
}

// Floats are ordered by their bits: zeros by their sign. A NaN changes nothing.
func TestAtomicFloatOrder(t *testing.T) {
	inf, nan, zero := float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1))
	for _, c := range []struct{ old, v, least, most float32 }{
		{1, 2, 1, 2}, {2, 1, 1, 2}, {-1, -2, -2, -1}, {-1, 2, -1, 2}, {2, -1, -1, 2}, {0, zero, zero, 0}, {zero, 0, zero, 0},
		{1e-45, -1e-45, -1e-45, 1e-45}, {inf, 3, 3, inf}, {-inf, 3, -inf, 3}, {3, nan, 3, 3}, {-3, -nan, -3, -3}, {inf, nan, inf, inf}, {-inf, nan, -inf, -inf},
	} {
		p, q, g, h := c.old, c.old, float64(c.old), float64(c.old)
		same := func(want, got float32) {
			t.Helper()
			assert.Equal(t, math.Float32bits(want), math.Float32bits(got), "%v and %v", c.old, c.v)
		}
		same(c.old, gpu.AtomicMin(&p, c.v))
		same(c.least, p)
		same(c.old, gpu.AtomicMax(&q, c.v))
		same(c.most, q)
		same(c.old, float32(gpu.AtomicMin(&g, float64(c.v))))
		same(c.least, float32(g))
		same(c.old, float32(gpu.AtomicMax(&h, float64(c.v), gpu.BlockScope)))
		same(c.most, float32(h))
	}
	p := nan
	gpu.AtomicMax(&p, 1)
	assert.NotEqual(t, p, p, "beyond infinity")
	gpu.AtomicMin(&p, 1)
	assert.Equal(t, float32(1), p)
	type named float32
	n := named(3)
	assert.Equal(t, named(3), gpu.AtomicMin(&n, -2))
	assert.Equal(t, named(-2), n)
}
