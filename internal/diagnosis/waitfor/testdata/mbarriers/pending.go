package mbarriers

import "github.com/weft-gpu/weft/gpu"

// These kernels wait for ever while copies in bulk are pending, or because of how such copies are told.

// OtherBarrier expects bytes at one barrier, and copies them with the other one of a ring.
func OtherBarrier(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[[2]gpu.MBarrier](t)
	q := gpu.Shared[[64]uint32](t)
	out[t.Idx()] = t.Idx()
	if t.Idx() == 0 {
		full[0].Init(1)
		full[1].Init(1)
	}
	t.Sync()
	if t.Idx() == 0 {
		full[0].ArriveExpect(256)
		gpu.CopyBulk(&q[0], &out[0], 64, &full[1-clean])
	}
	full[0].Wait(0)
}

// CopierLeft has a thread that begins the copy and returns before it arrives.
func CopierLeft(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[64]uint32](t)
	out[t.Idx()] = t.Idx()
	if t.Idx() == 0 {
		full.Init(2)
	}
	t.Sync()
	if t.Idx() == 32 {
		full.Arrive()
	}
	if t.Idx() == 0 {
		full.Expect(256)
		gpu.CopyBulk(&q[0], &out[0], 64, full)
		if clean == 0 {
			return // the mistake
		}
		full.Arrive()
	}
	full.Wait(0)
}

// ParityOfRound takes the parity from the number of the round where the ring has two buffers: it changes twice as often as it should.
func ParityOfRound(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[[2]gpu.MBarrier](t)
	free := gpu.Shared[[2]gpu.MBarrier](t)
	ring := gpu.Shared[[2][16]uint32](t)
	out[t.Idx()] = t.Idx()
	if t.Idx() == 0 {
		for i := range full {
			full[i].Init(1)
			free[i].Init(32)
		}
	}
	t.Sync()
	for r := range uint32(4) {
		i, parity := r&1, r>>1&1
		if t.Warp() == 1 {
			full[i].Wait(parity)
			free[i].Arrive()
		} else if t.Idx() == 0 {
			if clean == 0 {
				parity = r & 1
			}
			free[i].Wait(parity ^ 1)
			full[i].ArriveExpect(64)
			gpu.CopyBulk(&ring[i][0], &out[16*r], 16, &full[i])
		}
	}
}

// TwoCopies has two threads that begin their copies when that of the other one has landed.
func TwoCopies(t gpu.Thread, clean uint32, out []uint32) {
	a := gpu.Shared[gpu.MBarrier](t)
	b := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[2][32]uint32](t)
	out[t.Idx()] = t.Idx()
	if t.Idx() == 0 {
		a.Init(1)
		b.Init(1)
	}
	t.Sync()
	if t.Idx() == 0 {
		if clean == 0 {
			b.Wait(0) // which waits for this copy
		}
		a.ArriveExpect(128)
		gpu.CopyBulk(&q[0][0], &out[0], 32, a)
	}
	if t.Idx() == 32 {
		a.Wait(0)
		b.ArriveExpect(128)
		gpu.CopyBulk(&q[1][0], &out[32], 32, b)
	}
	b.Wait(0)
}

// FlagBehindWait has a thread that copies to global memory, and waits for those who wait for its flag before it sets that.
func FlagBehindWait(t gpu.Thread, clean uint32, out []uint32) {
	read := gpu.Shared[gpu.MBarrier](t)
	flag := gpu.Shared[uint32](t)
	q := gpu.Shared[[32]uint32](t)
	if t.Idx() == 0 {
		read.Init(32)
		gpu.Store(flag, 0)
	}
	if t.Warp() == 0 {
		q[t.Lane()] = t.Lane()
		t.FenceAsync()
	}
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreBulk(&out[0], &q[0], 32)
		t.CommitBulk()
		if clean == 0 {
			read.Wait(0) // before the flag
		}
		t.WaitBulk(0)
		gpu.StoreRelease(flag, 1)
	}
	if t.Warp() == 1 {
		for gpu.LoadAcquire(flag) == 0 {
		}
		read.Arrive()
	}
	if t.Idx() == 0 {
		read.Wait(0)
	}
}

