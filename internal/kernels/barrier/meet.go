package barrier

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Barrier is a barrier of all blocks of a grid. Its words of global memory are 0 before the
// launch; after Wait, each thread sees what all threads of the grid did before it.
type Barrier interface {
	// Wait waits until every block has called it with this round; rounds count from 1. All
	// threads call it together.
	Wait(t gpu.Thread, words []uint32, round uint32)
}

// Counter is the centralized barrier: all blocks increment one word and wait until it says that
// all have come ([scheduler.GridBarrier]).
type Counter struct{}

// Wait waits for all blocks.
func (Counter) Wait(t gpu.Thread, words []uint32, round uint32) {
	b := scheduler.GridBarrier{Words: words, Round: round - 1}
	b.Wait(t)
}

// Locks is the barrier with an array of locks and a monitor block (Xiao and Feng, "Inter-Block
// GPU Communication via Fast Barrier Synchronization", IPDPS 2010, section 5.3, and SIMD-X,
// section 5): each block has a word of its own, and no atomics are needed
// ([scheduler.GridBarrier]).
type Locks struct{}

// Wait waits for all blocks.
func (Locks) Wait(t gpu.Thread, words []uint32, round uint32) {
	b := scheduler.GridBarrier{Words: words, Round: round - 1, Locks: true}
	b.Wait(t)
}

// Meet passes a barrier rounds times. In each round a block says in met that it has come; a
// thread that then finds another block that has not come counts in *early. The last block of
// the grid returns after stay rounds.
func Meet[B Barrier](t gpu.Thread, words []uint32, rounds, stay uint32, met []uint32, early *uint32) {
	var b B
	for round := uint32(1); round <= rounds; round++ {
		if round > stay && t.Block()+1 == t.GridDim() {
			return
		}
		arrive(t, t.Block(), round, met)
		b.Wait(t, words, round)
		look(t, t.Block(), t.GridDim(), round, met, early)
	}
}

// arrive says that a block has come to a round.
func arrive(t gpu.Thread, block, round uint32, met []uint32) {
	if t.Idx() == t.BlockDim()-1 {
		gpu.Store(&met[block], round)
	}
}

// look counts those of the next blocks, one for each thread, that have not come to a round.
func look(t gpu.Thread, block, blocks, round uint32, met []uint32, early *uint32) {
	if gpu.Load(&met[(block+1+t.Idx())%blocks]) < round {
		gpu.AtomicAdd(early, 1)
	}
}

// await waits until a word has a value.
func await(word *uint32, value uint32) {
	for gpu.LoadAcquire(word) != value {
	}
}

// The kernels of Meet.
var (
	MeetCounter = Meet[Counter]
	MeetLocks   = Meet[Locks]
	MeetSense   = Meet[Sense]
	MeetTree    = Meet[Tree]
)
