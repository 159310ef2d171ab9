package folklore

import "github.com/weft-gpu/weft/gpu"

// StaleCopy reads the flag once, and then looks at its copy.
func StaleCopy(t gpu.Thread, flag, data []uint32) {
	if t.Block() == 1 {
		t.Sleep(5000)
		data[0] = 7
		gpu.StoreRelease(&flag[0], 1) // signal
		return
	}
	seen := gpu.LoadAcquire(&flag[0]) // copy
	for seen == 0 {                   // look
	}
	data[1] = data[0]
}

// WriterStarves has a writer that waits until there are no readers, and readers that come again as soon as they have left:
// there always is one, and they end only when the writer has written.
func WriterStarves(t gpu.Thread, readers, data []uint32) {
	if t.Block() == 0 {
		for gpu.Load(&readers[0]) < t.GridDim()-1 { // start
		}
		for gpu.AtomicCAS(&readers[0], 0, 1<<31) != 0 { // writer
		}
		gpu.Store(&data[0], 1) // write
		gpu.AtomicExch(&readers[0], 0)
		return
	}
	for gpu.Load(&data[0]) == 0 { // new
		gpu.AtomicAdd(&readers[0], 1) // enter
		for {
			n := gpu.Load(&readers[0])
			if n > 1 && gpu.AtomicCAS(&readers[0], n, n-1) == n { // leave
				break
			}
		}
	}
}

// QueueLock is a list-based queue lock (MCS). A holder that finds no successor yet gives the lock back only if it is still
// the last of the queue, and does not wait for the successor that has just come.
func QueueLock(t gpu.Thread, tail, next, locked, sum []uint32) {
	me := t.Block() + 1
	gpu.Store(&locked[me], 1)
	before := gpu.AtomicExch(&tail[0], me) // enqueue
	if before == 0 {
		for gpu.Load(&tail[0]) == me { // alone
		}
	} else {
		t.Sleep(5000)
		gpu.StoreRelease(&next[before], me)     // link
		for gpu.LoadAcquire(&locked[me]) != 0 { // queue
		}
	}
	sum[0]++
	after := gpu.LoadAcquire(&next[me])
	if after == 0 {
		gpu.AtomicCAS(&tail[0], me, 0) // last one
		return                         // no successor yet
	}
	gpu.StoreRelease(&locked[after], 0) // hand over
}

// EarlyReset is a barrier whose first block to see that all have come sets the count to 0 for the next use.
func EarlyReset(t gpu.Thread, count []uint32, done []uint32) {
	if gpu.AtomicAdd(&count[0], 1) != t.GridDim()-1 { // come
		t.Sleep(5000)
	}
	for gpu.Load(&count[0]) != t.GridDim() { // all
	}
	gpu.Store(&count[0], 0) // reset
	gpu.AtomicAdd(&done[0], 1)
}

// LostCount has workers that take tasks from a list and leave when none is left to be done. A task without work is not
// counted.
func LostCount(t gpu.Thread, head, left, task []uint32) {
	for gpu.Load(&left[0]) != 0 { // unfinished
		i := gpu.AtomicAdd(&head[0], 1)
		if i >= gpu.Len(task) {
			gpu.AtomicExch(&head[0], gpu.Len(task))
			continue
		}
		if task[i] == 0 {
			continue // nothing to do
		}
		gpu.AtomicAdd(&left[0], ^uint32(0)) // finished
	}
}

// SmallRing has a producer that fills a ring of 4 places, and a consumer that takes batches of 8.
func SmallRing(t gpu.Thread, head, tail, ring, sum []uint32) {
	if t.Block() == 0 {
		for i := uint32(0); i < 16; i++ {
			for i-gpu.LoadAcquire(&tail[0]) >= 4 { // full
			}
			ring[i%4] = i
			gpu.StoreRelease(&head[0], i+1) // produce
		}
		return
	}
	for i := uint32(0); i < 16; i += 8 {
		for gpu.LoadAcquire(&head[0]) < i+8 { // batch
		}
		for k := range uint32(8) {
			sum[0] += ring[(i+k)%4]
		}
		gpu.StoreRelease(&tail[0], i+8) // consume
	}
}

// WrongIndex stores data and then a flag for each block, one place too far.
func WrongIndex(t gpu.Thread, data, flag []uint32) {
	if t.Block() != 0 {
		data[t.Block()] = 1
		gpu.StoreRelease(&flag[t.Block()+1], 1) // ready
		return
	}
	for i := uint32(1); i < t.GridDim(); i++ {
		for gpu.LoadAcquire(&flag[i]) == 0 { // wait
		}
		data[0] += data[i]
	}
}

