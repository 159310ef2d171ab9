package mbarriers

import "github.com/weft-gpu/weft/gpu"

// LeavesPipeline has a warp that takes part in two of four rounds, and leaves without dropping out.
func LeavesPipeline(t gpu.Thread, clean uint32, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		b.Init(t.BlockDim())
	}
	t.Sync()
	for r := range uint32(4) {
		if t.Warp() == 1 && r == 2 {
			if clean == 1 {
				b.ArriveDrop()
			}
			return // without it, the others wait in each later round
		}
		b.Arrive()
		b.Wait(r & 1)
	}
	out[t.Global()] = 1
}

// StaysBehind waits for a phase that begins when all have dropped out; one warp has done so a round before the other.
func StaysBehind(t gpu.Thread, clean uint32, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		b.Init(2)
	}
	t.Sync()
	if t.Idx() == 32 {
		b.ArriveDrop()
	}
	if t.Idx() == 0 {
		b.Arrive()
		b.Wait(0)
		b.ArriveDrop()
		b.Wait(1)
	}
	t.Sync()
	b.Wait(1)
	if clean == 0 {
		b.Wait(0) // nobody is left who could arrive in the third phase
	}
	out[t.Global()] = 1
}

// DropsAndForgets has a warp that drops out, as it may, and another one that leaves without an arrival.
func DropsAndForgets(t gpu.Thread, clean uint32, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		b.Init(t.BlockDim())
	}
	t.Sync()
	if t.Warp() == 1 && t.Lane() < 16 {
		b.ArriveDrop()
		return
	}
	b.Arrive()
	b.Wait(0)
	if t.Warp() == 1 && clean == 0 {
		return // the mistake
	}
	b.Arrive()
	b.Wait(1)
	out[t.Global()] = 1
}
