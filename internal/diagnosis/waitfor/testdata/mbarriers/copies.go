package mbarriers

import "github.com/weft-gpu/weft/gpu"

// ShortCopy expects more bytes than its copy brings.
func ShortCopy(t gpu.Thread, clean uint32, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[64]uint32](t)
	out[t.Idx()] = t.Idx()
	if t.Idx() == 0 {
		b.Init(1)
	}
	t.Sync()
	if t.Idx() == 0 {
		b.ArriveExpect(256)
		gpu.CopyBulk(&q[0], &out[0], 32+32*clean, b)
	}
	b.Wait(0)
}

// NeverCopied expects bytes, and copies them on one path alone.
func NeverCopied(t gpu.Thread, clean uint32, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[64]uint32](t)
	out[t.Idx()] = t.Idx()
	if t.Idx() == 0 {
		b.Init(1)
	}
	t.Sync()
	if t.Idx() == 0 {
		b.ArriveExpect(256)
		if clean == 1 {
			gpu.CopyBulk(&q[0], &out[0], 64, b)
		}
	}
	b.Wait(0)
}

// OneLaneCopies initialises the barrier for the copies of each thread of the first warp, of which only some arrive.
func OneLaneCopies(t gpu.Thread, clean uint32, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[64]uint32](t)
	out[t.Idx()] = t.Idx()
	if t.Idx() == 0 {
		b.Init(32)
	}
	t.Sync()
	if t.Warp() == 0 {
		gpu.CopyAsync(&q[t.Idx()], &out[t.Idx()])
		if clean == 1 || t.Lane() < 8 {
			b.ArriveCopied()
		}
	}
	for !b.TestWaitParity(0) {
	}
}
