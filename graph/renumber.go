package graph

import (
	"context"
	"slices"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// order is a permutation of the vertices.
type order struct {
	before []uint32 // by vertex: its number before the permutation
	after  []uint32 // by number before the permutation: the vertex
}

// Permuted reports whether LoadOptions.Permute has renumbered the vertices.
func (g *CSR) Permuted() bool { return g.order != nil }

// withoutIsolated returns the graph without vertices that have neither an outgoing nor an
// incoming arc, and the number of these. The others keep their order and their ids.
func (g *CSR) withoutIsolated(ctx context.Context) (*CSR, uint64, error) {
	n := g.Vertices()
	if err := memory.Need(memory.Sum(memory.Bytes[[2]uint32](uint64(n)), memory.Bytes[uint64](uint64(n)+1), memory.Bytes[uint32](uint64(g.Arcs()))),
		"dropping the isolated ones of the %d vertices of graph %q", n, g.Name); err != nil {
		return nil, 0, err
	}
	const isolated = ^uint32(0)
	number := make([]uint32, n) // first whether the vertex has an arc, then its new number
	err := chunks(ctx, g.Col, func(_ int, col []uint32) {
		for _, v := range col {
			number[v] = 1
		}
	})
	if err != nil {
		return nil, 0, err
	}
	kept := *g
	kept.Row, kept.ID = make([]uint64, 1, n+1), make([]uint32, 0, n)
	look := poller{ctx: ctx}
	for u := range number {
		if err := look.after(1); err != nil {
			return nil, 0, err
		}
		if number[u] == 0 && g.Degree(uint32(u)) == 0 {
			number[u] = isolated
			continue
		}
		number[u] = uint32(len(kept.ID))
		kept.ID = append(kept.ID, uint32(g.FileID(uint32(u))))
		kept.Row = append(kept.Row, g.Row[u+1])
	}
	dropped := uint64(n - len(kept.ID))
	if dropped == 0 {
		return g, 0, nil
	}
	kept.Col = make([]uint32, len(g.Col))
	err = chunks(ctx, g.Col, func(first int, col []uint32) {
		for i, v := range col {
			kept.Col[first+i] = number[v]
		}
	})
	return &kept, dropped, err
}

// permuted returns the graph with its vertices in random order, which depends on the seed
// alone. Their ids stay what they are.
func (g *CSR) permuted(ctx context.Context, seed uint64) (*CSR, error) {
	n := g.Vertices()
	if err := memory.Need(memory.Sum(memory.Bytes[[2]uint32](uint64(n)), g.copyBytes(g.Arcs())), "permuting the %d vertices of graph %q", n, g.Name); err != nil {
		return nil, err
	}
	after, err := permutation(ctx, newRNG(seed, streamShuffle), uint64(n))
	if err != nil {
		return nil, err
	}
	p := *g
	p.order = &order{before: make([]uint32, n), after: after}
	for old, v := range after {
		p.order.before[v] = uint32(old)
	}
	p.Row, p.Col = make([]uint64, n+1), make([]uint32, len(g.Col))
	if g.Weight != nil {
		p.Weight = make([]uint32, len(g.Weight))
	}
	for v, old := range p.order.before {
		p.Row[v+1] = p.Row[v] + uint64(g.Degree(old))
	}
	// The targets of each row must ascend. So visit the targets in their new order, and
	// append each one to the rows of its sources.
	in, err := g.Transpose(ctx)
	if err != nil {
		return nil, err
	}
	next := slices.Clone(p.Row[:n])
	look := poller{ctx: ctx}
	for v, old := range p.order.before {
		if err := look.after(1 + in.Degree(old)); err != nil {
			return nil, err
		}
		for e := in.Row[old]; e < in.Row[old+1]; e++ {
			u := after[in.Col[e]]
			at := next[u]
			next[u]++
			p.Col[at] = uint32(v)
			if g.Weight != nil {
				p.Weight[at] = in.Weight[e]
			}
		}
	}
	return &p, nil
}
