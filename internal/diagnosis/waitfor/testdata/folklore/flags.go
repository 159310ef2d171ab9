package folklore

import "github.com/weft-gpu/weft/gpu"

// Missing waits until all of 8 flags are set; the one of block 5 is not.
func Missing(t gpu.Thread, flag []uint32) {
	if t.Block() > 0 {
		if t.Block() != 6 {
			gpu.Store(&flag[t.Block()-1], 1) // set
		}
		return
	}
	for {
		done := true
		for i := uint32(0); i < 8; i++ {
			if gpu.Load(&flag[i]) == 0 { // scan
				done = false
			}
		}
		if done {
			return
		}
	}
}

// MissingCount counts the flags that are set.
func MissingCount(t gpu.Thread, flag []uint32) {
	if t.Block() > 0 {
		if t.Block() != 6 {
			gpu.Store(&flag[t.Block()-1], 1) // set
		}
		return
	}
	n := uint32(0)
	for n < 8 {
		n = 0
		for i := uint32(0); i < 8; i++ {
			n += gpu.Load(&flag[i]) // scan
		}
	}
}

// MissingFirst stops its scan at the first flag that is not set.
func MissingFirst(t gpu.Thread, flag []uint32) {
	if t.Block() > 0 {
		if t.Block() != 6 {
			gpu.Store(&flag[t.Block()-1], 1) // set
		}
		return
	}
	for i := uint32(0); i < 8; {
		if gpu.Load(&flag[i]) != 0 { // scan
			i++
		} else {
			i = 0
		}
	}
}

// MissingLanes has a lane for each flag, and goes on when all of them are set.
func MissingLanes(t gpu.Thread, flag []uint32) {
	if t.Block() > 0 {
		if t.Lane() == 0 && t.Block() != 6 {
			gpu.Store(&flag[t.Block()-1], 1) // set
		}
		return
	}
	for !t.All(gpu.FullMask, t.Lane() >= 8 || gpu.Load(&flag[t.Lane()&7]) != 0) { // scan
	}
}

// LastBlock waits for the flag of the last block of a grid that does not fit.
func LastBlock(t gpu.Thread, flag []uint32) {
	if t.Idx() == 0 {
		gpu.StoreRelease(&flag[t.Block()], 1)                      // set
		for gpu.LoadAcquire(&flag[t.GridDim()-1-t.Block()]) == 0 { // partner
		}
	}
}

// GridCount is a barrier of the whole grid that every thread comes to.
func GridCount(t gpu.Thread, arrived []uint32) {
	gpu.AtomicAdd(&arrived[0], 1)
	for gpu.LoadAcquire(&arrived[0]) < t.GridDim()*t.BlockDim() { // all
	}
}

// WrongCount expects a thread more than there are.
func WrongCount(t gpu.Thread, arrived []uint32) {
	t.Sync()
	if t.Idx() == 0 {
		gpu.AtomicAdd(&arrived[0], 1)               // come
		for gpu.Load(&arrived[0]) < t.GridDim()+1 { // all
		}
	}
	t.Sync()
}

// Divergent comes to a barrier with those threads that have work.
func Divergent(t gpu.Thread, work, flag []uint32) {
	if t.Idx() < 32 {
		for gpu.Load(&flag[0]) == 0 { // wait
		}
	} else if work[t.Idx()] != 0 { // else
		t.Sync()               // barrier
		gpu.Store(&flag[0], 1) // signal
	}
}

// LostSignal sets a flag that the receiver clears before it waits for it.
func LostSignal(t gpu.Thread, flag, ready []uint32) {
	if t.Block() == 0 {
		gpu.Store(&flag[0], 1) // signal
		gpu.Store(&ready[0], 1)
		return
	}
	for gpu.Load(&ready[0]) == 0 {
	}
	gpu.Store(&flag[0], 0)        // clear
	for gpu.Load(&flag[0]) == 0 { // wait
	}
}

// Counting has a block that waits for a word that no line writes, and one that counts for ever.
func Counting(t gpu.Thread, flag, count []uint32) {
	if t.Block() == 0 {
		for gpu.Load(&flag[0]) == 0 { // wait
		}
		return
	}
	for {
		gpu.AtomicAdd(&count[0], 1) // count
	}
}

// QueueFull has producers of more than a ring of 4 places holds, and a consumer that takes only some.
func QueueFull(t gpu.Thread, head, tail, ring []uint32) {
	if t.Block() == 0 {
		for i := uint32(0); i < 10; i++ {
			for i-gpu.LoadAcquire(&tail[0]) >= 4 { // full
			}
			ring[i%4] = i
			gpu.StoreRelease(&head[0], i+1)
		}
		return
	}
	for i := uint32(0); i < 5; i++ {
		for gpu.LoadAcquire(&head[0]) <= i { // empty
		}
		gpu.StoreRelease(&tail[0], i+1) // eat
	}
}

// Sender and Receiver are launched on two streams.
func Sender(t gpu.Thread, flag []uint32) {
	gpu.StoreRelease(&flag[0], 1) // sent
}

// SlowSender counts before it sends.
func SlowSender(t gpu.Thread, flag, count []uint32, n uint32) {
	for gpu.AtomicAdd(&count[0], 1) < n { // count
	}
	gpu.StoreRelease(&flag[0], 1) // sent late
}

// Receiver waits for Sender.
func Receiver(t gpu.Thread, flag []uint32) {
	for gpu.LoadAcquire(&flag[0]) == 0 { // wait
	}
}

// Far has threads that each set a word of its own and then wait for the first word, which the last thread of the grid
// sets.
func Far(t gpu.Thread, flag []uint32) {
	gpu.Store(&flag[t.Global()^(t.GridDim()*t.BlockDim()-1)], 1) // set
	for gpu.Load(&flag[0]) == 0 {                                // wait
	}
}

// WrongCountRight is WrongCount with the right count, for launches one after the other.
func WrongCountRight(t gpu.Thread, arrived []uint32) {
	t.Sync()
	if t.Idx() == 0 {
		mine := gpu.AtomicAdd(&arrived[0], 1)
		for gpu.Load(&arrived[0]) < (mine/t.GridDim()+1)*t.GridDim() {
		}
	}
	t.Sync()
}

// MissingMany waits for as many flags as there are other blocks; the one of block 6 is not set.
func MissingMany(t gpu.Thread, flag []uint32) {
	if t.Block() > 0 {
		if t.Block() != 6 {
			gpu.Store(&flag[t.Block()-1], 1) // set
		}
		return
	}
	for {
		done := true
		for i := uint32(0); i < t.GridDim()-1; i++ {
			if gpu.Load(&flag[i]) == 0 { // scan
				done = false
			}
		}
		if done {
			return
		}
	}
}
