package planted

import "github.com/weft-gpu/weft/gpu"

// launch: 1 32
// fix: t.SyncWarp
func NeighbourLaneRace(t gpu.Thread, data, flag []uint32) {
	data[t.Lane()] = t.Lane()            // 1
	data[64+t.Lane()] = data[t.Lane()^1] // 2
}

// launch: 1 32
func NeighbourLaneClean(t gpu.Thread, data, flag []uint32) {
	data[t.Lane()] = t.Lane()
	t.SyncWarp(gpu.FullMask)
	data[64+t.Lane()] = data[t.Lane()^1]
}

// launch: 2 64
// fix: t.SyncWarp
func SharedLaneRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	q[t.Idx()] = t.Lane()               // 1
	data[64+t.Global()] = q[t.Idx()^16] // 2
}

// launch: 2 64
func SharedLaneClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	q[t.Idx()] = t.Lane()
	t.SyncWarp(gpu.FullMask)
	data[64+t.Global()] = q[t.Idx()^16]
}

// Each half of the warp synchronises, but data goes from one to the other.
//
// launch: 1 32
// fix: t.SyncWarp
func HalfMaskRace(t gpu.Thread, data, flag []uint32) {
	data[t.Lane()] = t.Lane() // 1
	if t.Lane() < 16 {
		t.SyncWarp(0xffff)
	} else {
		t.SyncWarp(0xffff0000)
	}
	data[64+t.Lane()] = data[t.Lane()^16] // 2
}

// launch: 1 32
func HalfMaskClean(t gpu.Thread, data, flag []uint32) {
	data[t.Lane()] = t.Lane()
	if t.Lane() < 16 {
		t.SyncWarp(0xffff)
	} else {
		t.SyncWarp(0xffff0000)
	}
	data[64+t.Lane()] = data[t.Lane()^15]
}

// A vote is no fence.
//
// launch: 1 32
// fix: t.SyncWarp
func VoteRace(t gpu.Thread, data, flag []uint32) {
	data[t.Lane()] = t.Lane() // 1
	if t.Any(gpu.FullMask, t.Lane() == 5) {
		data[64+t.Lane()] = data[t.Lane()^1] // 2
	}
}

// launch: 1 32
func VoteClean(t gpu.Thread, data, flag []uint32) {
	data[t.Lane()] = t.Lane()
	if t.Any(gpu.FullMask, t.Lane() == 5) {
		t.SyncWarp(gpu.FullMask)
		data[64+t.Lane()] = data[t.Lane()^1]
	}
}

// A reduction that relies on lanes in lockstep.
//
// launch: 1 32
// fix: t.SyncWarp
func LockstepRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	l := t.Lane()
	q[l], q[l+32] = l, 0
	t.SyncWarp(gpu.FullMask)
	for n := uint32(16); n > 0; n /= 2 {
		q[l] += q[l+n] // 1 2
	}
	data[64+l] = q[l]
}

// launch: 1 32
func LockstepClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	l := t.Lane()
	q[l], q[l+32] = l, 0
	t.SyncWarp(gpu.FullMask)
	for n := uint32(16); n > 0; n /= 2 {
		x := q[l+n]
		t.SyncWarp(gpu.FullMask)
		q[l] += x
		t.SyncWarp(gpu.FullMask)
	}
	data[64+l] = q[l]
}

// launch: 1 32
// fix: let one thread store
func AllLanesStoreRace(t gpu.Thread, data, flag []uint32) {
	data[0] = 1 // 1 2
}

// launch: 1 32
func AllLanesStoreClean(t gpu.Thread, data, flag []uint32) {
	if t.Lane() == 0 {
		data[0] = 1
	}
	gpu.Store(&data[1], 1)
}

// launch: 1 64
// fix: t.Sync()
func NoSyncRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	q[t.Idx()] = t.Idx() // 1 2
	t.SyncWarp(gpu.FullMask)
	data[64+t.Idx()] = q[t.Idx()^32] // 1 2
}

// launch: 1 64
func NoSyncClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	q[t.Idx()] = t.Idx()
	t.Sync()
	data[64+t.Idx()] = q[t.Idx()^32]
}

// launch: 2 64
// fix: t.Sync()
func NoSyncGlobalRace(t gpu.Thread, data, flag []uint32) {
	data[t.Global()] = t.Idx() // 1 2
	gpu.Fence()
	data[128+t.Global()] = data[t.Global()^32] // 1 2
}

// launch: 2 64
func NoSyncGlobalClean(t gpu.Thread, data, flag []uint32) {
	data[t.Global()] = t.Idx()
	t.Sync()
	data[128+t.Global()] = data[t.Global()^32]
}

