package unionfind

import "github.com/weft-gpu/weft/gpu"

// Forest has the parent of each vertex. A root is its own parent; every other parent is
// smaller than its vertex.
//
// A root can be hooked under a smaller vertex of another tree, once; then it is never a root
// again. The parent of any other vertex only changes to one that is further up. So whoever
// reads an old parent reads an ancestor nevertheless, and two vertices with the same ancestor,
// however old it is, are in one tree.
type Forest struct{ Parents []uint32 }

// Top returns an ancestor of x, or x itself: its root, if the caches are not behind. On the
// way each vertex gets its grandparent as parent (path halving).
//
// The loads have block scope, so that the L1 may answer them. Almost all vertices of a large
// component ask for the parent of the same root; without the L1 they would queue for one word.
func (f Forest) Top(x uint32) uint32 {
	parent := f.seen(x)
	for parent != x {
		above := f.seen(parent)
		if above == parent {
			return parent
		}
		gpu.Store(&f.Parents[x], above)
		x, parent = parent, above
	}
	return x
}

// seen returns the parent of x as this SM knows it.
func (f Forest) seen(x uint32) uint32 {
	return gpu.Load(&f.Parents[x], gpu.BlockScope) //weft:racy an old parent is an ancestor, too
}

// Flatten makes the root of v its parent, and returns it, when no edge is hooked any more. Each
// thread writes the parents of its own vertices alone: Top would write those of others, and
// might undo what their threads have done. A parent that is itself moving up takes v along, so
// that the steps double on long chains as well (pointer jumping).
func (f Forest) Flatten(v uint32) uint32 {
	parent := f.seen(v)
	for {
		above := f.seen(parent)
		if above == parent {
			return parent
		}
		gpu.Store(&f.Parents[v], above)
		parent = above
	}
}

// root returns the root of x when no edge is hooked any more.
func (f Forest) root(x uint32) uint32 {
	for {
		parent := f.seen(x)
		if parent == x {
			return x
		}
		x = parent
	}
}

// Link puts the trees of a and b together. It returns an ancestor of both, which may be a or b.
//
// If the ancestors that Top returns differ, Link climbs with the larger one, as it is in
// memory, until both are the same or the larger one is a root, and hooks the root under the
// other one, which need not be a root (Rem's algorithm; Patwary, Blair, Manne, Experiments on
// Union-Find Algorithms, SEA 2010). The larger one becomes smaller with each step, so this
// ends, whatever other threads do.
func (f Forest) Link(a, b uint32) uint32 { return f.link(a, b, func(_, _ uint32) {}) }

// link is Link, and calls hooked with a root and what it was hooked under, if it hooks one.
func (f Forest) link(a, b uint32, hooked func(root, under uint32)) uint32 {
	a, b = f.Top(a), f.Top(b)
	for a != b {
		if a < b {
			a, b = b, a
		}
		parent := gpu.Load(&f.Parents[a])
		if parent == a {
			// Another thread may hook a first; then this is its parent.
			parent = gpu.AtomicCAS(&f.Parents[a], a, b)
			if parent == a {
				hooked(a, b)
				return b
			}
		}
		a = parent
	}
	return a
}
