package scheduler

import "github.com/weft-gpu/weft/gpu"

// TaskShareApp is a [TaskApp] on one of several GPUs, each of which has a share of the tasks and a TaskRing for it. A task of another GPU
// may be in the ring, too: its worker sends it to that GPU instead of finishing it.
//
// # What is finished, and by whom
//
// A task that is sent counts as begun in the ring of the sender, and as finished in that of the GPU that takes it, when this has added what
// follows. So the rule of one ring holds for the sums over all GPUs: if what is finished, summed up first, equals what was begun, summed
// up afterwards, then nothing is left, neither in a ring nor under way. Of one ring alone it does not hold.
type TaskShareApp[T, I any] interface {
	TaskApp[T, I]
	// Away reports whether a task that was taken from the ring is one of another GPU.
	Away(it I) bool
	// Send sends such a task. It returns false if there is no room for it now. Way returns a number of the way that it takes, and Room reports whether a way has
	// room for a task.
	Send(t gpu.Thread, it I) bool
	Way(t gpu.Thread, it I) uint32
	Room(way uint32) bool
	// Boxes returns the number of boxes into which other GPUs put tasks for this one. Filled reports whether there is one in a box. Receive takes some out of
	// it, asks for what follows from them, at most one task for each thread, and returns their number. The threads of a worker call it together.
	Boxes() uint32
	Filled(box uint32) bool
	Receive(t gpu.Thread, w Worker[T], box uint32) uint32
	// Look looks for the end of the run. One thread of each GPU calls it whenever its worker has nothing to do.
	Look()
}

// PersistShare is [Persist] on one of several GPUs: a worker also takes what other GPUs send. The run ends when Look sets Done.
func PersistShare[P TaskShareApp[T, I], M Mapping, T, I any](t gpu.Thread, app P, r TaskRing, w Worker[T], sleep uint32) TaskTotals {
	var total TaskTotals
	box := w.Number % app.Boxes()      // the first one that the worker looks into
	base, held := uint32(0), uint32(0) // as in Persist
	left := uint32(0)
	waits := false
	for polls, ended := uint32(0), false; !ended; polls = (polls + 1) % 8 {
		if left == 0 {
			base, held = tickets[M](t, w, r)
			left, waits = held, w.Index < held
		}
		var it I
		has := false
		if waits {
			it, has = app.Pop(base + w.Index)
			waits = !has
		}
		n := TaskTally[M](t, has)
		if n > 0 {
			left -= n
			sent := sendAway[P, M, T, I](t, app, r, w, it, held, has)
			total.Work += uint64(app.Run(t, w, held, it, has))
			complete[P, M, T, I](t, app, r, w, it, has, &total)
			app.Ran(t, w, it, has)
			finishShare(r, w, n-sent)
		}
		receive[P, M, T, I](t, app, r, w, box, w.Workers)
		if n == 0 {
			app.Idle(t, w)
			nap[P, M, T, I](t, app, r, w, base, held, waits, box, sleep)
			if polls == 0 {
				ended = TaskTally[M](t, gpu.Load(r.Done) != 0) > 0
				void := waits && r.GiveUp(base+w.Index)
				waits = waits && !void
				left -= TaskTally[M](t, void)
			}
		}
	}
	return total
}

// nap waits until a worker may have something to do. One thread looks for all of them, while the others of a block wait at a barrier. A worker of one thread
// does not wait: the other lanes of its warp may have what it would wait for. In the same way the threads of crowded wait.
func nap[P TaskShareApp[T, I], M Mapping, T, I any](t gpu.Thread, app P, r TaskRing, w Worker[T], base, held uint32, waits bool, box, sleep uint32) {
	look := func() bool {
		if w.Number == 0 && w.Index == 0 {
			app.Look()
		}
		found := gpu.Load(r.Done) != 0
		for i := uint32(0); i < held; i++ {
			found = found || w.sum[i] > 0 && (gpu.Load(r.Slot(base+i)) != NoTask || gpu.Load(&r.Voids[r.index(base+i)]) > 0)
		}
		return found || filled[P, T, I](app, box, w.Workers)
	}
	mark := uint32(0)
	if waits {
		mark = 1
	}
	waitFor[M](t, w, held, mark, sleep, look)
}

// crowded waits until there may be room for one of the tasks of a batch that are left to send, or there is something in a box.
func crowded[P TaskShareApp[T, I], M Mapping, T, I any](t gpu.Thread, app P, w Worker[T], it I, held uint32, away bool) {
	mark := uint32(0)
	if away {
		mark = app.Way(t, it) + 1
	}
	waitFor[M](t, w, held, mark, 0, func() bool {
		found, last := false, uint32(0)
		for i := uint32(0); i < held; i++ {
			if way := w.sum[i]; way != last { // 0 is none, and neighbors mostly have the same one
				found = found || way > 0 && app.Room(way-1)
				last = way
			}
		}
		return found || filled[P, T, I](app, 0, 1)
	})
}

// waitFor waits until look returns true, which one thread of the worker calls. Before, sum has the marks of the threads that may have a task: no batch is being
// processed.
func waitFor[M Mapping, T any](t gpu.Thread, w Worker[T], held, mark, sleep uint32, look func() bool) {
	var m M
	if m.Team() == OneThread {
		w.sum[0] = mark
		look()
		if sleep > 0 {
			t.Sleep(sleep)
		}
		return
	}
	if w.Index < held {
		w.sum[w.Index] = mark
	}
	TaskBarrier[M](t)
	Once(t, m, func() uint32 {
		for !look() {
			if sleep > 0 {
				t.Sleep(sleep)
			}
		}
		return 0
	})
	TaskBarrier[M](t) // the next batch overwrites the marks
}

// filled reports whether there is something in one of the boxes from first on, every step-th.
func filled[P TaskShareApp[T, I], T, I any](app P, first, step uint32) (found bool) {
	for box := first; box < app.Boxes(); box += step {
		found = found || app.Filled(box)
	}
	return found
}

// sendAway sends those tasks of a batch that other GPUs have, and returns their number. While there is no room, it takes what the others
// send from all boxes: if all workers of two GPUs waited for room at the other one, and took nothing, they would wait for ever.
func sendAway[P TaskShareApp[T, I], M Mapping, T, I any](t gpu.Thread, app P, r TaskRing, w Worker[T], it I, held uint32, has bool) uint32 {
	away := has && app.Away(it)
	sent := TaskTally[M](t, away)
	for left := sent; left > 0; {
		away = away && !app.Send(t, it)
		if left = TaskTally[M](t, away); left > 0 {
			crowded[P, M, T, I](t, app, w, it, held, away)
			receive[P, M, T, I](t, app, r, w, 0, 1)
		}
	}
	return sent
}

// receive takes tasks from some of the boxes: from first on, every step-th. Boxes are divided among the workers, and if there are more workers than
// boxes, several share one.
func receive[P TaskShareApp[T, I], M Mapping, T, I any](t gpu.Thread, app P, r TaskRing, w Worker[T], first, step uint32) {
	for box := first; box < app.Boxes(); box += step {
		if n := app.Receive(t, w, box); n > 0 {
			Flush[P, M, T, I](t, app, r, w)
			finishShare(r, w, n)
		}
	}
}

// finishShare counts n positions of a worker and its void ones as finished, after what follows from them was added.
func finishShare[T any](r TaskRing, w Worker[T], n uint32) {
	if w.Index > 0 {
		return
	}
	n += w.counts.void
	w.counts.void = 0
	if n > 0 {
		gpu.Fence() // releases what the worker added
		gpu.AtomicAdd(r.Finished, n)
	}
}
