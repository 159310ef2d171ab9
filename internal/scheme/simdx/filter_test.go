package simdx

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// TestBallotIsSorted checks the ballot filter: the lists have each marked vertex once, in
// order, in the list of its degree, and a vertex with many arcs in pieces that together are
// its row.
func TestBallotIsSorted(t *testing.T) {
	for _, n := range []uint32{1, 31, 64, 65, 700} {
		for _, grid := range []int{1, 3} {
			row := make([]uint32, n+1)
			for v := range n {
				row[v+1] = row[v] + v*v%23
			}
			m := Memory{Marks: make([]uint32, n), Counts: make([]uint32, sets*setWords), Parts: make([]uint32, partWords*grid*(1+2)), Half: 4 * n,
				Push: Shape{Medium: 4, Large: 9, Split: 8, SmallRoom: n, MediumRoom: n, LargeRoom: 2 * n}}
			m.Lists = make([]uint32, 2*entryWords*m.Half)
			var want [classes][]entry
			arcs := uint32(0)
			for v := range n {
				m.Marks[v] = v % 3
				if v%3 != 2 {
					continue
				}
				e := whole(row, v)
				arcs += e.Degree
				class := m.Push.class(e.Degree)
				for p := range m.Push.pieces(e.Degree) {
					want[class] = append(want[class], m.Push.piece(e, p))
				}
			}
			run := Run{Step: 1, Iteration: 2}
			require.NoError(t, gpu.Launch(grid, 64, func(th gpu.Thread) { Count(th, row, m, run) }))
			require.NoError(t, gpu.Launch(grid, 64, func(th gpu.Thread) { Write(th, row, m, run) }))
			var f frontier
			require.NoError(t, gpu.Launch(1, 1, func(gpu.Thread) { f = m.frontier(1) }))
			require.Equal(t, arcs, f.Arcs)
			for class := range uint32(classes) {
				var got []entry
				for i := range f.of(class) {
					got = append(got, m.lists(1, m.Push).get(class, i))
				}
				require.Equal(t, want[class], got, "list %d of %d vertices, %d blocks", class, n, grid)
			}
			if n == 700 {
				require.Greater(t, len(want[large]), 100)
				require.Equal(t, uint32(18), m.Push.piece(whole(row, 8), 0).Degree, "64 modulo 23")
				require.Equal(t, entry{8, row[8] + 16, row[9], 18}, m.Push.piece(whole(row, 8), 2), "18 arcs in pieces of 8")
			}
		}
	}
}

// TestConcatenation checks that the bins of all threads arrive in the lists, whatever their
// lengths, and that a full bin or list is reported.
func TestConcatenation(t *testing.T) {
	const n, threads = 300, 96
	row := make([]uint32, n+1)
	for v := range uint32(n) {
		row[v+1] = row[v] + v%12
	}
	collect := func(room, size uint32) (got []uint32, overflow bool) {
		m := Memory{Bins: make([]uint32, threads*size), Held: make([]uint32, threads), Marks: make([]uint32, n), Counts: make([]uint32, sets*setWords),
			Half: 3 * room, BinSize: size, Push: Shape{Medium: 4, Large: 9, Split: ^uint32(0), SmallRoom: room, MediumRoom: room, LargeRoom: room}}
		m.Lists = make([]uint32, 2*entryWords*m.Half)
		require.NoError(t, gpu.Launch(3, 32, func(th gpu.Thread) {
			found := open(th, m, true)
			th.Sync()
			found.begin(1, 7, row)
			for v := th.Global() * th.Global(); v < n; v += th.Stride() { // so the first threads find most
				found.activate(v % n)
			}
			found.flush(th)
		}))
		var f frontier
		require.NoError(t, gpu.Launch(1, 1, func(gpu.Thread) { f = m.frontier(1) }))
		for class := range uint32(classes) {
			for i := range min(f.of(class), room) {
				e := m.lists(1, m.Push).get(class, i)
				require.Equal(t, class, m.Push.class(e.Degree))
				require.Equal(t, whole(row, e.Vertex), e)
				got = append(got, e.Vertex)
			}
		}
		overflow = m.Counts[setWords+overflowCount] != 0
		for v := range uint32(n) {
			require.True(t, overflow || slices.Contains(got, v) == (m.Marks[v] == 7))
		}
		return got, overflow
	}
	var want []uint32
	for i := range uint32(threads) {
		for v := i * i; v < n; v += threads {
			want = append(want, v)
		}
	}
	got, overflow := collect(n, 4)
	require.False(t, overflow)
	require.ElementsMatch(t, want, got)
	_, overflow = collect(n, 3)
	require.True(t, overflow, "a bin is full")
	_, overflow = collect(10, 4)
	require.True(t, overflow, "a list is full")
}