// A tree over shared memory without a barrier in the loop.
//
// launch: 1 128
// fix: t.Sync()
func TreeRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[128]uint32](t)
	q[t.Idx()] = t.Idx()
	t.Sync()
	for n := uint32(64); n >= 32; n /= 2 {
		if t.Idx() < n {
			q[t.Idx()] += q[t.Idx()+n] // 1 2
		}
	}
	data[t.Idx()] = t.Idx()
}

// launch: 1 128
func TreeClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[128]uint32](t)
	q[t.Idx()] = t.Idx()
	t.Sync()
	for n := uint32(64); n > 0; n /= 2 {
		if t.Idx() < n {
			q[t.Idx()] += q[t.Idx()+n]
		}
		t.Sync()
	}
	data[t.Idx()] = q[0]
}

// The next round overwrites what other warps still read.
//
// launch: 1 64
// fix: t.Sync()
func OneBarrierRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	sum := uint32(0)
	for i := range uint32(3) {
		q[t.Idx()] = i // 1 2
		t.Sync()
		sum += q[t.Idx()^32] // 1 2
	}
	data[t.Idx()] = sum
}

// launch: 1 64
func OneBarrierClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	sum := uint32(0)
	for i := range uint32(3) {
		q[t.Idx()] = i
		t.Sync()
		sum += q[t.Idx()^32]
		t.Sync()
	}
	data[t.Idx()] = sum
}

// launch: 1 64
// fix: t.Sync()
func SharedCounterRace(t gpu.Thread, data, flag []uint32) {
	n := gpu.Shared[uint32](t)
	if t.Idx() == 0 {
		gpu.Store(n, 0)
	}
	t.Sync()
	gpu.AtomicAdd(n, 1) // 1 2
	if t.Lane() == 0 {
		data[t.Idx()] = *n // 1 2
	}
}

// launch: 1 64
func SharedCounterClean(t gpu.Thread, data, flag []uint32) {
	n := gpu.Shared[uint32](t)
	if t.Idx() == 0 {
		*n = 0
	}
	t.Sync()
	gpu.AtomicAdd(n, 1)
	t.Sync()
	if t.Lane() == 0 {
		data[t.Idx()] = *n
	}
}

// The first warp does not see at barrier 1 what the others do before barrier 2.
//
// launch: 1 128
// fix: t.Sync()
func OtherBarrierRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[128]uint32](t)
	q[t.Idx()] = t.Idx() // 1 2
	if t.Warp() < 2 {
		t.SyncNamed(1, 64)
	} else {
		t.SyncNamed(2, 64)
	}
	data[t.Idx()] = q[t.Idx()^64] // 1 2
}

// launch: 1 128
func OtherBarrierClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[128]uint32](t)
	q[t.Idx()] = t.Idx()
	if t.Warp() < 2 {
		t.SyncNamed(1, 64)
	} else {
		t.SyncNamed(2, 64)
	}
	data[t.Idx()] = q[t.Idx()^32]
}

// The consumer only arrives, so that it does not wait.
//
// launch: 1 64
// fix: t.Sync()
func ArriveOnlyRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	if t.Warp() == 0 {
		q[t.Lane()] = t.Lane() // 1 2
		t.SyncNamed(1, 64)
		return
	}
	t.ArriveNamed(1, 64)
	t.Sleep(3000)
	data[t.Lane()] = q[t.Lane()] // 1 2
}

// launch: 1 64
func ArriveOnlyClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	if t.Warp() == 0 {
		q[t.Lane()] = t.Lane()
		t.ArriveNamed(1, 64)
		return
	}
	t.SyncNamed(1, 64)
	data[t.Lane()] = q[t.Lane()]
}

// launch: 1 64
// fix: one width
func WidthRace(t gpu.Thread, data, flag []uint32) {
	narrow := gpu.DynamicShared[uint32](t)
	full := gpu.DynamicShared[uint64](t)
	if t.Idx() == 0 {
		gpu.AtomicExch(&full[0], 0)
	}
	t.Sync()
	if t.Idx() == 0 {
		gpu.AtomicAdd(&full[0], 1) // 1 2
	} else if t.Idx() == 32 {
		gpu.AtomicAdd(&narrow[0], 1) // 1 2
	}
}

// launch: 1 64
func WidthClean(t gpu.Thread, data, flag []uint32) {
	narrow := gpu.DynamicShared[uint32](t)
	full := gpu.DynamicShared[uint64](t)
	if t.Idx() == 0 {
		gpu.AtomicExch(&full[0], 0)
		gpu.AtomicExch(&full[1], 0)
	}
	t.Sync()
	if t.Idx() == 0 {
		gpu.AtomicAdd(&full[0], 1)
	} else if t.Idx() == 32 {
		gpu.AtomicAdd(&narrow[2], 1)
	}
}
