package planted

import "github.com/weft-gpu/weft/gpu"

// These kernels hand words from warp to warp by mbarriers.

// launch: 1 64
// fix: t.Sync()
func FullMissingRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(32)
	}
	t.Sync()
	if t.Warp() == 0 {
		q[t.Lane()] = t.Lane() // 1 2
		full.Arrive()
		return
	}
	t.Sleep(3000)
	data[t.Lane()] = q[t.Lane()] // 1 2
}

// launch: 1 64
func FullMissingClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(32)
	}
	t.Sync()
	if t.Warp() == 0 {
		q[t.Lane()] = t.Lane()
		full.Arrive()
		return
	}
	full.Wait(0)
	data[t.Lane()] = q[t.Lane()]
}

// launch: 1 64
// fix: t.Sync()
func FreeMissingRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	free := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(32)
		free.Init(32)
	}
	t.Sync()
	for r := range uint32(2) {
		if t.Warp() == 0 {
			t.Sleep(3000)
			q[t.Lane()] = r + t.Lane() // 1 2
			full.Arrive()
		} else {
			full.Wait(r)
			data[r*32+t.Lane()] = q[t.Lane()^1] // 1 2
			free.Arrive()
		}
	}
}

// launch: 1 64
func FreeMissingClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	free := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(32)
		free.Init(32)
	}
	t.Sync()
	for r := range uint32(2) {
		if t.Warp() == 0 {
			free.Wait(r ^ 1)
			q[t.Lane()] = r + t.Lane()
			full.Arrive()
		} else {
			full.Wait(r)
			data[r*32+t.Lane()] = q[t.Lane()^1]
			free.Arrive()
		}
	}
}

// launch: 1 64
// fix: t.Sync()
func EarlyArrivalRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(32)
	}
	t.Sync()
	if t.Warp() == 0 {
		full.Arrive()
		q[t.Lane()] = t.Lane() // 1 2
		return
	}
	full.Wait(0)
	t.Sleep(3000)
	data[t.Lane()] = q[t.Lane()] // 1 2
}

// launch: 1 64
func EarlyArrivalClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(32)
	}
	t.Sync()
	if t.Warp() == 0 {
		q[t.Lane()] = t.Lane()
		full.Arrive()
		return
	}
	full.Wait(0)
	t.Sleep(3000)
	data[t.Lane()] = q[t.Lane()]
}
