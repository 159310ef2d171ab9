package gpu_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

func TestThreadIdentity(t *testing.T) {
	const grid, block = 10, 70
	seen := make([]int, grid*block)
	require.NoError(t, gpu.Launch(grid, block, func(t gpu.Thread) {
		g := t.Global()
		ok := t.BlockDim() == block && t.GridDim() == grid && t.Stride() == grid*block &&
			g == t.Block()*block+t.Idx() && t.Lane() == t.Idx()%32 && t.Warp() == t.Idx()/32 && t.SM() == t.Block()%8
		if ok {
			seen[g]++
		}
	}))
	for i, n := range seen {
		require.Equal(t, 1, n, "thread %d", i)
	}
}

func TestLaunchArguments(t *testing.T) {
	for _, c := range []struct{ grid, block int }{{0, 1}, {1, 0}, {-1, 32}, {1, 1025}} {
		err := gpu.Launch(c.grid, c.block, func(gpu.Thread) { t.Error("a thread ran") })
		assert.ErrorContains(t, err, "want at least 1 block of 1 to 1024 threads")
	}
	require.NoError(t, gpu.Launch(1, 1024, func(gpu.Thread) {}))
}

func TestClocksAndSleep(t *testing.T) {
	var clock, timer, slept uint64
	require.NoError(t, gpu.Launch(1, 1, func(t gpu.Thread) {
		c, g := t.Clock(), t.GlobalTimer()
		t.Sleep(50_000)
		slept = t.GlobalTimer() - g
		for t.Clock()-c < 1_000_000 {
		}
		clock, timer = t.Clock()-c, t.GlobalTimer()-g
	}))
	assert.GreaterOrEqual(t, clock, uint64(1_000_000))
	assert.GreaterOrEqual(t, timer, slept)
	assert.InDelta(t, 50_000, slept, 4096)
}

// spinLock acquires a lock for which all threads of all blocks spin.
func spinLock(t gpu.Thread, lock, sum *uint32) {
	for gpu.AtomicCAS(lock, 0, 1) != 0 {
	}
	*sum++
	gpu.StoreRelease(lock, 0)
}

func TestSpinLock(t *testing.T) {
	var lock, sum uint32
	require.NoError(t, gpu.Launch(4, 64, func(t gpu.Thread) { spinLock(t, &lock, &sum) }))
	assert.Equal(t, uint32(256), sum)
}

// The last block waits for the one before it, and so on down to the first: flags are handed
// over in order.
func TestFlagHandOver(t *testing.T) {
	const grid = 6
	flags := make([]uint32, grid+1)
	var order []uint32
	require.NoError(t, gpu.Launch(grid, 1, func(t gpu.Thread) {
		b := grid - 1 - t.Block()
		for b > 0 && gpu.LoadAcquire(&flags[b]) == 0 {
			t.Sleep(100)
		}
		order = append(order, b)
		gpu.StoreRelease(&flags[b+1], 1)
	}))
	assert.Equal(t, []uint32{0, 1, 2, 3, 4, 5}, order)
}

// gridBarrier makes all blocks wait for each other.
func gridBarrier(t gpu.Thread, count, sense *uint32) {
	t.Sync()
	if t.Idx() == 0 {
		s := gpu.Load(sense)
		gpu.Fence()
		if gpu.AtomicAdd(count, 1) == t.GridDim()-1 {
			gpu.Store(count, 0)
			gpu.StoreRelease(sense, s+1)
		} else {
			for gpu.LoadAcquire(sense) == s {
			}
		}
	}
	t.Sync()
}

func TestGridBarrier(t *testing.T) {
	const grid, block, steps = 5, 33, 7
	var count, sense uint32
	cells := make([]uint32, grid*block)
	var wrong int
	require.NoError(t, gpu.Launch(grid, block, func(t gpu.Thread) {
		n := uint32(grid * block)
		for i := range uint32(steps) {
			cells[t.Global()] = i + 1
			gridBarrier(t, &count, &sense)
			if cells[(t.Global()+block+1)%n] != i+1 {
				wrong++
			}
			gridBarrier(t, &count, &sense)
		}
	}))
	assert.Zero(t, wrong)
	assert.Equal(t, uint32(2*steps), sense)
}

func TestDeterminism(t *testing.T) {
	order := func() []uint32 {
		var tail uint32
		q := make([]uint32, 300)
		require.NoError(t, gpu.Launch(3, 100, func(t gpu.Thread) {
			for range t.Global() % 7 {
				gpu.Fence()
			}
			q[gpu.AtomicAdd(&tail, 1)] = t.Global()
		}))
		return q
	}
	first := order()
	assert.NotEqual(t, first[0], first[1])
	assert.NotEqual(t, uint32(1), first[1], "threads of different lengths change places")
	for range 3 {
		assert.Equal(t, first, order())
	}
}

func TestBlocksInterleave(t *testing.T) {
	var trace []uint32
	require.NoError(t, gpu.Launch(2, 1, func(t gpu.Thread) {
		for range 3 {
			trace = append(trace, t.Block())
			gpu.Fence(gpu.BlockScope)
		}
	}))
	assert.Equal(t, []uint32{0, 1, 0, 1, 0, 1}, trace)
}

