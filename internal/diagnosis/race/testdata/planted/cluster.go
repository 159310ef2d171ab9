package planted

import "github.com/weft-gpu/weft/gpu"

// In these kernels blocks of a cluster use each other's shared memory. A launch has blocks, threads and blocks of a cluster.

// A barrier of the block does not wait for the other one.
//
// launch: 2 32 2
// fix: t.SyncCluster between the accesses
func BlockAloneRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	t.SyncCluster()
	q[t.Idx()] = t.Global() // 1 2
	t.Sync()
	data[t.Global()] = *gpu.MapShared(t, &q[t.Idx()^1], t.ClusterRank()^1) // 1 2
	t.SyncCluster()
}

// launch: 2 32 2
func BlockAloneClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = t.Global()
	t.SyncCluster()
	data[t.Global()] = *gpu.MapShared(t, &q[t.Idx()^1], t.ClusterRank()^1)
	t.SyncCluster()
}

// What comes between the arrival and the wait is not released.
//
// launch: 2 32 2
// fix: t.SyncCluster between the accesses
func ArrivedEarlyRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	t.ArriveCluster()
	q[t.Idx()] = t.Global() // 1 2
	t.WaitCluster()
	data[t.Global()] = *gpu.MapShared(t, &q[t.Idx()^1], t.ClusterRank()^1) // 1 2
	t.SyncCluster()
}

// launch: 2 32 2
func ArrivedEarlyClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = t.Global()
	t.ArriveCluster()
	t.WaitCluster()
	data[t.Global()] = *gpu.MapShared(t, &q[t.Idx()^1], t.ClusterRank()^1)
	t.SyncCluster()
}

// The next round writes what the other block may still read.
//
// launch: 4 64 2
// fix: t.SyncCluster between the accesses
func NextRoundRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	sum := uint32(0)
	for r := range uint32(3) {
		q[t.Idx()] = r + t.Idx() // 1 2
		t.SyncCluster()
		sum += *gpu.MapShared(t, &q[t.Idx()^32], t.ClusterRank()^1) // 1 2
	}
	data[t.Global()] = sum
	t.SyncCluster()
}

// launch: 4 64 2
func NextRoundClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	sum := uint32(0)
	for r := range uint32(3) {
		q[t.Idx()] = r + t.Idx()
		t.SyncCluster()
		sum += *gpu.MapShared(t, &q[t.Idx()^32], t.ClusterRank()^1)
		t.SyncCluster()
	}
	data[t.Global()] = sum
}

// Both blocks store to the same word of one of them.
//
// launch: 2 32 2
// fix: t.SyncCluster between the accesses
func OneOwnerRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = 0
	t.SyncCluster()
	*gpu.MapShared(t, &q[t.Idx()], 0) = t.ClusterRank() // 1 2
	t.SyncCluster()
	data[t.Global()] = q[t.Idx()]
}

// launch: 2 32 2
func OneOwnerClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = 0
	t.SyncCluster()
	gpu.AtomicAdd(gpu.MapShared(t, &q[t.Idx()], 0), t.ClusterRank())
	t.SyncCluster()
	data[t.Global()] = q[t.Idx()]
}

// The scope of an atomic that leaves out the other block.
//
// launch: 2 32 2
// fix: gpu.DeviceScope in both accesses
func NarrowAtomicRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = 0
	t.SyncCluster()
	gpu.AtomicAdd(gpu.MapShared(t, &q[t.Idx()], 0), 1, gpu.BlockScope) // 1 2
	t.SyncCluster()
	data[t.Global()] = q[t.Idx()]
}

// launch: 2 32 2
func NarrowAtomicClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = 0
	t.SyncCluster()
	gpu.AtomicAdd(gpu.MapShared(t, &q[t.Idx()], 0), 1)
	t.SyncCluster()
	data[t.Global()] = q[t.Idx()]
}

// What is stored behind an arrival at the mbarrier of another block is not released by it.
//
// launch: 2 32 2
// fix: t.SyncCluster between the accesses
func RemoteArrivalRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(32)
	}
	t.SyncCluster()
	if t.ClusterRank() == 1 {
		gpu.MapShared(t, full, 0).Arrive()
		*gpu.MapShared(t, &q[t.Idx()], 0) = t.Idx() // 1 2
	} else {
		full.Wait(0)
		t.Sleep(3000)
		data[t.Idx()] = q[t.Idx()^1] // 1 2
	}
	t.SyncCluster()
}

// launch: 2 32 2
func RemoteArrivalClean(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(32)
	}
	t.SyncCluster()
	if t.ClusterRank() == 1 {
		*gpu.MapShared(t, &q[t.Idx()], 0) = t.Idx()
		gpu.MapShared(t, full, 0).Arrive()
	} else {
		full.Wait(0)
		data[t.Idx()] = q[t.Idx()^1]
	}
	t.SyncCluster()
}

// The barrier of a cluster is for its blocks alone, also of what they do to global memory.
//
// launch: 4 32 2
// fix: a flag that is set by gpu.StoreRelease
func OtherClusterRace(t gpu.Thread, data, flag []uint32) {
	data[t.Global()] = t.Global() // 1 2
	t.SyncCluster()
	data[128+t.Global()] = data[t.Idx()+32*(t.Block()^2)] // 1 2
}

// launch: 4 32 2
func OtherClusterClean(t gpu.Thread, data, flag []uint32) {
	data[t.Global()] = t.Global()
	t.SyncCluster()
	data[128+t.Global()] = data[t.Idx()+32*(t.Block()^1)]
}
