package folklore

import "github.com/weft-gpu/weft/gpu"

// Polite takes its own lock and tries that of the other; if that is taken, it gives up its own, sleeps and begins again.
func Polite(t gpu.Thread, lock, done []uint32) {
	own, other := t.Block()&1, 1-t.Block()&1
	for {
		if gpu.AtomicCAS(&lock[own], 0, 1) == 0 { // take
			t.Sleep(2000)
			if gpu.AtomicCAS(&lock[other], 0, 1) == 0 { // try
				break
			}
			gpu.AtomicExch(&lock[own], 0) // give up
		}
		t.Sleep(1000)
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
		t.Sleep(3000)
		if gpu.AtomicCAS(&fork[right], 0, 1) == 0 { // right
			break
		}
		gpu.AtomicExch(&fork[left], 0) // put back
		t.Sleep(3000)
	}
	gpu.AtomicAdd(&eaten[0], 1)
	gpu.AtomicExch(&fork[right], 0)
	gpu.AtomicExch(&fork[left], 0)
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
