package testkernels

import "github.com/weft-gpu/weft/gpu"

// ClusterPlaces writes for each thread where it is: rank, size and index of its cluster.
func ClusterPlaces(t gpu.Thread, out []uint32) {
	out[t.Global()] = t.ClusterRank() | t.ClusterSize()<<8 | t.Cluster()<<16
}

// ClusterRing lets each block write words into its shared memory and read those of the next block of its cluster, round after round.
// Blocks have 64 threads.
func ClusterRing(t gpu.Thread, rounds uint32, out []uint32) {
	words := gpu.Shared[[64]uint32](t)
	words[t.Idx()] = t.Global()
	for range rounds {
		t.SyncCluster()
		got := *gpu.MapShared(t, &words[t.Idx()], (t.ClusterRank()+1)%t.ClusterSize())
		t.SyncCluster()
		words[t.Idx()] = got + 1
	}
	out[t.Global()] = words[t.Idx()]
	t.SyncCluster()
}

// ClusterCount counts keys in bins that lie in the shared memory of all blocks of a cluster, and adds them to counts at the end. A
// cluster has 1, 2, 4 or 8 blocks, and there are 256 bins.
func ClusterCount(t gpu.Thread, keys, counts []uint32) {
	bins := gpu.Shared[[256]uint32](t)
	each := 256 / t.ClusterSize()
	for i := t.Idx(); i < each; i += t.BlockDim() {
		bins[i] = 0
	}
	t.SyncCluster()
	for i := t.Global(); i < gpu.Len(keys); i += t.Stride() {
		key := keys[i] % 256
		gpu.AtomicAdd(gpu.MapShared(t, &bins[key%each], key/each), 1)
	}
	t.SyncCluster()
	for i := t.Idx(); i < each; i += t.BlockDim() {
		gpu.AtomicAdd(&counts[t.ClusterRank()*each+i], bins[i])
	}
}

// ClusterStores lets each block store into the last block's shared memory, between an arrival and a wait. Blocks have 32 threads.
func ClusterStores(t gpu.Thread, out []uint32) {
	words := gpu.Shared[[16][32]uint32](t)
	last := t.ClusterSize() - 1
	t.SyncCluster()
	*gpu.MapShared(t, &words[t.ClusterRank()][t.Lane()], last) = 1000*t.Block() + t.Lane()
	t.ArriveCluster()
	out[t.Global()] = 0
	t.WaitCluster()
	if t.ClusterRank() == last {
		for b := range t.ClusterSize() {
			out[(t.Cluster()*t.ClusterSize()+b)*32+t.Lane()] = words[b][t.Lane()]
		}
	}
}

// ClusterLeaves reads the shared memory of a block that may have ended, unless stay is set.
func ClusterLeaves(t gpu.Thread, stay uint32, out []uint32) {
	word := gpu.Shared[uint32](t)
	*word = t.Block()
	t.SyncCluster()
	if t.ClusterRank() == 0 {
		t.Sleep(50_000)
		out[t.Cluster()] = *gpu.MapShared(t, word, 1)
	}
	if stay != 0 {
		t.SyncCluster()
	}
}

// ClusterBeyond reads the shared memory of a block that the cluster does not have.
func ClusterBeyond(t gpu.Thread, out []uint32) {
	word := gpu.Shared[uint32](t)
	*word = 1
	t.SyncCluster()
	out[t.Block()] = *gpu.MapShared(t, word, t.ClusterSize())
}

// ClusterTwice arrives twice at the barrier of the cluster before it waits, and with wait set it waits without an arrival.
func ClusterTwice(t gpu.Thread, wait uint32) {
	if wait == 0 {
		t.ArriveCluster()
		t.ArriveCluster()
	}
	t.WaitCluster()
}

// ClusterHalf lets the first block of a cluster wait for the others, which do not come but stay, unless clean is set.
func ClusterHalf(t gpu.Thread, clean uint32, flags []uint32) {
	if t.ClusterRank() == 0 || clean != 0 {
		t.SyncCluster()
		gpu.Store(&flags[t.Cluster()], 1)
		return
	}
	for gpu.Load(&flags[t.Cluster()]) == 0 {
	}
}

// ClusterLaneFirst lets lane 0 of each block wait for lane 1 before all lanes come to the barrier of the cluster. Blocks have 32 threads.
func ClusterLaneFirst(t gpu.Thread, out []uint32) {
	ready := gpu.Shared[uint32](t)
	if t.Lane() == 0 {
		gpu.Store(ready, 0)
	}
	t.SyncCluster()
	if t.Lane() == 0 {
		for gpu.Load(ready) == 0 {
		}
	} else if t.Lane() == 1 {
		gpu.Store(ready, t.Block()+1)
	}
	t.SyncCluster()
	out[t.Global()] = gpu.Load(gpu.MapShared(t, ready, t.ClusterSize()-1-t.ClusterRank()))
	t.SyncCluster()
}

