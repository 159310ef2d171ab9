package simdx

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file has the compute step of a pull iteration (sections 3 and 5): each vertex
// combines what its incoming arcs carry, by a thread, a warp or a block, and no two threads
// write the same value. If any update will do (voting), the team ends as soon as one of its
// threads has found one.

// puller is what the compute step needs besides the lists.
type puller[A scheduler.Algorithm[V], V gpu.Num] struct {
	alg          A
	in           scheduler.Graph // with the incoming arcs
	values, next []V
	m            Memory
	mark         uint32 // the iteration of the next frontier
	phase        uint32
}

// pulled is what a thread's vertices did in a pull iteration.
type pulled struct{ changed, arcs uint32 }

// pullAll computes the values of all vertices in the lists, the longest work first.
func pullAll[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, p puller[A, V], from lists, f frontier) (done pulled) {
	done.add(pullList[A, scheduler.BlockPerVertex, V](t, p, from, large, f.Large, t.Block(), t.GridDim()))
	done.add(pullList[A, scheduler.WarpPerVertex, V](t, p, from, medium, f.Medium, t.Global()/gpu.WarpSize, t.Stride()/gpu.WarpSize))
	done.add(pullList[A, scheduler.ThreadPerVertex, V](t, p, from, small, f.Small, t.Global(), t.Stride()))
	return done
}

func (p *pulled) add(q pulled) {
	p.changed += q.changed
	p.arcs += q.arcs
}

// pullList computes the values of the vertices of a list, one team each. Vertices that
// changed are marked: they are the next frontier if the run changes to push.
func pullList[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, p puller[A, V], from lists, class, n, team, teams uint32) (done pulled) {
	for i := team; i < n; i += teams {
		e := from.get(class, i)
		changed := func() {
			p.m.Marks[e.Vertex] = p.mark
			done.changed++
			done.arcs += e.Degree
		}
		if p.alg.Phases() {
			v := scheduler.Vertex{ID: e.Vertex, Degree: e.Degree, Phase: p.phase}
			scheduler.PullInPhase[A, M, V](t, p.alg, p.in, p.values, p.next, v, e.Begin, e.End, changed)
			continue
		}
		row := func() (begin, end uint32) { return e.Begin, e.End }
		scheduler.PullVertex[A, M, V](t, p.alg, p.in, p.values, p.next, e.Vertex, row, func() uint32 { return e.Degree }, changed)
	}
	return done
}

// report adds up what the threads of a warp did. All lanes must call it together.
func (p pulled) report(t gpu.Thread, counts []uint32) {
	sum := frontier{Small: p.changed, Arcs: p.arcs}.overWarp(t)
	if t.Lane() == 0 && sum.Small > 0 {
		gpu.AtomicAdd(&counts[changedCount], sum.Small)
		gpu.AtomicAdd(&counts[arcsCount], sum.Arcs)
	}
}

// expandIn returns how to get the entry of a vertex with its incoming arcs.
func expandIn(in scheduler.Graph, outRow []uint32) func(v uint32) entry {
	return func(v uint32) entry {
		e := whole(in.Row, v)
		e.Degree = outRow[v+1] - outRow[v]
		return e
	}
}

// isOpen returns how to tell whether the value of a vertex may still change.
func isOpen[A scheduler.Algorithm[V], V gpu.Num](alg A, values []V, phase uint32) func(v uint32) (uint32, bool) {
	return func(v uint32) (uint32, bool) {
		if alg.Phases() {
			return v, !alg.Closed(phase, gpu.Load(&values[v]))
		}
		return v, !alg.EarlyEnd() || !alg.Settled(gpu.Load(&values[v]))
	}
}

// openAndCopy is isOpen, and copies the value, for a vertex that is not in the lists, if the
// algorithm has such.
func openAndCopy[A scheduler.Algorithm[V], V gpu.Num](alg A, values, next []V, phase uint32) func(v uint32) (uint32, bool) {
	open := isOpen[A, V](alg, values, phase)
	return func(v uint32) (uint32, bool) {
		if alg.EarlyEnd() || alg.Phases() {
			next[v] = gpu.Load(&values[v])
		}
		return open(v)
	}
}
