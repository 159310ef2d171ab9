package gpu

// A cluster is a number of consecutive blocks that run at the same time (PTX ISA, "Cluster of cooperative thread arrays"): they
// reach each other's shared memory, which takes less time than global memory does, and have a barrier. The launch sets how many blocks
// a cluster has (device.Launch.Cluster, [ClusterSize]). GPUs have clusters since compute capability 9.0.

// ClusterRank returns the block's index in its cluster; 0 if the launch has no clusters.
func (t Thread) ClusterRank() uint32 { return uint32(t.x.special(spClusterRank)) }

// ClusterSize returns the number of blocks in a cluster; 1 if the launch has no clusters.
func (t Thread) ClusterSize() uint32 { return uint32(t.x.special(spClusterSize)) }

// ArriveCluster counts the warp at the barrier of its cluster and does not wait. The barrier is complete when all warps of the
// cluster with threads that have not returned have come. A warp arrives as a whole: its lanes wait for each other. It must call
// WaitCluster before it arrives again. The arrival has release order: threads that have waited see what was done before it, in shared
// memory of all blocks and in global memory.
func (t Thread) ArriveCluster() { t.x.cluster(false) }

// WaitCluster returns when the round of the cluster's barrier is complete in which the warp has arrived.
func (t Thread) WaitCluster() { t.x.cluster(true) }

// MapShared returns the place of *p in the shared memory of the block with the given rank of the cluster. p points into a variable of
// [Shared] or [DynamicShared]. Loads, stores and atomics through the result work as on the block's own shared memory.
//
// That block must run: it must have begun, and must not end before the access. A [Thread.SyncCluster] at the begin, and one before the
// end, see to that.
func MapShared[T any](t Thread, p *T, rank uint32) *T {
	return t.x.mapShared(p, rank).(*T)
}

// Cluster returns the index of the block's cluster in the grid along x: Block() / ClusterSizeX().
func (t Thread) Cluster() uint32 { return t.Block() / t.ClusterSizeX() }

// ClusterRankX, ClusterRankY and ClusterRankZ return the block's index in its cluster along a dimension: ClusterRank counts along x first, then
// y, then z.
func (t Thread) ClusterRankX() uint32 { return uint32(t.x.special(spClusterRankX)) }

// ClusterRankY is ClusterRankX along y.
func (t Thread) ClusterRankY() uint32 { return uint32(t.x.special(spClusterRankY)) }

// ClusterRankZ is ClusterRankX along z.
func (t Thread) ClusterRankZ() uint32 { return uint32(t.x.special(spClusterRankZ)) }

// ClusterSizeX returns the number of blocks in a cluster along x; 1 if the launch has no clusters.
func (t Thread) ClusterSizeX() uint32 { return uint32(t.x.special(spClusterSizeX)) }

// ClusterSizeY is ClusterSizeX along y.
func (t Thread) ClusterSizeY() uint32 { return uint32(t.x.special(spClusterSizeY)) }

// ClusterSizeZ is ClusterSizeX along z.
func (t Thread) ClusterSizeZ() uint32 { return uint32(t.x.special(spClusterSizeZ)) }

// SyncCluster is a barrier of the cluster: it returns when all threads of all of its blocks that have not returned have called it. It
// is [Thread.ArriveCluster] followed by [Thread.WaitCluster].
func (t Thread) SyncCluster() {
	t.ArriveCluster()
	t.WaitCluster()
}
