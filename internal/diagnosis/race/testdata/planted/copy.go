package planted

import "github.com/weft-gpu/weft/gpu"

// These kernels copy words to shared memory by asynchronous copies.

// launch: 1 32
// fix: add t.WaitAllCopies() before $2
func OwnCopyRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	gpu.CopyAsync(&q[t.Idx()], &data[t.Idx()]) // 1
	t.CommitCopies()
	data[64+t.Idx()] = q[t.Idx()] // 2
}

// launch: 1 32
func OwnCopyClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	gpu.CopyAsync(&q[t.Idx()], &data[t.Idx()])
	t.CommitCopies()
	t.WaitCopies(0)
	data[64+t.Idx()] = q[t.Idx()]
}

// launch: 1 64
// fix: add t.WaitAllCopies() after $1
func LateGroupRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[2][64]uint32](t)
	gpu.CopyAsync(&q[0][t.Idx()], &data[t.Idx()])
	t.CommitCopies()
	gpu.CopyAsync(&q[1][t.Idx()], &data[64+t.Idx()]) // 1
	t.CommitCopies()
	t.WaitCopies(1)
	t.Sync()
	data[128+t.Idx()] = q[0][t.Idx()^1] + q[1][t.Idx()^1] // 2
}

// launch: 1 64
func LateGroupClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[2][64]uint32](t)
	gpu.CopyAsync(&q[0][t.Idx()], &data[t.Idx()])
	t.CommitCopies()
	gpu.CopyAsync(&q[1][t.Idx()], &data[64+t.Idx()])
	t.CommitCopies()
	t.WaitCopies(0)
	t.Sync()
	data[128+t.Idx()] = q[0][t.Idx()^1] + q[1][t.Idx()^1]
}

// A wait for groups does not wait for copies that are in none.
//
// launch: 1 64
// fix: add t.WaitAllCopies() after $1
func UncommittedRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	gpu.CopyAsync(&q[t.Idx()], &data[t.Idx()]) // 1
	t.WaitCopies(0)
	t.Sync()
	data[64+t.Idx()] = q[t.Idx()^32] // 2
}

// launch: 1 64
func UncommittedClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	gpu.CopyAsync(&q[t.Idx()], &data[t.Idx()])
	t.CommitCopies()
	t.WaitCopies(0)
	t.Sync()
	data[64+t.Idx()] = q[t.Idx()^32]
}

// launch: 1 64
// fix: add t.Sync() before
func BarrierBehindCopyRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	gpu.CopyAsync(&q[t.Idx()], &data[t.Idx()]) // 1 2
	t.WaitAllCopies()
	t.Sleep(3000)
	data[64+t.Idx()] = q[t.Idx()^32] // 1 2
}

// launch: 1 64
func BarrierBehindCopyClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	gpu.CopyAsync(&q[t.Idx()], &data[t.Idx()])
	t.WaitAllCopies()
	t.Sync()
	data[64+t.Idx()] = q[t.Idx()^32]
}

// A barrier alone does not wait for copies, and a wait only for those of the thread.
//
// launch: 1 64
// fix: add t.WaitAllCopies() after $1
func WaitBehindBarrierRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	gpu.CopyAsync(&q[t.Idx()], &data[t.Idx()]) // 1
	t.Sync()
	t.WaitAllCopies()
	data[64+t.Idx()] = q[t.Idx()^32] // 2
}

// launch: 1 64
func WaitBehindBarrierClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	gpu.CopyAsync(&q[t.Idx()], &data[t.Idx()])
	t.WaitAllCopies()
	t.Sync()
	data[64+t.Idx()] = q[t.Idx()^32]
}

// The buffer is filled again while the other warp may still read it.
//
// launch: 1 64
// fix: add t.Sync() after
func CopyTooEarlyRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	for r := range uint32(2) {
		gpu.CopyAsync(&q[t.Idx()], &data[64*r+t.Idx()]) // 1 2
		t.WaitAllCopies()
		t.Sync()
		data[128+64*r+t.Idx()] = q[t.Idx()^32] // 1 2
	}
}

// launch: 1 64
func CopyTooEarlyClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	for r := range uint32(2) {
		gpu.CopyAsync(&q[t.Idx()], &data[64*r+t.Idx()])
		t.WaitAllCopies()
		t.Sync()
		data[128+64*r+t.Idx()] = q[t.Idx()^32]
		t.Sync()
	}
}

