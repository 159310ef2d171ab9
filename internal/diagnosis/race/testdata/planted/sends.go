package planted

import "github.com/weft-gpu/weft/gpu"

// These kernels copy in bulk to other blocks of a cluster.

// A copy does not see what was stored without a fence.
//
// launch: 2 32 2
// fix: add t.FenceAsync() after $1
func SendUnfencedRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[2][32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
		full.ArriveExpect(128)
	}
	q[0][t.Idx()] = t.Global() // 1
	t.SyncCluster()
	other := t.ClusterRank() ^ 1
	if t.Idx() == 1 && t.Block() == 0 {
		gpu.SendBulk(gpu.MapShared(t, &q[1][0], other), &q[0][0], 32, gpu.MapShared(t, full, other)) // 2
	}
	if t.Block() == 1 {
		full.Wait(0)
		data[t.Global()] = q[1][t.Idx()]
	}
	t.SyncCluster()
}

// launch: 2 32 2
func SendUnfencedClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[2][32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
		full.ArriveExpect(128)
	}
	q[0][t.Idx()] = t.Global()
	t.FenceAsync()
	t.SyncCluster()
	other := t.ClusterRank() ^ 1
	if t.Idx() == 1 && t.Block() == 0 {
		gpu.SendBulk(gpu.MapShared(t, &q[1][0], other), &q[0][0], 32, gpu.MapShared(t, full, other))
	}
	if t.Block() == 1 {
		full.Wait(0)
		data[t.Global()] = q[1][t.Idx()]
	}
	t.SyncCluster()
}

// The barrier of the cluster does not wait for a copy.
//
// launch: 2 32 2
// fix: a wait for the phase in which the copy completes
func SendReadEarlyRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[2][32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	q[0][t.Idx()], q[1][t.Idx()] = t.Global(), 0
	t.FenceAsync()
	t.SyncCluster()
	if t.Block() == 0 && t.Idx() == 0 {
		gpu.SendBulk(gpu.MapShared(t, &q[1][0], 1), &q[0][0], 32, gpu.MapShared(t, full, 1)) // 1
	}
	t.SyncCluster()
	if t.Block() == 1 {
		data[t.Idx()] = q[1][t.Idx()] // 2
		if t.Idx() == 0 {
			full.ArriveExpect(128)
		}
		full.Wait(0)
	}
	t.SyncCluster()
}

// launch: 2 32 2
func SendReadEarlyClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[2][32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	q[0][t.Idx()], q[1][t.Idx()] = t.Global(), 0
	t.FenceAsync()
	t.SyncCluster()
	if t.Block() == 0 && t.Idx() == 0 {
		gpu.SendBulk(gpu.MapShared(t, &q[1][0], 1), &q[0][0], 32, gpu.MapShared(t, full, 1))
	}
	t.SyncCluster()
	if t.Block() == 1 {
		if t.Idx() == 0 {
			full.ArriveExpect(128)
		}
		full.Wait(0)
		data[t.Idx()] = q[1][t.Idx()]
	}
	t.SyncCluster()
}

// The source is written before the other block has told that the copy has landed.
//
// launch: 2 32 2
// fix: a wait for the phase in which the copy completes, by a thread of the block to which it goes
func SendSourceAgainRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[2][32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
		full.ArriveExpect(128)
	}
	q[0][t.Idx()] = t.Global()
	t.FenceAsync()
	t.SyncCluster()
	if t.Block() == 0 && t.Idx() == 0 {
		gpu.SendBulk(gpu.MapShared(t, &q[1][0], 1), &q[0][0], 32, gpu.MapShared(t, full, 1)) // 1
		q[0][7] = 1                                                                          // 2
	}
	if t.Block() == 1 {
		full.Wait(0)
		data[t.Idx()] = q[1][t.Idx()]
	}
	t.SyncCluster()
}

// launch: 2 32 2
func SendSourceAgainClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[2][32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
		full.ArriveExpect(128)
	}
	q[0][t.Idx()] = t.Global()
	t.FenceAsync()
	t.SyncCluster()
	if t.Block() == 0 && t.Idx() == 0 {
		gpu.SendBulk(gpu.MapShared(t, &q[1][0], 1), &q[0][0], 32, gpu.MapShared(t, full, 1))
	}
	if t.Block() == 1 {
		full.Wait(0)
		data[t.Idx()] = q[1][t.Idx()]
	}
	t.SyncCluster()
	if t.Idx() == 0 {
		q[0][7] = 1
	}
}

// The block that is told by another one knows of the copy from it alone: an arrival there comes behind the wait.
//
// launch: 2 32 2
// fix: a wait for the phase in which the copy completes, by a thread of the block to which it goes
func SendToldEarlyRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[2][32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	told := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
		full.ArriveExpect(128)
		told.Init(1)
	}
	q[0][t.Idx()] = t.Global()
	t.FenceAsync()
	t.SyncCluster()
	if t.Idx() == 0 && t.Block() == 0 {
		gpu.SendBulk(gpu.MapShared(t, &q[1][0], 1), &q[0][0], 32, gpu.MapShared(t, full, 1)) // 1
		told.Wait(0)
		q[0][7] = 1 // 2
	}
	if t.Block() == 1 {
		if t.Idx() == 0 {
			gpu.MapShared(t, told, 0).Arrive() // before the wait
		}
		full.Wait(0)
		data[t.Idx()] = q[1][t.Idx()]
	}
	t.SyncCluster()
}

