package planted

import "github.com/weft-gpu/weft/gpu"

// A shuffle gives a value, and orders nothing that was stored before it.
//
// launch: 1 32
// fix: t.SyncWarp
func ShuffleRace(t gpu.Thread, data, flag []uint32) {
	data[t.Lane()] = t.Lane() // 1
	from := gpu.Shfl(t, gpu.FullMask, t.Lane()+1, 31)
	data[64+t.Lane()] = data[from-1-t.Lane()] // 2
}

// launch: 1 32
func ShuffleClean(t gpu.Thread, data, flag []uint32) {
	data[t.Lane()] = t.Lane()
	from := gpu.Shfl(t, gpu.FullMask, t.Lane()+1, 31)
	t.SyncWarp(gpu.FullMask)
	data[64+t.Lane()] = data[from-1-t.Lane()]
}

// The prefix sum of a warp is handed on by shuffles, but its total by shared memory.
//
// launch: 1 64
// fix: t.Sync
func ScanRace(t gpu.Thread, data, flag []uint32) {
	total := gpu.Shared[[2]uint32](t)
	sum := t.Idx()
	for d := uint32(1); d < 32; d *= 2 {
		if v := gpu.ShflUp(t, gpu.FullMask, sum, d); t.Lane() >= d {
			sum += v
		}
	}
	if t.Lane() == 31 {
		total[t.Warp()] = sum // 1
	}
	if t.Warp() == 1 {
		sum += total[0] // 2
	}
	data[t.Idx()] = sum
}

// launch: 1 64
func ScanClean(t gpu.Thread, data, flag []uint32) {
	total := gpu.Shared[[2]uint32](t)
	sum := t.Idx()
	for d := uint32(1); d < 32; d *= 2 {
		if v := gpu.ShflUp(t, gpu.FullMask, sum, d); t.Lane() >= d {
			sum += v
		}
	}
	if t.Lane() == 31 {
		total[t.Warp()] = sum
	}
	t.Sync()
	if t.Warp() == 1 {
		sum += total[0]
	}
	data[t.Idx()] = sum
}

// Two pairs of warps meet at barriers of their own, and one pair reads what the other stored.
//
// launch: 1 128
// fix: t.Sync
func NamedPairsRace(t gpu.Thread, data, flag []uint32) {
	data[t.Idx()] = t.Idx() // 1 2
	t.SyncNamed(1+t.Warp()/2, 64)
	data[128+t.Idx()] = data[t.Idx()^64] // 1 2
}

// launch: 1 128
func NamedPairsClean(t gpu.Thread, data, flag []uint32) {
	data[t.Idx()] = t.Idx()
	t.SyncNamed(1+t.Warp()/2, 64)
	data[128+t.Idx()] = data[t.Idx()^32]
}

// The consumer comes to the barrier of the empty buffer, not to that of the full one.
//
// launch: 1 64
// fix: t.Sync
func NamedWrongRace(t gpu.Thread, data, flag []uint32) {
	if t.Warp() == 0 {
		data[t.Lane()] = 1 // 1
		t.ArriveNamed(2, 64)
		t.SyncNamed(1, 64)
	} else {
		t.ArriveNamed(1, 64)
		data[64+t.Lane()] = data[t.Lane()] // 2
		t.SyncNamed(2, 64)
	}
}

// launch: 1 64
func NamedWrongClean(t gpu.Thread, data, flag []uint32) {
	if t.Warp() == 0 {
		data[t.Lane()] = 1
		t.ArriveNamed(2, 64)
		t.SyncNamed(1, 64)
	} else {
		t.ArriveNamed(1, 64)
		t.SyncNamed(2, 64)
		data[64+t.Lane()] = data[t.Lane()]
	}
}
