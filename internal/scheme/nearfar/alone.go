package nearfar

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// aloneArcs is how many arcs a near list that one block of each GPU visits alone may have, for each vertex that it may have.
const aloneArcs = 4

// fits reports whether one block of each GPU may visit the near list alone, without the barriers of all blocks. It has room for as many vertices as may be improved.
func (s *search[A, W, V]) fits() bool {
	return s.vertices <= s.run.Alone && s.arcs <= min(aloneArcs*s.run.Alone, gpu.Len(s.shared))
}

// visitAlone lets the first block of each GPU go on alone as long as the near list is small. All threads of the GPU call it, and know the next near list when it returns.
func (s *search[A, W, V]) visitAlone(t gpu.Thread) {
	turn, iteration := s.turn, s.iteration
	vertices, arcs, pairs := s.allVertices, s.allArcs, s.pairs
	if t.Block() == 0 {
		least := &s.m.Counts[phaseCount+s.splits%2]
		if t.Idx() == 0 {
			s.block.least = gpu.Load(least)
		}
		for s.vertices > 0 && s.iteration <= s.run.Limit && s.fits() {
			s.stepAlone(t)
		}
		if c := s.m.Counts; t.Idx() == 0 {
			gpu.Store(&c[aloneCount], s.iteration-iteration)
			store2(c, aloneVerticesCount, s.allVertices-vertices)
			store2(c, aloneArcsCount, s.allArcs-arcs)
			store2(c, alonePairsCount, s.pairs-pairs)
			gpu.Store(least, s.block.least)
			s.block.least = scheduler.NoPhase
		}
	}
	did := &s.block.did
	s.grid.WaitThen(t, func() {
		c := s.m.Counts
		*did = done{gpu.Load(&c[aloneCount]), load2(c, aloneVerticesCount), load2(c, aloneArcsCount), load2(c, alonePairsCount)}
		s.turn = turn + did.iterations
		s.hear(s.ofOne())
	})
	s.turn, s.iteration = turn+did.iterations, iteration+did.iterations
	s.alone += did.iterations
	f := &s.block.front
	s.vertices, s.arcs, s.phase = f.vertices, f.arcs, f.phase
	s.allVertices, s.allArcs, s.pairs = vertices+did.vertices, arcs+did.arcs, pairs+did.pairs
}

// done is what one block did alone.
type done struct {
	iterations            uint32
	vertices, arcs, pairs uint64
}

// stepAlone is an iteration of one block of each GPU.
func (s *search[A, W, V]) stepAlone(t gpu.Thread) {
	began, vertices, arcs := t.Clock(), s.vertices, s.arcs
	b := s.block
	warp, warps := t.Warp(), t.BlockDim()/gpu.WarpSize
	each := share(s.vertices, warps)
	for first := warp * each; first < s.vertices; first += warps * each {
		var r rows[V]
		if i := first + t.Lane(); t.Lane() < each && i < s.vertices {
			r = s.sender(b.front.place(i, s.p.Others))
			r.begin, r.end = s.out.Row[r.v], s.out.Row[r.v+1]
		}
		s.relax(t, r, func(v uint32) {
			bit := uint32(1) << (v % gpu.WarpSize)
			if gpu.AtomicOr(&s.m.Marks[v/gpu.WarpSize], bit)&bit == 0 {
				s.shared[gpu.AtomicAdd(&b.found, 1, gpu.BlockScope)] = v
			}
		})
	}
	t.Sync()
	s.turn++
	s.sendAlone(t, b.found)
	t.Sync()
	if t.Idx() == 0 {
		s.announce(s.ofOne(), b.sent[s.slot].count, b.arcs, b.least)
		b.found, b.sent[s.slot].count, b.arcs = 0, 0, 0
	}
	s.one.BlocksThen(t, func() { s.hear(s.ofOne()) })
	s.enter()
	if t.Idx() == 0 {
		s.record(s.iteration, vertices, arcs, howAlone, uint32(t.Clock()-began))
	}
	s.iteration++
}

// sendAlone is send of the first n vertices in shared memory.
func (s *search[A, W, V]) sendAlone(t gpu.Thread, n uint32) {
	own, arcs, least := &s.block.sent[s.slot], uint32(0), scheduler.NoPhase
	for at := t.Idx(); at-t.Lane() < n; at += t.BlockDim() {
		v, near, x := uint32(0), false, s.alg.Identity()
		if at < n {
			v = s.shared[at]
			bit := uint32(1) << (v % gpu.WarpSize)
			gpu.AtomicAnd(&s.m.Marks[v/gpu.WarpSize], ^bit)
			x = gpu.Load(&s.values[v])
			var phase uint32
			if near, phase = s.joins(v, x, improved); near {
				arcs += s.p.Degrees[v+1] - s.p.Degrees[v]
			}
			if s.alg.Phases() {
				if far := &s.m.Far[v/gpu.WarpSize]; near {
					gpu.AtomicAnd(far, ^bit)
				} else if phase != scheduler.NoPhase {
					gpu.AtomicOr(far, bit)
					least = min(least, phase)
				}
			}
		}
		word := t.Ballot(gpu.FullMask, near)
		place := uint32(0)
		if t.Lane() == 0 && word != 0 {
			place = gpu.AtomicAdd(&own.count, gpu.PopCount(word), gpu.BlockScope)
		}
		place = gpu.Shfl(t, gpu.FullMask, place, 0) + gpu.PopCount(word&(1<<t.Lane()-1))
		s.post(near, place, v, x)
	}
	s.count(t, arcs, least)
}
