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
	opt, err := opt.checked()
	if err != nil {
		return nil, nil, fmt.Errorf("graph %s: %w", name, err)
	}
	b := builder{keepLoops: opt.KeepSelfLoops}
	b.weights.have = slices.ContainsFunc(edges, func(e Edge) bool { return e.Weight != 0 })
	b.weights.what = "weights of the edges"
	all := uint64(len(edges))
	if err := b.need(all, all); err != nil {
		return nil, nil, fmt.Errorf("graph %s: %w", name, err)
	}
	wrong := make([]int, pieces(all, edgesPerPiece)) // by piece: 1 + its first edge that is out of range, or 0
	err = b.generate(ctx, uint64(len(wrong)), func(piece uint64, p *part) {
		first := piece * edgesPerPiece
		for i, e := range edges[first:min(first+edgesPerPiece, all)] {
			switch {
			case uint64(e.From) >= uint64(n) || uint64(e.To) >= uint64(n):
				wrong[piece] = 1 + int(first) + i
				return
			case b.weights.have:
				p.addWeighted(e.From, e.To, e.Weight)
			default:
				p.add(e.From, e.To)
			}
		}
	})
	if err != nil {
		return nil, nil, err
	}
	for _, i := range wrong {
		if i > 0 {
			e := edges[i-1]
			return nil, nil, fmt.Errorf("graph %s: edge %d goes from %d to %d; vertices are 0 to %d", name, i-1, e.From, e.To, n-1)
		}
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
