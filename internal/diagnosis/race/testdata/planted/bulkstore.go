package planted

import "github.com/weft-gpu/weft/gpu"

// These kernels copy in bulk from shared to global memory.

// The source is written while it may still be read.
//
// launch: 1 32
// fix: add t.CommitBulk() and t.WaitBulkRead(0) before $2
func SourceAgainRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = 1
	t.FenceAsync()
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreBulk(&data[0], &q[0], 32) // 1
		t.CommitBulk()
		q[5] = 2 // 2
		t.WaitBulk(0)
	}
}

// launch: 1 32
func SourceAgainClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = 1
	t.FenceAsync()
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreBulk(&data[0], &q[0], 32)
		t.CommitBulk()
		t.WaitBulkRead(0)
		q[5] = 2
		t.WaitBulk(0)
	}
}

// A wait for reads does not wait for what is written.
//
// launch: 1 32
// fix: add t.CommitBulk() and t.WaitBulk(0) before $2
func WaitForReadsRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = 1
	t.FenceAsync()
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreBulk(&data[0], &q[0], 32) // 1
		t.CommitBulk()
		t.WaitBulkRead(0)
		data[64] = data[3] // 2
		t.WaitBulk(0)
	}
}

// launch: 1 32
func WaitForReadsClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = 1
	t.FenceAsync()
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreBulk(&data[0], &q[0], 32)
		t.CommitBulk()
		t.WaitBulkRead(0)
		t.WaitBulk(0)
		data[64] = data[3]
	}
}

// Of two groups one is waited for, and the source of the other one is written.
//
// launch: 1 32
// fix: add t.CommitBulk() and t.WaitBulkRead(0) before $2
func LateGroupOfBulkRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[2][32]uint32](t)
	q[0][t.Idx()], q[1][t.Idx()] = 1, 1
	t.FenceAsync()
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreBulk(&data[0], &q[0][0], 32)
		t.CommitBulk()
		gpu.StoreBulk(&data[64], &q[1][0], 32) // 1
		t.CommitBulk()
		t.WaitBulkRead(1)
		q[0][3] = 2
		q[1][3] = 2 // 2
		t.WaitBulk(0)
	}
}

// launch: 1 32
func LateGroupOfBulkClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[2][32]uint32](t)
	q[0][t.Idx()], q[1][t.Idx()] = 1, 1
	t.FenceAsync()
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreBulk(&data[0], &q[0][0], 32)
		t.CommitBulk()
		gpu.StoreBulk(&data[64], &q[1][0], 32)
		t.CommitBulk()
		t.WaitBulkRead(1)
		q[0][3] = 2
		t.WaitBulkRead(0)
		q[1][3] = 2
		t.WaitBulk(0)
	}
}

// The wait is for the thread that copies alone.
//
// launch: 1 64
// fix: add t.Sync() before
func BarrierBehindStoreRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	q[t.Idx()] = 1
	t.FenceAsync()
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreBulk(&data[0], &q[0], 64) // 1 2
		t.CommitBulk()
		t.WaitBulk(0)
	}
	t.Sleep(3000)
	data[64+t.Idx()] = data[t.Idx()^32] // 1 2
}

// launch: 1 64
func BarrierBehindStoreClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	q[t.Idx()] = 1
	t.FenceAsync()
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreBulk(&data[0], &q[0], 64)
		t.CommitBulk()
		t.WaitBulk(0)
	}
	t.Sync()
	data[64+t.Idx()] = data[t.Idx()^32]
}

// What other threads have stored is ordered by the barrier, and not there for the copy.
//
// launch: 1 64
// fix: add t.FenceAsync() after $1
func NoProxyFenceRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	q[t.Idx()] = 1 // 1
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreBulk(&data[0], &q[0], 64) // 2
		t.CommitBulk()
		t.WaitBulk(0)
	}
}

// launch: 1 64
func NoProxyFenceClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	q[t.Idx()] = 1
	t.FenceAsync()
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreBulk(&data[0], &q[0], 64)
		t.CommitBulk()
		t.WaitBulk(0)
	}
}

