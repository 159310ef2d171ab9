package barrier

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/kernels/lock"
)

// The words of Discover: those of a lock, the poll, and a barrier.
const (
	pollLock   = 0 // two words
	pollClosed = 2
	pollCount  = 3
	pollAfter  = 4
)

// nobody is the number of a block that does not take part.
const nobody = ^uint32(0)

// Discover is occupancy discovery (Sorensen, Donaldson, Batty, Gopalakrishnan and Rakamaric,
// "Portable Inter-workgroup Barrier Synchronisation for GPUs", OOPSLA 2016, section 5): blocks
// that run count themselves while a poll is open, and the first one that comes a second time
// closes it. A block that comes later returns at once. All that were counted run at the same
// time, whatever the machine and the grid are, so a barrier among them completes.
//
// It then passes such a barrier rounds times, as Meet does; *found is the number of blocks.
func Discover(t gpu.Thread, words []uint32, rounds uint32, met []uint32, early, found *uint32) {
	number := gpu.Shared[uint32](t)
	if t.Idx() == 0 {
		*number = enroll(t, words)
	}
	t.Sync()
	own := *number
	if own == nobody {
		return
	}
	blocks := gpu.Load(&words[pollCount]) // final: the poll is closed
	if t.Idx() == 0 {
		gpu.Store(found, blocks)
	}
	var b Sense
	for round := uint32(1); round <= rounds; round++ {
		arrive(t, own, round, met)
		b.among(t, words[pollAfter:], blocks, round)
		look(t, own, blocks, round, met, early)
	}
}

// enroll counts the block if the poll is open, and returns its number or nobody. The lock is
// fair, so that every block that runs comes once before one comes twice.
func enroll(t gpu.Thread, words []uint32) uint32 {
	var l lock.Ticket
	number := nobody
	ticket := l.Acquire(t, words[pollLock:])
	if gpu.Load(&words[pollClosed]) == 0 {
		number = gpu.Load(&words[pollCount])
		gpu.Store(&words[pollCount], number+1)
	}
	l.Release(words[pollLock:], ticket)
	if number == nobody {
		return nobody
	}
	ticket = l.Acquire(t, words[pollLock:])
	gpu.Store(&words[pollClosed], 1)
	l.Release(words[pollLock:], ticket)
	return number
}
