package k

import "github.com/weft-gpu/weft/gpu"

// Copies has a copy to shared memory that each thread waits for.
func Copies(t gpu.Thread, x []uint32) {
	q := gpu.Shared[[64]uint32](t)
	gpu.CopyAsync(&q[t.Idx()], &x[t.Idx()])
	t.WaitAllCopies()
}

// Brings waits for a copy in bulk.
func Brings(t gpu.Thread, data []uint32) {
	q := gpu.Shared[[4]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	full.Init(1)
	full.ArriveExpect(16)
	gpu.CopyBulk(&q[0], &data[0], 4, full)
	full.Wait(0)
}

// BringsTwo waits for two copies in bulk at one mbarrier.
func BringsTwo(t gpu.Thread, data []uint32) {
	q := gpu.Shared[[2][4]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	full.Init(1)
	full.ArriveExpect(32)
	gpu.CopyBulk(&q[0][0], &data[0], 4, full)
	gpu.CopyBulk(&q[1][0], &data[0], 4, full)
	full.Wait(0)
}

// LooksOnce looks once whether a copy has come, and waits for ever if it has (early is 1) or has not (early is 0). Both may be.
func LooksOnce(t gpu.Thread, early uint32, data []uint32) {
	q := gpu.Shared[[4]uint32](t)
	full := gpu.Shared[[2]gpu.MBarrier](t)
	full[0].Init(1)
	full[1].Init(1)
	full[0].ArriveExpect(16)
	gpu.CopyBulk(&q[0], &data[0], 4, &full[0])
	if full[0].TestWaitParity(0) == (early == 1) {
		full[1].Wait(0) // at which nobody arrives
	}
	full[0].Wait(0)
}

// InOrder takes it that the second copy comes after the first one, of which PTX says nothing. If it is clean, it waits for both.
func InOrder(t gpu.Thread, clean uint32, data []uint32) {
	q := gpu.Shared[[2][4]uint32](t)
	full := gpu.Shared[[3]gpu.MBarrier](t)
	for i := range full {
		full[i].Init(1)
	}
	for i := range uint32(2) {
		full[i].ArriveExpect(16)
		gpu.CopyBulk(&q[i][0], &data[0], 4, &full[i])
	}
	full[1].Wait(0)
	if clean == 1 {
		full[0].Wait(0)
	}
	if !full[0].TestWaitParity(0) {
		full[2].Wait(0)
	}
	full[0].Wait(0)
}

// Answers lets block 0 add to a word by a copy in bulk, which it does not wait for, and block 1 wait for the word before it answers.
func Answers(t gpu.Thread, words []uint32) {
	q := gpu.Shared[[4]uint32](t)
	if t.Block() == 0 {
		for i := range q {
			q[i] = 1
		}
		t.FenceAsync()
		gpu.AddBulk(&words[0], &q[0], 4)
		t.CommitBulk()
		t.WaitBulkRead(0)
		for gpu.AtomicAdd(&words[4], 0) == 0 {
		}
	} else {
		for gpu.AtomicAdd(&words[0], 0) == 0 {
		}
		gpu.AtomicAdd(&words[4], 1)
	}
}

// Stores waits for a copy in bulk to global memory, and counts.
func Stores(t gpu.Thread, out []uint32) {
	q := gpu.Shared[[4]uint32](t)
	gpu.Store(&q[0], 1)
	t.FenceAsync()
	gpu.StoreBulk(&out[0], &q[0], 4)
	t.CommitBulk()
	t.WaitBulk(0)
	gpu.AtomicAdd(&out[4], 1)
}

// Early reads what a copy brings. Unless it is clean, it does not wait for the copy.
func Early(t gpu.Thread, clean uint32, data []uint32) {
	q := gpu.Shared[[64]uint32](t)
	gpu.CopyAsync(&q[t.Idx()], &data[t.Idx()])
	t.CommitCopies()
	t.WaitCopies(0)
	if t.Sync(); t.Idx() == 0 {
		gpu.CopyAsync(&q[0], &data[0])
		if t.CommitCopies(); clean == 1 {
			t.WaitCopies(0)
		}
	}
	if t.Idx() == 0 {
		gpu.Store(&data[0], gpu.Load(&q[0])+1)
	}
}

// EndsEarly ends while a copy may still read its shared memory, unless it is clean.
func EndsEarly(t gpu.Thread, clean uint32, out []uint32) {
	q := gpu.Shared[[4]uint32](t)
	q[0] = 1
	t.FenceAsync()
	gpu.StoreBulk(&out[0], &q[0], 4)
	t.CommitBulk()
	if clean == 1 {
		t.WaitBulkRead(0)
	}
}

// SlowCopy waits in warp 1 for a copy that warp 0 has begun before it copies the same again and again, until warp 1 says so.
func SlowCopy(t gpu.Thread, data []uint32) {
	q := gpu.Shared[[2][4]uint32](t)
	full := gpu.Shared[[2]gpu.MBarrier](t)
	done := gpu.Shared[uint32](t)
	if t.Idx() == 0 {
		full[0].Init(1)
		full[1].Init(1)
		gpu.Store(done, 0)
		full[0].ArriveExpect(16)
		gpu.CopyBulk(&q[0][0], &data[0], 4, &full[0])
	}
	t.Sync()
	if t.Idx() == 0 {
		for parity := uint32(0); gpu.Load(done) == 0; parity ^= 1 {
			full[1].ArriveExpect(16)
			gpu.CopyBulk(&q[1][0], &data[0], 4, &full[1])
			full[1].Wait(parity)
		}
	}
	if t.Idx() == 32 {
		full[0].Wait(0)
		gpu.Store(done, 1)
	}
}

// CountsCopies copies for ever, and counts.
func CountsCopies(t gpu.Thread, data []uint32) {
	q := gpu.Shared[[4]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	full.Init(1)
	for n := uint32(0); n != 1<<31; n++ {
		full.ArriveExpect(16)
		gpu.CopyBulk(&q[0], &data[0], 4, full)
		full.Wait(n & 1)
		gpu.AtomicAdd(&data[4], 1)
	}
}

// Products has a product in each warp of a warpgroup, which then wait for each other. Unless it is clean, a warp does not wait for its product.
func Products(t gpu.Thread, clean uint32, x []uint32) {
	as := gpu.Shared[[64 * 8]uint32](t)
	bs := gpu.Shared[[16 * 8]uint32](t)
	var sums gpu.FloatSums[[8]float32]
	t.FenceSums()
	gpu.GroupMMAF16(t, &sums, gpu.SharedMatrix{Data: as[:], Stride: 256, Swizzle: 32}, gpu.SharedMatrix{Data: bs[:], Stride: 256, Swizzle: 32})
	t.CommitSums()
	if clean == 1 {
		t.WaitSums(0)
	}
	if t.Lane() == 0 {
		gpu.AtomicAdd(&x[0], 1+min(uint32(sums.At(0)), 1))
		for gpu.Load(&x[0]) < 4 {
		}
	}
}

// Overwrites writes what a product of another warp may still read, unless it is clean.
func Overwrites(t gpu.Thread, clean uint32, x []uint32) {
	as := gpu.Shared[[64 * 8]uint32](t)
	bs := gpu.Shared[[16 * 8]uint32](t)
	var sums gpu.FloatSums[[8]float32]
	t.FenceSums()
	gpu.GroupMMAF16(t, &sums, gpu.SharedMatrix{Data: as[:], Stride: 256, Swizzle: 32}, gpu.SharedMatrix{Data: bs[:], Stride: 256, Swizzle: 32})
	t.CommitSums()
	if clean == 1 {
		t.WaitSums(0)
	}
	t.Sync()
	if t.Idx() == 0 {
		bs[0] = 1
	}
	t.WaitSums(0)
}

// LeavesRound has a warp that leaves behind the first of two rounds. If it is clean, it drops out of the second one.
func LeavesRound(t gpu.Thread, clean uint32, data []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		b.Init(t.BlockDim())
	}
	t.Sync()
	b.Arrive()
	b.Wait(0)
	if t.Warp() == 1 {
		if clean == 1 {
			b.ArriveDrop()
		}
		return
	}
	b.Arrive()
	b.Wait(1)
	data[0] = 1
}
