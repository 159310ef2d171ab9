package atos

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Ending finds out that all GPUs of a group have nothing left to do, by counting in two waves (Mattern, "Algorithms for Distributed
// Termination Detection", Distributed Computing 2, 1987: the four-counter method).
//
// Each GPU counts tasks that were begun, the Tail of its ring, and tasks that are finished. A task that is sent was begun by the sender and is finished
// by the receiver, after this has added what follows ([scheduler.TaskShareApp]), so that a task under way counts as begun. Both counts only grow.
//
// GPU 0 decides. The others tell it both counts whenever they have nothing to do and one has changed. If in sum as many are finished
// as were begun, that proves nothing: the counts are of different times, and a GPU may have begun a task after it told. GPU 0 then keeps the sum of what is
// finished, and asks for the counts once more. If the sum of what was begun is now what it kept, the run is over.
//
//   - It is not over too early. Let S be the tasks that the kept sum counts. Each was begun, and began what follows from it, before it was finished, and that
//     came before the question. So the second sum counts S, the first tasks of the run, and what followed from those in S, each once. If it is no larger than
//     S, there is nothing else: all tasks of the run are finished.
//   - It is over some time. When all is done, each GPU tells its last counts, whose sums are equal, and the next answers say the same.
//
// GPU 0 asks only when the sum has changed, so that GPUs which wait for something that never comes are quiet, and are found out as a hang.
type Ending struct {
	GPU uint32 // the number of the own GPU
	// Asked is, in the memory of the own GPU, how often GPU 0 has asked, or over.
	Asked *uint32
	// Told and Answered have a word for each GPU, in the memory of GPU 0: what it told last, finished<<32 | begun, and how often it had been asked then.
	Told     []uint64
	Answered []uint32
	// Kept has words of the own GPU. For GPU 0: the sum that it keeps, and how often it has asked. For others: what it told last, and how often it had been
	// asked then.
	Kept []uint64
	// Peers are the Asked of the other GPUs; GPU 0 alone has them.
	Peers [scheduler.MostPeers][]uint32
}

// over is the value of Asked at the end.
const over = ^uint32(0)

// Look decides on GPU 0, and answers on others. One thread of a GPU calls it.
func (e *Ending) Look(r scheduler.TaskRing) {
	if e.GPU == 0 {
		e.decide(r)
	} else {
		e.answer(r)
	}
}

// answer tells GPU 0 the counts if they have changed, or if it has asked.
func (e *Ending) answer(r scheduler.TaskRing) {
	asked := gpu.LoadAcquire(e.Asked, gpu.SystemScope)
	if asked == over {
		gpu.Store(r.Done, scheduler.TasksDone)
		return
	}
	counts := uint64(gpu.Load(r.Finished))<<32 | uint64(gpu.Load(r.Tail))
	if counts != e.Kept[0] || uint64(asked) != e.Kept[1] {
		e.Kept[0], e.Kept[1] = counts, uint64(asked)
		gpu.Fence(gpu.SystemScope) // what the finished tasks did comes before the answer
		gpu.Store(&e.Told[e.GPU], counts, gpu.SystemScope)
		gpu.StoreRelease(&e.Answered[e.GPU], asked, gpu.SystemScope)
	}
}

// decide ends the run or asks, if all have answered.
func (e *Ending) decide(r scheduler.TaskRing) {
	asked := uint32(e.Kept[1])
	finished, begun := gpu.Load(r.Finished), gpu.Load(r.Tail)
	all := true
	for i := uint32(1); i < gpu.Len(e.Answered); i++ {
		all = all && gpu.Load(&e.Answered[i], gpu.SystemScope) == asked
	}
	if !all {
		return
	}
	gpu.Fence(gpu.SystemScope) // acquires the answers
	for i := uint32(1); i < gpu.Len(e.Told); i++ {
		counts := gpu.Load(&e.Told[i], gpu.SystemScope)
		finished, begun = finished+uint32(counts>>32), begun+uint32(counts)
	}
	switch {
	case asked > 0 && begun == uint32(e.Kept[0]):
		e.ask(over)
		gpu.Store(r.Done, scheduler.TasksDone)
	case finished == begun && (asked == 0 || finished != uint32(e.Kept[0])):
		e.Kept[0], e.Kept[1] = uint64(finished), uint64(asked+1)
		e.ask(asked + 1)
	}
}

// ask stores the same word on all other GPUs.
func (e *Ending) ask(word uint32) {
	gpu.Fence(gpu.SystemScope) // what GPU 0 knows of the counts comes before the question
	for i := range scheduler.MostPeers {
		if gpu.Len(e.Peers[i]) > 0 {
			gpu.Store(&e.Peers[i][0], word, gpu.SystemScope)
		}
	}
}
