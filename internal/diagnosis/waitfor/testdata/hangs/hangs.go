// Package hangs has kernels that never end, each for one reason, and some that look like them
// and end.
package hangs

import "github.com/weft-gpu/weft/gpu"

// GridBarrier is a barrier of the whole grid that counts arrivals: it needs all blocks resident.
func GridBarrier(t gpu.Thread, arrived, out []uint32) {
	t.Sync()
	if t.Idx() == 0 {
		gpu.AtomicAdd(&arrived[0], 1)
		for gpu.Load(&arrived[0]) < t.GridDim() {
		}
	}
	t.Sync()
	out[t.Global()] = 1
}

// LockArray is Xiao and Feng's barrier: block 0 is a monitor, whose thread i waits for block i
// and then releases it.
func LockArray(t gpu.Thread, arrive, leave []uint32) {
	i := t.Idx()
	t.Sync()
	if t.Block() == 0 {
		for b := i; b < t.GridDim(); b += t.BlockDim() {
			if b != 0 {
				for gpu.Load(&arrive[b]) == 0 {
				}
			}
		}
		t.Sync()
		for b := i; b < t.GridDim(); b += t.BlockDim() {
			gpu.Store(&leave[b], 1)
		}
	} else if i == 0 {
		gpu.Store(&arrive[t.Block()], 1)
		for gpu.Load(&leave[t.Block()]) == 0 {
		}
	}
	t.Sync()
}

// LaneLock takes a spin lock with each lane of a warp.
func LaneLock(t gpu.Thread, lock, count []uint32) {
	for gpu.AtomicCAS(&lock[0], 0, 1) != 0 {
	}
	count[0]++
	gpu.AtomicExch(&lock[0], 0)
}

// DivergentSync has a barrier on one side of a branch, and waits on the other side for what
// comes after the barrier.
func DivergentSync(t gpu.Thread, flag []uint32) {
	if t.Idx() < 16 {
		t.Sync()
		gpu.Store(&flag[0], 1)
	} else {
		for gpu.Load(&flag[0]) == 0 {
		}
		t.Sync()
	}
}

// TwoKinds has two kinds of barriers on the two sides of a branch.
func TwoKinds(t gpu.Thread, out []uint32) {
	if t.Warp() == 0 {
		t.Sync()
	} else {
		out[t.Global()] = t.SyncCount(true)
	}
}

// LeftEarly waits at a named barrier for a warp that has left.
func LeftEarly(t gpu.Thread, n uint32, out []uint32) {
	if t.Idx() >= n {
		return
	}
	t.SyncNamed(1, t.BlockDim())
	out[t.Global()] = 1
}

// LostWakeup has a signal that is taken back before the waiter has seen it.
func LostWakeup(t gpu.Thread, signal, ready []uint32) {
	if t.Block() == 0 {
		gpu.Store(&signal[0], 1)
		gpu.Store(&signal[0], 0)
		gpu.Store(&ready[0], 1)
		return
	}
	for gpu.Load(&ready[0]) == 0 {
	}
	for gpu.Load(&signal[0]) != 1 {
	}
}

// TwoLocks takes two locks, in opposite orders in even and odd blocks.
func TwoLocks(t gpu.Thread, lock, met []uint32) {
	first := t.Block() & 1
	second := 1 - first
	acquire(lock, first)
	gpu.AtomicAdd(&met[0], 1)
	for gpu.Load(&met[0]) < 2 { // both have their first lock
	}
	acquire(lock, second)
	release(lock, second)
	release(lock, first)
}

func acquire(lock []uint32, i uint32) {
	for gpu.AtomicCAS(&lock[i], 0, 1) != 0 {
	}
}

func release(lock []uint32, i uint32) { gpu.AtomicExch(&lock[i], 0) }

// StaleSpin waits for a flag with loads that L1 may serve.
func StaleSpin(t gpu.Thread, flag, seen []uint32) {
	if t.Block() == 1 {
		for gpu.Load(&seen[0]) == 0 {
		}
		gpu.Store(&flag[0], 1)
		return
	}
	if flag[0] != 0 {
		return
	}
	gpu.Store(&seen[0], 1)
	for gpu.Load(&flag[0], gpu.BlockScope) == 0 {
	}
}

// NoProducer waits for what no line writes.
func NoProducer(t gpu.Thread, full, out []uint32) {
	for gpu.Load(&full[t.Block()]) == 0 {
	}
	out[t.Global()] = 1
}

