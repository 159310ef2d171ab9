package planted

import "github.com/weft-gpu/weft/gpu"

// launch: 2 32
// fix: gpu.DeviceScope instead of gpu.BlockScope
func BlockAtomicRace(t gpu.Thread, data, flag []uint32) {
	gpu.AtomicAdd(&data[t.Lane()], 1, gpu.BlockScope) // 1 2
}

// launch: 2 32
func BlockAtomicClean(t gpu.Thread, data, flag []uint32) {
	gpu.AtomicAdd(&data[t.Lane()], 1)
	gpu.AtomicAdd(&data[32+t.Global()], 1, gpu.BlockScope)
}

// launch: 2 32
// fix: gpu.DeviceScope instead of gpu.BlockScope for the gpu.Load at
func BlockLoadRace(t gpu.Thread, data, flag []uint32) {
	if t.Block() == 1 {
		gpu.AtomicMax(&data[t.Lane()], 7) // 1 2
		return
	}
	data[64+t.Lane()] = gpu.Load(&data[t.Lane()], gpu.BlockScope) // 1 2
}

// launch: 2 32
func BlockLoadClean(t gpu.Thread, data, flag []uint32) {
	if t.Block() == 1 {
		gpu.AtomicMax(&data[t.Lane()], 7)
		return
	}
	data[64+t.Lane()] = gpu.Load(&data[t.Lane()])
}

// launch: 2 64
// fix: gpu.Load
func PlainLoadOfCounterRace(t gpu.Thread, data, flag []uint32) {
	gpu.AtomicAdd(&data[0], 1) // 1
	t.Sync()
	if t.Idx() == 0 {
		data[64+t.Block()] = data[0] // 2
	}
}

// launch: 2 64
func PlainLoadOfCounterClean(t gpu.Thread, data, flag []uint32) {
	gpu.AtomicAdd(&data[t.Block()], 1)
	t.Sync()
	if t.Idx() == 0 {
		data[64+t.Block()] = data[t.Block()]
	}
}

// launch: 2 32
// fix: make the plain store at
func PlainStoreOfCounterRace(t gpu.Thread, data, flag []uint32) {
	if t.Global() == 0 {
		data[0] = 5 // 1
		return
	}
	if t.Block() == 1 {
		gpu.AtomicAdd(&data[0], 1) // 2
	}
}

// launch: 2 32
func PlainStoreOfCounterClean(t gpu.Thread, data, flag []uint32) {
	if t.Global() == 0 {
		gpu.Store(&data[0], 5)
		return
	}
	if t.Block() == 1 {
		gpu.AtomicAdd(&data[0], 1)
	}
}

// The reader does not wait until the flag is set.
//
// launch: 2 32
// fix: if it is not: a flag
func LostFlagRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 1 {
		t.Sleep(20000)
		data[0] = 1 // 2
		gpu.StoreRelease(&flag[0], 1)
		return
	}
	if gpu.LoadAcquire(&flag[0]) < 2 {
		data[64] = data[0] // 1
	}
}

// launch: 2 32
func LostFlagClean(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 1 {
		t.Sleep(20000)
		data[0] = 1
		gpu.StoreRelease(&flag[0], 1)
		return
	}
	if gpu.LoadAcquire(&flag[0]) == 1 {
		data[64] = data[0]
	}
}

// The producer does not wait for the consumer before it writes the next item.
//
// launch: 2 32
// fix: if it is not: a flag
func RingRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		for i := range uint32(3) {
			data[0] = i // 1 2
			gpu.StoreRelease(&flag[0], i+1)
		}
		return
	}
	for gpu.LoadAcquire(&flag[0]) == 0 {
	}
	data[64] = data[0] // 1 2
}

// launch: 2 32
func RingClean(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	for i := range uint32(3) {
		if t.Block() == 0 {
			for gpu.LoadAcquire(&flag[1]) != i {
			}
			data[0] = i
			gpu.StoreRelease(&flag[0], i+1)
			continue
		}
		for gpu.LoadAcquire(&flag[0]) != i+1 {
		}
		data[64] = data[0]
		gpu.StoreRelease(&flag[1], i+1)
	}
}

// launch: 2 32
// fix: let one thread store
func TwoBlocksStoreRace(t gpu.Thread, data, flag []uint32) {
	data[t.Lane()] = 1 // 1 2
}

// launch: 2 32
func TwoBlocksStoreClean(t gpu.Thread, data, flag []uint32) {
	gpu.Store(&data[t.Lane()], 1)
	data[64+t.Global()] = 1
}

// A lock whose critical section is not ordered after that of the last holder.
//
// launch: 3 32
// fix: add gpu.Fence() after the gpu.AtomicCAS
func LockRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	for gpu.AtomicCAS(&flag[0], 0, 1) != 0 {
	}
	data[0]++ // 1 2
	gpu.Fence()
	gpu.AtomicExch(&flag[0], 0)
}

