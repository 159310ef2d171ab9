//go:build !kernel

package atos

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// newQueue returns an empty queue for some number of tasks with the given number of slots.
func newQueue(tasks, slots int) Queue {
	q := Queue{Requests: make([]uint64, tasks), Vertices: uint32(tasks)}
	q.TaskRing = scheduler.TaskRing{Slots: make([]uint64, slots), Head: new(uint32), Tail: new(uint32), Finished: new(uint32), Done: new(uint32), Voids: make([]uint32, slots)}
	for i := range q.Slots {
		q.Slots[i] = scheduler.NoTask
	}
	return q
}

func TestSlots(t *testing.T) {
	q := newQueue(4, 4)
	require.True(t, q.Put(2, 7))
	require.Equal(t, uint64(2)<<32|7, q.Slots[2])
	require.False(t, q.Put(6, 8), "the slot is taken")
	q.Slots[2] = scheduler.NoTask
	require.True(t, q.Put(6, 8), "the ring wraps around")
	require.Equal(t, uint64(6)<<32|8, q.Slots[2])
}

func TestRequests(t *testing.T) {
	q := newQueue(4, 8)
	q.Requests = make([]uint64, 8) // tasks of two kinds
	require.True(t, q.Asked(3))
	require.False(t, q.Asked(3), "it is in the ring")
	require.True(t, q.Asked(3|Second), "a task of the other kind")
	seen := q.Requests[3]
	require.Equal(t, uint64(2), seen)
	require.False(t, q.Asked(3))
	require.False(t, q.completed(3, seen), "there was a request in between")
	require.Equal(t, uint64(1)<<32|3, q.Requests[3], "it was visited once")
	require.True(t, q.completed(3, q.Requests[3]))
	require.Equal(t, uint64(2)<<32, q.Requests[3])
	require.True(t, q.Asked(3))
	require.Equal(t, uint64(1), q.Requests[7])
}

// tree is an application for tests: the arcs of a vertex lead to its children in a binary
// tree, and each visit adds them as tasks. Each vertex must be visited as often as it was
// added.
type tree[M scheduler.Mapping] struct {
	relax[kernels.BFS, M, uint32]
	visits []uint32
	limit  uint32
	step   uint32 // arc e leads to vertex e + step
}

func newTree[M scheduler.Mapping](q Queue, row []uint32, step uint32) tree[M] {
	n := len(row) - 1
	a := tree[M]{visits: make([]uint32, n), limit: uint32(n), step: step}
	a.vertices = vertices{Queue: q, g: scheduler.Graph{Row: row}}
	a.values = make([]uint32, n)
	return a
}

func (a tree[M]) Run(t gpu.Thread, w scheduler.Worker[uint32], n uint32, it Item[uint32], has bool) uint32 {
	if has {
		gpu.AtomicAdd(&a.visits[it.Task], 1)
	}
	return arcs[uint32, M](t, w, n, it, has, func(uint32) {}, func(_, arc uint32) {
		if v := arc + a.step; v < a.limit {
			w.Ask(v)
		}
	}, func() { scheduler.MakeRoom[tree[M], M, uint32, Item[uint32]](t, a, a.TaskRing, w) })
}

// work runs a tree, and returns what its workers did.
func work[M scheduler.Mapping](t *testing.T, a tree[M], blocks, block, shared int, fetch uint32) Done {
	done := make(Done, scheduler.TaskSums)
	err := gpu.Launch(blocks, block, func(t gpu.Thread) {
		shape := scheduler.TaskShape{Fetch: fetch}
		w, _ := scheduler.OpenWorker[uint32, M, uint32](t, shape, 1, false)
		persist[tree[M], uint32, M](t, a, a.Queue, w, shape, done, History{})
	}, gpu.DynamicSharedBytes(shared))
	require.NoError(t, err)
	return done
}

// TestRing runs workers on a ring that is smaller than it has to be, so that it wraps around
// many times, and idle workers hold more tickets than there are slots.
func TestRing(t *testing.T) {
	t.Run("block", func(t *testing.T) { ring[scheduler.BlockPerVertex](t, 1, 64, 64) })
	t.Run("blocks that fetch 3", func(t *testing.T) { ring[scheduler.BlockPerVertex](t, 3, 64, 3) })
	t.Run("warps", func(t *testing.T) { ring[scheduler.WarpPerVertex](t, 3, 64, 32) })
	t.Run("warps that fetch 1", func(t *testing.T) { ring[scheduler.WarpPerVertex](t, 3, 64, 1) })
	t.Run("threads", func(t *testing.T) { ring[scheduler.ThreadPerVertex](t, 2, 64, 1) })
}

func ring[M scheduler.Mapping](t *testing.T, blocks, block int, fetch uint32) {
	const n = 1000 // vertices; half of them can be in the queue
	row := make([]uint32, n+1)
	for v := range row {
		row[v] = 2 * uint32(v) // arc 2v leads to 2v+1, arc 2v+1 to 2v+2
	}
	for _, slots := range []int{512, 2048} {
		q := newQueue(n, slots)
		q.Slots[0], *q.Tail, q.Requests[0] = entry(0, 0), 1, 1
		app := newTree[M](q, row, 1)
		done := work(t, app, blocks, block, block*(8+12+16+8*scheduler.TaskRoom)+64, fetch)
		for v, visits := range app.visits {
			require.Equal(t, uint32(1), visits, "vertex %d", v)
		}
		require.Equal(t, Done{n, 2 * n, n, 1}, done)
		require.Equal(t, *q.Tail, *q.Finished)
		for i, e := range q.Slots {
			require.Equal(t, scheduler.NoTask, e, "slot %d", i)
		}
	}
}

// TestVoidPositions runs 8 chains of tasks on a ring of 16 slots, which go round many times.
// More positions are void than there are workers, so the run only ends if tickets for them
// are given up.
func TestVoidPositions(t *testing.T) {
	const n, chains, slots = 800, 8, 16
	row := make([]uint32, n+1)
	for v := range row {
		row[v] = uint32(v) // arc v leads to v+chains
	}
	q := newQueue(n, slots)
	for v := range uint32(chains) {
		q.Slots[v], q.Requests[v] = entry(v, v), 1
	}
	*q.Tail = chains
	// Positions 8 to 15 were void, 3 times over: their tickets are all that 24 workers get.
	*q.Tail, *q.Finished, *q.Head = chains+24, 24, chains
	for i := range uint32(24) {
		q.Voids[(chains+i)%slots]++
	}
	*q.Head = 0
	done := work(t, newTree[scheduler.WarpPerVertex](q, row, chains), 4, 64, 8192, 1)
	require.Equal(t, Done{n, n, n, 1}, done)
	require.Equal(t, *q.Tail, *q.Finished)
}

// TestWrappedCounters runs with positions that pass the largest 32-bit number.
func TestWrappedCounters(t *testing.T) {
	const n = 100
	q := newQueue(n, 256)
	first := ^uint32(0) - 20
	*q.Head, *q.Tail, *q.Finished = first, first+1, first
	*q.Slot(first), q.Requests[0] = entry(first, 0), 1
	row := make([]uint32, n+1)
	for v := range row {
		row[v] = 2 * uint32(v)
	}
	done := work(t, newTree[scheduler.WarpPerVertex](q, row, 1), 2, 64, 8192, 4)
	require.Equal(t, uint64(n), done[scheduler.TaskVisits])
	require.Less(t, *q.Tail, first)
}