// launch: 2 32 2
func SendToldEarlyClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[2][32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	told := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
		full.ArriveExpect(128)
		told.Init(1)
	}
	q[0][t.Idx()] = t.Global()
	t.FenceAsync()
	t.SyncCluster()
	if t.Idx() == 0 && t.Block() == 0 {
		gpu.SendBulk(gpu.MapShared(t, &q[1][0], 1), &q[0][0], 32, gpu.MapShared(t, full, 1))
		told.Wait(0)
		q[0][7] = 1
	}
	if t.Block() == 1 {
		full.Wait(0)
		if t.Idx() == 0 {
			gpu.MapShared(t, told, 0).Arrive()
		}
		data[t.Idx()] = q[1][t.Idx()]
	}
	t.SyncCluster()
}

// Each block waits for its own part of a copy to both.
//
// launch: 2 32 2
// fix: a wait for the phase in which the copy completes
func MulticastReadEarlyRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	q[t.Idx()] = 0
	t.SyncCluster()
	if t.Block() == 0 && t.Idx() == 0 {
		gpu.MulticastBulk(&q[0], &data[128], 32, full, 3) // 1
	}
	t.SyncCluster()
	if t.Block() == 1 {
		data[t.Idx()] = q[t.Idx()] // 2
	}
	if t.Idx() == 0 {
		full.ArriveExpect(128)
	}
	full.Wait(0)
	t.SyncCluster()
}

// launch: 2 32 2
func MulticastReadEarlyClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	q[t.Idx()] = 0
	t.SyncCluster()
	if t.Block() == 0 && t.Idx() == 0 {
		gpu.MulticastBulk(&q[0], &data[128], 32, full, 3)
	}
	t.SyncCluster()
	if t.Idx() == 0 {
		full.ArriveExpect(128)
	}
	full.Wait(0)
	if t.Block() == 1 {
		data[t.Idx()] = q[t.Idx()]
	}
	t.SyncCluster()
}

// The next copy replaces what the other block may still read.
//
// launch: 2 32 2
// fix: t.SyncCluster, behind the first access and before the copy, which both threads reach
func MulticastAgainRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
		full.ArriveExpect(128)
	}
	t.SyncCluster()
	if t.Block() == 0 && t.Idx() == 0 {
		gpu.MulticastBulk(&q[0], &data[128], 32, full, 3) // 1
	}
	full.Wait(0)
	data[t.Global()] = q[t.Idx()] // 1
	if t.Idx() == 0 {
		full.ArriveExpect(128)
	}
	t.SyncWarp(gpu.FullMask)
	if t.Block() == 0 && t.Idx() == 0 {
		t.Sleep(3000)
		gpu.MulticastBulk(&q[0], &data[160], 32, full, 3) // 2
	}
	full.Wait(1)
	data[64+t.Global()] = q[t.Idx()]
	t.SyncCluster()
}

// launch: 2 32 2
func MulticastAgainClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
		full.ArriveExpect(128)
	}
	t.SyncCluster()
	if t.Block() == 0 && t.Idx() == 0 {
		gpu.MulticastBulk(&q[0], &data[128], 32, full, 3)
	}
	full.Wait(0)
	data[t.Global()] = q[t.Idx()]
	if t.Idx() == 0 {
		full.ArriveExpect(128)
	}
	t.SyncCluster()
	if t.Block() == 0 && t.Idx() == 0 {
		gpu.MulticastBulk(&q[0], &data[160], 32, full, 3)
	}
	full.Wait(1)
	data[64+t.Global()] = q[t.Idx()]
	t.SyncCluster()
}

// A block that has waited for its part of a copy knows nothing of the part of the other one.
//
// launch: 2 32 2
// fix: a wait for the phase in which the copy completes
func MulticastOtherPartRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
		full.ArriveExpect(128)
	}
	t.SyncCluster()
	if t.Block() == 0 {
		if t.Idx() == 0 {
			gpu.MulticastBulk(&q[0], &data[128], 32, full, 3) // 1
		}
		full.Wait(0)
	}
	t.SyncCluster()
	if t.Block() == 1 {
		data[t.Idx()] = q[t.Idx()] // 2
		full.Wait(0)
	}
	t.SyncCluster()
}

// launch: 2 32 2
func MulticastOtherPartClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
		full.ArriveExpect(128)
	}
	t.SyncCluster()
	if t.Block() == 0 && t.Idx() == 0 {
		gpu.MulticastBulk(&q[0], &data[128], 32, full, 3)
	}
	full.Wait(0)
	t.SyncCluster()
	if t.Block() == 0 {
		data[t.Idx()] = *gpu.MapShared(t, &q[t.Idx()], 1)
	}
	if t.Global() == 0 {
		data[130] = 1 // what has been read
	}
	t.SyncCluster()
}
