// Package mbarriers has kernels whose threads wait at an mbarrier for ever, each for one reason. The parameter clean is 1 for the
// kernel without its mistake.
package mbarriers

import "github.com/weft-gpu/weft/gpu"

// LeftEarly has a warp that leaves before it arrives.
func LeftEarly(t gpu.Thread, clean uint32, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		b.Init(t.BlockDim())
	}
	t.Sync()
	if t.Warp() == 1 && clean == 0 {
		return // the mistake
	}
	b.Arrive()
	b.Wait(0)
	out[t.Global()] = 1
}

// OtherPath has lanes that take a path without an arrival and wait, too.
func OtherPath(t gpu.Thread, clean uint32, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		b.Init(t.BlockDim())
	}
	t.Sync()
	if t.Warp() == 0 || clean == 1 {
		b.Arrive() // the others wait only
	}
	b.Wait(0)
	out[t.Global()] = 1
}

// WrongCount initialises for warps, where threads are meant.
func WrongCount(t gpu.Thread, clean uint32, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	n := t.BlockDim() + 32
	if clean == 1 {
		n = t.BlockDim()
	}
	if t.Idx() == 0 {
		b.Init(n) // too many
	}
	t.Sync()
	b.Arrive()
	b.Wait(0)
	out[t.Global()] = 1
}

// WrongParity waits in the first phase for the end of the second one.
func WrongParity(t gpu.Thread, clean uint32, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		b.Init(t.BlockDim())
	}
	t.Sync()
	b.Arrive()
	b.Wait(0)
	if clean == 1 {
		b.Arrive()
	}
	b.Wait(1) // nobody arrives in that phase
	out[t.Global()] = 1
}

// NeverFlips waits for the same parity in each round.
func NeverFlips(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	free := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(32)
		free.Init(32)
	}
	t.Sync()
	for r := range uint32(4) {
		if t.Warp() == 0 {
			free.Wait(r&1 ^ 1)
			full.Arrive()
		} else {
			full.Wait(r & 1)
			if clean == 0 {
				full.Wait(0) // the same parity in each round
			}
			free.Arrive()
		}
	}
	out[t.Global()] = 1
}

// TooManyArrivals arrives twice in the first phase, which then ends early; the second phase begins with one arrival too many, and
// the last one never ends.
func TooManyArrivals(t gpu.Thread, clean uint32, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		b.Init(2)
	}
	t.Sync()
	if t.Idx() == 0 {
		b.Arrive()
		if clean == 0 {
			b.Arrive() // the mistake: completes the phase without the other warp
		}
		b.Wait(0)
	}
	if t.Idx() == 32 {
		b.Arrive()
		b.Wait(clean ^ 1) // it came to the second phase
	}
	out[t.Global()] = 1
}

// MoreBytes expects bytes that no copy brings.
func MoreBytes(t gpu.Thread, clean uint32, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		b.Init(1)
	}
	t.Sync()
	if t.Idx() == 0 {
		if clean == 1 {
			b.Arrive()
		} else {
			b.ArriveExpect(64) // no copy
		}
	}
	b.Wait(0)
	out[t.Global()] = 1
}

// Swapped has a ring in which full and free are swapped on the producer's side.
func Swapped(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[[2]gpu.MBarrier](t)
	free := gpu.Shared[[2]gpu.MBarrier](t)
	if t.Idx() == 0 {
		for i := range full {
			full[i].Init(32)
			free[i].Init(32)
		}
	}
	t.Sync()
	for r := range uint32(6) {
		i, parity := r&1, r>>1&1
		if t.Warp() == 0 {
			if clean == 1 {
				free[i].Wait(parity ^ 1)
			} else {
				free[i].Wait(parity) // waits for what the consumer frees later
			}
			full[i].Arrive()
		} else {
			full[i].Wait(parity)
			free[i].Arrive()
		}
	}
	out[t.Global()] = 1
}

// TwoPipelines has two warps that serve two pipelines in opposite order.
func TwoPipelines(t gpu.Thread, clean uint32, out []uint32) {
	a := gpu.Shared[gpu.MBarrier](t)
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		a.Init(32)
		b.Init(32)
	}
	t.Sync()
	if t.Warp() == 0 {
		if clean == 1 {
			a.Arrive()
		}
		b.Wait(0) // before the arrival at a
		if clean == 0 {
			a.Arrive()
		}
	} else {
		a.Wait(0) // before the arrival at b
		b.Arrive()
	}
	out[t.Global()] = 1
}

// LastRound has a producer that makes one item less than the consumer takes.
func LastRound(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	free := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(32)
		free.Init(32)
	}
	t.Sync()
	if t.Warp() == 0 {
		for r := range 4 + clean {
			free.Wait(r&1 ^ 1)
			full.Arrive() // four times
		}
	} else {
		for r := range uint32(5) {
			full.Wait(r & 1) // five times
			free.Arrive()
		}
	}
	out[t.Global()] = 1
}

// NotFreed has a consumer that does not give the buffer back.
func NotFreed(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	free := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(32)
		free.Init(1)
	}
	t.Sync()
	for r := range uint32(3) {
		if t.Warp() == 0 {
			free.Wait(r&1 ^ 1)
			full.Arrive()
		} else {
			full.Wait(r & 1)
			t.SyncWarp(gpu.FullMask)
			if t.Lane() == 0 && (clean == 1 || r != 1) { // not in the second round
				free.Arrive()
			}
		}
	}
	out[t.Global()] = 1
}

// InsideBranch waits for lanes of its own warp behind a barrier of the block.
func InsideBranch(t gpu.Thread, clean uint32, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		b.Init(t.BlockDim())
	}
	t.Sync()
	if t.Warp() == 0 {
		b.Arrive()
		if clean == 0 {
			b.Wait(0) // before the barrier that the others wait at
		}
	}
	t.Sync()
	if t.Warp() != 0 {
		b.Arrive()
	}
	b.Wait(0)
	out[t.Global()] = 1
}

// Overrun has a producer that fills a buffer again before the consumer has seen that it was full.
func Overrun(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	free := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(32)
		free.Init(32)
	}
	t.Sync()
	if t.Warp() == 0 {
		full.Arrive()
		if clean == 1 {
			free.Wait(0)
		}
		full.Arrive() // the second time
	} else {
		t.Sleep(20_000)
		full.Wait(0)
		free.Arrive()
		full.Wait(1)
	}
	out[t.Global()] = 1
}
