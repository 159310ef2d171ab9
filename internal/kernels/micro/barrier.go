package micro

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Sync passes block barriers back to back.
func Sync(t gpu.Thread, steps uint32, cycles []uint64) {
	t.Sync()
	start := t.Clock()
	for range steps / 8 {
		t.Sync()
		t.Sync()
		t.Sync()
		t.Sync()
		t.Sync()
		t.Sync()
		t.Sync()
		t.Sync()
	}
	took := t.Clock() - start
	if t.Idx() == 0 {
		cycles[0] = took
	}
}

// GridBarrier passes barriers of the whole grid. The first thread of each block increments
// a counter and waits until it reaches the next multiple of the number of blocks. All
// blocks must be resident (a cooperative launch).
func GridBarrier(t gpu.Thread, arrived *uint32, steps uint32, cycles []uint64) {
	start := t.Clock()
	for i := range steps {
		t.Sync()
		if t.Idx() == 0 {
			gpu.Fence()
			gpu.AtomicAdd(arrived, 1)
			for gpu.LoadAcquire(arrived) < (i+1)*t.GridDim() {
			}
		}
		t.Sync()
	}
	if t.Global() == 0 {
		cycles[0] = t.Clock() - start
	}
}

// GroupBarrier passes barriers of all blocks on all GPUs of a group back to back. All blocks
// must be resident (cooperative launches that run at the same time). The first barrier, in
// which one GPU waits until the other's launch begins, does not count.
func GroupBarrier(t gpu.Thread, b scheduler.GroupBarrier, steps uint32, cycles []uint64) {
	b.Wait(t)
	start := t.Clock()
	for range steps {
		b.Wait(t)
	}
	if t.Global() == 0 {
		cycles[0] = t.Clock() - start
	}
}

// GridBarrierRelaxed is GridBarrier without a fence and without acquiring: what is left is
// the counter, and the loads of those who wait for it.
func GridBarrierRelaxed(t gpu.Thread, arrived *uint32, steps uint32, cycles []uint64) {
	start := t.Clock()
	for i := range steps {
		t.Sync()
		if t.Idx() == 0 {
			gpu.AtomicAdd(arrived, 1)
			for gpu.Load(arrived) < (i+1)*t.GridDim() {
			}
		}
		t.Sync()
	}
	if t.Global() == 0 {
		cycles[0] = t.Clock() - start
	}
}

// FenceAlone executes device-scope fences with no stores to wait for.
func FenceAlone(t gpu.Thread, steps uint32, cycles []uint64) {
	start := t.Clock()
	for range steps {
		gpu.Fence()
	}
	if t.Global() == 0 {
		cycles[0] = t.Clock() - start
	}
}

// FenceSystemAlone executes system-scope fences with no stores to wait for.
func FenceSystemAlone(t gpu.Thread, steps uint32, cycles []uint64) {
	start := t.Clock()
	for range steps {
		gpu.Fence(gpu.SystemScope)
	}
	if t.Global() == 0 {
		cycles[0] = t.Clock() - start
	}
}

// FenceSystem stores to cells, with a system-scope fence after each store.
func FenceSystem(t gpu.Thread, cells []uint32, steps uint32, cycles []uint64) {
	start := t.Clock()
	for i := range steps {
		gpu.Store(&cells[t.Global()], i, gpu.SystemScope)
		gpu.Fence(gpu.SystemScope)
	}
	if t.Global() == 0 {
		cycles[0] = t.Clock() - start
	}
}

// FenceDevice stores to cells, starting at cells[base], with a device-scope fence after
// each store.
func FenceDevice(t gpu.Thread, cells []uint32, base, steps uint32, cycles []uint64) {
	start := t.Clock()
	for i := range steps {
		gpu.Store(&cells[base+t.Global()], i)
		gpu.Fence()
	}
	if t.Global() == 0 {
		cycles[0] = t.Clock() - start
	}
}

// FenceOther stores from one warp to cells, starting at cells[base], and executes a
// device-scope fence in another warp after a Sync, which orders the store before the fence.
func FenceOther(t gpu.Thread, cells []uint32, base, steps uint32, cycles []uint64) {
	start := t.Clock()
	for i := range steps {
		if t.Warp() == 1 {
			gpu.Store(&cells[base+t.Lane()], i)
		}
		t.Sync()
		if t.Warp() == 0 {
			gpu.Fence()
		}
		t.Sync()
	}
	if t.Global() == 0 {
		cycles[0] = t.Clock() - start
	}
}

// FenceBlock stores to cells, starting at cells[base], with a block-scope fence after each
// store.
func FenceBlock(t gpu.Thread, cells []uint32, base, steps uint32, cycles []uint64) {
	start := t.Clock()
	for i := range steps {
		gpu.Store(&cells[base+t.Global()], i)
		gpu.Fence(gpu.BlockScope)
	}
	if t.Global() == 0 {
		cycles[0] = t.Clock() - start
	}
}
