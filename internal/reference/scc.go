package reference

import (
	"context"

	"github.com/weft-gpu/weft/graph"
)

// SCC returns for each vertex the smallest vertex of its strongly connected component. It is
// Tarjan's algorithm with a stack of its own in place of recursion.
//
// Source: Tarjan, Depth-first search and linear graph algorithms, SIAM Journal on Computing,
// 1972.
func SCC(ctx context.Context, g *graph.CSR) ([]uint32, error) {
	n := g.Vertices()
	t := tarjan{g: g, index: make([]uint32, n), low: make([]uint32, n), next: make([]uint64, n), label: make([]uint32, n)}
	for v := range t.label {
		t.label[v] = Unreached
	}
	for v := range uint32(n) {
		if t.index[v] == 0 {
			if err := t.search(ctx, v); err != nil {
				return nil, err
			}
		}
	}
	return t.label, nil
}

// tarjan is the state of the depth-first search.
type tarjan struct {
	g     *graph.CSR
	index []uint32 // when a vertex was found, from 1; 0: not yet
	low   []uint32 // the smallest index that is known to be reached from its subtree
	next  []uint64 // the next arc of a vertex to follow
	label []uint32 // the result; Unreached while the component is open
	found uint32
	open  []uint32 // found vertices whose components are not complete, in order of index
	path  []uint32 // from the root of the search to the current vertex
}

// search visits everything that can be reached from root and was not found before.
func (t *tarjan) search(ctx context.Context, root uint32) error {
	t.enter(root)
	for steps := 0; len(t.path) > 0; steps++ {
		if err := poll(ctx, steps); err != nil {
			return err
		}
		u := t.path[len(t.path)-1]
		if t.next[u] == t.g.Row[u+1] {
			t.leave(u)
			continue
		}
		v := t.g.Col[t.next[u]]
		t.next[u]++
		switch {
		case t.index[v] == 0:
			t.enter(v)
		case t.label[v] == Unreached:
			t.low[u] = min(t.low[u], t.index[v])
		}
	}
	return nil
}

// enter makes v the end of the path.
func (t *tarjan) enter(v uint32) {
	t.found++
	t.index[v], t.low[v], t.next[v] = t.found, t.found, t.g.Row[v]
	t.open, t.path = append(t.open, v), append(t.path, v)
}

// leave takes u off the path. If u is the first vertex of its component, that is complete.
func (t *tarjan) leave(u uint32) {
	t.path = t.path[:len(t.path)-1]
	if len(t.path) > 0 {
		parent := t.path[len(t.path)-1]
		t.low[parent] = min(t.low[parent], t.low[u])
	}
	if t.low[u] < t.index[u] {
		return
	}
	first := len(t.open) - 1
	smallest := u
	for ; t.open[first] != u; first-- {
		smallest = min(smallest, t.open[first])
	}
	for _, v := range t.open[first:] {
		t.label[v] = smallest
	}
	t.open = t.open[:first]
}