// LastTile copies a tile less than the others take.
func LastTile(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	free := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[16]uint32](t)
	out[t.Idx()] = t.Idx()
	if t.Idx() == 0 {
		full.Init(1)
		free.Init(32)
	}
	t.Sync()
	if t.Idx() == 0 {
		for r := range 3 + clean {
			free.Wait(r&1 ^ 1)
			full.ArriveExpect(64)
			gpu.CopyBulk(&q[0], &out[16*r], 16, full) // three times
		}
	}
	if t.Warp() == 1 {
		for r := range uint32(4) {
			full.Wait(r & 1) // four times
			free.Arrive()
		}
	}
}

// ShortTile expects a whole tile also of the last one, which is shorter.
func ShortTile(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	free := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[24]uint32](t)
	out[t.Idx()] = t.Idx()
	if t.Idx() == 0 {
		full.Init(1)
		free.Init(32)
	}
	t.Sync()
	for r := range uint32(3) {
		if t.Idx() == 0 {
			n := min(24, gpu.Len(out)-24*r)
			free.Wait(r&1 ^ 1)
			if clean == 1 {
				full.ArriveExpect(4 * n)
			} else {
				full.ArriveExpect(96) // of the last one, 64 come
			}
			gpu.CopyBulk(&q[0], &out[24*r], n, full)
		}
		if t.Warp() == 1 {
			full.Wait(r & 1)
			free.Arrive()
		}
	}
}

// ExpectedTwice expects the bytes of a copy with the arrival, and once more.
func ExpectedTwice(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[64]uint32](t)
	out[t.Idx()] = t.Idx()
	if t.Idx() == 0 {
		full.Init(1)
	}
	t.Sync()
	if t.Idx() == 0 {
		if clean == 0 {
			full.Expect(256)
		}
		full.ArriveExpect(256)
		gpu.CopyBulk(&q[0], &out[0], 64, full)
	}
	full.Wait(0)
}

// MoreCopied copies more bytes than it expects.
func MoreCopied(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[64]uint32](t)
	out[t.Idx()] = t.Idx()
	if t.Idx() == 0 {
		full.Init(2)
	}
	t.Sync()
	if t.Idx() == 0 {
		full.ArriveExpect(128 + 128*clean)
		gpu.CopyBulk(&q[0], &out[0], 64, full)
	}
	t.Sync()
	if t.Idx() == 32 {
		full.Arrive()
	}
	full.Wait(0)
}

// OneLaneArrives initialises the barrier for a warp, of which one lane copies and arrives.
func OneLaneArrives(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[64]uint32](t)
	out[t.Idx()] = t.Idx()
	if t.Idx() == 0 {
		full.Init(32 - 31*clean)
	}
	t.Sync()
	if t.Idx() == 0 {
		full.ArriveExpect(256)
		gpu.CopyBulk(&q[0], &out[0], 64, full)
	}
	full.Wait(0)
}

// CopyBehindSync waits for a copy that begins behind a barrier of the block to which the waiting threads have not come.
func CopyBehindSync(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[64]uint32](t)
	out[t.Idx()] = t.Idx()
	if t.Idx() == 0 {
		full.Init(1)
	}
	t.Sync()
	if t.Warp() == 1 && clean == 0 {
		full.Wait(0) // before the barrier
	}
	t.Sync()
	if t.Idx() == 0 {
		full.ArriveExpect(256)
		gpu.CopyBulk(&q[0], &out[0], 64, full)
	}
	full.Wait(0)
}

// TrackedOnly tells the barrier of copies by arrivals that it does not count on, and no thread arrives itself.
func TrackedOnly(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[64]uint32](t)
	out[t.Idx()] = t.Idx()
	if t.Idx() == 0 {
		full.Init(64)
	}
	t.Sync()
	gpu.CopyAsync(&q[t.Idx()], &out[t.Idx()])
	full.TrackCopies()
	if clean == 1 {
		full.Arrive()
	}
	for !full.TestWaitParity(0) {
	}
}

// OtherStage lets the copies of one buffer arrive at the barrier of the other one.
func OtherStage(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[[2]gpu.MBarrier](t)
	q := gpu.Shared[[2][64]uint32](t)
	out[t.Idx()] = t.Idx()
	if t.Idx() == 0 {
		full[0].Init(64)
		full[1].Init(64)
	}
	t.Sync()
	for i := range uint32(2) {
		gpu.CopyAsync(&q[i][t.Idx()], &out[t.Idx()])
		full[i&clean].ArriveCopied() // at the first one again
		for !full[i].TestWaitParity(0) {
		}
	}
}