// No coroutine survives a launch, however the launch ends.
func TestNothingLeaks(t *testing.T) {
	before := runtime.NumGoroutine()
	var x uint32
	require.NoError(t, gpu.Launch(4, 64, func(t gpu.Thread) { t.Sync() }))
	require.Error(t, gpu.Launch(4, 64, func(t gpu.Thread) {
		gpu.AtomicAdd(&x, 1)
		if t.Global() == 100 {
			panic("enough")
		}
		t.Sync()
	}))
	require.Error(t, gpu.Launch(2, 64, func(t gpu.Thread) {
		if t.Idx() != 0 {
			t.Sync()
		} else {
			t.SyncOr(true)
		}
	}))
	require.Error(t, gpu.Launch(2, 64, func(t gpu.Thread) {
		for gpu.Load(&x) != 12345 {
		}
	}, gpu.Rounds(10)))
	done := make(chan bool)
	go func() {
		defer close(done)
		_ = gpu.Launch(2, 64, func(t gpu.Thread) {
			gpu.Fence()
			if t.Global() == 3 {
				runtime.Goexit() // as a test's FailNow does
			}
			t.Sync()
		})
	}()
	<-done
	require.NoError(t, gpu.Launch(1, 1, func(gpu.Thread) {}))
	// They end soon; how soon depends on the machine.
	assert.Eventually(t, func() bool { return runtime.NumGoroutine()-1 <= before }, 5*time.Minute, time.Millisecond)
}

func TestLaunchDim(t *testing.T) {
	type place struct{ block, thread [3]uint32 }
	grid, block := gpu.Dim{X: 2, Y: 3, Z: 2}, gpu.Dim{X: 5, Y: 2, Z: 7}
	var order []place
	require.NoError(t, gpu.LaunchDim(grid, block, func(t gpu.Thread) {
		p := place{[3]uint32{t.Block(), t.BlockY(), t.BlockZ()}, [3]uint32{t.Idx(), t.IdxY(), t.IdxZ()}}
		rank := (p.thread[2]*t.BlockDimY()+p.thread[1])*t.BlockDim() + p.thread[0]
		ok := t.Rank() == rank && t.Lane() == rank%32 && t.Warp() == rank/32 && t.BlockDimZ() == 7 &&
			t.GridDim() == 2 && t.GridDimY() == 3 && t.GridDimZ() == 2 &&
			t.Global() == p.block[0]*5+p.thread[0] && t.GlobalY() == p.block[1]*2+p.thread[1] && t.GlobalZ() == p.block[2]*7+p.thread[2]
		if ok {
			order = append(order, p)
		}
	}))
	require.Len(t, order, grid.X*grid.Y*grid.Z*block.X*block.Y*block.Z)
	assert.Equal(t, place{[3]uint32{1, 2, 1}, [3]uint32{4, 1, 6}}, order[len(order)-1])
	for i := 1; i < len(order); i++ { // x varies fastest
		a, b := order[i-1], order[i]
		key := func(p place) []uint32 {
			return []uint32{p.block[2], p.block[1], p.block[0], p.thread[2], p.thread[1], p.thread[0]}
		}
		require.Negative(t, slices.Compare(key(a), key(b)))
	}
	for _, c := range []struct {
		grid, block gpu.Dim
		says        string
	}{
		{gpu.Dim{X: 1}, gpu.Dim{X: 33, Y: 32}, "gpu: launch with blocks of 33x32x1 threads: want 1 to 1024 in all, at most 64 along z"},
		{gpu.Dim{X: 1}, gpu.Dim{X: 1, Z: 65}, "gpu: launch with blocks of 1x1x65 threads: want 1 to 1024 in all, at most 64 along z"},
		{gpu.Dim{X: 1}, gpu.Dim{X: 1, Y: -1}, "gpu: launch with blocks of 1x-1x1 threads: want 1 to 1024 in all, at most 64 along z"},
		{gpu.Dim{}, gpu.Dim{X: 1}, "gpu: launch of 0x1x1 blocks: want at least 1, and at most 65535 along y and along z"},
		{gpu.Dim{X: 1, Y: 65536}, gpu.Dim{X: 1}, "gpu: launch of 1x65536x1 blocks: want at least 1, and at most 65535 along y and along z"},
	} {
		assert.EqualError(t, gpu.LaunchDim(c.grid, c.block, func(gpu.Thread) { t.Error("a thread ran") }), c.says)
	}
}

// Errors name blocks and threads by their coordinates in the launch.
func TestLaunchDimErrors(t *testing.T) {
	s := make([]uint32, 1)
	err := gpu.LaunchDim(gpu.Dim{X: 2, Y: 2}, gpu.Dim{X: 2, Y: 2, Z: 2}, func(t gpu.Thread) {
		s[t.BlockY()*t.IdxZ()] = 1
	})
	assert.ErrorContains(t, err, "index out of range [1] with length 1 (block (0,1), thread (0,0,1))")
	err = gpu.LaunchDim(gpu.Dim{X: 2, Y: 2}, gpu.Dim{X: 4, Y: 2}, func(t gpu.Thread) {
		if t.IdxY() == 1 || t.Idx() == 3 {
			t.SyncOr(true)
		}
		t.Sync()
	})
	assert.ErrorContains(t, err, "block (0,0), thread (3,0)-(3,1): waits at SyncOr")
	assert.ErrorContains(t, err, "block (0,0), thread (0,0)-(2,0): waits at Sync")
}
