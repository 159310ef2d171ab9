//go:build !kernel

package atos

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// QueueArg is a Queue as a launch argument.
type QueueArg struct {
	scheduler.TaskRingArg
	Requests device.Buffer
	Vertices uint32
}

// EachQueueArg is an EachQueue as a launch argument.
type EachQueueArg struct {
	scheduler.TaskQueueArg
	Visits device.Buffer
}

// CircleArg is a Circle as a launch argument.
type CircleArg struct {
	Size uint32
	Next device.Buffer
}

// newLayout returns the layout that the parameters describe.
func newLayout(a scheduler.Type, p scheduler.Values) (scheduler.TaskLayout, error) {
	arrays := RelaxArrays
	if a.Speculates() {
		arrays = ColourArrays
	}
	l, err := scheduler.NewTaskLayout(p.Word("worker"), p.Int("block"), p.Int("fetch"), p.Int("sleep"), 4, arrays, !p.Bool("merge"))
	if err != nil {
		err = &scheduler.ParamError{Scheme: "atos", Param: "fetch", Err: err}
	}
	return l, err
}

// loop is a run.
type loop struct {
	*scheduler.Loop
	scheduler.TaskLayout
	g scheduler.GraphArg
	q QueueArg
	// tasksOf are the tasks of the slots without merging.
	tasksOf device.Buffer
	done    device.Buffer
	sums    [scheduler.TaskSums]uint64 // what done held after the last launch
	tasks   [1]uint32                  // the tail of the queue
	h       HistoryArg
}

// maxVertices is the largest number of vertices: a task has 31 bits for the vertex, and the
// ring has two slots for each task, rounded up to a power of two, with positions of 32 bits.
const maxVertices = 1 << 28

// run adds the first tasks and launches the kernels that process them.
func run(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	if err := takes(j.Algorithm, j.Params); err != nil {
		return nil, err
	}
	if n := j.Graph.Vertices(); n > maxVertices {
		return nil, fmt.Errorf("graph %s has %d vertices; the queue of scheduler atos is for at most %d", j.Graph.Name, n, maxVertices)
	}
	if j.Params.Word("kernel") == bspKernel {
		return runBSP(ctx, j)
	}
	if group := device.Alone(j.Device); group.GPUs() > 1 {
		return runGroup(ctx, j, group)
	}
	base, err := scheduler.Begin(j)
	if err != nil {
		return nil, err
	}
	l := &loop{Loop: base}
	if l.TaskLayout, err = newLayout(j.Algorithm, j.Params); err == nil {
		err = l.place()
	}
	if err == nil {
		err = l.first(ctx)
	}
	switch {
	case err != nil || l.tasks[0] == 0:
	case j.Params.Word("kernel") == discreteKernel:
		err = l.discrete(ctx)
	default:
		err = l.persistent(ctx)
	}
	var series []scheduler.Series
	if err == nil {
		err = l.full()
	}
	if err == nil {
		series, err = l.series()
	}
	out, err := l.Finish(err)
	out.Series = series
	out.Rounds = int(l.sums[scheduler.TaskMost])
	return out, err
}

// place copies the graph and allocates the queue.
func (l *loop) place() error {
	l.g = l.Memory.Graph(l.Graph)
	l.Values = l.AllocValues()
	tasks := l.Vertices()
	if l.Algorithm.Speculates() {
		tasks *= 2
	}
	slots := 2 * tasks
	if !l.merges() {
		if slots = l.Params.Int("slots"); slots == 0 {
			slots = 2*tasks + int(min(l.Graph.Arcs(), maxVertices))
		}
	}
	if err := l.queue(tasks, slots); err != nil {
		return err
	}
	if err := l.history(); err != nil {
		return err
	}
	return l.Place()
}

// merges reports whether requests for a task that waits are merged.
func (l *loop) merges() bool { return l.Params.Bool("merge") }

// queue allocates an empty queue for some number of different tasks, with at least room slots.
func (l *loop) queue(tasks, room int) (err error) {
	if l.q, err = allocQueue(l.Memory, l.Device, l.Vertices(), tasks, room); err != nil {
		return err
	}
	if !l.merges() {
		l.tasksOf = l.Memory.Alloc("queue.Tasks", device.U32, l.q.Slots.Len)
	}
	l.done, err = allocSums(l.Memory, l.Device)
	return err
}