// GoneProducer waits for a block that leaves without its word if there is no work.
func GoneProducer(t gpu.Thread, work uint32, full, out []uint32) {
	if t.Block() == 0 {
		if work != 0 {
			gpu.Store(&full[0], 1)
		}
		return
	}
	for gpu.Load(&full[0]) == 0 {
	}
	out[t.Global()] = 1
}

// SharedFlag waits for a variable in shared memory that a thread of another warp sets after
// a barrier.
func SharedFlag(t gpu.Thread, out []uint32) {
	q := gpu.Shared[struct {
		pad  [3]uint32
		flag [2]uint32
	}](t)
	if t.Idx() == 0 {
		q.flag[1] = 0
	}
	t.Sync()
	if t.Warp() == 0 {
		for gpu.Load(&q.flag[1]) == 0 {
		}
	}
	t.Sync()
	if t.Idx() == 32 {
		gpu.Store(&q.flag[1], 1)
	}
	out[t.Global()] = 1
}

// MaskElsewhere has a collective for all lanes of a warp in some of them only.
func MaskElsewhere(t gpu.Thread, flag []uint32) {
	if t.Lane() < 16 {
		t.SyncWarp(gpu.FullMask)
		gpu.Store(&flag[0], 1)
	} else {
		for gpu.Load(&flag[0]) == 0 {
		}
	}
}

// Backoff waits for what no line writes, and gives up after four billion tries, so that it does
// not hang and yet does not end within a budget.
func Backoff(t gpu.Thread, full []uint32) {
	for try := uint32(8); gpu.Load(&full[0])&4 == 0 && try != 0; try++ {
		t.Sleep(try & 63)
	}
}

// Ticket is a ticket lock whose holder forgets to give it up.
func Ticket(t gpu.Thread, next, serving, count []uint32) {
	if t.Lane() != 0 {
		return
	}
	mine := gpu.AtomicAdd(&next[0], 1)
	for gpu.Load(&serving[0]) != mine {
	}
	count[0]++
	if count[0] > 3 {
		gpu.Store(&serving[0], mine+1)
	}
}

// Either waits for one of two words.
func Either(t gpu.Thread, a, b []uint32) {
	for gpu.Load(&a[0]) == 0 && gpu.Load(&b[0]) < 2 {
	}
}

// Toggle has two blocks that change a word for ever.
func Toggle(t gpu.Thread, word []uint32) {
	for gpu.AtomicXor(&word[0], 1) < 2 {
	}
}

// Chain lets each block wait for the next one, so that the blocks have to be resident together.
func Chain(t gpu.Thread, flag []uint32) {
	if next := t.Block() + 1; next < t.GridDim() {
		for gpu.LoadAcquire(&flag[next]) == 0 {
		}
	}
	gpu.StoreRelease(&flag[t.Block()], 1)
}

// Overshoot waits for a number that the blocks jump over.
func Overshoot(t gpu.Thread, arrived []uint32) {
	if t.Idx() == 0 {
		gpu.AtomicAdd(&arrived[0], 2)
		for gpu.LoadAcquire(&arrived[0]) != 2*t.GridDim()-1 {
		}
	}
}

// Hungry has a producer of three items, and two consumers that wait for all of them.
func Hungry(t gpu.Thread, made, taken []uint32) {
	if t.Block() == 0 {
		for range 3 {
			gpu.AtomicAdd(&made[0], 1)
		}
		return
	}
	for range 3 {
		item := gpu.AtomicAdd(&taken[0], 1)
		for gpu.LoadAcquire(&made[0]) <= item {
		}
	}
}

// OtherWord waits for a word in shared memory next to the one that is written.
func OtherWord(t gpu.Thread) {
	flag := gpu.Shared[[4]uint32](t)
	if t.Idx() < 4 {
		flag[t.Idx()] = 0
	}
	t.Sync()
	if t.Warp() == 0 {
		for gpu.Load(&flag[1]) == 0 {
		}
	} else {
		gpu.Store(&flag[2], 1)
	}
}

// PingPong has blocks that store 1 and 0 to a word of their own in turn, for ever.
func PingPong(t gpu.Thread, word []uint32) {
	for gpu.Load(&word[t.Block()]) < 2 {
		gpu.Store(&word[t.Block()], 1)
		gpu.Store(&word[t.Block()], 0)
	}
}
