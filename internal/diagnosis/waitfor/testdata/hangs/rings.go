package hangs

import "github.com/weft-gpu/weft/gpu"

// Ring has n blocks of which each has a lock and waits for that of the next one. Other blocks wait for one of these
// locks, at another place.
func Ring(t gpu.Thread, lock, met []uint32, n uint32) {
	if t.Block() >= n {
		for gpu.Load(&met[0]) < n {
		}
		acquire(lock, t.Block()%n)
		release(lock, t.Block()%n)
		return
	}
	first := t.Block()
	second := (first + 1) % n
	acquire(lock, first)
	gpu.AtomicAdd(&met[0], 1)
	for gpu.Load(&met[0]) < n {
	}
	acquire(lock, second)
	release(lock, second)
	release(lock, first)
}

// Orders takes two locks, in opposite orders in even and odd blocks. Two blocks come to have one each, and others wait
// for both: nobody waits for these, although they would give up the locks when they have had them.
func Orders(t gpu.Thread, lock, met []uint32) {
	for t.Block() > 1 && gpu.Load(&met[0]) < 2 {
	}
	if t.Block()&1 == 0 {
		acquire(lock, 0)
		meet(met)
		acquire(lock, 1)
	} else {
		acquire(lock, 1)
		meet(met)
		acquire(lock, 0)
	}
	release(lock, 0)
	release(lock, 1)
}

func meet(met []uint32) {
	gpu.AtomicAdd(&met[0], 1)
	for gpu.Load(&met[0]) < 2 {
	}
}

// WorkList has workers that draw numbers of items and wait for them; an item above 1 makes another one. No worker
// notices that all items are done.
func WorkList(t gpu.Thread, slot, head, tail []uint32) {
	if t.Block() == 0 {
		gpu.Store(&slot[gpu.AtomicAdd(&tail[0], 1)], 1)
	}
	for {
		own := gpu.AtomicAdd(&head[0], 1)
		item := gpu.Load(&slot[own])
		for item == 0 {
			item = gpu.Load(&slot[own])
		}
		if item > 1 {
			gpu.Store(&slot[gpu.AtomicAdd(&tail[0], 1)], item-1)
		}
	}
}

// OtherSide waits on one side of a branch for what the other side does.
func OtherSide(t gpu.Thread, flag []uint32) {
	if t.Lane() < 16 {
		gpu.Store(&flag[0], 1)
	} else {
		for gpu.Load(&flag[0]) == 0 {
		}
	}
}
