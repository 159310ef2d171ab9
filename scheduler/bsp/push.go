package bsp

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Push is the kernel of one iteration: each vertex of the frontier in sends updates along
// its arcs; vertices that become active are added to out.
func Push[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, in scheduler.Frontier, out scheduler.Queue) {
	var m M
	m.Vertices(t, in.Count, func(i uint32) {
		u := in.Vertices[i]
		begin, end := g.Row[u], g.Row[u+1]
		src := take[A, M, V](t, alg, scheduler.Vertex{ID: u, Degree: end - begin}, &values[u])
		m.Arcs(t, begin, end, func(e uint32) {
			v := g.Col[e]
			update, ok := alg.Compute(g.Edge(e, u, v), src)
			if !ok {
				return
			}
			old := alg.Update(&values[v], update)
			if alg.Active(v, old, alg.Combine(old, update)) {
				enqueue[A, V](alg, out, v)
			}
		})
	})
}

// take returns what u sends. If Take only reads, every thread of the team calls it, which
// is cheaper than broadcasting the value.
func take[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, u scheduler.Vertex, p *V) V {
	if !alg.Consumes() {
		return alg.Take(u, p)
	}
	var m M
	return scheduler.Once(t, m, func() V { return alg.Take(u, p) })
}

// enqueue adds v to the next frontier, once.
func enqueue[A scheduler.Algorithm[V], V gpu.Num](alg A, out scheduler.Queue, v uint32) {
	if alg.Unique() {
		out.Add(v)
	} else {
		out.AddOnce(v)
	}
}
