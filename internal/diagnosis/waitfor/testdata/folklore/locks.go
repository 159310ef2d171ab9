// Package folklore has kernels that never end for the reasons that people meet on GPUs, one kernel for each.
package folklore

import "github.com/weft-gpu/weft/gpu"

func acquire(lock []uint32, i uint32) {
	for gpu.AtomicCAS(&lock[i], 0, 1) != 0 { // spin
	}
}

func release(lock []uint32, i uint32) {
	gpu.AtomicExch(&lock[i], 0) // give
}

// EarlyReturn leaves the critical section with the lock if its input is bad: block 0 has a 9. The last block to come would keep it from nobody.
func EarlyReturn(t gpu.Thread, lock, data, sum []uint32) {
	acquire(lock, 0)
	if data[t.Block()] == 9 { // bad
		return // keeps the lock
	}
	sum[0] += data[t.Block()]
	release(lock, 0)
}

// TicketSkipped draws a ticket, and does not serve the next one if there is nothing to do.
func TicketSkipped(t gpu.Thread, next, serving, work []uint32) {
	mine := gpu.AtomicAdd(&next[0], 1) // draw
	if work[mine] == 0 {               // unserved
		return
	}
	for gpu.LoadAcquire(&serving[0]) != mine { // turn
	}
	gpu.StoreRelease(&serving[0], mine+1) // serve
}

// Lapped is a barrier without a sense: it is set to 0 again by the last one to come, and a fast block comes again before
// the others have left.
func Lapped(t gpu.Thread, count, turn []uint32, rounds uint32) {
	for range rounds {
		if gpu.AtomicAdd(&count[0], 1) == t.GridDim()-1 { // arrive
			gpu.Store(&count[0], 0) // reset
		} else {
			for gpu.Load(&count[0]) != 0 { // pass
				if t.Block() == 0 {
					t.Sleep(20000)
				}
			}
		}
	}
	gpu.AtomicAdd(&turn[0], 1)
}

// Dining has philosophers that all take their left fork first.
func Dining(t gpu.Thread, fork, met []uint32) {
	left, right := t.Block(), (t.Block()+1)%t.GridDim()
	acquire(fork, left) // left
	gpu.AtomicAdd(&met[0], 1)
	for gpu.Load(&met[0]) < t.GridDim() { // meet
	}
	acquire(fork, right)
	release(fork, right)
	release(fork, left)
}

// BackoffSecond takes two locks in opposite orders, and waits longer and longer before it tries the second one again.
func BackoffSecond(t gpu.Thread, lock, met []uint32) {
	first := t.Block() & 1
	acquire(lock, first)
	gpu.AtomicAdd(&met[0], 1)
	for gpu.Load(&met[0]) < 2 { // meet
	}
	for gpu.AtomicCAS(&lock[1-first], 0, 1) != 0 { // second
		for i := uint32(0); i < 50; i++ {
			gpu.Store(&met[1+t.Block()], i) // delay
		}
	}
	release(lock, 1-first)
	release(lock, first)
}

// DelaySecond is BackoffSecond with a delay that touches no memory.
func DelaySecond(t gpu.Thread, lock, met []uint32) {
	first := t.Block() & 1
	acquire(lock, first)
	gpu.AtomicAdd(&met[0], 1)
	for gpu.Load(&met[0]) < 2 { // meet
	}
	for gpu.AtomicCAS(&lock[1-first], 0, 1) != 0 { // second
		for i := uint32(0); i < 9; i++ {
			t.Sleep(100 * i)
		}
	}
	release(lock, 1-first)
	release(lock, first)
}

// Twice takes a lock that its own thread has.
func Twice(t gpu.Thread, lock, sum []uint32) {
	acquire(lock, t.Block()) // first
	add(t, lock, sum)
	release(lock, t.Block())
}

func add(t gpu.Thread, lock, sum []uint32) {
	acquire(lock, t.Block())
	sum[t.Block()]++
	release(lock, t.Block())
}

// WrongWord releases another lock than it took.
func WrongWord(t gpu.Thread, lock, sum []uint32) {
	acquire(lock, 0)
	sum[0]++
	release(lock, 1)
}

// ReadersLeft has a writer that waits for readers, one of which leaves without saying so.
func ReadersLeft(t gpu.Thread, readers, data []uint32) {
	if t.Block() == 0 {
		for gpu.Load(&readers[1]) < t.GridDim()-1 { // all in
		}
		for gpu.Load(&readers[0]) != 0 { // drain
		}
		data[0] = 1
		return
	}
	gpu.AtomicAdd(&readers[0], 1) // in
	gpu.AtomicAdd(&readers[1], 1)
	if t.Block() == 3 {
		return // forgets
	}
	gpu.AtomicAdd(&readers[0], ^uint32(0)) // out
}

// TwoSemaphores waits at a semaphore that starts with too few.
func TwoSemaphores(t gpu.Thread, free []uint32) {
	for {
		v := gpu.Load(&free[0])
		if v > 0 && gpu.AtomicCAS(&free[0], v, v-1) == v { // take
			break
		}
	}
	if t.Block()%2 == 0 {
		gpu.AtomicAdd(&free[0], 1) // more
	}
}

// TicketLate draws so many tickets that not all draws are kept; then block 1 leaves without serving the next one.
func TicketLate(t gpu.Thread, next, serving []uint32, rounds uint32) {
	for i := uint32(0); t.Block() == 0 || i < rounds; i++ {
		mine := gpu.AtomicAdd(&next[0], 1)         // draw
		for gpu.LoadAcquire(&serving[0]) != mine { // turn
		}
		if t.Block() == 1 && i == rounds-1 {
			return // unserved
		}
		gpu.StoreRelease(&serving[0], mine+1) // serve
	}
}
