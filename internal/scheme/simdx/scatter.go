package simdx

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file has the push of algorithms that compute every value anew in each iteration
// (belief propagation: the sum of all messages), which have no frontier. Every vertex sends
// along its outgoing arcs; what arrives at a target is combined by atomics beside its value,
// and after a barrier each vertex applies that. The lists of all vertices are made once, by
// the ballot filter: figure 7 has it in the first iteration of such algorithms alone.

// scatterer is what a push needs besides the lists.
type scatterer[A scheduler.Algorithm[V], V gpu.Num] struct {
	alg    A
	out    scheduler.Graph
	values []V
	sums   []V // what has arrived; Identity between two iterations
	m      Memory
}

// Scatter is the persistent kernel of such pushes, until no vertex changes. All blocks must
// be resident at the same time.
func Scatter[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, out scheduler.Graph, values, sums []V, m Memory, run Run) {
	r := start(m, run)
	r.finish(t, scatterRounds(t, scatterer[A, V]{alg: alg, out: out, values: values, sums: sums, m: m}, &r))
}

// AllScatter is the persistent kernel of all iterations (all fusion) of such an algorithm. A
// push would always send along all arcs, so it pulls if Run.PullFirst is set.
func AllScatter[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, out, in scheduler.Graph, values, next []V, m Memory, run Run) {
	r := start(m, run)
	end := uint32(0)
	if run.PullFirst {
		end = pullRounds(t, puller[A, V]{alg: alg, in: in, values: values, next: next, m: m}, out.Row, &r, run.Turn)
	} else {
		end = scatterRounds(t, scatterer[A, V]{alg: alg, out: out, values: values, sums: next, m: m}, &r)
	}
	r.finish(t, end)
}

// scatterRounds pushes until no vertex changes, and returns why it ended.
func scatterRounds[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, s scatterer[A, V], r *rounds) (end uint32) {
	every := func(v uint32) (uint32, bool) { return v, true }
	r.ballot(t, r.m.Push, s.out.Vertices(), func(v uint32) (uint32, bool) {
		s.sums[v] = s.alg.Identity()
		return v, true
	}, every, func(v uint32) entry { return whole(s.out.Row, v) })
	from, how := r.m.lists(r.step, r.m.Push), uint32(BallotBit)
	for {
		if r.iteration > r.run.Limit {
			return TooMany
		}
		r.m.clear(t, r.step+2)
		scatterList[A, scheduler.BlockPerVertex, V](t, s, from, large, r.front.Large, t.Block(), t.GridDim())
		scatterList[A, scheduler.WarpPerVertex, V](t, s, from, medium, r.front.Medium, t.Global()/gpu.WarpSize, t.Stride()/gpu.WarpSize)
		scatterList[A, scheduler.ThreadPerVertex, V](t, s, from, small, r.front.Small, t.Global(), t.Stride())
		r.barrier.Wait(t)
		applySums(t, s).report(t, r.m.set(r.step+1))
		counted := r.meet(t)
		if t.Global() == 0 {
			r.record(r.front, r.iteration, how)
		}
		how = 0
		r.iteration++
		if r.active = counted.changed; r.active == 0 {
			return Finished
		}
	}
}

// scatterList sends what the vertices of a list send, one team each.
func scatterList[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, s scatterer[A, V], from lists, class, n, team, teams uint32) {
	var mapping M
	for i := team; i < n; i += teams {
		e := from.get(class, i)
		src := gpu.Load(&s.values[e.Vertex])
		mapping.Arcs(t, e.Begin, e.End, func(arc uint32) {
			v := s.out.Col[arc]
			if update, ok := s.alg.Compute(s.out.Edge(arc, e.Vertex, v), src); ok {
				s.alg.Update(&s.sums[v], update)
			}
		})
	}
}

// applySums applies what has arrived at each vertex, a thread a vertex.
func applySums[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, s scatterer[A, V]) (done pulled) {
	for id := t.Global(); id < s.out.Vertices(); id += t.Stride() {
		old := gpu.Load(&s.values[id])
		sum := gpu.Load(&s.sums[id])
		gpu.Store(&s.sums[id], s.alg.Identity())
		if s.alg.EarlyEnd() && s.alg.Settled(old) {
			continue
		}
		degree := s.out.Row[id+1] - s.out.Row[id]
		value, changed := s.alg.Apply(scheduler.Vertex{ID: id, Degree: degree}, old, sum)
		gpu.Store(&s.values[id], value)
		if changed {
			done.changed++
			done.arcs += degree
		}
	}
	return done
}

// The kernels without fusion. CountAll and WriteAll are the two halves of the lists of all
// vertices; their grids are equal.

// CountAll is the first half; it also clears what has arrived.
func CountAll[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, row []uint32, sums []V, m Memory) {
	count(t, m, m.Push, gpu.Len(row)-1, func(v uint32) (uint32, bool) {
		sums[v] = alg.Identity()
		return v, true
	}, func(v uint32) entry { return whole(row, v) })
}

// WriteAll is the second half; see CountAll.
func WriteAll(t gpu.Thread, row []uint32, m Memory, run Run) {
	all := write(t, m, m.lists(run.Step, m.Push), gpu.Len(row)-1, func(v uint32) (uint32, bool) { return v, true }, func(v uint32) entry { return whole(row, v) })
	m.announce(t, run.Step, all)
}

// ScatterList is the compute step of an iteration for one list, whose length is n. The lists
// are those of step Run.First.
func ScatterList[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, out scheduler.Graph, values, sums []V, m Memory, run Run, n uint32) {
	var mapping M
	s := scatterer[A, V]{alg: alg, out: out, values: values, sums: sums, m: m}
	from := m.lists(run.First, m.Push)
	switch mapping.Team() {
	case scheduler.OneThread:
		scatterList[A, M, V](t, s, from, small, n, t.Global(), t.Stride())
	case scheduler.OneWarp:
		scatterList[A, M, V](t, s, from, medium, n, t.Global()/gpu.WarpSize, t.Stride()/gpu.WarpSize)
	case scheduler.OneBlock:
		scatterList[A, M, V](t, s, from, large, n, t.Block(), t.GridDim())
	}
}

// ApplySums is the step after all lists of an iteration, which is that of Run.Step.
func ApplySums[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, out scheduler.Graph, values, sums []V, m Memory, run Run) {
	m.clear(t, run.Step+2)
	applySums(t, scatterer[A, V]{alg: alg, out: out, values: values, sums: sums, m: m}).report(t, m.set(run.Step+1))
}
