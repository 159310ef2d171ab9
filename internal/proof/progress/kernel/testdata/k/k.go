// Package k has kernels whose schedules are explored.
package k

import "github.com/weft-gpu/weft/gpu"

// Lock takes a spin lock in each thread.
func Lock(t gpu.Thread, lock, sum *uint32) {
	for gpu.AtomicCAS(lock, 0, 1) != 0 {
	}
	gpu.Fence()
	*sum++
	gpu.Fence()
	gpu.AtomicExch(lock, 0)
}

// Barrier is a barrier of the grid.
func Barrier(t gpu.Thread, arrived *uint32) {
	t.Sync()
	if t.Idx() == 0 {
		gpu.AtomicAdd(arrived, 1)
		for gpu.Load(arrived) < t.GridDim() {
		}
	}
	t.Sync()
}

// Produce waits in block 0 for the last block.
func Produce(t gpu.Thread, flag, data *uint32) {
	if t.Block() == t.GridDim()-1 {
		*data = 7
		gpu.Fence()
		gpu.Store(flag, 1)
	}
	if t.Block() == 0 {
		for gpu.Load(flag) == 0 {
		}
		*data += 1
	}
}

// Consume waits in the last block for block 0.
func Consume(t gpu.Thread, flag *uint32) {
	if t.Block() == 0 {
		gpu.Store(flag, 1)
	}
	if t.Block() == t.GridDim()-1 {
		for gpu.Load(flag) == 0 {
		}
	}
}

// Shared waits for the other warp by shared memory.
func Shared(t gpu.Thread, out *uint32) {
	flag := gpu.Shared[[1]uint32](t)
	flag[0] = 0
	t.Sync()
	if t.Idx() == 32 {
		gpu.Store(&flag[0], 1, gpu.BlockScope)
	}
	if t.Idx() == 0 {
		for gpu.Load(&flag[0], gpu.BlockScope) == 0 {
		}
		gpu.AtomicAdd(out, 1)
	}
}

// Collective lets one lane wait before all lanes vote.
func Collective(t gpu.Thread, x *uint32) {
	if t.Lane() == 0 {
		gpu.AtomicAdd(x, 1)
		for gpu.Load(x) == 0 {
		}
	}
	if t.Ballot(gpu.FullMask, true) != 0 && t.Any(gpu.FullMask, t.Lane() == 3) {
		gpu.AtomicAdd(x, 1)
	}
}

// Named uses named barriers, and a barrier that counts.
func Named(t gpu.Thread, x *uint32) {
	if t.Warp() == 0 {
		gpu.AtomicAdd(x, 1)
		t.ArriveNamed(1, 64)
	} else {
		t.SyncNamed(1, 64)
		for gpu.Load(x) == 0 {
		}
	}
	if uint32(t.SyncCount(t.Lane() == 0)) == t.BlockDim()/32 {
		gpu.AtomicAdd(x, 1)
	}
}

// Clock reads a clock.
func Clock(t gpu.Thread, x *uint32) { *x = uint32(t.Clock()) }

// Alone never ends.
func Alone(t gpu.Thread, x *uint32) {
	for i := t.Idx(); ; i++ {
	}
}

// Stuck waits for a value that nobody writes.
func Stuck(t gpu.Thread, x *uint32) {
	for gpu.Load(x) == 0 {
	}
}

// Backoff waits longer and longer for the other block.
func Backoff(t gpu.Thread, x *uint32) {
	gpu.AtomicAdd(x, 1)
	for wait := uint32(1); gpu.Load(x) < t.GridDim(); wait *= 2 {
		t.Sleep(wait)
	}
}

// Fault divides by what the other block writes.
func Fault(t gpu.Thread, x *uint32) {
	if t.Block() == 0 {
		*x = 1
	} else {
		*x = 10 / gpu.Load(x)
	}
}

// Count counts for ever.
func Count(t gpu.Thread, x *uint32) {
	for gpu.AtomicAdd(x, 1) != 1<<31 {
	}
}

// LockWarp takes a spin lock in one lane of each warp.
func LockWarp(t gpu.Thread, lock *uint32) {
	if t.Lane() == 0 {
		for gpu.AtomicCAS(lock, 0, 1) != 0 {
		}
		gpu.AtomicExch(lock, 0)
	}
}

// Meet is a barrier of the block before the only access.
func Meet(t gpu.Thread, x *uint32) {
	t.Sync()
	gpu.AtomicAdd(x, 1)
}
