package racy

import "github.com/weft-gpu/weft/gpu"

// Sleeps is Signal in the shared memory of a cluster of two blocks, with a flag of each block.
func Sleeps(t gpu.Thread, private, out []uint32) {
	words := gpu.Shared[[2]uint32](t)
	words[0], words[1] = 0, 0
	t.SyncCluster()
	ready, sleeps := gpu.MapShared(t, &words[0], 0), gpu.MapShared(t, &words[0], 1)
	awake := gpu.MapShared(t, &words[1], 1)
	if t.ClusterRank() == 0 {
		out[0] = work(private, 200)
		gpu.Store(ready, 1)
		if gpu.Load(sleeps) != 0 {
			gpu.Store(awake, 1)
		}
	} else if gpu.Load(ready) == 0 {
		gpu.Store(sleeps, 1)
		for gpu.Load(awake) == 0 {
		}
	}
	t.SyncCluster()
}
