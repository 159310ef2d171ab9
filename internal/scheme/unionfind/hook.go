package unionfind

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Edges says which edges are still to be hooked, as seen from their ends.
type Edges interface {
	// Skips reports whether no edge of u is left.
	Skips(f Forest, u uint32) bool
	// First returns how many of the first arcs of each vertex are done.
	First() uint32
	// Ends reports whether the arc from u to v and all that follow it are left to their
	// other ends.
	Ends(u, v uint32) bool
	// Above returns v or an ancestor of v, from which its root is looked for.
	Above(f Forest, v uint32) uint32
	// Counts reports whether Skips is true for some vertices, so that it is worth counting
	// the others. It must return a constant.
	Counts() bool
	// Tiled reports whether Tile has hooked the other edges, and not Init. It must return a constant.
	Tiled() bool
}

// Smaller is all edges after Init, each from its larger end.
type Smaller struct{}

// Skips returns false.
func (Smaller) Skips(f Forest, u uint32) bool { return false }

// First returns 1: Init has hooked the first neighbor, or no neighbor is smaller.
func (Smaller) First() uint32 { return 1 }

// Ends reports whether v is larger than u, or u itself.
func (Smaller) Ends(u, v uint32) bool { return v >= u }

// Above returns v.
func (Smaller) Above(f Forest, v uint32) uint32 { return v }

// Counts returns false.
func (Smaller) Counts() bool { return false }

// Tiled returns false.
func (Smaller) Tiled() bool { return false }

// Rest is what is left after Sample and Compress: the edges with an end outside of the
// largest tree. Both ends may find such an edge: whether the other one will skip it can
// change at any time.
type Rest struct {
	Largest *uint32 // the root of the largest tree
}

// Skips reports whether the parent of u is the root of the largest tree.
func (r Rest) Skips(f Forest, u uint32) bool { return f.seen(u) == *r.Largest }

// First returns 0: Sample may have lost any edge.
func (Rest) First() uint32 { return 0 }

// Ends returns false.
func (Rest) Ends(u, v uint32) bool { return false }

// Above returns the root of the largest tree for its vertices. Their parents stay as they are that way, also when that root has been hooked: otherwise those
// that have been passed would not be skipped any more.
func (r Rest) Above(f Forest, v uint32) uint32 {
	if largest := *r.Largest; f.seen(v) == largest {
		return largest
	}
	return v
}

// Counts returns true.
func (Rest) Counts() bool { return true }

// Tiled returns false.
func (Rest) Tiled() bool { return false }

// The largest degrees of a vertex for one thread and for one warp, which are those of ECL-CC.
const (
	ThreadDegree = 16
	WarpDegree   = 352
)

// Wide is a list of the vertices that are too wide for a thread. It has two ends: those for
// warps are at the beginning, those for blocks at the end, the first one last.
type Wide struct {
	Vertices []uint32
	Counts   []uint32 // ForWarps, ...
}

// The elements of Wide.Counts.
const (
	ForWarps  = iota // vertices for warps
	ForBlocks        // vertices for blocks
	Visited          // vertices that Edges does not skip, if it counts them
	Moved            // vertices that changed the value of their root, see Flatten
	Counts           // the number of elements
)

// add appends u to its end of the list.
func (w Wide) add(u, degree uint32) {
	if degree <= WarpDegree {
		w.Vertices[gpu.AtomicAdd(&w.Counts[ForWarps], 1)] = u
	} else {
		w.Vertices[gpu.Len(w.Vertices)-1-gpu.AtomicAdd(&w.Counts[ForBlocks], 1)] = u
	}
}

// Hook is the kernel that hooks edges, one thread per vertex; wide vertices go to the list.
func Hook[E Edges](t gpu.Thread, g scheduler.Graph, f Forest, edges E, wide Wide) {
	visited := uint32(0)
	for u := t.Global(); u < g.Vertices(); u += t.Stride() {
		if edges.Skips(f, u) {
			continue
		}
		visited++
		if degree := g.Row[u+1] - g.Row[u]; degree > ThreadDegree {
			wide.add(u, degree)
		} else {
			hook[scheduler.ThreadPerVertex](t, g, f, edges, u)
		}
	}
	if edges.Counts() {
		scheduler.Tally(t, visited, &wide.Counts[Visited])
	}
}

// HookWide is the kernel that hooks the edges of the vertices in the list: first a block for
// each of the widest ones, then a warp for each other one.
func HookWide[E Edges](t gpu.Thread, g scheduler.Graph, f Forest, edges E, wide Wide) {
	last := gpu.Len(wide.Vertices) - 1
	scheduler.BlockPerVertex{}.Vertices(t, gpu.Load(&wide.Counts[ForBlocks]), func(i uint32) {
		hook[scheduler.BlockPerVertex](t, g, f, edges, wide.Vertices[last-i])
	})
	scheduler.WarpPerVertex{}.Vertices(t, gpu.Load(&wide.Counts[ForWarps]), func(i uint32) {
		hook[scheduler.WarpPerVertex](t, g, f, edges, wide.Vertices[i])
	})
}

// hook hooks the edges of u; the threads of a team call it together.
func hook[M scheduler.Mapping, E Edges](t gpu.Thread, g scheduler.Graph, f Forest, edges E, u uint32) {
	var m M
	above := u
	m.ArcsUntil(t, g.Row[u]+edges.First(), g.Row[u+1], func(e uint32) bool {
		v := g.Col[e]
		if edges.Ends(u, v) {
			return true
		}
		above = f.Link(above, edges.Above(f, v))
		return false
	})
}
