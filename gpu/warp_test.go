package gpu_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

// perLane runs f in every thread of one block and returns the results.
func perLane[T any](t *testing.T, block int, f func(t gpu.Thread) T, opts ...gpu.Option) []T {
	out := make([]T, block)
	require.NoError(t, gpu.Launch(1, block, func(t gpu.Thread) { out[t.Idx()] = f(t) }, opts...))
	return out
}

func TestVotes(t *testing.T) {
	odd := func(t gpu.Thread) bool { return t.Lane()%2 == 1 }
	for i, v := range perLane(t, 64, func(t gpu.Thread) uint32 { return t.Ballot(gpu.FullMask, odd(t)) }) {
		require.Equal(t, uint32(0xAAAAAAAA), v, "thread %d", i)
	}
	assert.Equal(t, uint32(0b01010), perLane(t, 5, func(t gpu.Thread) uint32 { return t.Ballot(gpu.FullMask, odd(t)) })[0],
		"lanes that a small warp does not have do not count")
	for i, v := range perLane(t, 64, func(t gpu.Thread) [4]bool {
		return [4]bool{t.Any(gpu.FullMask, t.Idx() == 40), t.All(gpu.FullMask, t.Idx() != 40), t.Any(gpu.FullMask, false), t.All(gpu.FullMask, true)}
	}) {
		require.Equal(t, [4]bool{i >= 32, i < 32, false, true}, v)
	}
}

// The two halves of a warp vote separately, on different lines.
func TestVotesOfHalves(t *testing.T) {
	got := perLane(t, 32, func(t gpu.Thread) uint32 {
		if t.Lane() < 16 {
			return t.Ballot(0x0000FFFF, t.Lane() > 3)
		}
		return t.Ballot(0xFFFF0000, t.Lane() < 20)
	})
	assert.Equal(t, uint32(0x0000FFF0), got[7])
	assert.Equal(t, uint32(0x000F0000), got[31])
}

func TestExitedLanesDoNotCount(t *testing.T) {
	got := perLane(t, 32, func(t gpu.Thread) uint32 {
		for range t.Lane() {
			gpu.Fence() // the others already wait when these lanes exit
		}
		if t.Lane() >= 24 {
			return 0
		}
		v := gpu.Shfl(t, gpu.FullMask, t.Lane()+100, (t.Lane()+8)%24)
		t.SyncWarp(gpu.FullMask)
		return v | t.Ballot(gpu.FullMask, true)<<8
	})
	assert.Equal(t, uint32(0xFFFFFF<<8|108), got[0])
	assert.Equal(t, uint32(0xFFFFFF<<8|100), got[16])
}

func TestShuffles(t *testing.T) {
	type row struct {
		shfl, up, down, xor uint32
		big                 int64
		f                   float32
		far                 [2]uint32
	}
	rows := perLane(t, 32, func(t gpu.Thread) row {
		l := t.Lane()
		return row{
			shfl: gpu.Shfl(t, gpu.FullMask, l, l*3+64),
			up:   gpu.ShflUp(t, gpu.FullMask, l, 3),
			down: gpu.ShflDown(t, gpu.FullMask, l, 3),
			xor:  gpu.ShflXor(t, gpu.FullMask, l, 5),
			big:  gpu.ShflXor(t, gpu.FullMask, -int64(l)<<40, 1),
			f:    gpu.Shfl(t, gpu.FullMask, float32(l)/2, 3),
			far:  [2]uint32{gpu.ShflUp(t, gpu.FullMask, l, 32), gpu.ShflDown(t, gpu.FullMask, l, 1<<31)},
		}
	})
	for i, r := range rows {
		l := uint32(i)
		want := row{shfl: l * 3 % 32, up: l, down: l, xor: l ^ 5, big: -int64(l^1) << 40, f: 1.5, far: [2]uint32{l, l}}
		if l >= 3 {
			want.up = l - 3
		}
		if l < 29 {
			want.down = l + 3
		}
		require.Equal(t, want, r, "lane %d", l)
	}
	part := perLane(t, 32, func(t gpu.Thread) uint32 {
		if t.Lane() >= 8 {
			return 0
		}
		return gpu.ShflDown(t, 0xFF, t.Lane(), 4)
	}, gpu.AllowUndefined())
	assert.Equal(t, []uint32{4, 5, 6, 7}, part[:4])
	for _, v := range part[4:8] {
		assert.Greater(t, v, uint32(1<<30), "a lane that is not in the mask gives an arbitrary number")
	}
}

func TestMatchAndActiveMask(t *testing.T) {
	got := perLane(t, 32, func(t gpu.Thread) uint32 { return gpu.Match(t, gpu.FullMask, t.Lane()%8/4) })
	assert.Equal(t, uint32(0x0F0F0F0F), got[0])
	assert.Equal(t, uint32(0xF0F0F0F0), got[31])
	for i, m := range perLane(t, 40, func(t gpu.Thread) uint32 { return t.ActiveMask() }) {
		require.Equal(t, uint32(1)<<(i%32), m)
	}
}

func TestBlockBarriers(t *testing.T) {
	type row struct {
		count   uint32
		and, or [2]bool
	}
	rows := perLane(t, 100, func(t gpu.Thread) row {
		if t.Idx() == 99 {
			return row{} // a thread that has exited does not count
		}
		return row{
			count: t.SyncCount(t.Idx()%3 == 0),
			and:   [2]bool{t.SyncAnd(t.Idx() < 99), t.SyncAnd(t.Idx() < 98)},
			or:    [2]bool{t.SyncOr(t.Idx() > 97), t.SyncOr(t.Idx() > 98)},
		}
	})
	for i, r := range rows[:99] {
		require.Equal(t, row{count: 33, and: [2]bool{true, false}, or: [2]bool{true, false}}, r, "thread %d", i)
	}
}

// A thread that exits late completes a barrier, on whatever line the others wait, if that is
// allowed.
func TestBarrierMeetsAcrossLines(t *testing.T) {
	var after [2]uint32
	require.NoError(t, gpu.Launch(1, 64, func(t gpu.Thread) {
		switch {
		case t.Idx() == 5:
			for range 10 {
				gpu.Fence()
			}
			return
		case t.Idx() < 32:
			t.Sync()
			gpu.AtomicAdd(&after[0], 1)
		default:
			t.Sync()
			gpu.AtomicAdd(&after[1], 1)
		}
	}, gpu.AllowUndefined()))
	assert.Equal(t, [2]uint32{31, 32}, after)
}
