package folklore

import "github.com/weft-gpu/weft/gpu"

// Polite takes its own lock and tries that of the other; if that is taken, it gives up its own, sleeps and begins again.
func Polite(t gpu.Thread, lock, done []uint32) {
	own, other := t.Block()&1, 1-t.Block()&1
	for {
		for gpu.AtomicCAS(&lock[own], 0, 1) != 0 { // own
		}
		if gpu.AtomicCAS(&lock[other], 0, 1) == 0 { // try
			break
		}
		gpu.AtomicExch(&lock[own], 0) // give up
		t.Sleep(100)
	}
	gpu.AtomicAdd(&done[0], 1)
	gpu.AtomicExch(&lock[other], 0)
	gpu.AtomicExch(&lock[own], 0)
}

// PoliteDining has philosophers that put their left fork back if the right one is taken.
func PoliteDining(t gpu.Thread, fork, eaten []uint32) {
	left, right := t.Block(), (t.Block()+1)%t.GridDim()
	for {
		for gpu.AtomicCAS(&fork[left], 0, 1) != 0 { // left
		}
		if gpu.AtomicCAS(&fork[right], 0, 1) == 0 { // right
			break
		}
		gpu.AtomicExch(&fork[left], 0) // put back
	}
	gpu.AtomicAdd(&eaten[0], 1)
	gpu.AtomicExch(&fork[right], 0)
	gpu.AtomicExch(&fork[left], 0)
}

// Counters has threads that count a word up and back again, and end when a swap of theirs meets the value that they have
// just seen twice the same: they never do, since all change it all the time.
func Counters(t gpu.Thread, word, done []uint32) {
	for {
		old := gpu.Load(&word[0])                         // look
		gpu.AtomicXor(&word[0], 1<<t.Block())             // touch
		if gpu.AtomicCAS(&word[0], old, old|256) == old { // swap
			break
		}
	}
	gpu.Store(&done[0], 1)
}

// Retry has two blocks that change a word by compare-and-swap, each only if the other has not done so since it looked,
// and a third one that changes it all the time.
func Retry(t gpu.Thread, word, done []uint32) {
	if t.Block() == 0 {
		for gpu.Load(&done[0]) == 0 {
			gpu.AtomicXor(&word[0], 1) // toggle
		}
		return
	}
	for {
		old := gpu.Load(&word[0]) // look
		t.Sleep(500)
		if old == 1 && gpu.AtomicCAS(&word[0], old, 7) == old && old == 3 { // swap
			break
		}
		gpu.AtomicCAS(&word[0], 7, 1)
	}
	gpu.Store(&done[0], 1)
}

// Periods has blocks that toggle words of their own, with periods that have no common divisor, and wait for one word.
func Periods(t gpu.Thread, word, flag []uint32) {
	for gpu.Load(&flag[0]) == 0 { // wait
		gpu.AtomicXor(&word[t.Block()], 1) // toggle
		t.Sleep(100 + 37*t.Block())
	}
}

// Forever has a block that waits for a word that the other one would write after it has counted for ever.
func Forever(t gpu.Thread, word []uint32) {
	if t.Block() == 0 {
		for gpu.Load(&word[1]) == 0 {
		}
		return
	}
	for gpu.AtomicAdd(&word[0], 1) != 4_000_000_000 {
	}
	gpu.Store(&word[1], 1)
}

// CountingDeadlock has two blocks that wait for each other's lock, and a third one that counts for ever.
func CountingDeadlock(t gpu.Thread, lock, count []uint32) {
	if t.Block() == 2 {
		for {
			gpu.AtomicAdd(&count[1], 1)
		}
	}
	acquire(lock, t.Block())
	gpu.AtomicAdd(&count[0], 1)
	for gpu.Load(&count[0]) < 2 {
	}
	acquire(lock, 1-t.Block())
	release(lock, 1-t.Block())
	release(lock, t.Block())
}

// Late has a block that waits for a word that the other one writes after it has counted for long.
func Late(t gpu.Thread, word []uint32) {
	if t.Block() == 0 {
		for gpu.Load(&word[1]) == 0 {
		}
		return
	}
	for gpu.AtomicAdd(&word[0], 1) != 20_000 {
		t.Sleep(40)
	}
	gpu.Store(&word[1], 1)
}

// LateByOther is Late by way of a block that waits itself.
func LateByOther(t gpu.Thread, word []uint32) {
	switch t.Block() {
	case 0:
		for gpu.Load(&word[1]) == 0 {
		}
	case 1:
		for gpu.Load(&word[2]) == 0 {
		}
		gpu.Store(&word[1], 1)
	default:
		for gpu.AtomicAdd(&word[0], 1) != 20_000 {
		}
		gpu.Store(&word[2], 1)
	}
}

// Tickets has blocks that take a ticket, wait for their turn, and let the next one have its turn as the last thing that they do: while that store is on its
// way, all that are left wait for words that none of them is about to write.
func Tickets(t gpu.Thread, word []uint32) {
	mine := gpu.AtomicAdd(&word[0], 1)
	for gpu.Load(&word[64]) != mine {
	}
	gpu.Store(&word[64], mine+1)
}