// WarpTicket draws tickets for all lanes of a warp at once, and passes on only one turn.
func WarpTicket(t gpu.Thread, next, serving, sum []uint32) {
	first := uint32(0)
	if t.Lane() == 0 {
		first = gpu.AtomicAdd(&next[0], gpu.WarpSize) // draw
		for gpu.LoadAcquire(&serving[0]) != first {   // turn
		}
		sum[0] += gpu.WarpSize
		gpu.StoreRelease(&serving[0], first+1) // pass
	}
	t.SyncWarp(gpu.FullMask)
}

// BarrierInLoop comes to a barrier of the grid once for each piece of its work.
func BarrierInLoop(t gpu.Thread, count, work []uint32) {
	for i := uint32(0); i < work[t.Block()]; i++ { // rounds
		mine := gpu.AtomicAdd(&count[0], 1)                          // arrive
		for gpu.Load(&count[0]) < (mine/t.GridDim()+1)*t.GridDim() { // others
		}
	}
}

// CheckedTwice initializes a table once: the first to come marks the state, and the others wait until it is ready. The
// one that initializes leaves early if there is nothing to do.
func CheckedTwice(t gpu.Thread, state, table, size []uint32) {
	if gpu.LoadAcquire(&state[0]) != 2 {
		if gpu.AtomicCAS(&state[0], 0, 1) == 0 { // begin
			if size[0] == 0 { // empty
				return
			}
			table[0] = 5
			gpu.StoreRelease(&state[0], 2) // ready
		} else {
			for gpu.LoadAcquire(&state[0]) != 2 { // until ready
			}
		}
	}
	table[1] = 1
}

// LookBack is a scan that looks back to the block before. A block without items publishes nothing.
func LookBack(t gpu.Thread, status, items []uint32) {
	b := t.Block()
	if items[b] == 0 { // no items
		return
	}
	if b > 0 {
		for gpu.LoadAcquire(&status[b-1]) == 0 { // before
		}
	}
	gpu.StoreRelease(&status[b], 1) // publish
}

// SequenceLeft has a writer that leaves with an odd sequence number, and readers that try again for ever.
func SequenceLeft(t gpu.Thread, seq, data []uint32) {
	if t.Block() == 0 {
		gpu.AtomicAdd(&seq[0], 1) // odd
		gpu.Store(&data[0], 1)
		if gpu.Load(&data[1]) == 0 { // nothing
			return
		}
		gpu.AtomicAdd(&seq[0], 1) // even
		return
	}
	for {
		before := gpu.LoadAcquire(&seq[0]) // sequence
		if before == 0 || before&1 != 0 {
			continue
		}
		v := gpu.Load(&data[0])
		if gpu.LoadAcquire(&seq[0]) == before {
			gpu.Store(&data[2], v)
			break
		}
	}
}

// SharedLock has a lock in shared memory that a warp keeps while it waits at a barrier of the block.
func SharedLock(t gpu.Thread, sum []uint32) {
	lock := gpu.Shared[uint32](t)
	if t.Idx() == 0 {
		gpu.Store(lock, 0)
	}
	t.Sync()
	if t.Lane() == 0 {
		for gpu.AtomicCAS(lock, 0, 1, gpu.BlockScope) != 0 { // take
		}
	}
	t.Sync() // all
	if t.Lane() == 0 {
		sum[0]++
		gpu.AtomicExch(lock, 0, gpu.BlockScope) // unlock
	}
}

// WrongPhase has a warp that fills a stage in shared memory and one that empties it, which expects the phase that has been.
func WrongPhase(t gpu.Thread, out []uint32) {
	full := gpu.Shared[uint32](t)
	stage := gpu.Shared[[32]uint32](t)
	if t.Idx() == 0 {
		gpu.Store(full, 0)
	}
	t.Sync()
	for i := uint32(0); i < 4; i++ {
		if t.Warp() == 0 {
			for gpu.LoadAcquire(full, gpu.BlockScope) != 2*i { // free
			}
			stage[t.Lane()] = i
			t.SyncWarp(gpu.FullMask)
			if t.Lane() == 0 {
				gpu.StoreRelease(full, 2*i+1, gpu.BlockScope) // filled
			}
		} else {
			for gpu.LoadAcquire(full, gpu.BlockScope) != 2*i+1 { // look
			}
			out[t.Lane()] += stage[t.Lane()]
			t.SyncWarp(gpu.FullMask)
			if t.Lane() == 0 {
				gpu.StoreRelease(full, 2*i, gpu.BlockScope) // emptied
			}
		}
	}
}
