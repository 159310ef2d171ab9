package folklore

import "github.com/weft-gpu/weft/gpu"

// Swaps has blocks that swap a word between two values, and end when it has a third one. How often each has tried is
// counted, and matters to nobody before the end.
func Swaps(t gpu.Thread, word, done []uint32) {
	tries := uint32(0)
	for {
		old := gpu.Load(&word[0]) // look
		tries++
		if gpu.AtomicCAS(&word[0], old, 1-old) == old && old == 2 { // swap
			break
		}
		t.Sleep(20 * (t.Block() + 1))
	}
	gpu.AtomicAdd(&done[0], tries)
}

// PoliteClock is Polite with a pause that is measured by the clock.
func PoliteClock(t gpu.Thread, lock, done []uint32) {
	own, other := t.Block()&1, 1-t.Block()&1
	for {
		for gpu.AtomicCAS(&lock[own], 0, 1) != 0 { // own
		}
		if gpu.AtomicCAS(&lock[other], 0, 1) == 0 { // try
			break
		}
		gpu.AtomicExch(&lock[own], 0) // give up
		for start := t.Clock(); t.Clock()-start < 300; {
		}
	}
	gpu.AtomicAdd(&done[0], 1)
	gpu.AtomicExch(&lock[other], 0)
	gpu.AtomicExch(&lock[own], 0)
}

// ClockedSwaps is Swaps with a look at the clock.
func ClockedSwaps(t gpu.Thread, word, done []uint32) {
	for {
		for start := t.Clock(); t.Clock()-start < 20; {
		}
		old := gpu.Load(&word[0])
		if gpu.AtomicCAS(&word[0], old, 1-old) == old && old == 2 {
			break
		}
	}
	gpu.AtomicAdd(&done[0], 1)
}

// SpinLong counts in a register.
func SpinLong(t gpu.Thread, out []uint32, n uint32) {
	x := uint32(1)
	for i := uint32(0); i < n; i++ {
		if x = x*5 + 1; x == 0 {
			x = i
		}
	}
	out[t.Global()] = x
}

// WaitLong has a block that waits by the clock, and others that wait for it.
func WaitLong(t gpu.Thread, flag []uint32, n uint32) {
	if t.Block() > 0 {
		for gpu.Load(&flag[0]) == 0 {
		}
		return
	}
	for start := t.Clock(); t.Clock()-start < uint64(n); {
	}
	gpu.Store(&flag[0], 1)
}

// Queens counts the solutions of a puzzle by backtracking, with the board in shared memory: all words and registers have
// soon had all their values.
func Queens(t gpu.Thread, out []uint32, n uint32) {
	col := gpu.Shared[[16]uint32](t)
	if t.Idx() != 0 {
		return
	}
	row := int32(0)
	for col[0] = 0; row >= 0; {
		c := col[row]
		if c >= n {
			if row--; row >= 0 {
				col[row]++
			}
			continue
		}
		free := true
		for k := int32(0); k < row; k++ {
			o, far := col[k], uint32(row-k)
			free = free && o != c && o+far != c && c+far != o
		}
		switch {
		case !free:
			col[row] = c + 1
		case uint32(row) == n-1:
			gpu.AtomicAdd(&out[0], 1)
			col[row] = c + 1
		default:
			row++
			col[row] = 0
		}
	}
}

// Digits counts with a binary digit in each word, and others wait.
func Digits(t gpu.Thread, digit, flag []uint32, n uint32) {
	if t.Block() > 0 {
		for gpu.Load(&flag[0]) == 0 {
		}
		return
	}
	for i := uint32(0); i < n; {
		for i = 0; i < n && gpu.Load(&digit[i]) == 1; i++ {
			gpu.Store(&digit[i], 0)
		}
		if i < n {
			gpu.Store(&digit[i], 1)
		}
	}
	gpu.Store(&flag[0], 1)
}

// Odometer has blocks with a digit each in a register: when it has come round, the next block counts one on.
func Odometer(t gpu.Thread, carry, base []uint32) {
	me, last := t.Block(), t.GridDim()-1
	digit, all := uint32(0), base[0]
	for {
		word := gpu.AtomicCAS(&carry[me], 1, 0)
		if word == 2 {
			return
		}
		if word == 0 && me > 0 {
			continue
		}
		if digit++; digit < all {
			continue
		}
		if digit = 0; me == last {
			for i := uint32(0); i <= last; i++ {
				gpu.Store(&carry[i], 2)
			}
			return
		}
		gpu.Store(&carry[me+1], 1)
		for gpu.Load(&carry[me+1]) == 1 {
		}
	}
}

// LuckyLate is Polite with a pause of many lengths: it fails for long, and then does not.
func LuckyLate(t gpu.Thread, word, done []uint32, n uint32) {
	x := t.Block() + 1
	for {
		x = x*1664525 + 1013904223
		gpu.AtomicXor(&word[0], 1)
		if x%n == 0 && gpu.Load(&word[0]) == 1 {
			break
		}
	}
	gpu.AtomicAdd(&done[0], 1)
}