// TestFiltersFindTheSameFrontier checks that the ballot, the strided, Khorasani's and the atomic filter make lists with the
// same entries, each once, of random marks, with vertices in pieces; the first two have them in the same order.
func TestFiltersFindTheSameFrontier(t *testing.T) {
	sorted := func(list []entry) []entry {
		return slices.SortedFunc(slices.Values(list), func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.Vertex, b.Vertex), cmp.Compare(a.Begin, b.Begin))
		})
	}
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 7))
		n, grid := 1+r.Uint32N(900), 1+r.IntN(4)
		row, marks := make([]uint32, n+1), make([]uint32, n)
		for v := range n {
			row[v+1] = row[v] + r.Uint32N(30)
			marks[v] = r.Uint32N(3)
		}
		run := Run{Step: 1, Iteration: 2}
		fill := func(kernels ...func(th gpu.Thread, m Memory)) (f frontier, got [classes][]entry) {
			m := Memory{Marks: slices.Clone(marks), Counts: make([]uint32, sets*setWords), Parts: make([]uint32, partWords*(grid+64*grid)), Half: 8 * n,
				Push: Shape{Medium: 4, Large: 9, Split: 8, SmallRoom: n, MediumRoom: n, LargeRoom: 6 * n}}
			m.Lists = make([]uint32, 2*entryWords*m.Half)
			for _, k := range kernels {
				require.NoError(t, gpu.Launch(grid, 64, func(th gpu.Thread) { k(th, m) }))
			}
			require.NoError(t, gpu.Launch(1, 1, func(gpu.Thread) { f = m.frontier(1) }))
			for class := range uint32(classes) {
				for i := range f.of(class) {
					got[class] = append(got[class], m.lists(1, m.Push).get(class, i))
				}
			}
			return f, got
		}
		size, want := fill(func(th gpu.Thread, m Memory) { Count(th, row, m, run) }, func(th gpu.Thread, m Memory) { Write(th, row, m, run) })
		for class := range classes {
			require.Equal(t, sorted(want[class]), want[class], "the ballot filter sorts")
		}
		for name, kernels := range map[string][]func(th gpu.Thread, m Memory){
			"strided":   {func(th gpu.Thread, m Memory) { CountStrided(th, row, m, run) }, func(th gpu.Thread, m Memory) { WriteStrided(th, row, m, run) }},
			"Khorasani": {func(th gpu.Thread, m Memory) { ReserveByVotes(th, row, m, run) }},
			"atomic": {func(th gpu.Thread, m Memory) {
				found := open(th, m, false)
				found.atomic = true
				found.begin(1, 2, row)
				for v := th.Global(); v < n; v += th.Stride() {
					if marks[v] == 2 {
						found.activate(v)
					}
				}
			}},
		} {
			f, got := fill(kernels...)
			require.Equal(t, size, f, "%s, %d vertices", name, n)
			for class := range classes {
				require.Equal(t, want[class], sorted(got[class]), "%s, list %d", name, class)
			}
			if name == "strided" {
				require.Equal(t, want, got, "in order")
			}
		}
	}
}

// giver is an algorithm whose vertices give all that they have, in equal shares. It notes how often each one was asked.
type giver struct {
	scheduler.Add[uint32]
	asked []uint32
}

func (giver) Init(v scheduler.Vertex, in scheduler.Problem) uint32            { return 0 }
func (giver) Start(v scheduler.Vertex, in scheduler.Problem) bool             { return true }
func (giver) Compute(e scheduler.Edge, share uint32) (update uint32, ok bool) { return share, true }
func (giver) Consumes() bool                                                  { return true }
func (a giver) Take(v scheduler.Vertex, p *uint32) uint32 {
	gpu.AtomicAdd(&a.asked[v.ID], 1)
	return gpu.AtomicExch(p, 0) / max(v.Degree, 1)
}

