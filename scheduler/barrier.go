package scheduler

import "github.com/weft-gpu/weft/gpu"

// GridBarrier is a barrier of all blocks of a grid, in software (SIMD-X, section 5). All
// blocks must be resident at the same time: a block that is not waits for one that has
// ended, and none ends before the barrier.
//
// It has two forms. With a counter, the first thread of each block increments one word and
// waits until all blocks have done so. With locks, as in the paper and in Xiao and Feng,
// IPDPS 2010, each block has a word of its own, so that no two of them write the same; the
// first block, the monitor, waits for all words and then releases all blocks.
//
// After Wait, each thread sees what all threads of the grid did before it: the first thread
// releases what its block did, and acquires what the others released. The original has no
// fences.
type GridBarrier struct {
	// Words of global memory are 0 before the first launch: one for the counter, and two a
	// block for the locks.
	Words []uint32
	Round uint32 // number of barriers that were passed, over all launches
	// First and Arrived are Round and the counter as they were at the beginning of the
	// launch. Launches may have different grids; the counter counts the blocks of all.
	First, Arrived uint32
	Locks          bool // whether to use the locks
	// Blocks is how many blocks meet at the counter; 0: all blocks of the grid. So parts of a grid may each have a barrier of their own.
	Blocks uint32
}

// Wait waits for all threads of the grid, which must call it together.
func (b *GridBarrier) Wait(t gpu.Thread) { b.WaitThen(t, func() {}) }

// WaitThen is Wait; the first thread of each block calls first before the other threads of
// the block go on. So it can fetch for them what all blocks need, with an access for each
// block and not for each warp.
func (b *GridBarrier) WaitThen(t gpu.Thread, first func()) {
	b.Round++
	t.Sync()
	if b.Locks {
		b.monitor(t)
	} else if t.Idx() == 0 {
		gpu.Fence()
		gpu.AtomicAdd(&b.Words[0], 1)
		blocks := b.Blocks
		if blocks == 0 {
			blocks = t.GridDim()
		}
		b.await(0, b.Arrived+(b.Round-b.First)*blocks)
	}
	if t.Idx() == 0 {
		first()
	}
	t.Sync()
}

// await waits until a word has reached a value. The comparison is right also after the
// word has wrapped around.
func (b *GridBarrier) await(word, value uint32) {
	for int32(gpu.LoadAcquire(&b.Words[word])-value) < 0 {
	}
}

// monitor is the barrier with locks. The first words say which blocks have arrived, those
// after them which may go on; each holds the number of a round.
func (b *GridBarrier) monitor(t gpu.Thread) {
	blocks := t.GridDim()
	if t.Block() > 0 {
		if t.Idx() == 0 {
			gpu.StoreRelease(&b.Words[t.Block()], b.Round)
			b.await(blocks+t.Block(), b.Round)
		}
		return
	}
	for i := t.Idx(); i < blocks; i += t.BlockDim() {
		if i > 0 {
			b.await(i, b.Round)
		}
	}
	t.Sync()
	for i := t.Idx(); i < blocks; i += t.BlockDim() {
		if i > 0 {
			gpu.StoreRelease(&b.Words[blocks+i], b.Round)
		}
	}
}
