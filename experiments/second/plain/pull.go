package plain

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Pull is bsp.Pull with one difference: it says for each vertex whether its value changed, instead of counting these
// vertices with an atomic.
func Pull[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, outRow []uint32, values, next []V, changed []uint32) {
	var m M
	m.Vertices(t, g.Vertices(), func(id uint32) {
		row := func() (begin, end uint32) { return g.Row[id], g.Row[id+1] }
		degree := func() uint32 { return outRow[id+1] - outRow[id] }
		moved := uint32(0)
		scheduler.PullVertex[A, M, V](t, alg, g, values, next, id, row, degree, func() { moved = 1 })
		changed[id] = moved
	})
}

// Unreached is the level of a vertex that has not been reached.
const Unreached = 1<<32 - 1

// Levels is a step of breadth-first search: the vertices that no step has reached and that have an arc to one of the level
// before get the level now. The graph must be symmetric. changed is 1 for those that got it.
func Levels(t gpu.Thread, row, col, level, changed []uint32, now uint32) {
	for v := t.Global(); v < gpu.Len(level); v += t.Stride() {
		changed[v] = 0
		if level[v] != Unreached {
			continue
		}
		for e := row[v]; e < row[v+1]; e++ {
			if level[col[e]] == now-1 {
				level[v], changed[v] = now, 1
				break
			}
		}
	}
}

// Stencil is a step of a heat equation on a square of points, whose side is a power of two: each point inside becomes the
// mean of its four neighbors and itself, those of the border stay. It divides nothing: a division by zero is a panic, which
// MGPUSim does not have.
func Stencil(t gpu.Thread, from, to []float32, side uint32) {
	n := gpu.Len(from)
	for p := t.Global(); p < n; p += t.Stride() {
		x := p & (side - 1)
		if x == 0 || x == side-1 || p < side || p >= n-side {
			to[p] = from[p]
			continue
		}
		to[p] = (from[p] + from[p-1] + from[p+1] + from[p-side] + from[p+side]) * 0.2
	}
}
