package scheduler

import "github.com/weft-gpu/weft/gpu"

// PullInPhase is PullVertex in phase v.Phase: v combines, or counts, what its in-neighbors
// give in that phase, on its incoming arcs in g from begin to end (exclusive). The threads of
// one team call it together. The leader calls joined if v belongs to the next frontier of the
// phase. Meyer and Sanders' delta-stepping and peeling by k are such phases, and figure 3 of
// SIMD-X pulls the former.
func PullInPhase[A Algorithm[V], M Mapping, V gpu.Num](t gpu.Thread, alg A, g Graph, values, next []V, v Vertex, begin, end uint32, joined func()) {
	var m M
	old := values[v.ID]
	if alg.Closed(v.Phase, old) {
		if Leader(t, m) {
			next[v.ID] = old
		}
		return
	}
	combine := func(a, b V) V {
		if alg.Counts() {
			return a + b
		}
		return alg.Combine(a, b)
	}
	none := alg.Identity()
	if alg.Counts() {
		none = 0
	}
	sum := none
	m.Arcs(t, begin, end, func(e uint32) {
		u := g.Col[e]
		src := values[u]
		if !alg.Gives(u, v.Phase, src) {
			return
		}
		if alg.Counts() {
			sum++
			return
		}
		edge := g.Edge(e, u, v.ID)
		edge.Phase = v.Phase
		if update, ok := alg.Compute(edge, src); ok {
			sum = combine(sum, update)
		}
	})
	sum = Reduce(t, m, sum, none, combine)
	if Leader(t, m) {
		value, moved := alg.Apply(v, old, sum)
		next[v.ID] = value
		if moved && alg.Joins(v.ID, v.Phase, value) {
			joined()
		}
	}
}