// allocQueue allocates an empty queue for the tasks of vertices on a GPU.
func allocQueue(m *scheduler.Memory, d device.Device, vertices, tasks, room int) (QueueArg, error) {
	zero := []uint32{0}
	slots := slices.Repeat([]uint64{scheduler.NoTask}, 1<<bits.Len(uint(room-1)))
	q := QueueArg{Vertices: uint32(vertices)}
	q.Slots, q.Requests = m.Alloc("queue.Slots", device.U64, len(slots)), m.Alloc("queue.Requests", device.U64, tasks)
	q.Head, q.Tail = m.Copy("queue.Head", zero), m.Copy("queue.Tail", zero)
	q.Finished, q.Done = m.Copy("queue.Finished", zero), m.Copy("queue.Done", zero)
	q.Voids = m.Copy("queue.Voids", make([]uint32, len(slots)))
	if err := m.Err(); err != nil {
		return q, err
	}
	return q, d.Write(q.Slots, slots)
}

// allocSums allocates what the workers of a GPU do, which is nothing yet.
func allocSums(m *scheduler.Memory, d device.Device) (device.Buffer, error) {
	done := m.Alloc("done", device.U64, scheduler.TaskSums)
	if err := m.Err(); err != nil {
		return done, err
	}
	return done, d.Write(done, make([]uint64, scheduler.TaskSums))
}

// arg returns the queue as an argument of the kernels.
func (l *loop) arg() any {
	if l.merges() {
		return l.q
	}
	return EachQueueArg{scheduler.TaskQueueArg{TaskRingArg: l.q.TaskRingArg, Tasks: l.tasksOf}, l.q.Requests}
}

// full returns an error if a task found no slot.
func (l *loop) full() error {
	if l.merges() {
		return nil
	}
	var done [1]uint32
	err := l.Device.Read(l.q.Done, done[:])
	if err == nil && done[0] == scheduler.TasksFull {
		err = &scheduler.ParamError{Scheme: "atos", Param: "slots", Err: fmt.Errorf("the queue is full: more than %d tasks wait; set more slots, or merge=true", l.q.Slots.Len)}
	}
	return err
}

// first launches Init.
func (l *loop) first(ctx context.Context) error {
	k, err := l.Kernels.Kernel(ctx, initEntry(l.Algorithm, l.merges()).Name, nil)
	if err != nil {
		return err
	}
	n := l.Vertices()
	grid, err := l.Grid(k, l.Block, scheduler.OneThread, n)
	if err != nil {
		return err
	}
	problem := scheduler.Problem{Source: l.Source, Vertices: uint32(n)}
	rep, err := l.LaunchRead(ctx, device.Launch{Kernel: k, Grid: grid, Block: l.Block,
		Args: []any{l.Instance.Arg, l.g, problem, l.Values, l.arg()}}, device.Answer{Buffer: l.q.Tail, To: l.tasks[:]})
	l.Record(k, rep, scheduler.Step{Setup: true})
	return err
}

// persistent launches the persistent kernel.
func (l *loop) persistent(ctx context.Context) error {
	entry := persistentEntry(l.Algorithm, l.TaskLayout, l.merges())
	args := []any{l.Instance.Arg, l.g, l.Values, l.arg(), l.Shape, l.done, l.h}
	if size := checkSize(l.Algorithm, l.Params); size > 0 {
		entry = scanEntry(l.Algorithm, l.TaskLayout)
		args = append(args, CircleArg{uint32(size), l.Memory.Copy("circle.Next", []uint32{0})})
	}
	k, err := l.Kernels.Kernel(ctx, entry.Name, nil)
	if err = errors.Join(err, l.Memory.Err()); err != nil {
		return err
	}
	// More blocks than are resident would only start after the run has ended.
	grid := l.Params.Int("blocks")
	if grid == 0 {
		if grid, err = l.Blocks(l.Device, k); err != nil {
			return err
		}
	}
	rep, err := l.LaunchRead(ctx, device.Launch{Kernel: k, Grid: grid, Block: l.Block, DynamicShared: l.Shared,
		Args: args}, device.Answer{Buffer: l.done, To: l.sums[:]})
	l.Record(k, rep, scheduler.Step{Numbers: l.numbers(float64(l.sums[scheduler.TaskVisits]))})
	return err
}

// numbers returns the quantities of the last step, which had some number of visits.
func (l *loop) numbers(visits float64) []scheduler.Number { return numbers(l.sums, visits) }

// numbers returns the quantities of the last step of a run that did so much.
func numbers(sums [scheduler.TaskSums]uint64, visits float64) []scheduler.Number {
	tasks, arcs, distinct := float64(sums[scheduler.TaskVisits]), float64(sums[scheduler.TaskWork]), float64(sums[scheduler.TaskDistinct])
	return []scheduler.Number{
		{Name: visitCount, Value: visits}, {Name: arcCount, Value: arcs}, {Name: least, Value: distinct},
		{Name: overwork, Value: tasks / max(distinct, 1)},
	}
}
