package clusters

import "github.com/weft-gpu/weft/gpu"

// Bins is the number of bins that a block keeps: with them, a block has 32 KiB of shared memory. A histogram in a cluster has as many
// times more as the cluster has blocks.
const Bins = 8192

// Histogram counts the keys that are below len(counts), which is Bins times the number of blocks in a cluster. The bins of each cluster
// lie in the shared memory of its blocks, and are added to counts in the end.
func Histogram(t gpu.Thread, keys, counts []uint32) {
	bins := gpu.Shared[[Bins]uint32](t)
	for i := t.Idx(); i < Bins; i += t.BlockDim() {
		bins[i] = 0
	}
	t.SyncCluster()
	for i := t.Global(); i < gpu.Len(keys); i += t.Stride() {
		if key := keys[i]; key < gpu.Len(counts) {
			gpu.AtomicAdd(gpu.MapShared(t, &bins[key%Bins], key/Bins), 1)
		}
	}
	t.SyncCluster()
	for i := t.Idx(); i < Bins; i += t.BlockDim() {
		if bins[i] != 0 {
			gpu.AtomicAdd(&counts[t.ClusterRank()*Bins+i], bins[i])
		}
	}
}

// HistogramGlobal is Histogram with atomics on counts.
func HistogramGlobal(t gpu.Thread, keys, counts []uint32) {
	for i := t.Global(); i < gpu.Len(keys); i += t.Stride() {
		if key := keys[i]; key < gpu.Len(counts) {
			gpu.AtomicAdd(&counts[key], 1)
		}
	}
}