// The fence comes behind the barrier, and not in the thread that copies.
//
// launch: 1 64
// fix: add t.FenceAsync() after $1
func LateProxyFenceRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	q[t.Idx()] = 1 // 1
	t.Sync()
	if t.Idx() > 0 {
		t.FenceAsync()
	}
	if t.Idx() == 0 {
		t.Sleep(3000)
		gpu.AddBulk(&data[0], &q[0], 64) // 2
		t.CommitBulk()
		t.WaitBulk(0)
	}
}

// launch: 1 64
func LateProxyFenceClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	q[t.Idx()] = 1
	t.Sync()
	if t.Idx() == 0 {
		t.FenceAsync()
		gpu.AddBulk(&data[0], &q[0], 64)
		t.CommitBulk()
		t.WaitBulk(0)
	}
}

// A copy of a thread is a store as others are.
//
// launch: 1 32
// fix: add t.FenceAsync() before $2
func RelayedCopyRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	if t.Idx() == 0 {
		for i := range uint32(8) {
			gpu.CopyAsync(&q[i], &data[i]) // 1
		}
		t.WaitAllCopies()
		gpu.StoreBulk(&data[64], &q[0], 8) // 2
		t.CommitBulk()
		t.WaitBulk(0)
	}
}

// launch: 1 32
func RelayedCopyClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	if t.Idx() == 0 {
		for i := range uint32(8) {
			gpu.CopyAsync(&q[i], &data[i])
		}
		t.WaitAllCopies()
		t.FenceAsync()
		gpu.StoreBulk(&data[64], &q[0], 8)
		t.CommitBulk()
		t.WaitBulk(0)
	}
}

// Copies in bulk need no fence among each other, but the one to shared memory has to be there.
//
// launch: 1 32
// fix: an mbarrier that waits for the copy
func RelayedBulkRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
		full.ArriveExpect(128)
		gpu.CopyBulk(&q[0], &data[0], 32, full) // 1
		gpu.StoreBulk(&data[64], &q[0], 32)     // 2
		t.CommitBulk()
		full.Wait(0)
		t.WaitBulk(0)
	}
}

// launch: 1 32
func RelayedBulkClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
		full.ArriveExpect(128)
		gpu.CopyBulk(&q[0], &data[0], 32, full)
		full.Wait(0)
		gpu.StoreBulk(&data[64], &q[0], 32)
		t.CommitBulk()
		t.WaitBulk(0)
	}
}

// Two blocks copy to the same words. Reductions may do that.
//
// launch: 2 32
// fix: a release of the thread that copies
func TwoStoresRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = 1
	t.FenceAsync()
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreBulk(&data[0], &q[0], 32) // 1 2
		t.CommitBulk()
		t.WaitBulk(0)
	}
}

// launch: 2 32
func TwoStoresClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = 1
	t.FenceAsync()
	t.Sync()
	if t.Idx() == 0 {
		gpu.AddBulk(&data[0], &q[0], 32)
		t.CommitBulk()
		t.WaitBulk(0)
	}
}

// A reduction is beside atomics of other blocks, and not beside plain stores.
//
// launch: 2 32
// fix: a release of the thread that copies
func BesideReductionRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = 1
	t.FenceAsync()
	t.Sync()
	if t.Block() == 1 {
		data[t.Idx()] = 5 // 1 2
	} else if t.Idx() == 0 {
		gpu.MaxBulk(&data[0], &q[0], 32) // 1 2
		t.CommitBulk()
		t.WaitBulk(0)
	}
}

// launch: 2 32
func BesideReductionClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = 1
	t.FenceAsync()
	t.Sync()
	if t.Block() == 1 {
		gpu.AtomicMax(&data[t.Idx()], 5)
	} else if t.Idx() == 0 {
		gpu.MaxBulk(&data[0], &q[0], 32)
		t.CommitBulk()
		t.WaitBulk(0)
	}
}