// ClusterSM writes the SM of each block.
func ClusterSM(t gpu.Thread, out []uint32) {
	if t.Idx() == 0 {
		out[t.Block()] = t.SM()
	}
	t.SyncCluster()
}

// ClusterOwn gives an address of another block's shared memory to what is for the block's own, by number. The last one is for both: block
// i arrives at the mbarrier of the next block of the cluster, and expects bytes there that a copy of that block brings.
func ClusterOwn(t gpu.Thread, what uint32, in, out []uint32) {
	words := gpu.Shared[[32][4]uint32](t)
	b := gpu.Shared[gpu.MBarrier](t)
	words[t.Lane()] = [4]uint32{}
	if t.Lane() == 0 {
		b.Init(1)
	}
	t.SyncCluster()
	next := (t.ClusterRank() + 1) % t.ClusterSize()
	there, other := gpu.MapShared(t, &words[t.Lane()], next), gpu.MapShared(t, b, next)
	switch what {
	case 0:
		gpu.CopyAsync(&there[0], &in[t.Lane()])
	case 1:
		gpu.CopyBulk(&there[0], &in[4*t.Lane()], 4, b)
	case 2:
		gpu.CopyBulk(&words[t.Lane()][0], &in[4*t.Lane()], 4, other)
	case 3:
		out[t.Global()] = gpu.LoadMatrix1(t, there)
	case 4:
		other.Wait(0)
	case 5:
		out[t.Global()] = uint32(other.Arrive() >> 63)
	case 6:
		other.Init(2)
	case 7:
		other.TrackCopies()
	case 8:
		gpu.CopyAsync(gpu.MapShared(t, &words[t.Lane()][0], t.ClusterRank()), &in[t.Lane()])
	default:
		if t.Lane() == 0 {
			if what == 9 {
				other.ArriveExpect(512)
			} else if what == 10 {
				other.Expect(512)
				other.Arrive()
			} else {
				other.ArriveDropExpect(512)
			}
			gpu.CopyBulk(&words[0][0], &in[0], 128, b)
		}
		b.Wait(0)
		out[t.Global()] = words[t.Lane()][0]
	}
	t.SyncCluster()
}

// ClusterTurns lets two blocks arrive at each other's mbarriers in turn, or, if alone is set, one block arrive at its own: out gets the cycles of a round.
func ClusterTurns(t gpu.Thread, alone, rounds uint32, out []uint64) {
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		b.Init(1)
	}
	t.SyncCluster()
	begin := t.Clock()
	if t.Idx() == 0 {
		for i := range rounds {
			if alone == 1 {
				b.Arrive()
			} else {
				gpu.MapShared(t, b, t.ClusterRank()^1).Arrive()
			}
			b.Wait(i & 1)
		}
		out[t.Block()] = (t.Clock() - begin) / uint64(rounds)
	}
	t.SyncCluster()
}

// ClusterAway accesses the shared memory of a block that the cluster does not have, in one of several ways. A launch without a cluster has one block.
func ClusterAway(t gpu.Thread, what, to uint32, out []uint32) {
	words := gpu.Shared[[8]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() != 0 {
		return
	}
	words[0] = 1
	full.Init(1)
	t.FenceAsync()
	switch what {
	case 0:
		out[0] = *gpu.MapShared(t, &words[0], to)
	case 1:
		*gpu.MapShared(t, &words[0], to) = 1
	case 2:
		gpu.AtomicAdd(gpu.MapShared(t, &words[0], to), 1)
	case 3:
		gpu.MapShared(t, full, to).Arrive()
	case 4:
		gpu.MapShared(t, full, to).ArriveExpect(16)
	case 5:
		gpu.SendBulk(gpu.MapShared(t, &words[4], to), &words[0], 4, gpu.MapShared(t, full, to))
	case 6:
		gpu.MulticastBulk(&words[4], &out[0], 4, full, uint16(1<<to))
	}
}

// ClusterDims tells each thread where its block is in a cluster of several dimensions, and the number in the grid of the block with the next rank.
func ClusterDims(t gpu.Thread, out []uint32) {
	number := gpu.Shared[uint32](t)
	block := t.Block() + t.GridDim()*(t.BlockY()+t.GridDimY()*t.BlockZ())
	if t.Idx() == 0 {
		*number = block
	}
	t.SyncCluster()
	out[3*block] = t.ClusterRankX() | t.ClusterRankY()<<8 | t.ClusterRankZ()<<16 | t.ClusterRank()<<24
	out[3*block+1] = t.ClusterSizeX() | t.ClusterSizeY()<<8 | t.ClusterSizeZ()<<16 | t.ClusterSize()<<24
	out[3*block+2] = *gpu.MapShared(t, number, (t.ClusterRank()+1)%t.ClusterSize())
	t.SyncCluster()
}
