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
		p.mark = r.iteration + 1
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
		switch {
		case r.active == 0:
			return Finished
		case r.run.Both && counted.front.Arcs <= r.run.PullAbove:
			return Turned
		}
	}
}

// pullLists makes the lists of the vertices whose values may still change, by the ballot
// filter; they stay as they are until the direction changes. A vertex that is not in the
// lists has its final value, which both arrays of values get.
func pullLists[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, p puller[A, V], outRow []uint32, r *rounds, turn bool) frontier {
	expand := expandIn(p.in, outRow)
	open := openAndCopy[A, V](p.alg, p.values, p.next)
	r.ballot(t, r.m.Pull, p.in.Vertices(), func(v uint32) (uint32, bool) {
		if turn {
			degree := outRow[v+1] - outRow[v]
			p.values[v] = p.alg.Turn(scheduler.Vertex{ID: v, Degree: degree}, gpu.Load(&p.values[v]), true)
		}
		return open(v)
	}, isOpen[A, V](p.alg, p.values), expand)
	return r.front
}

// All is the persistent kernel of all iterations (section 5, all fusion): it pushes, pulls
// and changes direction. It needs the registers of both, so fewer of its threads are
// resident.
func All[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, out, in scheduler.Graph, values, next []V, m Memory, run Run) {
	r := start(m, run)
	found := open(t, m, run.Filter != Ballot)
	for first := true; ; first = false {
		now, other := values, next
		if r.swapped {
			now, other = next, values
		}
		end := pushRounds(t, sender[A, V]{alg: alg, g: out, values: now}, out, in, &r, &found, run.Turn && !first)
		if end == Turned {
			end = pullRounds(t, puller[A, V]{alg: alg, in: in, values: now, next: other, m: m}, out.Row, &r, run.Turn)
		}
		if end != Turned {
			r.finish(t, end)
			return
		}
	}
}
