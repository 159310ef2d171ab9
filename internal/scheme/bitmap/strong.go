package bitmap

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file finds the strongly connected component of one vertex, which in most graphs has more vertices than all others together: those that a search along the
// arcs reaches, and one against them. Those that one of both reaches, or none, are in other components, each of which is within one of these three classes.
// Source: Fleischer, Hendrickson and Pinar, On Identifying Strongly Connected Components in Parallel, IPDPS 2000 workshops.

// Strong says what a run for strongly connected components does.
type Strong struct {
	Searches uint32 // 2; 1 if each arc has its opposite, so that one search knows what both do; 0: no search
	Local    uint32 // sweeps of a block over its arcs between two barriers of all blocks
	Alone    uint32 // arcs that one block peels alone
	Random   uint32 // the first round with a random order of the vertices; those before have that of the numbers
}

// StrongMemory is what all blocks of a run for strongly connected components share besides Memory.
type StrongMemory struct {
	First, Second    []uint32 // those of Memory, for the search against the arcs
	Queue            []uint32
	SearchCounts     []uint32
	SearchBarrier    []uint32
	Sides            []uint32 // the bitmap that has all vertices that were reached, of each search
	Barrier          []uint32 // one word, for all blocks
	Pivot            []uint64 // one word
	Dead             []uint32 // a bitmap of the vertices without an arc in one of both directions
	Arcs, NextArcs   []uint32 // two lists of arcs, with source and target, which change places
	Live, NextLive   []uint32 // two lists of vertices, which change places; before, what the searches store
	Signatures, Ends []uint32 // two words for each vertex
	Counts           []uint32 // three sets of counters, which change places
}

// against returns the memory of the search against the arcs.
func (m Memory) against(l StrongMemory) Memory {
	m.First, m.Second, m.Queue, m.Counts, m.Barrier = l.First, l.Second, l.Queue, l.SearchCounts, l.SearchBarrier
	return m
}

// mark is the algorithm of a search that is only asked what it reaches.
type mark struct{ scheduler.Min[uint32] }

// Init is not called.
func (mark) Init(scheduler.Vertex, scheduler.Problem) uint32 { return 0 }

// Start is not called.
func (mark) Start(scheduler.Vertex, scheduler.Problem) bool { return false }

// Take returns 0.
func (mark) Take(scheduler.Vertex, *uint32) uint32 { return 0 }

// Compute returns 0: each arc carries an update.
func (mark) Compute(scheduler.Edge, uint32) (uint32, bool) { return 0, true }

// EarlyEnd returns true: any update will do.
func (mark) EarlyEnd() bool { return true }

// Components is the kernel of a whole run. All blocks must be resident at the same time. The counters, the pivot and the word of the barrier are 0 before.
//
//weft:block 768
func Components(t gpu.Thread, out, in scheduler.Graph, values []uint32, m Memory, l StrongMemory, run Run, how Strong) {
	began := t.Clock()
	s := search[mark, uint32]{out: out, in: in, values: l.Live, m: m, seen: gpu.Shared[seen](t), degrees: out.Row, end: m.Words}
	r := rounds{m: m, run: run, at: whole(t), barrier: scheduler.GridBarrier{Words: m.Barrier}, iteration: 1}
	c := open(t, m)
	p := peel{out: out, values: values, l: l, how: how, barrier: scheduler.GridBarrier{Words: l.Barrier}}
	p.begin(t, in, m)
	p.barrier.Wait(t)
	pivot := p.pivot()
	searches := how.Searches
	if pivot == noVertex {
		searches = 0
	}
	apart := searches == 2 && t.GridDim() > 1
	if apart {
		r.at = part{t.Block() / 2, (t.GridDim() + 1 - t.Block()%2) / 2}
		r.barrier.Blocks = r.at.blocks
	}
	for i := uint32(0); i < searches; i++ {
		if apart && t.Block()%2 != i {
			continue
		}
		if i == 1 {
			s.out, s.in, s.values, s.m, s.degrees = in, out, l.NextLive, m.against(l), in.Row
			c.m, r.m = s.m, s.m
			r.barrier.Words = s.m.Barrier
			r.barrier.Round, r.step, r.iteration, r.pulls, r.alone, r.vertices = 0, 0, 1, 0, 0, 0
		}
		s.from(t, pivot, &r, &c)
		s.rounds(t, &r, &c)
		if r.at.global(t) == 0 {
			gpu.Store(&l.Sides[i], r.side)
			r.tell()
		}
	}
	p.barrier.Wait(t)
	p.forward = m.reached(gpu.Load(&l.Sides[0]))
	p.backward = p.forward
	if searches == 2 {
		p.backward = m.against(l).reached(gpu.Load(&l.Sides[1]))
	}
	searched := t.Clock()
	p.first(t, pivot)
	collected := t.Clock()
	p.rounds(t)
	if t.Global() == 0 {
		gpu.Store(&m.Status[SearchStatus], uint32(searched-began))
		gpu.Store(&m.Status[CollectStatus], uint32(collected-searched))
		gpu.Store(&m.Status[PeelStatus], uint32(t.Clock()-collected))
	}
	p.finish(t, &r)
}

