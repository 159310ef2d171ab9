//go:build !kernel

package atos

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// newQueue returns an empty queue for some number of tasks with the given number of slots.
func newQueue(tasks, slots int) Queue {
	q := Queue{Slots: make([]uint64, slots), Head: new(uint32), Tail: new(uint32), Finished: new(uint32), Done: new(uint32),
		Requests: make([]uint64, tasks), Voids: make([]uint32, slots), Vertices: uint32(tasks)}
	for i := range q.Slots {
		q.Slots[i] = Empty
	}
	return q
}

func TestSlots(t *testing.T) {
	q := newQueue(4, 4)
	*q.Tail = 3
	require.Zero(t, q.put(2, 7))
	require.Equal(t, uint64(2)<<32|7, q.Slots[2])
	require.Equal(t, uint32(1), q.put(2, 8), "the slot is taken, so position 2 is void")
	require.Equal(t, uint64(3)<<32|8, q.Slots[3])
	require.Equal(t, uint32(4), *q.Tail)

	require.False(t, q.giveUp(3))
	require.True(t, q.giveUp(6), "a ticket for the slot of position 2")
	require.False(t, q.giveUp(2), "one ticket only")

	e := q.Slots[2]
	require.True(t, q.take(q.slot(2), e))
	require.Equal(t, Empty, q.Slots[2])
	require.False(t, q.take(q.slot(2), e), "somebody else took it")

	*q.Tail = 5
	require.Zero(t, q.put(4, 9), "the ring wraps around")
	require.Equal(t, uint64(4)<<32|9, q.Slots[0])
}

func TestRequests(t *testing.T) {
	q := newQueue(4, 8)
	q.Requests = make([]uint64, 8) // tasks of two kinds
	require.True(t, q.asked(3))
	require.False(t, q.asked(3), "it is in the ring")
	require.True(t, q.asked(3|Second), "a task of the other kind")
	seen := q.Requests[3]
	require.Equal(t, uint64(2), seen)
	require.False(t, q.asked(3))
	require.False(t, q.completed(3, seen), "there was a request in between")
	require.Equal(t, uint64(1)<<32|3, q.Requests[3], "it was visited once")
	require.True(t, q.completed(3, q.Requests[3]))
	require.Equal(t, uint64(2)<<32, q.Requests[3])
	require.True(t, q.asked(3))
	require.Equal(t, uint64(1), q.Requests[7])
}

func TestFinish(t *testing.T) {
	q := newQueue(4, 8)
	*q.Tail = 3
	require.False(t, q.finish(2), "a task is in flight")
	require.True(t, q.finish(1))
}

// tree is an application for tests: the arcs of a vertex lead to its children in a binary
// tree, and each visit adds them as tasks. Each vertex must be visited as often as it was
// added.
type tree[M scheduler.Mapping] struct {
	q      Queue
	visits []uint32
	limit  uint32
}

func (a tree[M]) Peek(task uint32, v scheduler.Vertex) uint32 { return gpu.Load(&a.visits[task]) }

func (a tree[M]) Run(t gpu.Thread, w worker, n uint32, it Item[uint32]) uint32 {
	if it.Any {
		gpu.AtomicAdd(&a.visits[it.Task], 1)
	}
	return arcs[uint32, M](t, w, n, it, func(uint32) {}, func(_, arc uint32) {
		if v := arc + 1; v < a.limit {
			w.add(v)
		}
	}, func() { makeRoom[M](t, w, a.q) })
}

func (a tree[M]) Idle(t gpu.Thread, w worker) {}

func (a tree[M]) Sweeps() bool { return false }

