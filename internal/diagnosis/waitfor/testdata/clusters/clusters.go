// Package clusters has kernels whose blocks wait for each other in the shared memory of a cluster for ever, unless clean is set.
// Clusters have two blocks.
package clusters

import "github.com/weft-gpu/weft/gpu"

// NotSet lets block 0 of a cluster look at a flag of block 1, which block 1 does not set.
func NotSet(t gpu.Thread, clean uint32, out []uint32) {
	flag := gpu.Shared[uint32](t)
	if t.Idx() == 0 {
		gpu.Store(flag, 0)
	}
	t.SyncCluster()
	if t.ClusterRank() == 0 {
		for gpu.Load(gpu.MapShared(t, flag, 1)) == 0 {
		}
	} else if clean != 0 && t.Idx() == 0 {
		gpu.Store(flag, 1)
	}
	t.SyncCluster()
	out[t.Global()] = t.ClusterRank()
}

// OwnFlag lets block 1 set its own flag in place of that of block 0, which waits for its own.
func OwnFlag(t gpu.Thread, clean uint32, out []uint32) {
	flag := gpu.Shared[uint32](t)
	if t.Idx() == 0 {
		gpu.Store(flag, 0)
	}
	t.SyncCluster()
	if t.ClusterRank() == 0 {
		for gpu.Load(flag) == 0 {
		}
	} else if t.Idx() == 0 {
		gpu.Store(gpu.MapShared(t, flag, 1-min(clean, 1)), 1)
	}
	t.SyncCluster()
	out[t.Global()] = t.ClusterRank()
}

// Ring lets each block wait for its own flag before it sets that of the other one.
func Ring(t gpu.Thread, clean uint32, out []uint32) {
	flag := gpu.Shared[uint32](t)
	if t.Idx() == 0 {
		gpu.Store(flag, 0)
	}
	t.SyncCluster()
	if t.Idx() == 0 {
		other := gpu.MapShared(t, flag, 1-t.ClusterRank())
		if clean != 0 && t.ClusterRank() == 0 {
			gpu.Store(other, 1)
		}
		for gpu.Load(flag) == 0 {
		}
		gpu.Store(other, 1)
	}
	t.SyncCluster()
	out[t.Global()] = t.ClusterRank()
}

// SetBack lets block 1 take back what block 0 waits for before block 0 looks.
func SetBack(t gpu.Thread, clean uint32, out []uint32) {
	flag := gpu.Shared[uint32](t)
	if t.Idx() == 0 {
		gpu.Store(flag, 0)
	}
	t.SyncCluster()
	if t.ClusterRank() == 1 && t.Idx() == 0 {
		gpu.Store(gpu.MapShared(t, flag, 0), 1)
		if clean == 0 {
			gpu.Store(gpu.MapShared(t, flag, 0), 0)
		}
	}
	t.SyncCluster()
	if t.ClusterRank() == 0 {
		for gpu.Load(flag) == 0 {
		}
	}
	out[t.Global()] = t.ClusterRank()
}

// TooFew initialises an mbarrier of block 0 for one arrival of each block, and only block 1 arrives.
func TooFew(t gpu.Thread, clean uint32, out []uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		b.Init(2)
	}
	t.SyncCluster()
	if t.Idx() == 0 && (t.ClusterRank() == 1 || clean != 0) {
		gpu.MapShared(t, b, 0).Arrive()
	}
	if t.ClusterRank() == 0 {
		b.Wait(0)
	}
	t.SyncCluster()
	out[t.Global()] = t.ClusterRank()
}

// Handed lets the blocks of a cluster hand over words in turn: each arrives at the mbarrier of the next one. Without a second barrier
// a block may be a phase ahead of one that has not looked.
func Handed(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	t.SyncCluster()
	next := gpu.MapShared(t, full, (t.ClusterRank()+1)%t.ClusterSize())
	for r := range uint32(4) {
		if t.Idx() == 0 {
			next.Arrive() // round after round
		}
		if t.ClusterRank() == 1 {
			t.Sleep(5_000) // and looks late
		}
		full.Wait(r & 1)
		if clean == 1 {
			t.SyncCluster()
		}
	}
	out[t.Global()] = 1
	t.SyncCluster()
}

// CopiedAndLeft lets block 1 of a cluster copy what block 0 waits for, and leave before it arrives at the mbarrier of block 0.
func CopiedAndLeft(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[32]uint32](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	q[t.Idx()] = t.Global()
	t.FenceAsync()
	t.SyncCluster()
	if t.ClusterRank() == 1 {
		if t.Idx() == 0 {
			gpu.StoreBulk(&out[32*t.Block()], &q[0], 32)
			t.CommitBulk()
			t.WaitBulk(0)
		}
		if clean == 0 {
			return
		}
		if t.Idx() == 0 {
			gpu.MapShared(t, full, 0).Arrive()
		}
		return
	}
	full.Wait(0)
}

// CopiedForItself lets each block copy to its own buffer when the other one has, and tells of that in the shared memory of the other one.
func CopiedForItself(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	told := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[32]uint32](t)
	out[t.Global()] = t.Global()
	if t.Idx() == 0 {
		full.Init(1)
		told.Init(1)
	}
	t.SyncCluster()
	if t.Idx() == 0 {
		if clean == 0 || t.ClusterRank() == 1 {
			told.Wait(0) // each waits for the other one
		}
		full.ArriveExpect(128)
		gpu.CopyBulk(&q[0], &out[32*t.Block()], 32, full)
		full.Wait(0)
		gpu.MapShared(t, told, 1-t.ClusterRank()).Arrive()
	}
	t.SyncCluster()
}