// launch: 3 32
func LockClean(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	for gpu.AtomicCAS(&flag[0], 0, 1) != 0 {
	}
	gpu.Fence()
	data[0]++
	gpu.Fence()
	gpu.AtomicExch(&flag[0], 0)
}

// launch: 3 32
// fix: gpu.Store
func PlainUnlockRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	for gpu.AtomicCAS(&flag[0], 0, 1) != 0 { // 1 2
	}
	gpu.Fence()
	gpu.AtomicAdd(&data[0], 1)
	gpu.Fence()
	flag[0] = 0 // 1 2
}

// launch: 3 32
func PlainUnlockClean(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	for gpu.AtomicCAS(&flag[0], 0, 1) != 0 {
	}
	gpu.Fence()
	data[0]++
	gpu.StoreRelease(&flag[0], 0)
}

// A chain of three blocks whose middle does not acquire.
//
// launch: 3 32
// fix: gpu.LoadAcquire
func ChainRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	switch t.Block() {
	case 0:
		data[0] = 1 // 1
		gpu.StoreRelease(&flag[0], 1)
	case 1:
		for gpu.Load(&flag[0]) == 0 {
		}
		gpu.StoreRelease(&flag[1], 1)
	default:
		for gpu.LoadAcquire(&flag[1]) == 0 {
		}
		data[64] = data[0] // 2
	}
}

// launch: 3 32
func ChainClean(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	switch t.Block() {
	case 0:
		data[0] = 1
		gpu.StoreRelease(&flag[0], 1)
	case 1:
		for gpu.LoadAcquire(&flag[0]) == 0 {
		}
		gpu.StoreRelease(&flag[1], 1)
	default:
		for gpu.LoadAcquire(&flag[1]) == 0 {
		}
		data[64] = data[0]
	}
}

// The thread that releases the flag does not wait for the one that stores.
//
// launch: 2 64
// fix: flag
func OtherThreadFenceRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		if t.Warp() == 1 {
			data[0] = 1 // 1 2
		} else {
			t.Sleep(3000)
			gpu.StoreRelease(&flag[0], 1)
		}
		return
	}
	if t.Warp() == 0 {
		for gpu.LoadAcquire(&flag[0]) == 0 {
		}
		data[64] = data[0] // 1 2
	}
}

// launch: 2 64
func OtherThreadFenceClean(t gpu.Thread, data, flag []uint32) {
	if t.Block() == 0 {
		if t.Idx() == 32 {
			data[0] = 1
		}
		t.Sync()
		if t.Idx() == 0 {
			gpu.StoreRelease(&flag[0], 1)
		}
		return
	}
	if t.Idx() == 0 {
		for gpu.LoadAcquire(&flag[0]) == 0 {
		}
	}
	t.Sync()
	data[64+t.Idx()] = data[0]
}

// A barrier of the grid without fences.
//
// launch: 2 32
// fix: add gpu.Fence() before the gpu.AtomicAdd
func GridBarrierRace(t gpu.Thread, data, flag []uint32) {
	data[t.Global()] = t.Global() // 1
	t.Sync()
	if t.Idx() == 0 {
		gpu.AtomicAdd(&flag[0], 1)
		for gpu.Load(&flag[0]) < t.GridDim() {
		}
	}
	t.Sync()
	data[64+t.Global()] = data[t.Global()^32] // 2
}

// launch: 2 32
func GridBarrierClean(t gpu.Thread, data, flag []uint32) {
	data[t.Global()] = t.Global()
	t.Sync()
	if t.Idx() == 0 {
		gpu.Fence()
		gpu.AtomicAdd(&flag[0], 1)
		for gpu.Load(&flag[0]) < t.GridDim() {
		}
		gpu.Fence()
	}
	t.Sync()
	data[64+t.Global()] = data[t.Global()^32]
}

// An item is read by the number of items, which says nothing about their
// content.
//
// launch: 2 32
// fix: Fence() before the gpu.AtomicAdd
func QueueRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 9 // 1
		gpu.AtomicAdd(&flag[0], 1)
		return
	}
	for gpu.LoadAcquire(&flag[0]) == 0 {
	}
	data[64] = data[0] // 2
}

// launch: 2 32
func QueueClean(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 9
		gpu.Fence()
		gpu.AtomicAdd(&flag[0], 1)
		return
	}
	for gpu.LoadAcquire(&flag[0]) == 0 {
	}
	data[64] = data[0]
}

// Sequentially consistent fences order only what their observed order says.
//
// launch: 2 32
// fix: gpu.StoreRelease
func RelaxedAfterFenceSCRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		gpu.FenceSC()
		data[0] = 1 // 1
		gpu.Store(&flag[0], 1)
		return
	}
	for gpu.Load(&flag[0]) == 0 {
	}
	gpu.FenceSC()
	data[64] = data[0] // 2
}

// launch: 2 32
func RelaxedAfterFenceSCClean(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 1
		gpu.FenceSC()
		gpu.Store(&flag[0], 1)
		return
	}
	for gpu.Load(&flag[0]) == 0 {
	}
	gpu.FenceSC()
	data[64] = data[0]
}
