package testkernels

import "github.com/weft-gpu/weft/gpu"

// HandOver hands rounds of words from the first warp to the others over a ring of two buffers: each has an mbarrier that says that
// it is full, and one that says that it is free. Every thread of another warp leaves the sum of what it read.
func HandOver(t gpu.Thread, rounds uint32, out []uint32) {
	ring := gpu.Shared[[2][32]uint32](t)
	full := gpu.Shared[[2]gpu.MBarrier](t)
	free := gpu.Shared[[2]gpu.MBarrier](t)
	if t.Idx() == 0 {
		for i := range full {
			full[i].Init(32)
			free[i].Init(t.BlockDim() - 32)
		}
	}
	t.Sync()
	sum := uint32(0)
	for r := range rounds {
		i, parity := r&1, r>>1&1
		if t.Warp() == 0 {
			free[i].Wait(parity ^ 1) // at once in the first two rounds
			ring[i][t.Lane()] = t.Block() + r*t.Lane()
			full[i].Arrive()
		} else {
			full[i].Wait(parity)
			sum += ring[i][t.Lane()]
			free[i].Arrive()
		}
	}
	out[t.Global()] = sum
}

// Tokens waits for the phase of its own arrival, by a token, and by its parity without waiting inside of it.
func Tokens(t gpu.Thread, rounds uint32, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	words := gpu.Shared[[256]uint32](t)
	if t.Idx() == 0 {
		b.Init(2 * t.BlockDim())
	}
	t.Sync()
	v := t.Idx()
	for r := range rounds {
		words[t.Idx()] = v
		p := b.ArriveN(2)
		for !b.TestWait(p) {
		}
		v = words[(t.Idx()+1)%t.BlockDim()] + 1
		p = b.ArriveN(2)
		if r&1 == 0 {
			for !b.TryWait(p) {
			}
		} else {
			for !b.TestWaitParity(1) {
			}
		}
	}
	t.Sync()
	if t.Idx() == 0 {
		b.Inval()
		b.Init(1)
		if b.Arrive(); !b.TestWaitParity(0) {
			v += 1000 // the only arrival completed the first phase
		}
	}
	out[t.Global()] = v
}

// ByTest waits for phases with what GPUs of compute capability 8.0 have.
func ByTest(t gpu.Thread, rounds uint32, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		b.Init(t.BlockDim())
	}
	t.Sync()
	for r := range rounds {
		p := b.Arrive()
		if r&1 == 0 {
			for !b.TestWait(p) {
			}
		} else {
			for !b.TestWaitParity(1) {
			}
		}
	}
	out[t.Global()] = rounds
}

// Fewer has a warp less in each round, whose threads drop out; each thread of the others takes the word of the next warp. When the first warp
// drops out as the last one, its phase is complete at once.
func Fewer(t gpu.Thread, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	words := gpu.Shared[[2][256]uint32](t)
	if t.Idx() == 0 {
		b.Init(t.BlockDim() + 2)
		b.ArriveDropN(2)
	}
	t.Sync()
	v := t.Idx()
	for r := range t.BlockDim() / 32 {
		words[r&1][t.Idx()] = v
		if t.Warp()+r+1 == t.BlockDim()/32 {
			p := b.ArriveDrop()
			if t.Warp() == 0 {
				for !b.TestWait(p) {
				}
				v += 1000
			}
			break
		}
		b.Arrive()
		b.Wait(r & 1)
		v = words[r&1][t.Idx()+32] + 1
	}
	out[t.Global()] = v
}

// DropExpects drops out with bytes that the phase waits for: the next one takes one arrival.
func DropExpects(t gpu.Thread, in, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	words := gpu.Shared[[4]uint32](t)
	if t.Idx() == 0 {
		b.Init(2)
		b.ArriveDropExpect(16)
		b.Arrive()
		if b.TestWaitParity(0) {
			out[4] = 1 // the bytes have not been copied
		}
		gpu.CopyBulk(&words[0], &in[0], 4, b)
		b.Wait(0)
		b.Arrive()
		b.Wait(1)
		for i := range uint32(4) {
			out[i] = words[i]
		}
	}
}

// MBarrierMisuse does what PTX leaves undefined, by number.
func MBarrierMisuse(t gpu.Thread, what uint32, out []uint32) {
	b := gpu.Shared[[2]gpu.MBarrier](t)
	if t.Idx() == 0 {
		b[0].Init(2)
		switch what {
		case 0:
			b[0].Arrive()
			b[0].ArriveN(2) // more than are missing
		case 1:
			b[0].Inval()
			b[0].Wait(0) // it is none any more
		case 2:
			b[0].Init(3) // it is in use
		case 3:
			b[1].Init(0) // for nobody
		case 4:
			b[0].Expect(1 << 20) // too many
		case 5:
			b[0].ArriveN(0) // nobody
		case 6:
			b[0].TrackCopies()
			b[0].ArriveDropN(3) // more than a phase takes
		case 7:
			b[0].ArriveDropN(2)
			b[0].Arrive() // nobody is left
		case 8:
			b[0].ArriveDropN(3) // more than are missing
		case 9:
			b[0].ArriveDropN(0) // nobody
		case 10:
			b[0].ArriveDropExpect(1 << 20) // too many
		}
	}
	out[t.Global()] = 1
}

// NeverInitialised waits at an mbarrier that is none.
func NeverInitialised(t gpu.Thread, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	b.Wait(0) // no Init
	out[t.Global()] = 1
}
