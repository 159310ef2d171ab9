package k

import "github.com/weft-gpu/weft/gpu"

// The operations of Interpret, in the lowest four bits of an instruction. Above them it has the rank of a block, a word of it and a
// value, four bits each.
const (
	opLeave       = iota // ends the block
	opStore              // stores the value in the word
	opAdd                // adds the value to the word
	opAwait              // waits until the word is the value
	opStoreGlobal        // the same in global memory
	opAwaitGlobal
	opArrive // at the barrier of the cluster
	opWait
	opArriveAt // at the mbarrier of the block
	opWaitAt   // until the phase of the block's own mbarrier is not of the parity that the value says
	opExpect   // at the block's own mbarrier, so many times 16 bytes
	opCopy     // 16 bytes to the block, in bulk
	opSend     // 16 bytes to the other one
)

// Interpret lets each block execute instructions of its own on the shared memory of its cluster. Blocks have one thread.
func Interpret(t gpu.Thread, length uint32, code, global []uint32) {
	words := gpu.Shared[[2]uint32](t)
	b := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[2][8][4]uint32](t) // by block that copies, and instruction
	source := gpu.Shared[[4]uint32](t)
	words[0], words[1] = 0, 0
	b.Init(2)
	t.SyncCluster()
	for i := range length {
		in := code[t.Block()*length+i]
		rank, word, value := in>>4&15, in>>8&15, in>>12&15
		switch in & 15 {
		case opLeave:
			return
		case opStore:
			gpu.Store(gpu.MapShared(t, &words[word], rank), value)
		case opAdd:
			gpu.AtomicAdd(gpu.MapShared(t, &words[word], rank), value)
		case opAwait:
			for gpu.Load(gpu.MapShared(t, &words[word], rank)) != value {
			}
		case opStoreGlobal:
			gpu.Store(&global[word], value)
		case opAwaitGlobal:
			for gpu.Load(&global[word]) != value {
			}
		case opArrive:
			t.ArriveCluster()
		case opWait:
			t.WaitCluster()
		case opArriveAt:
			gpu.MapShared(t, b, rank).Arrive()
		case opWaitAt:
			b.Wait(value)
		case opExpect:
			b.Expect(16 * value)
		case opCopy:
			gpu.CopyBulk(&q[t.ClusterRank()][i][0], &code[0], 4, b)
		case opSend:
			gpu.SendBulk(gpu.MapShared(t, &q[t.ClusterRank()][i][0], rank), &source[0], 4, gpu.MapShared(t, b, rank))
		}
	}
}

// Together lets each block write a word of the next block of its cluster before they meet.
func Together(t gpu.Thread, x *uint32) {
	word := gpu.Shared[uint32](t)
	gpu.Store(gpu.MapShared(t, word, (t.ClusterRank()+1)%t.ClusterSize()), t.Block())
	t.SyncCluster()
}

// FlagAfter lets block 0 of a cluster wait for a flag that block 1 sets behind the barrier of the cluster, or before it if the kernel is clean.
func FlagAfter(t gpu.Thread, clean uint32) {
	flag := gpu.Shared[uint32](t)
	if t.Idx() == 0 {
		gpu.Store(flag, 0)
	}
	t.SyncCluster()
	if t.ClusterRank() == 1 && t.Idx() == 0 && clean != 0 {
		gpu.Store(gpu.MapShared(t, flag, 0), 1)
	}
	if t.ClusterRank() == 0 {
		for gpu.Load(flag) == 0 {
		}
	}
	t.SyncCluster()
	if t.ClusterRank() == 1 && t.Idx() == 0 && clean == 0 {
		gpu.Store(gpu.MapShared(t, flag, 0), 1)
	}
	t.SyncCluster()
}

// Leaves lets block 1 of a cluster end before the barrier to which the others come. Unless the kernel is clean, block 0 then looks at
// its shared memory.
func Leaves(t gpu.Thread, clean uint32, out *uint32) {
	word := gpu.Shared[uint32](t)
	gpu.Store(word, t.Block())
	t.SyncCluster()
	if t.ClusterRank() == 1 {
		return
	}
	t.SyncCluster()
	if clean == 0 {
		gpu.Store(out, gpu.Load(gpu.MapShared(t, word, 1)))
	}
}

// ArrivesAway waits in block 0 of a cluster for the phase of an mbarrier at which each block arrives. It is for an arrival more than come, unless
// the kernel is clean.
func ArrivesAway(t gpu.Thread, clean uint32) {
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 && t.ClusterRank() == 0 {
		b.Init(t.ClusterSize() + 1 - min(clean, 1))
	}
	t.SyncCluster()
	if t.Idx() == 0 {
		gpu.MapShared(t, b, 0).Arrive()
	}
	if t.ClusterRank() == 0 {
		b.Wait(0)
	}
	t.SyncCluster()
}

// Wakes lets block 1 of a cluster go to sleep when block 0 is not ready, and block 0 wake it up if it sleeps. It hangs in the one order in which
// block 1 looks before block 0 is ready and says that it sleeps after block 0 has looked. If the kernel is clean, it says so before it looks.
func Wakes(t gpu.Thread, clean uint32) {
	words := gpu.Shared[[3]uint32](t)
	words[0], words[1], words[2] = 0, 0, 0
	t.SyncCluster()
	ready, sleeps, awake := gpu.MapShared(t, &words[0], 0), gpu.MapShared(t, &words[1], 1), gpu.MapShared(t, &words[2], 1)
	if t.ClusterRank() == 0 {
		gpu.Store(ready, 1)
		if gpu.Load(sleeps) != 0 {
			gpu.Store(awake, 1)
		}
	} else {
		if clean != 0 {
			gpu.Store(sleeps, 1)
		}
		if gpu.Load(ready) == 0 {
			gpu.Store(sleeps, 1)
			for gpu.Load(awake) == 0 {
			}
		}
	}
	t.SyncCluster()
}

// ClustersMeet is a barrier of all clusters of the grid.
func ClustersMeet(t gpu.Thread, arrived *uint32) {
	t.SyncCluster()
	if t.ClusterRank() == 0 && t.Idx() == 0 {
		gpu.AtomicAdd(arrived, 1)
		for gpu.Load(arrived) < t.GridDim()/t.ClusterSize() {
		}
	}
	t.SyncCluster()
}

// BlocksMeet is a barrier of the blocks of each cluster by memory, and the last block of a cluster is the first that goes on.
func BlocksMeet(t gpu.Thread, arrived []uint32) {
	mine := &arrived[t.Cluster()]
	if t.ClusterRank()+1 < t.ClusterSize() {
		for gpu.Load(mine) == 0 {
		}
	}
	gpu.AtomicAdd(mine, 1)
}

// ClusterCounts counts for ever in the shared memory of another block.
func ClusterCounts(t gpu.Thread) {
	word := gpu.Shared[uint32](t)
	gpu.Store(word, 0)
	t.SyncCluster()
	for gpu.AtomicAdd(gpu.MapShared(t, word, 1-t.ClusterRank()), 1) != 1<<31 {
	}
	t.SyncCluster()
}
