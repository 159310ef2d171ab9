package clusters

import "github.com/weft-gpu/weft/gpu"

// StoredToItself lets each thread of block 0 store what block 1 expects to its own block: the ranks are exchanged.
func StoredToItself(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[32]uint32](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	t.SyncCluster()
	if t.ClusterRank() == 0 {
		gpu.StoreAsync(gpu.MapShared(t, &q[t.Idx()], clean), t.Global(), gpu.MapShared(t, full, clean))
	}
	if t.ClusterRank() == 1 {
		if t.Idx() == 0 {
			full.ArriveExpect(128)
		}
		full.Wait(0)
		out[t.Global()] = q[t.Idx()]
	}
	t.SyncCluster()
}

// AddedInTurn lets each block add to the sum of the other one when it has got something itself.
func AddedInTurn(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	sum := gpu.Shared[uint32](t)
	if t.Idx() == 0 {
		full.Init(1)
		full.ArriveExpect(4)
		*sum = t.Block()
	}
	t.SyncCluster()
	other := t.ClusterRank() ^ 1
	if clean == 0 || t.ClusterRank() == 1 {
		full.Wait(0) // each waits for the other one
	}
	if t.Idx() == 0 {
		gpu.AddAsync(gpu.MapShared(t, sum, other), 100, gpu.MapShared(t, full, other))
	}
	full.Wait(0)
	t.SyncCluster()
	out[t.Global()] = *sum
}

// StoredHalf lets every other lane of block 0 store what block 1 expects of all.
func StoredHalf(t gpu.Thread, clean uint32, out []uint32) {
	full := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[64]uint32](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	t.SyncCluster()
	if t.ClusterRank() == 0 && (clean != 0 || t.Idx()%2 == 0) {
		gpu.StoreAsync2(gpu.MapShared(t, &q[2*t.Idx()], 1), [2]uint32{t.Global(), 1}, gpu.MapShared(t, full, 1))
	}
	if t.ClusterRank() == 1 {
		if t.Idx() == 0 {
			full.ArriveExpect(256)
		}
		full.Wait(0)
		out[t.Global()] = q[2*t.Idx()]
	}
	t.SyncCluster()
}
