package simdx

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Pull is the persistent kernel of pull iterations (section 5, push-pull based fusion), until
// no vertex changes or pushing is better. All blocks must be resident at the same time.
// outRow has the row offsets of the outgoing arcs. An iteration reads one of the two arrays
// of values and writes the other one; the first one reads values.
func Pull[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, in scheduler.Graph, outRow []uint32, values, next []V, m Memory, run Run) {
	r := start(m, run)
	end := pullRounds(t, puller[A, V]{alg: alg, in: in, values: values, next: next, m: m}, outRow, &r, run.Turn)
	r.finish(t, end)
}

// pullRounds pulls as long as it pays, and returns why it ended.
func pullRounds[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, p puller[A, V], outRow []uint32, r *rounds, turn bool) (end uint32) {
	open := pullLists(t, p, outRow, r, turn)
	from := r.m.lists(r.step, r.m.Pull)
	for {
		if r.iteration > r.run.Limit {
			return TooMany
		}
		p.mark, p.phase = r.iteration+1, r.phase
		r.m.clear(t, r.step+2)
		pullAll(t, p, from, open).report(t, r.m.set(r.step+1))
		counted := r.meet(t)
		if t.Global() == 0 {
			r.record(open, r.iteration, PullBit)
		}
		r.iteration++
		p.values, p.next = p.next, p.values
		r.swapped = !r.swapped
		r.active = counted.changed
		arcs := counted.front.Arcs
		if r.active == 0 {
			if !p.alg.Phases() {
				return Finished
			}
			if arcs, end = nextPullPhase(t, p, outRow, r); end != 0 {
				return end
			}
		}
		if r.run.Both && arcs <= r.run.PullAbove && r.active <= r.run.Unstable {
			return Turned
		}
		if p.alg.Phases() && counted.changed == 0 { // a new phase, whose open vertices are other ones
			open = pullLists(t, p, outRow, r, false)
			from = r.m.lists(r.step, r.m.Pull)
		}
	}
}

// nextPullPhase begins the next phase of an algorithm whose frontier is empty, or returns why
// the launch ends: the smallest phase of all vertices is found first, then the vertices that
// enter it are marked. arcs are their outgoing arcs.
func nextPullPhase[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, p puller[A, V], outRow []uint32, r *rounds) (arcs, end uint32) {
	now := r.phase
	if end := r.findPhase(t, scheduler.SmallestPhase(t, p.alg, p.values, now)); end != 0 {
		return 0, end
	}
	r.m.clear(t, r.step+2)
	var entered pulled
	for id := t.Global(); id < p.in.Vertices(); id += t.Stride() {
		degree := outRow[id+1] - outRow[id]
		if scheduler.Enters(p.alg, scheduler.Vertex{ID: id, Degree: degree, Phase: r.phase}, now, &p.values[id]) {
			r.m.Marks[id] = r.iteration
			entered.changed++
			entered.arcs += degree
		}
	}
	entered.report(t, r.m.set(r.step+1))
	counted := r.meet(t)
	r.active = counted.changed
	return counted.front.Arcs, 0
}

// pullLists makes the lists of the vertices whose values may still change, by the ballot
// filter; they stay as they are until the direction or the phase changes. A vertex that is
// not in the lists has its final value, which both arrays of values get.
func pullLists[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, p puller[A, V], outRow []uint32, r *rounds, turn bool) frontier {
	expand := expandIn(p.in, outRow)
	open := openAndCopy[A, V](p.alg, p.values, p.next, r.phase)
	r.ballot(t, r.m.Pull, p.in.Vertices(), func(v uint32) (uint32, bool) {
		if turn {
			degree := outRow[v+1] - outRow[v]
			p.values[v] = p.alg.Turn(scheduler.Vertex{ID: v, Degree: degree}, gpu.Load(&p.values[v]), true)
		}
		return open(v)
	}, isOpen[A, V](p.alg, p.values, r.phase), expand)
	return r.front
}

// All is the persistent kernel of all iterations (section 5, all fusion): it pushes, pulls
// and changes direction. It needs the registers of both, so fewer of its threads are
// resident.
func All[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, out, in scheduler.Graph, values, next []V, m Memory, run Run) {
	allWith[A, ownFilters, V](t, alg, out, in, values, next, m, run)
}

func allWith[A scheduler.Algorithm[V], F filters, V gpu.Num](t gpu.Thread, alg A, out, in scheduler.Graph, values, next []V, m Memory, run Run) {
	r := start(m, run)
	found := openWith[F](t, m, run)
	for first := true; ; first = false {
		now, other := values, next
		if r.swapped {
			now, other = next, values
		}
		end := uint32(Turned)
		if !first || !run.PullFirst {
			end = pushRounds[A, F, V](t, sender[A, V]{alg: alg, g: out, values: now}, out, in, &r, &found, run.Turn && !first)
		}
		if end == Turned {
			end = pullRounds(t, puller[A, V]{alg: alg, in: in, values: now, next: other, m: m}, out.Row, &r, run.Turn)
		}
		if end != Turned {
			r.finish(t, end)
			return
		}
	}
}
