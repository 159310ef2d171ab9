package planted

import "github.com/weft-gpu/weft/gpu"

// These kernels send values to other blocks of a cluster.

// The barrier of the cluster does not wait for a value that is under way.
//
// launch: 2 32 2
// fix: a wait for the phase in which the copy completes
func StoreAsyncEarlyRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	q[t.Idx()] = 0
	t.SyncCluster()
	if t.Block() == 0 {
		gpu.StoreAsync(gpu.MapShared(t, &q[t.Idx()], 1), t.Idx()+1, gpu.MapShared(t, full, 1)) // 1
	}
	t.SyncCluster()
	if t.Block() == 1 {
		data[t.Idx()] = q[t.Idx()] // 2
		if t.Idx() == 0 {
			full.ArriveExpect(128)
		}
		full.Wait(0)
	}
	t.SyncCluster()
}

// launch: 2 32 2
func StoreAsyncEarlyClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	q[t.Idx()] = 0
	t.SyncCluster()
	if t.Block() == 0 {
		gpu.StoreAsync(gpu.MapShared(t, &q[t.Idx()], 1), t.Idx()+1, gpu.MapShared(t, full, 1))
	}
	t.SyncCluster()
	if t.Block() == 1 {
		if t.Idx() == 0 {
			full.ArriveExpect(128)
		}
		full.Wait(0)
		data[t.Idx()] = q[t.Idx()]
	}
	t.SyncCluster()
}

// Reductions of many lanes and an atomic may update a word at a time; a plain store may not, also behind the barrier of the cluster.
//
// launch: 2 32 2
// fix: a wait for the phase in which the copy completes
func AddAsyncBesideRace(t gpu.Thread, data, flag []uint32) {
	sum := gpu.Shared[uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
		*sum = 0
	}
	t.SyncCluster()
	if t.Block() == 0 {
		gpu.AddAsync(gpu.MapShared(t, sum, 1), t.Idx(), gpu.MapShared(t, full, 1)) // 1
	}
	t.SyncCluster()
	if t.Block() == 1 && t.Idx() == 0 {
		*sum = 7 // 2
		full.ArriveExpect(128)
	}
	if t.Block() == 1 {
		full.Wait(0)
		data[t.Idx()] = *sum
	}
	t.SyncCluster()
}

// launch: 2 32 2
func AddAsyncBesideClean(t gpu.Thread, data, flag []uint32) {
	sum := gpu.Shared[uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
		*sum = 0
	}
	t.SyncCluster()
	if t.Block() == 0 {
		gpu.AddAsync(gpu.MapShared(t, sum, 1), t.Idx(), gpu.MapShared(t, full, 1))
	}
	t.SyncCluster()
	if t.Block() == 1 && t.Idx() == 0 {
		gpu.AtomicAdd(sum, 7)
		full.ArriveExpect(128)
	}
	if t.Block() == 1 {
		full.Wait(0)
		data[t.Idx()] = *sum
	}
	t.SyncCluster()
}
