// Package literature has kernels with the races that papers and manuals describe, each with one mistake. "// fix:" is a
// part of the advice that must be given, in which $name is the line that ends in the comment "// name". Func shows
// each of them.
package literature

import "github.com/weft-gpu/weft/gpu"

// Message passing (MP; Alglave et al., "GPU Concurrency: Weak Behaviours and Programming Assumptions", ASPLOS 2015) with a
// release whose scope is too small.
//
// launch: 2 32
// fix: use gpu.DeviceScope instead of gpu.BlockScope for the gpu.StoreRelease at $set
func ReleaseScopeRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 1
		gpu.StoreRelease(&flag[0], 1, gpu.BlockScope) // set
		return
	}
	for gpu.LoadAcquire(&flag[0]) == 0 {
	}
	data[64] = data[0]
}

// The acquire's scope is too small, and a wide flag beside it is right.
//
// launch: 2 32
// fix: use gpu.DeviceScope instead of gpu.BlockScope for the gpu.LoadAcquire at $test
func AcquireScopeRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		gpu.StoreRelease(&flag[1], 1)
		data[0] = 1
		gpu.StoreRelease(&flag[0], 1)
		return
	}
	for gpu.LoadAcquire(&flag[0], gpu.BlockScope) == 0 { // test
	}
	data[64] = data[0] + gpu.LoadAcquire(&flag[1])
}

// Both scopes are too small.
//
// launch: 2 32
// fix: gpu.BlockScope for the gpu.StoreRelease at $set
// fix: gpu.BlockScope for the gpu.LoadAcquire at $test
func BothScopesRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 1
		gpu.StoreRelease(&flag[0], 1, gpu.BlockScope) // set
		return
	}
	for gpu.LoadAcquire(&flag[0], gpu.BlockScope) == 0 { // test
	}
	data[64] = data[0]
}

// The load should acquire.
//
// launch: 2 32
// fix: make the gpu.Load at $test gpu.LoadAcquire
func NoAcquireRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 1
		gpu.StoreRelease(&flag[0], 1)
		return
	}
	for gpu.Load(&flag[0]) == 0 { // test
	}
	data[64] = data[0]
}

// A flag that is set and tested by atomics, without a fence.
//
// launch: 2 32
// fix: add gpu.Fence() before the gpu.AtomicExch at $set
// fix: add gpu.Fence() after the gpu.AtomicAdd at $test
func AtomicFlagRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 1
		gpu.AtomicExch(&flag[0], 1) // set
		return
	}
	for gpu.AtomicAdd(&flag[0], 0) == 0 { // test
	}
	data[64] = data[0]
}

// Write to read causality (WRC): the thread in the middle hands on without a release.
//
// launch: 3 32
// fix: make the gpu.Store at $hand gpu.StoreRelease
func CausalityRace(t gpu.Thread, data, flag []uint32) {
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
		gpu.Store(&flag[1], 1) // hand
	case 2:
		for gpu.LoadAcquire(&flag[1]) == 0 {
		}
		data[64] = data[0]
	}
}

// Double-checked initialisation: the first check does not acquire (Bacon et al., "The Double-Checked Locking is Broken
// Declaration").
//
// launch: 3 32
// fix: make the gpu.Load at $check gpu.LoadAcquire
func DoubleCheckRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if gpu.Load(&flag[0]) == 0 { // check
		for gpu.AtomicCAS(&flag[1], 0, 1) != 0 {
		}
		gpu.Fence()
		if gpu.Load(&flag[0]) == 0 {
			data[0] = 7
			gpu.StoreRelease(&flag[0], 1)
		}
		gpu.Fence()
		gpu.AtomicExch(&flag[1], 0)
	}
	data[64+t.Block()] = data[0]
}

// The flag is plain on both sides.
//
// launch: 2 32
// fix: make the plain store at $set gpu.StoreRelease
// fix: make the plain load at $test gpu.LoadAcquire
func PlainFlagRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 1
		flag[0] = 1 // set
		return
	}
	t.Sleep(5000)
	if flag[0] == 1 { // test
		data[64] = data[0]
	}
}

// The last block to end sums what the others stored (the CUDA sample threadFenceReduction), without the fence.
//
// launch: 4 32
// fix: add gpu.Fence() before the gpu.AtomicAdd at $count
func LastBlockRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	data[t.Block()] = t.Block() + 1
	if gpu.AtomicAdd(&flag[0], 1) == t.GridDim()-1 { // count
		sum := uint32(0)
		for i := range t.GridDim() {
			sum += data[i]
		}
		data[64] = sum
	}
}

// All threads of a block store, and one of them sets the flag without a barrier before.
//
// launch: 2 64
// fix: t.Sync()
func NoBarrierBeforeFlagRace(t gpu.Thread, data, flag []uint32) {
	if t.Block() == 0 {
		data[t.Idx()] = t.Idx()
		if t.Idx() == 0 {
			gpu.StoreRelease(&flag[0], 1)
		}
		return
	}
	if t.Idx() == 0 {
		for gpu.LoadAcquire(&flag[0]) == 0 {
		}
		data[128] = data[40]
	}
}