// The source changes while it is copied.
//
// launch: 1 32
// fix: add t.WaitAllCopies() before $2
func SourceWrittenRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	gpu.CopyAsync(&q[t.Idx()], &data[t.Idx()]) // 1
	data[t.Idx()] = 1                          // 2
	t.WaitAllCopies()
	data[64+t.Idx()] = q[t.Idx()]
}

// launch: 1 32
func SourceWrittenClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	gpu.CopyAsync(&q[t.Idx()], &data[t.Idx()])
	t.WaitAllCopies()
	data[t.Idx()] = 1
	data[64+t.Idx()] = q[t.Idx()]
}

// A thread arrives for itself, and not for its copies.
//
// launch: 1 64
// fix: add t.WaitAllCopies() after $1
func ArrivalBeforeCopyRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(32)
	}
	t.Sync()
	if t.Warp() == 0 {
		gpu.CopyAsync(&q[t.Lane()], &data[t.Lane()]) // 1
		full.Arrive()
		return
	}
	for !full.TestWaitParity(0) {
	}
	data[64+t.Lane()] = q[t.Lane()^1] // 2
}

// launch: 1 64
func ArrivalBeforeCopyClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(32)
	}
	t.Sync()
	if t.Warp() == 0 {
		gpu.CopyAsync(&q[t.Lane()], &data[t.Lane()])
		full.ArriveCopied()
		return
	}
	for !full.TestWaitParity(0) {
	}
	data[64+t.Lane()] = q[t.Lane()^1]
}

// The barrier waits for copies before TrackCopies alone.
//
// launch: 1 64
// fix: add t.WaitAllCopies() after $1
func CopyBehindArrivalRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[2][32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(32)
	}
	t.Sync()
	if t.Warp() == 0 {
		gpu.CopyAsync(&q[0][t.Lane()], &data[t.Lane()])
		full.TrackCopies()
		gpu.CopyAsync(&q[1][t.Lane()], &data[32+t.Lane()]) // 1
		full.Arrive()
		return
	}
	for !full.TestWaitParity(0) {
	}
	data[64+t.Lane()] = q[0][t.Lane()] + q[1][t.Lane()] // 2
}

// launch: 1 64
func CopyBehindArrivalClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[2][32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(32)
	}
	t.Sync()
	if t.Warp() == 0 {
		gpu.CopyAsync(&q[0][t.Lane()], &data[t.Lane()])
		gpu.CopyAsync(&q[1][t.Lane()], &data[32+t.Lane()])
		full.TrackCopies()
		full.Arrive()
		return
	}
	for !full.TestWaitParity(0) {
	}
	data[64+t.Lane()] = q[0][t.Lane()] + q[1][t.Lane()]
}

// The phase is complete without the bytes: only the next one waits for them.
//
// launch: 1 64
// fix: an mbarrier that waits for the copy
func BulkNotExpectedRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	t.Sync()
	if t.Idx() == 0 {
		full.Arrive()
		gpu.CopyBulk(&q[0], &data[0], 32, full) // 1 2
		full.Expect(128)
	}
	if t.Warp() == 1 {
		full.Wait(0)
		t.Sleep(3000)
		data[64+t.Lane()] = q[t.Lane()] // 1 2
	}
}

// launch: 1 64
func BulkNotExpectedClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	t.Sync()
	if t.Idx() == 0 {
		full.ArriveExpect(128)
		gpu.CopyBulk(&q[0], &data[0], 32, full)
	}
	if t.Warp() == 1 {
		full.Wait(0)
		data[64+t.Lane()] = q[t.Lane()]
	}
}

// The buffer is filled while another warp may still use it.
//
// launch: 1 64
// fix: add t.Sync() after the branch
func BulkTooEarlyRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	t.Sync()
	if t.Warp() == 1 {
		q[t.Lane()] = 7 // 1 2
		t.SyncWarp(gpu.FullMask)
		data[64+t.Lane()] = q[t.Lane()^1] // 1 2
	}
	t.Sleep(3000)
	if t.Idx() == 0 {
		full.ArriveExpect(128)
		gpu.CopyBulk(&q[0], &data[0], 32, full) // 1 2
		full.Wait(0)
	}
}

// launch: 1 64
func BulkTooEarlyClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	t.Sync()
	if t.Warp() == 1 {
		q[t.Lane()] = 7
		t.SyncWarp(gpu.FullMask)
		data[64+t.Lane()] = q[t.Lane()^1]
	}
	t.Sync()
	if t.Idx() == 0 {
		full.ArriveExpect(128)
		gpu.CopyBulk(&q[0], &data[0], 32, full)
		full.Wait(0)
	}
}
