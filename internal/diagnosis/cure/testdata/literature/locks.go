package literature

import "github.com/weft-gpu/weft/gpu"

// Two locks for one word.
//
// launch: 2 32
// fix: take one lock for both accesses
// fix: gpu.AtomicCAS at $one
// fix: gpu.AtomicCAS at $two
func TwoLocksRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		for gpu.AtomicCAS(&flag[0], 0, 1) != 0 { // one
		}
		gpu.Fence()
		data[0] += 1
		gpu.Fence()
		gpu.AtomicExch(&flag[0], 0)
		return
	}
	for gpu.AtomicCAS(&flag[4], 0, 1) != 0 { // two
	}
	gpu.Fence()
	data[0] += 2
	gpu.Fence()
	gpu.AtomicExch(&flag[4], 0)
}

// An array of locks whose index is not that of the word.
//
// launch: 4 32
// fix: take one lock for both accesses
// fix: gpu.AtomicCAS at $take
func LockIndexRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	lock := t.Block() % 2
	for gpu.AtomicCAS(&flag[lock], 0, 1) != 0 { // take
	}
	gpu.Fence()
	data[0] += 1
	gpu.Fence()
	gpu.AtomicExch(&flag[lock], 0)
}

// A lock that is released without a fence before.
//
// launch: 3 32
// fix: add gpu.Fence() before the gpu.AtomicExch at $free
func ReleaseLockRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	for gpu.AtomicCAS(&flag[0], 0, 1) != 0 {
	}
	gpu.Fence()
	data[0] += 1
	gpu.AtomicExch(&flag[0], 0) // free
}

// A lock of block scope, which several blocks take.
//
// launch: 3 32
// fix: use gpu.DeviceScope instead of gpu.BlockScope for the gpu.Fence at $fence
func LockFenceScopeRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	for gpu.AtomicCAS(&flag[0], 0, 1) != 0 {
	}
	gpu.Fence()
	data[0] += 1
	gpu.Fence(gpu.BlockScope) // fence
	gpu.AtomicExch(&flag[0], 0)
}

// A ticket lock (Mellor-Crummey and Scott, "Algorithms for Scalable Synchronization", TOCS 1991) that does not acquire.
//
// launch: 4 32
// fix: make the gpu.Load at $serve gpu.LoadAcquire
func TicketRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	mine := gpu.AtomicAdd(&flag[0], 1)
	for gpu.Load(&flag[1]) != mine { // serve
	}
	data[0] += 1
	gpu.StoreRelease(&flag[1], mine+1)
}

// Readers and a writer: the writer waits until the readers have left, and they leave without a release.
//
// launch: 3 32
// fix: add gpu.Fence() before the gpu.AtomicAdd at $leave
func ReaderWriterRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() > 0 {
		gpu.AtomicAdd(&flag[0], 1)
		data[64+t.Block()] = data[0]
		gpu.AtomicAdd(&flag[1], 1) // leave
		return
	}
	for gpu.LoadAcquire(&flag[1]) < 2 {
	}
	data[0] = 5
}

// Dekker's mutual exclusion with accesses that order nothing. Releases and acquires alone do not keep the load behind the
// store (store buffering, SB).
//
// launch: 2 32
// fix: add gpu.FenceSC() between the gpu.Store at $mine and the gpu.Load at $theirs
// fix: make the gpu.Load at $theirs gpu.LoadAcquire
// fix: make the gpu.Store at $free gpu.StoreRelease
func DekkerRelaxedRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	me := t.Block()
	gpu.Store(&data[128+me*64], 1)       // mine
	if gpu.Load(&data[192-me*64]) == 0 { // theirs
		data[0] += 1
	}
	gpu.Store(&data[128+me*64], 0) // free
}

// Peterson's mutual exclusion.
//
// launch: 2 32
// fix: add gpu.FenceSC() between the gpu.Store at $turn and the gpu.Load at $theirs
func PetersonRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	me := t.Block()
	gpu.Store(&data[128+me*64], 1)
	gpu.Store(&flag[0], 1-me)                                           // turn
	for gpu.Load(&data[192-me*64]) == 1 && gpu.Load(&flag[0]) == 1-me { // theirs
	}
	data[0] += 1
	gpu.Store(&data[128+me*64], 0)
}
