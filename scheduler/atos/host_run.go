//go:build !kernel

package atos

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// QueueArg is a Queue as a launch argument.
type QueueArg struct {
	Slots, Head, Tail, Finished, Done, Requests device.Buffer
	Vertices                                    uint32
}

// loop is a run.
type loop struct {
	*scheduler.Loop
	g     scheduler.GraphArg
	q     QueueArg
	shape Shape
	block int
	done  device.Buffer
	sums  [Dones]uint64 // what done held after the last launch
	tasks [1]uint32     // in the queue at first
}

// maxVertices is the largest number of vertices: a task has 31 bits for the vertex, and the
// ring has two slots for each task, rounded up to a power of two, with positions of 32 bits.
const maxVertices = 1 << 29

// run adds the first tasks and launches the kernel that processes them.
func run(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	if err := checkFetch(j.Params); err != nil {
		return nil, err
	}
	if n := j.Graph.Vertices(); n > maxVertices {
		return nil, fmt.Errorf("graph %s has %d vertices; the queue of scheduler atos is for at most %d", j.Graph.Name, n, maxVertices)
	}
	base, err := scheduler.Begin(j)
	if err != nil {
		return nil, err
	}
	l := &loop{Loop: base, block: j.Params.Int("block")}
	l.shape = Shape{Fetch: uint32(j.Params.Int("fetch")), Sleep: uint32(j.Params.Int("sleep"))}
	if l.shape.Fetch == 0 {
		l.shape.Fetch = uint32(threads(j.Params))
	}
	if err = l.place(); err == nil {
		err = l.first(ctx)
	}
	if err == nil && l.tasks[0] > 0 {
		err = l.persistent(ctx)
	}
	out, err := l.Finish(err)
	out.Rounds = int(l.sums[Most])
	return out, err
}

// place copies the graph and allocates the queue.
func (l *loop) place() error {
	l.g = l.Memory.Graph(l.Graph)
	l.Values = l.AllocValues()
	l.done = l.Memory.Alloc("done", device.U64, Dones)
	if err := l.queue(l.Vertices()); err != nil {
		return err
	}
	return l.Place()
}

// queue allocates an empty queue with room for some number of tasks.
func (l *loop) queue(tasks int) error {
	m, zero := l.Memory, []uint32{0}
	slots := slices.Repeat([]uint64{Empty}, 1<<bits.Len(uint(2*tasks-1)))
	l.q = QueueArg{
		Slots: m.Alloc("queue.Slots", device.U64, len(slots)), Requests: m.Alloc("queue.Requests", device.U64, tasks),
		Head: m.Copy("queue.Head", zero), Tail: m.Copy("queue.Tail", zero),
		Finished: m.Copy("queue.Finished", zero), Done: m.Copy("queue.Done", zero),
		Vertices: uint32(l.Vertices()),
	}
	if err := m.Err(); err != nil {
		return err
	}
	return l.Device.Write(l.q.Slots, slots)
}

// first launches Init.
func (l *loop) first(ctx context.Context) error {
	k, err := l.Kernels.Kernel(ctx, initKernel(l.Algorithm).Name, nil)
	if err != nil {
		return err
	}
	n := l.Vertices()
	grid, err := l.Grid(k, l.block, scheduler.OneThread, n)
	if err != nil {
		return err
	}
	problem := scheduler.Problem{Source: l.Source, Vertices: uint32(n)}
	rep, err := l.LaunchRead(ctx, device.Launch{Kernel: k, Grid: grid, Block: l.block,
		Args: []any{l.Instance.Arg, l.g, problem, l.Values, l.q}}, device.Answer{Buffer: l.q.Tail, To: l.tasks[:]})
	l.Record(k, rep, scheduler.Step{Setup: true})
	return err
}

// persistent launches the persistent kernel.
func (l *loop) persistent(ctx context.Context) error {
	k, err := l.Kernels.Kernel(ctx, relaxKernel(l.Algorithm, l.Params.Word("worker")).Name, nil)
	if err != nil {
		return err
	}
	shared := l.sharedBytes()
	grid, err := l.blocks(k, shared)
	if err != nil {
		return err
	}
	l.sums = [Dones]uint64{}
	rep, err := l.LaunchRead(ctx, device.Launch{Kernel: k, Grid: grid, Block: l.block, DynamicShared: shared,
		Args: []any{l.Instance.Arg, l.g, l.Values, l.q, l.shape, l.done}}, device.Answer{Buffer: l.done, To: l.sums[:], Clear: true})
	l.Record(k, rep, scheduler.Step{Numbers: l.numbers()})
	return err
}

// sharedBytes returns the dynamic shared memory of a block; see open.
func (l *loop) sharedBytes() int {
	workers := l.block / threads(l.Params)
	return workers*int(l.shape.Fetch)*(8+3*4) + workers*16 + 2*perThread*l.block*4
}

// blocks returns the number of blocks of the persistent kernel: those that are resident at
// the same time. More would only start after the run has ended.
func (l *loop) blocks(k *device.Kernel, shared int) (int, error) {
	if n := l.Params.Int("blocks"); n > 0 {
		return n, nil
	}
	occ, err := l.Device.Occupancy(k, l.block)
	if err != nil {
		return 0, err
	}
	perSM := occ.BlocksPerSM
	if shared > occ.SharedFree {
		perSM = perSM * (occ.Shared + occ.SharedFree) / (occ.Shared + shared)
	}
	return max(perSM, 1) * occ.SMs, nil
}

// numbers returns the quantities of the last launch.
func (l *loop) numbers() []scheduler.Number {
	tasks, arcs, distinct := float64(l.sums[Tasks]), float64(l.sums[Arcs]), float64(l.sums[Distinct])
	return []scheduler.Number{
		{Name: visited, Value: tasks}, {Name: arcCount, Value: arcs}, {Name: least, Value: distinct},
		{Name: overwork, Value: tasks / max(distinct, 1)},
	}
}