// from begins a search at a vertex, after any others. All threads call it.
func (s *search[A, V]) from(t gpu.Thread, source uint32, r *rounds, c *collector) {
	s.seen.clear(t)
	t.Sync()
	r.side, r.left = 0, gpu.Len(s.out.Col)
	r.m.clear(t, r.at, r.step+2)
	c.begin(r.step + 1)
	if r.at.global(t) < gpu.WarpSize {
		first := rows{v: [wave]uint32{source}, ok: [wave]bool{t.Lane() == 0}}
		if t.Lane() == 0 {
			now, next, word := s.m.reached(0), s.m.reached(1), source/gpu.WarpSize
			now[word], next[word] = 1<<(source%gpu.WarpSize), 1<<(source%gpu.WarpSize)
		}
		first.load(s.out.Row)
		c.count(t, first)
		c.add(t, first)
	}
	c.flush(t)
	r.meet(t)
}

// begin clears the bitmaps, and looks for the vertex with the largest product of both degrees: most likely one of the largest component.
func (p *peel) begin(t gpu.Thread, in scheduler.Graph, m Memory) {
	for w := t.Global(); w < m.Words; w += t.Stride() {
		m.First[w], m.Second[w], p.l.First[w], p.l.Second[w] = 0, 0, 0, 0
	}
	best := uint64(0)
	for base := t.Global() - t.Lane(); base < p.out.Vertices(); base += t.Stride() {
		v, product := base+t.Lane(), float32(0)
		if v < p.out.Vertices() {
			p.l.Ends[signatureWords*v+into], p.l.Ends[signatureWords*v+outOf] = 0, 0
			product = float32(p.out.Row[v+1]-p.out.Row[v]) * float32(in.Row[v+1]-in.Row[v])
		}
		if product > 0 {
			best = max(best, uint64(gpu.Float32bits(product))<<32|uint64(v))
		}
		if dead := t.Ballot(gpu.FullMask, product == 0); t.Lane() == 0 {
			p.l.Dead[base/gpu.WarpSize] = dead
		}
	}
	best = scheduler.Reduce(t, scheduler.BlockPerVertex{}, best, 0, func(a, b uint64) uint64 { return max(a, b) })
	if t.Idx() == 0 && best > 0 {
		gpu.AtomicMax(&p.l.Pivot[0], best)
	}
}

// pivot returns the vertex that begin has found, or noVertex if no vertex has arcs in both directions.
func (p *peel) pivot() uint32 {
	if best := gpu.Load(&p.l.Pivot[0]); best > 0 {
		return uint32(best)
	}
	return noVertex
}

// finish tells the host how the run ended.
func (p *peel) finish(t gpu.Thread, r *rounds) {
	if t.Global() > 0 {
		return
	}
	status := r.m.Status
	gpu.Store(&status[ListedStatus], p.listed)
	gpu.Store(&status[RoundStatus], p.round)
	gpu.Store(&status[RoundArcsStatus], p.passed)
	gpu.Store(&status[SweepStatus], p.sweeps)
	gpu.Store(&status[AloneRoundStatus], p.aloneOnes)
}

// tell adds what a search did to what the host is told.
func (r *rounds) tell() {
	status := r.m.Status
	gpu.AtomicAdd(&status[IterationStatus], r.iteration-1)
	gpu.AtomicAdd(&status[PullStatus], r.pulls)
	gpu.AtomicAdd(&status[AloneStatus], r.alone)
	gpu.AtomicAdd(&status[VerticesStatus], r.vertices)
}
