package simdx

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Push is the persistent kernel of push iterations (section 5, push-pull based fusion): the
// compute steps of the three lists and the filters, until no vertex is active or pulling is
// better. All blocks must be resident at the same time. in is the graph for phases that
// traverse arcs from target to source; algorithms without such phases do not access it.
func Push[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, out, in scheduler.Graph, values []V, m Memory, run Run) {
	pushWith[A, ownFilters, V](t, alg, out, in, values, m, run)
}

func pushWith[A scheduler.Algorithm[V], F filters, V gpu.Num](t gpu.Thread, alg A, out, in scheduler.Graph, values []V, m Memory, run Run) {
	r := start(m, run)
	found := openWith[F](t, m, run)
	end := pushRounds[A, F, V](t, sender[A, V]{alg: alg, g: out, values: values}, out, in, &r, &found, run.Turn)
	r.finish(t, end)
}

// openWith returns the next frontier of a kernel with these filters.
func openWith[F filters](t gpu.Thread, m Memory, run Run) collector {
	var f F
	if f.Baseline() {
		found := open(t, m, false)
		found.atomic = run.Filter == Atomic
		return found
	}
	return open(t, m, run.Filter != Ballot)
}

// pushRounds pushes as long as it pays, and returns why it ended.
func pushRounds[A scheduler.Algorithm[V], F filters, V gpu.Num](t gpu.Thread, s sender[A, V], out, in scheduler.Graph, r *rounds, found *collector, turn bool) (end uint32) {
	firstFrontier(t, s, r, turn)
	for {
		s.g, s.phase = out, r.phase
		if s.alg.Reverse(r.phase) {
			s.g = in
		}
		r.active = r.front.entries()
		switch {
		case r.active == 0:
			if !s.alg.Phases() {
				return Finished
			}
			if end := nextPhase(t, s, out, in, r); end != 0 {
				return end
			}
			continue
		case r.iteration > r.run.Limit:
			return TooMany
		case r.tooWide(r.front):
			return Turned
		}
		if !pushRound[A, F, V](t, s, r, found) {
			return Overflowed
		}
	}
}

// firstFrontier makes the lists of the first frontier: of the vertices in the queue, or of
// those that a pull has marked.
func firstFrontier[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, s sender[A, V], r *rounds, turn bool) {
	row := s.g.Row
	n := r.run.First
	queued := n > 0 && r.iteration == r.run.Iteration
	if !queued {
		n = s.g.Vertices()
	}
	pick := func(i uint32) (v uint32, ok bool) {
		if queued {
			return r.m.Queue[i], true
		}
		return r.marked(i)
	}
	r.ballot(t, r.m.Push, n, func(i uint32) (v uint32, ok bool) {
		if turn && !queued {
			x := gpu.Load(&s.values[i])
			gpu.Store(&s.values[i], s.alg.Turn(s.vertex(whole(row, i)), x, false))
		}
		return pick(i)
	}, pick, func(v uint32) entry { return whole(row, v) })
}

// pushRound runs an iteration, or several by one block, and makes the lists of the next
// frontier. It returns false if the online filter has overflowed and there is no other.
func pushRound[A scheduler.Algorithm[V], F filters, V gpu.Num](t gpu.Thread, s sender[A, V], r *rounds, found *collector) bool {
	row := s.g.Row
	before, iteration := r.front, r.iteration
	r.m.clear(t, r.step+2)
	found.begin(r.step+1, r.iteration+1, row)
	var f F
	few := !f.Baseline() && r.run.OneBlock > 0 && found.fits(r.front, r.run.OneBlock)
	switch {
	case !few:
		sendAll(t, s, r.m.lists(r.step, r.m.Push), r.front, grid(t), found)
		if found.online {
			found.flush(t)
		}
		if t.Global() == 0 {
			gpu.Store(&found.counts[iterationCount], r.iteration+1)
		}
	case t.Block() == 0:
		alone(t, s, r, found)
	}
	counted := r.meet(t)
	r.front, r.iteration = counted.front, counted.iteration
	how := uint32(0)
	if f.Baseline() {
		if !found.atomic {
			r.scan(t, row)
		}
		if t.Global() == 0 {
			r.record(before, iteration, how)
		}
		return true
	}
	if overflow := counted.overflow != 0; overflow || !found.online {
		if t.Global() == 0 && overflow {
			gpu.AtomicAdd(&r.m.Status[OverflowStatus], 1)
		}
		if r.run.Filter == Online {
			return false
		}
		how = BallotBit
		r.ballot(t, r.m.Push, gpu.Len(r.m.Marks), r.marked, r.marked, func(v uint32) entry { return whole(row, v) })
	}
	if t.Global() == 0 && !few {
		r.record(before, iteration, how)
	}
	return true
}

// nextPhase begins the next phase of an algorithm whose frontier is empty, or returns why
// the launch ends. The smallest phase of all vertices is found first; then each vertex of
// that phase is entered, marked and collected.
func nextPhase[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, s sender[A, V], out, in scheduler.Graph, r *rounds) (end uint32) {
	now := r.phase
	if end := r.findPhase(t, scheduler.SmallestPhase(t, s.alg, s.values, now)); end != 0 {
		return end
	}
	phase := r.phase
	g := out
	if s.alg.Reverse(phase) {
		g = in
	}
	r.ballot(t, r.m.Push, gpu.Len(r.m.Marks), func(id uint32) (v uint32, ok bool) {
		e := whole(g.Row, id)
		ok = scheduler.Enters(s.alg, scheduler.Vertex{ID: id, Degree: e.Degree, Phase: phase}, now, &s.values[id])
		if ok {
			r.m.Marks[id] = r.iteration
		}
		return id, ok
	}, r.marked, func(v uint32) entry { return whole(g.Row, v) })
	return 0
}
