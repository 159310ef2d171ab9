package protocol

import (
	"context"
	"math/rand/v2"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
)

// stream keeps the numbers that draw vertices apart from others with the same seed.
const stream = 0x736f757263657321

// Sources draws n different vertices of g that have an arc to another vertex, all with the same probability; largest
// restricts them to the largest weakly connected component. The same seed gives the same vertices in the same order, of
// which a smaller n takes the first ones. There are fewer than n if the graph has no more.
func Sources(ctx context.Context, g *graph.CSR, n int, seed uint64, largest bool) ([]uint32, error) {
	in := func(uint32) bool { return true }
	if largest {
		label, err := reference.CC(ctx, g)
		if err != nil {
			return nil, err
		}
		root := mostFrequent(label)
		in = func(v uint32) bool { return label[v] == root }
	}
	var all []uint32
	for v := range uint32(g.Vertices()) {
		if leads(g, v) && in(v) {
			all = append(all, v)
		}
	}
	r := rand.New(rand.NewPCG(seed, stream))
	n = min(n, len(all))
	for i := range n { // the first n steps of a shuffle
		j := i + r.IntN(len(all)-i)
		all[i], all[j] = all[j], all[i]
	}
	return all[:n:n], ctx.Err()
}

// leads reports whether v has an arc to another vertex.
func leads(g *graph.CSR, v uint32) bool {
	for _, u := range g.Neighbors(v) {
		if u != v {
			return true
		}
	}
	return false
}

// mostFrequent returns the label that most vertices have, the smallest of several; 0 for none. Labels are vertices.
func mostFrequent(label []uint32) (most uint32) {
	count := make([]uint32, len(label))
	for _, x := range label {
		count[x]++
	}
	for x, n := range count {
		if n > count[most] {
			most = uint32(x)
		}
	}
	return most
}

// Traversed is what a search from a source has to visit.
type Traversed struct {
	Reached uint64 `json:"reached"` // vertices that arcs lead to, and the source
	// Edges is the number of edges among these vertices if the graph is symmetric, each counted once, and otherwise the
	// number of arcs that leave them.
	Edges uint64 `json:"edges"`
}

// traversals finds what is visited from each of several sources of a graph.
type traversals struct {
	g *graph.CSR
	// For a symmetric graph: the component of each vertex, and what a search visits in each.
	label []uint32
	of    map[uint32]Traversed
}

// from returns what a search from src visits.
func (t *traversals) from(ctx context.Context, src uint32) (Traversed, error) {
	if !t.g.Symmetric {
		level, err := reference.BFS(ctx, t.g, src)
		if err != nil {
			return Traversed{}, err
		}
		var x Traversed
		for v, l := range level {
			if l != reference.Unreached {
				x.Reached++
				x.Edges += uint64(t.g.Degree(uint32(v)))
			}
		}
		return x, nil
	}
	if t.label == nil {
		if err := t.components(ctx); err != nil {
			return Traversed{}, err
		}
	}
	return t.of[t.label[src]], nil
}

// components fills label and of.
func (t *traversals) components(ctx context.Context) (err error) {
	if t.label, err = reference.CC(ctx, t.g); err != nil {
		return err
	}
	t.of = map[uint32]Traversed{}
	for v, root := range t.label {
		x := t.of[root]
		x.Reached++
		for _, u := range t.g.Neighbors(uint32(v)) {
			if uint32(v) <= u { // from its smaller end; a loop has one
				x.Edges++
			}
		}
		t.of[root] = x
	}
	return ctx.Err()
}
