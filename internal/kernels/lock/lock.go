package lock

import "github.com/weft-gpu/weft/gpu"

// Lock is a spin lock in two words of global memory, which are 0 while nobody holds it.
type Lock interface {
	// Acquire waits until the thread holds the lock. The result is for Release.
	Acquire(t gpu.Thread, words []uint32) (ticket uint32)
	// Release gives the lock up. What the thread did before is seen by the next holder.
	Release(words []uint32, ticket uint32)
}

// Plain is a test-and-set lock: a compare-and-swap that is repeated until it succeeds.
type Plain struct{}

// Acquire waits until the word was 0.
func (Plain) Acquire(_ gpu.Thread, words []uint32) uint32 {
	for gpu.AtomicCAS(&words[0], 0, 1) != 0 {
	}
	gpu.Fence()
	return 0
}

// Release stores 0.
func (Plain) Release(words []uint32, _ uint32) { gpu.StoreRelease(&words[0], 0) }

// The pauses of Backoff, in nanoseconds.
const (
	shortest = 32
	longest  = 1024
)

// Backoff is a test-and-set lock whose threads sleep between two attempts, twice as long each
// time (Anderson, "The Performance of Spin Lock Alternatives for Shared-Memory
// Multiprocessors", IEEE TPDS 1990), so that the holder's accesses are not in a queue behind
// theirs.
type Backoff struct{}

// Acquire waits until the word was 0.
func (Backoff) Acquire(t gpu.Thread, words []uint32) uint32 {
	for pause := uint32(shortest); gpu.AtomicCAS(&words[0], 0, 1) != 0; pause = min(2*pause, longest) {
		t.Sleep(pause)
	}
	gpu.Fence()
	return 0
}

// Release stores 0.
func (Backoff) Release(words []uint32, _ uint32) { gpu.StoreRelease(&words[0], 0) }

// Ticket is a fair lock: threads draw numbers and are served in their order (Mellor-Crummey
// and Scott, "Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors", ACM
// TOCS 1991).
type Ticket struct{}

// Acquire draws a number and waits until it is served.
func (Ticket) Acquire(_ gpu.Thread, words []uint32) uint32 {
	own := gpu.AtomicAdd(&words[0], 1)
	for gpu.LoadAcquire(&words[1]) != own {
	}
	return own
}

// Release serves the next number.
func (Ticket) Release(words []uint32, ticket uint32) { gpu.StoreRelease(&words[1], ticket+1) }

// Count increments *count under a lock, rounds times in each thread whose index is a multiple
// of every: in every lane with 1, in one thread of each block with the size of a block. The
// increment is a load and a store, which lose updates unless the lock excludes other threads.
//
// On a machine with a reconvergence stack, before Volta, a warp of which several lanes
// compete hangs: the lane that has got the lock waits behind the loop until the other lanes
// have left it, and they wait for the lock.
func Count[L Lock](t gpu.Thread, words []uint32, every, rounds uint32, count *uint32) {
	if t.Idx()%every != 0 {
		return
	}
	var l L
	for range rounds {
		ticket := l.Acquire(t, words)
		increment(count)
		l.Release(words, ticket)
	}
}

// increment adds 1 without an atomic.
func increment(count *uint32) { gpu.Store(count, gpu.Load(count)+1) }

// The kernels of Count.
var (
	CountPlain   = Count[Plain]
	CountBackoff = Count[Backoff]
	CountTicket  = Count[Ticket]
)

// CountInside is Count with a test-and-set lock that is released in the loop that acquires it.
// So a lane that holds the lock has nothing to do behind the loop, and the warp makes progress
// also on a machine with a reconvergence stack (Ramamurthy, "Towards Scalar Synchronization in
// SIMT Architectures", 2011).
func CountInside(t gpu.Thread, words []uint32, every, rounds uint32, count *uint32) {
	if t.Idx()%every != 0 {
		return
	}
	for done := uint32(0); done < rounds; {
		if gpu.AtomicCAS(&words[0], 0, 1) == 0 {
			gpu.Fence()
			increment(count)
			gpu.StoreRelease(&words[0], 0)
			done++
		}
	}
}
