package scheduler

import "github.com/weft-gpu/weft/gpu"

// MostPeers is the largest number of other GPUs of a GroupBarrier: those of a host with eight.
const MostPeers = 7

// GroupBarrier is a barrier of all blocks of several launches that run at the same time, one on
// each GPU of a group, in software. All blocks of all launches must be resident: the launches
// are cooperative, and each is the only one on its GPU.
//
// The blocks of a GPU count themselves in a word of its memory. The last one of them tells all
// GPUs, by a store to a word in the memory of each. A block waits for the words in the memory
// of its own GPU: only arrivals pass the links, one for each pair of GPUs.
//
// After Wait, each thread sees what all threads of the group did before it. A block releases what
// it did to the blocks of its GPU, of which the last one releases it to all GPUs: that one fence has
// the scope of the system, which contains the threads of other GPUs, and order is cumulative (PTX
// ISA, "Causality order"). A fence of the system takes an H100 of two five times as long as one of the
// device (results/hw/h100x2).
type GroupBarrier struct {
	// Count has a word in the memory of the own GPU, and Arrived one for each GPU of the group,
	// which says in how many rounds all blocks of that GPU have come. They are 0 before the
	// first launch.
	Count, Arrived []uint32
	// Peers are the Arrived of the other GPUs, in any order; those that are not needed are empty.
	Peers [MostPeers][]uint32
	GPU   uint32 // the number of the own GPU
	// Round is the number of barriers that were passed, over all launches, which must have the
	// same number of blocks on a GPU.
	Round uint32
}

// Wait waits for all threads of the group, which must call it together.
func (b *GroupBarrier) Wait(t gpu.Thread) { b.WaitThen(t, func() {}) }

// WaitThen is Wait; the first thread of each block calls first before the other threads of
// the block go on.
func (b *GroupBarrier) WaitThen(t gpu.Thread, first func()) { b.wait(t, func() {}, first) }

// WaitTelling is Wait; on each GPU one thread calls tell when all of its blocks have come, and before those of other GPUs go on. So it can count what all blocks did, and store that in the memory of
// all GPUs, without a barrier of its grid before.
func (b *GroupBarrier) WaitTelling(t gpu.Thread, tell func()) {
	b.WaitTellingThen(t, tell, func() {})
}

// WaitTellingThen is WaitTelling; the first thread of each block calls first before the other threads of the block go on, as in WaitThen.
func (b *GroupBarrier) WaitTellingThen(t gpu.Thread, tell, first func()) {
	b.wait(t, func() {
		gpu.Fence() // it has learnt from Count that the others have come
		tell()
	}, first)
}

// wait is WaitThen and WaitTellingThen.
func (b *GroupBarrier) wait(t gpu.Thread, tell, first func()) {
	b.Round++
	t.Sync()
	if t.Idx() == 0 {
		gpu.Fence()
		if gpu.AtomicAdd(&b.Count[0], 1) == b.Round*t.GridDim()-1 {
			tell()
			b.arrive()
		}
		b.await()
		first()
	}
	t.Sync()
}

// BlocksThen is WaitThen for one block of each GPU alone, those that call it. They need a GroupBarrier of their own.
func (b *GroupBarrier) BlocksThen(t gpu.Thread, first func()) {
	b.Round++
	t.Sync()
	if t.Idx() == 0 {
		b.arrive()
		b.await()
		first()
	}
	t.Sync()
}

// arrive tells all GPUs that this one has come to the barrier. The fence hands over what other threads of the GPU did, too, of which the calling one has
// learnt from Count or from a barrier of its block.
func (b *GroupBarrier) arrive() {
	gpu.Fence(gpu.SystemScope)
	for i := range MostPeers {
		if gpu.Len(b.Peers[i]) > 0 {
			gpu.Store(&b.Peers[i][b.GPU], b.Round, gpu.SystemScope)
		}
	}
	gpu.Store(&b.Arrived[b.GPU], b.Round, gpu.SystemScope)
}

// await waits until all GPUs have come.
func (b *GroupBarrier) await() {
	for i := uint32(0); i < gpu.Len(b.Arrived); i++ {
		// The comparison is right also after the word has wrapped around.
		for int32(gpu.LoadAcquire(&b.Arrived[i], gpu.SystemScope)-b.Round) < 0 {
		}
	}
}
