// Package fans has tasks of 4 to 16 bytes for the tests of RunTasks. Task i of n adds tasks
// Fan*i+1 to Fan*i+Fan, as far as they are below n, so that each task runs once.
package fans

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Wide8, Wide12 and Wide16 are tasks of 8, 12 and 16 bytes. Check must be ^ID, and the others
// 3 and 5 times that.
type (
	Wide8  struct{ ID, Check uint32 }
	Wide12 struct{ ID, Check, Three uint32 }
	Wide16 struct{ ID, Check, Three, Five uint32 }
)

// Shared is what tasks share: how often each ran, what its units of work added, and how often f2 was called.
type Shared struct {
	N, Fan, Units uint32
	Runs, Sums    []uint32
	Idles         *uint32
}

// run runs task i; sums are added by all threads of the worker.
func run[T any](t gpu.Thread, a Shared, w scheduler.Worker[T], task T, has bool, id func(T) uint32, of func(i uint32) T) {
	units := uint32(0)
	if has {
		i := id(task)
		gpu.AtomicAdd(&a.Runs[i], 1)
		units = a.Units * (i % 3)
		for k := range a.Fan {
			if next := a.Fan*i + 1 + k; next < a.N {
				w.Add(of(next))
			}
		}
	}
	if a.Units > 0 {
		w.Share(t, task, units, func(task T, unit uint32) { gpu.AtomicAdd(&a.Sums[id(task)], unit+1) })
	}
}

// Words is the application for tasks of one word.
type Words struct{ Shared }

func (a Words) Run(t gpu.Thread, w scheduler.Worker[uint32], task uint32, has bool) {
	run(t, a.Shared, w, task, has, func(x uint32) uint32 { return x }, func(i uint32) uint32 { return i })
}

func (a Words) Idle(t gpu.Thread, w scheduler.Worker[uint32]) { gpu.AtomicAdd(a.Idles, 1) }

// Pairs is the application for tasks of 8 bytes.
type Pairs struct {
	scheduler.NoIdle[Wide8]
	Shared
}

func (a Pairs) Run(t gpu.Thread, w scheduler.Worker[Wide8], task Wide8, has bool) {
	run(t, a.Shared, w, task, has, func(x Wide8) uint32 { return whole(x.ID, x.ID == ^x.Check) }, func(i uint32) Wide8 { return Wide8{i, ^i} })
}

// Triples is the application for tasks of 12 bytes.
type Triples struct {
	scheduler.NoIdle[Wide12]
	Shared
}

func (a Triples) Run(t gpu.Thread, w scheduler.Worker[Wide12], task Wide12, has bool) {
	run(t, a.Shared, w, task, has, func(x Wide12) uint32 { return whole(x.ID, x.ID == ^x.Check && x.Three == 3*x.Check) },
		func(i uint32) Wide12 { return Wide12{i, ^i, 3 * ^i} })
}

// Quads is the application for tasks of 16 bytes.
type Quads struct {
	scheduler.NoIdle[Wide16]
	Shared
}

func (a Quads) Run(t gpu.Thread, w scheduler.Worker[Wide16], task Wide16, has bool) {
	run(t, a.Shared, w, task, has, func(x Wide16) uint32 {
		return whole(x.ID, x.ID == ^x.Check && x.Three == 3*x.Check && x.Five == 5*x.Check)
	}, func(i uint32) Wide16 { return Wide16{i, ^i, 3 * ^i, 5 * ^i} })
}

// whole returns the number of a task whose words belong together.
func whole(id uint32, same bool) uint32 {
	if !same {
		panic("the words of a task are of two tasks")
	}
	return id
}

// Stops stops the run at task N.
type Stops struct {
	scheduler.NoIdle[uint32]
	N uint32
}

func (a Stops) Run(t gpu.Thread, w scheduler.Worker[uint32], task uint32, has bool) {
	switch {
	case !has:
	case task >= a.N:
		w.Stop()
	default:
		w.Add(task + 1)
	}
}

// Ever adds two tasks for each, so that every queue becomes full.
type Ever struct {
	scheduler.NoIdle[uint32]
}

func (Ever) Run(t gpu.Thread, w scheduler.Worker[uint32], task uint32, has bool) {
	if has {
		w.Add(task + 1)
		w.Add(task + 1)
	}
}

// Batches notes how workers divide the tasks among them.
type Batches struct {
	scheduler.NoIdle[uint32]
	Sizes []uint32 // for each number of tasks, how many batches had it
	By    []uint32 // for each task, the worker that ran it
	Long  uint32   // nanoseconds that a batch takes at least
}

func (a Batches) Run(t gpu.Thread, w scheduler.Worker[uint32], task uint32, has bool) {
	n := uint32(0)
	switch w.Size {
	case 1:
		n = scheduler.TaskTally[scheduler.ThreadPerVertex](t, has)
	case gpu.WarpSize:
		n = scheduler.TaskTally[scheduler.WarpPerVertex](t, has)
	default:
		n = scheduler.TaskTally[scheduler.BlockPerVertex](t, has)
	}
	if has {
		a.By[task] = w.Number
	}
	if w.Index == 0 {
		gpu.AtomicAdd(&a.Sizes[n], 1)
	}
	t.Sleep(a.Long)
}