// TestBatchTakesOnce checks an iteration of the batch filter in which Take modifies vertices: it is called once for each vertex
// of the frontier and never for the arcs, each arc carries what its source gave, and the next frontier has each vertex that
// received something once, however many arcs reach it.
func TestBatchTakesOnce(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 3))
		n, grid := 1+r.Uint32N(500), 1+r.IntN(4)
		g := scheduler.Graph{Row: make([]uint32, n+1)}
		marks, values, want, asked := make([]uint32, n), make([]uint32, n), make([]uint32, n), make([]uint32, n)
		for v := range n {
			g.Row[v+1] = g.Row[v] + r.Uint32N(30)
			marks[v] = 1 + r.Uint32N(2)
		}
		g.Col = make([]uint32, g.Row[n])
		for e := range g.Col {
			g.Col[e] = r.Uint32N(n)
		}
		arcs, next := uint32(0), map[uint32]bool{}
		for v := range n {
			degree := g.Row[v+1] - g.Row[v]
			share := r.Uint32N(5)
			values[v] = share * degree
			if marks[v] != 2 {
				want[v] += values[v]
				continue
			}
			asked[v] = 1
			arcs += degree
			for _, to := range g.Col[g.Row[v]:g.Row[v+1]] {
				want[to] += share
				if share > 0 {
					next[to] = true
				}
			}
		}
		m := Memory{Marks: marks, Counts: make([]uint32, sets*setWords), Parts: make([]uint32, partWords*(grid+64*grid)), Edges: make([]uint32, 2*arcs), Half: 3 * n,
			Push: Shape{Medium: 4, Large: 9, Split: ^uint32(0), SmallRoom: n, MediumRoom: n, LargeRoom: n}}
		m.Lists = make([]uint32, 2*entryWords*m.Half)
		a, taken, run, after := giver{asked: make([]uint32, n)}, make([]uint32, n), Run{Step: 1, Iteration: 2}, Run{Step: 2, Iteration: 3}
		for _, kernel := range []func(th gpu.Thread){
			func(th gpu.Thread) { Count(th, g.Row, m, run) },
			func(th gpu.Thread) { Write(th, g.Row, m, run) },
			func(th gpu.Thread) { Expand(th, m, run) },
			func(th gpu.Thread) { Take(th, a, values, taken, m, run) },
			func(th gpu.Thread) { UpdateTaken(th, a, g, values, taken, m, run, arcs) },
			func(th gpu.Thread) { CountEdges(th, g.Row, m, after, arcs) },
			func(th gpu.Thread) { WriteEdges(th, g.Row, m, after, arcs) },
		} {
			require.NoError(t, gpu.Launch(grid, 64, kernel))
		}
		require.Equal(t, asked, a.asked, "%d vertices", n)
		require.Equal(t, want, values, "nothing is given twice, and nothing is lost")
		var f frontier
		require.NoError(t, gpu.Launch(1, 1, func(gpu.Thread) { f = m.frontier(2) }))
		for i := range f.entries() {
			v := m.lists(2, m.Push).at(f, i).Vertex
			require.True(t, next[v], "vertex %d is in the next frontier twice, or has received nothing", v)
			delete(next, v)
		}
		require.Empty(t, next, "they are not in the next frontier")
	}
}

// watcher is an algorithm that notes which thread computes the update of each arc. Each thread has a watcher with its own
// number. No vertex becomes active.
type watcher struct {
	scheduler.Min[uint32]
	thread uint32
	by     []uint32
}

func (watcher) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return 0 }
func (watcher) Start(v scheduler.Vertex, in scheduler.Problem) bool  { return true }
func (w watcher) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
	w.by[e.Index] = w.thread
	return src, true
}

// TestThreadsOfLists checks that a thread, a warp or a block processes the arcs of an entry, depending on its list, in pushes
// and pulls of the kernels that are fused.
func TestThreadsOfLists(t *testing.T) {
	const block, n = 64, 120 // so many that no entry of the small list is shared among threads
	degree := func(v uint32) uint32 { return []uint32{3, 40, 200}[v%3] }
	g := scheduler.Graph{Row: make([]uint32, n+1)}
	for v := range uint32(n) {
		g.Row[v+1] = g.Row[v] + degree(v)
	}
	g.Col = make([]uint32, g.Row[n])
	shape := Shape{Medium: 4, Large: 100, Split: 1000, SmallRoom: n, MediumRoom: n, LargeRoom: n}
	from := lists{words: make([]uint32, entryWords*shape.entries()), shape: shape}
	var f frontier
	for v := range uint32(n) {
		e := whole(g.Row, v)
		switch shape.class(e.Degree) {
		case small:
			require.True(t, from.put(small, f.Small, e))
			f.Small++
		case medium:
			require.True(t, from.put(medium, f.Medium, e))
			f.Medium++
		default:
			require.True(t, from.put(large, f.Large, e))
			f.Large++
		}
	}
	require.Equal(t, frontier{Small: n / 3, Medium: n / 3, Large: n / 3}, f)
	values, next := make([]uint32, n), make([]uint32, n)
	for name, all := range map[string]func(t gpu.Thread, w watcher){
		"push": func(th gpu.Thread, w watcher) {
			sendAll(th, sender[watcher, uint32]{alg: w, g: g, values: values}, from, f, grid(th), &collector{})
		},
		"pull": func(th gpu.Thread, w watcher) {
			pullAll(th, puller[watcher, uint32]{alg: w, in: g, values: values, next: next, m: Memory{Marks: make([]uint32, n)}}, from, f)
		},
	} {
		by := slices.Repeat([]uint32{block}, len(g.Col))
		require.NoError(t, gpu.Launch(1, block, func(th gpu.Thread) { all(th, watcher{thread: th.Global(), by: by}) }))
		for v := range uint32(n) {
			threads := slices.Compact(slices.Sorted(slices.Values(by[g.Row[v]:g.Row[v+1]])))
			require.Less(t, threads[len(threads)-1], uint32(block), "%s: an arc of vertex %d that nobody processed", name, v)
			require.Len(t, threads, []int{1, 32, 64}[v%3], "%s: the threads of vertex %d", name, v)
			if v%3 == 1 {
				require.Equal(t, threads[0]/32, threads[31]/32, "%s: vertex %d has one warp", name, v)
			}
		}
	}
}