func (a tree[M]) Last(t gpu.Thread, w worker) bool { return false }

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
		done := make(Done, Dones)
		app := tree[M]{q, make([]uint32, n), n}
		shared := block*(8+12+16+8*perThread) + 64
		err := gpu.Launch(blocks, block, func(t gpu.Thread) {
			w, _ := open[uint32, M](t, Shape{Fetch: fetch}, 1)
			persistent[tree[M], uint32, M](t, app, scheduler.Graph{Row: row}, q, w, 0, done, History{})
		}, gpu.DynamicSharedBytes(shared))
		require.NoError(t, err)
		for v, visits := range app.visits {
			require.Equal(t, uint32(1), visits, "vertex %d", v)
		}
		require.Equal(t, Done{n, 2 * n, n, 1}, done)
		require.Equal(t, *q.Tail, *q.Finished)
		for i, e := range q.Slots {
			require.Equal(t, Empty, e, "slot %d", i)
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
	app := chain[scheduler.WarpPerVertex]{tree[scheduler.WarpPerVertex]{q, make([]uint32, n), n}}
	done := make(Done, Dones)
	err := gpu.Launch(4, 64, func(t gpu.Thread) {
		w, _ := open[uint32, scheduler.WarpPerVertex](t, Shape{Fetch: 1}, 1)
		persistent[chain[scheduler.WarpPerVertex], uint32, scheduler.WarpPerVertex](t, app, scheduler.Graph{Row: row}, q, w, 0, done, History{})
	}, gpu.DynamicSharedBytes(8192))
	require.NoError(t, err)
	require.Equal(t, Done{n, n, n, 1}, done)
	require.Equal(t, *q.Tail, *q.Finished)
}

// chain is tree for arcs that lead 8 vertices further.
type chain[M scheduler.Mapping] struct{ tree[M] }

func (a chain[M]) Run(t gpu.Thread, w worker, n uint32, it Item[uint32]) uint32 {
	return arcs[uint32, M](t, w, n, it, func(uint32) {}, func(_, arc uint32) {
		if v := arc + 8; v < a.limit {
			w.add(v)
		}
	}, func() { makeRoom[M](t, w, a.q) })
}

// TestWrappedCounters runs with positions that pass the largest 32-bit number.
func TestWrappedCounters(t *testing.T) {
	const n = 100
	q := newQueue(n, 256)
	first := ^uint32(0) - 20
	*q.Head, *q.Tail, *q.Finished = first, first+1, first
	*q.slot(first), q.Requests[0] = entry(first, 0), 1
	row := make([]uint32, n+1)
	for v := range row {
		row[v] = 2 * uint32(v)
	}
	app := tree[scheduler.WarpPerVertex]{q, make([]uint32, n), n}
	done := make(Done, Dones)
	err := gpu.Launch(2, 64, func(t gpu.Thread) {
		w, _ := open[uint32, scheduler.WarpPerVertex](t, Shape{Fetch: 4}, 1)
		persistent[tree[scheduler.WarpPerVertex], uint32, scheduler.WarpPerVertex](t, app, scheduler.Graph{Row: row}, q, w, 0, done, History{})
	}, gpu.DynamicSharedBytes(8192))
	require.NoError(t, err)
	require.Equal(t, uint64(n), done[Tasks])
	require.Less(t, *q.Tail, first)
}

// TestSearch checks the load-balancing search against a walk over the degrees.
func TestSearch(t *testing.T) {
	for _, degrees := range [][]uint32{{5}, {0, 3}, {1, 0, 0, 7, 2, 0}, {0, 0, 4, 0, 0, 0, 1}} {
		var sum, owner []uint32
		total := uint32(0)
		for i, d := range degrees {
			total += d
			sum = append(sum, total)
			for range d {
				owner = append(owner, uint32(i))
			}
		}
		for arc, want := range owner {
			require.Equal(t, want, search(sum, 0, uint32(arc)), fmt.Sprint(degrees, arc))
			require.Equal(t, want, search(sum, want, uint32(arc)), "from the right one on")
		}
	}
}

// TestScan checks the prefix sums of workers of each size.
func TestScan(t *testing.T) {
	const block = 96
	warp, whole := make([]uint32, block), make([]uint32, block)
	err := gpu.Launch(1, block, func(t gpu.Thread) {
		warp[t.Idx()] = scan[scheduler.WarpPerVertex](t, t.Idx()%5)
		whole[t.Idx()] = scan[scheduler.BlockPerVertex](t, t.Idx()%5)
	})
	require.NoError(t, err)
	sum, part := uint32(0), uint32(0)
	for i := range uint32(block) {
		if i%32 == 0 {
			part = 0
		}
		sum, part = sum+i%5, part+i%5
		require.Equal(t, part, warp[i])
		require.Equal(t, sum, whole[i])
	}
}
