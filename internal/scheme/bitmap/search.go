package bitmap

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Run says what a run does.
type Run struct {
	Limit uint32  // the last iteration that may run
	Pulls bool    // whether iterations may pull
	Above float32 // a frontier whose arcs are more than this part of those of vertices that were not reached is pulled
	Below float32 // after a pull, a frontier of less than this part of all vertices is pushed
	// Rest is how many arcs a warp looks at for its 32 vertices in a pull, besides the first few of each. What is more is divided among all warps:
	// neighboring vertices of a web graph may all have hundreds of arcs.
	Rest    uint32
	Same    bool   // whether each vertex has as many incoming arcs as outgoing ones
	Alike   bool   // whether all vertices that an iteration reaches get the same value, which nobody has to load or to send then
	Alone   uint32 // pieces of a frontier that one block may push alone
	Problem scheduler.Problem
}

// The values of HowHistory.
const (
	howPush = iota
	howPull
	howAlone
	howWide
)

// Search is the kernel of a whole run. All blocks must be resident at the same time. The counters and the word of the barrier are 0 before.
//
//weft:block 768
func Search[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, out, in scheduler.Graph, values []V, m Memory, run Run) {
	began := t.Clock()
	s := search[A, V]{alg: alg, out: out, in: in, values: values, m: m, seen: gpu.Shared[seen](t), degrees: out.Row, end: m.Words}
	r := rounds{m: m, run: run, at: whole(t), barrier: scheduler.GridBarrier{Words: m.Barrier}, iteration: 1, left: gpu.Len(out.Col)}
	c := open(t, m)
	s.seen.clear(t)
	t.Sync()
	c.begin(1)
	s.begin(run)
	s.start(t, &c, run.Problem)
	c.flush(t)
	r.meet(t)
	m.started(t, began)
	s.rounds(t, &r, &c)
	r.finish(t, gpu.Len(out.Col))
}

// rounds runs iterations until no vertex is active. All threads have met behind the first frontier.
func (s *search[A, V]) rounds(t gpu.Thread, r *rounds, c *collector) {
	listed, began := true, t.Clock() // whether the frontier is listed; else it is what one bitmap has and the other one has not
	for how := uint32(howPush); r.front.vertices > 0 && r.iteration <= r.run.Limit; {
		s.goOn(r.iteration)
		pull := r.run.pays(t, r.at, r.front, r.left, how == howPull)
		r.m.clear(t, r.at, r.step+2)
		c.begin(r.step + 1)
		if !listed && !pull {
			known := r.front
			s.list(t, r, c)
			c.flush(t)
			r.meet(t)
			r.front.vertices, r.front.arcs = known.vertices, known.arcs
			how, listed = howPush, true
			continue
		}
		iteration, front := r.iteration, r.front
		if pull {
			how = howPull
			s.pull(t, r, c)
			c.flush(t)
			r.meet(t)
			if first := r.front; first.pieces > 0 {
				r.m.clear(t, r.at, r.step+2)
				c.begin(r.step + 1)
				s.pullPieces(t, r, c)
				c.flush(t)
				r.meet(t)
				r.front.vertices += first.vertices
				r.front.arcs += first.arcs
			}
			r.pulls++
			r.side = 1 - r.side
			listed = false
		} else {
			how = howPush
			if r.fits(c, front) {
				how = howAlone
			}
			wide := how == howPush && r.isWide(t, front)
			if how == howPush || r.at.block == 0 {
				s.pushRounds(t, r, how == howAlone, wide, c)
			}
			if wide {
				r.barrier.Wait(t)
				r.side = 1 - r.side
				s.gather(t, r, c)
				c.flush(t)
				listed, how = false, howWide
			}
			r.meet(t)
		}
		if how != howAlone {
			r.iteration++
		}
		if r.at.global(t) == 0 && how != howAlone {
			record(r.m, iteration, front, how, uint32(t.Clock()-began))
		}
		began = t.Clock()
	}
}

// pays reports whether to pull the vertices that a frontier reaches. One with fewer arcs than there are threads takes no time in a push.
func (run Run) pays(t gpu.Thread, at part, f frontier, left uint32, pulling bool) bool {
	if pulling && float32(f.vertices) >= run.Below*float32(run.Problem.Vertices) {
		return true
	}
	return run.Pulls && f.arcs > at.stride(t) && float32(f.arcs) > run.Above*float32(left)
}

// start gives all vertices their first values, and makes the bitmaps and the first frontier. A warp has 32 vertices
// that follow each other.
func (s *search[A, V]) start(t gpu.Thread, c *collector, in scheduler.Problem) {
	now, next := s.m.reached(0), s.m.reached(1)
	for w := t.Global() / gpu.WarpSize; w < s.m.Words; w += t.Stride() / gpu.WarpSize {
		id := w*gpu.WarpSize + t.Lane()
		starts := false
		if id < s.out.Vertices() {
			v := s.vertex(id)
			s.values[id] = s.alg.Init(v, in)
			starts = s.alg.Start(v, in)
		}
		if word := t.Ballot(gpu.FullMask, starts); t.Lane() == 0 {
			now[w], next[w] = word, word
		}
		first := rows{v: [wave]uint32{id}, ok: [wave]bool{starts}}
		if s.group {
			s.count(t, c, first)
		}
		first.load(s.out.Row)
		if !s.group {
			c.count(t, first)
		}
		c.add(t, first)
	}
}

// started records how long a run took before the first iteration.
func (m Memory) started(t gpu.Thread, began uint64) {
	if t.Global() == 0 {
		gpu.Store(&m.Status[StartStatus], uint32(t.Clock()-began))
	}
}

// record adds an iteration to the history.
func record(m Memory, iteration uint32, f frontier, how, cycles uint32) {
	at := iteration * HistoryWords
	if at > gpu.Len(m.History) {
		return
	}
	at -= HistoryWords
	m.History[at+VerticesHistory], m.History[at+ArcsHistory], m.History[at+HowHistory], m.History[at+CyclesHistory] = f.vertices, f.arcs, how, cycles
}

// finish tells the host how the run on a graph with so many arcs ended.
func (r *rounds) finish(t gpu.Thread, arcs uint32) {
	if t.Global() > 0 {
		return
	}
	end := uint32(Finished)
	if r.front.vertices > 0 {
		end = TooMany
	}
	status := r.m.Status
	gpu.Store(&status[EndStatus], end)
	gpu.Store(&status[IterationStatus], r.iteration-1)
	gpu.Store(&status[PullStatus], r.pulls)
	gpu.Store(&status[AloneStatus], r.alone)
	gpu.Store(&status[VerticesStatus], r.vertices)
	gpu.Store(&status[ArcsStatus], arcs-r.left)
	gpu.Store(&status[ActiveStatus], r.front.vertices)
}
