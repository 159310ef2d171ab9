package graph

import (
	"context"
	"fmt"
	"slices"
)

// Edge is an arc with its weight, for [FromEdges].
type Edge struct{ From, To, Weight uint32 }

// FromEdges returns the graph with n vertices, numbered from 0, and the given arcs, in any
// order. It has weights if at least one edge has a weight other than 0. Repeated arcs are
// merged and self loops are dropped, as in files; the notes say so. To make an undirected
// graph, list each edge once and set Symmetrize in opt. The name appears in reports. An
// edge to a vertex that does not exist is an error.
func FromEdges(ctx context.Context, name string, n int, edges []Edge, opt LoadOptions) (*CSR, Notes, error) {
	if n < 0 {
		return nil, nil, fmt.Errorf("graph %s: %d vertices", name, n)
	}
	b := builder{keepLoops: opt.KeepSelfLoops}
	b.weights.have = slices.ContainsFunc(edges, func(e Edge) bool { return e.Weight != 0 })
	b.weights.what = "weights of the edges"
	if b.grow(len(edges)); b.err != nil {
		return nil, nil, fmt.Errorf("graph %s: %w", name, b.err)
	}
	look := poller{ctx: ctx}
	for i, e := range edges {
		if err := look.after(1); err != nil {
			return nil, nil, err
		}
		if uint64(e.From) >= uint64(n) || uint64(e.To) >= uint64(n) {
			return nil, nil, fmt.Errorf("graph %s: edge %d goes from %d to %d; vertices are 0 to %d", name, i, e.From, e.To, n-1)
		}
		b.add(e.From, e.To, e.Weight)
	}
	var notes Notes
	g, err := b.build(ctx, plan{file: name, n: n}, opt, &notes)
	if err != nil {
		return nil, nil, fmt.Errorf("graph %s: %w", name, err)
	}
	noteDirection(&notes, g, false, uint64(len(edges)))
	if g, err = finish(ctx, g, opt, &notes); err != nil {
		return nil, nil, err
	}
	g.Name = opt.named(name)
	return g, notes, nil
}
