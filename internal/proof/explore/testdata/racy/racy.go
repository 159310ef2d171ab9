// Package racy has kernels with bugs that the default schedule of a simulated machine does not show.
package racy

import "github.com/weft-gpu/weft/gpu"

// work keeps a thread busy without other threads noticing.
func work(x []uint32, n uint32) uint32 {
	sum := uint32(0)
	for i := range n {
		sum += x[i%uint32(len(x))] ^ i
	}
	return sum
}

// Locks takes two locks: even blocks one after the other, odd ones the other way round and later, so that they do not
// meet. If they do, each has one lock and waits for the other.
func Locks(t gpu.Thread, lock, private, count []uint32) {
	b := t.Block()
	first, second := b%2, 1-b%2
	count[2+b] = work(private, 40+b*400)
	for gpu.AtomicCAS(&lock[first], 0, 1) != 0 {
	}
	for gpu.AtomicCAS(&lock[second], 0, 1) != 0 {
	}
	gpu.Store(&count[0], gpu.Load(&count[0])+1)
	gpu.Fence()
	gpu.Store(&lock[second], 0)
	gpu.Store(&lock[first], 0)
}

// Lost adds to a counter by a load and a store, each block at a time of its own.
func Lost(t gpu.Thread, private, count []uint32) {
	b := t.Block()
	count[1+b] = work(private, b*300)
	gpu.Store(&count[0], gpu.Load(&count[0])+1)
}

// Queue has producers that reserve a place and then fill it, and a consumer that takes what has been reserved: in
// between, it finds nothing there.
func Queue(t gpu.Thread, tail, queue, private, out []uint32) {
	b := t.Block()
	if b > 0 {
		out[b] = work(private, b*200)
		queue[gpu.AtomicAdd(&tail[0], 1)] = 100
		return
	}
	taken, sum := uint32(0), uint32(0)
	for taken+1 < t.GridDim() {
		for ; taken < gpu.Load(&tail[0]); taken++ {
			work(private, 100) // the producer fills its place in the meantime
			sum += gpu.Load(&queue[taken])
		}
	}
	out[0] = sum
}

// Signal has a block that looks whether it must wait before it says that it waits: the other one may look and set the
// flag in between, and wake nobody.
func Signal(t gpu.Thread, flag, waiting, woken, private, out []uint32) {
	if t.Block() == 0 {
		if gpu.Load(&flag[0]) == 0 {
			gpu.Store(&waiting[0], 1)
			for gpu.Load(&woken[0]) == 0 {
			}
		}
		return
	}
	out[0] = work(private, 2000)
	if gpu.Load(&waiting[0]) == 1 {
		gpu.Store(&woken[0], 1)
	}
	gpu.Store(&flag[0], 1)
}
