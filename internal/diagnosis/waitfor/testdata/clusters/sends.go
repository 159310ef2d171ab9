package clusters

import "github.com/weft-gpu/weft/gpu"

// SentToItself lets block 0 send what block 1 expects to its own mbarrier: the ranks are exchanged.
func SentToItself(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[2][32]uint32](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	q[0][t.Idx()] = t.Global()
	t.FenceAsync()
	t.SyncCluster()
	to := clean
	if t.ClusterRank() == 0 && t.Idx() == 0 {
		gpu.SendBulk(gpu.MapShared(t, &q[1][0], to), &q[0][0], 32, gpu.MapShared(t, full, to))
	}
	if t.ClusterRank() == 1 {
		if t.Idx() == 0 {
			full.ArriveExpect(128)
		}
		full.Wait(0)
		out[t.Global()] = q[1][t.Idx()]
	}
	t.SyncCluster()
}

// LeftOut lets block 0 copy a tile to the blocks that a mask names, which leaves out one that expects it.
func LeftOut(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[32]uint32](t)
	out[t.Global()] = t.Global()
	if t.Idx() == 0 {
		full.Init(1)
		full.ArriveExpect(128)
	}
	t.SyncCluster()
	if t.ClusterRank() == 0 && t.Idx() == 0 {
		gpu.MulticastBulk(&q[0], &out[32*t.Block()], 32, full, uint16(1+2*clean))
	}
	full.Wait(0)
	t.SyncCluster()
}

// SentInTurn lets each block send to the other one when it has got something itself.
func SentInTurn(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[2][32]uint32](t)
	if t.Idx() == 0 {
		full.Init(1)
		full.ArriveExpect(128)
	}
	q[0][t.Idx()] = t.Global()
	t.FenceAsync()
	t.SyncCluster()
	other := t.ClusterRank() ^ 1
	if clean == 0 || t.ClusterRank() == 1 {
		full.Wait(0) // each waits for the other one
	}
	if t.Idx() == 0 {
		gpu.SendBulk(gpu.MapShared(t, &q[1][0], other), &q[0][0], 32, gpu.MapShared(t, full, other))
	}
	full.Wait(0)
	t.SyncCluster()
	out[t.Global()] = q[1][t.Idx()]
}
