package graph

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// listing is the edges of a file or generator in their order there, with the numbers of the
// graph that was built of them before vertices were dropped or permuted.
type listing struct {
	edge       [][]uint64 // source<<32 | target, in parts
	undirected bool       // each edge is two arcs
	of         *CSR
}

// origin is what Open was called with.
type origin struct {
	spec string
	opt  LoadOptions
}

// note keeps the edges of a builder, if somebody asked for them.
func (l *listing) note(b *builder, p plan) {
	if l == nil {
		return
	}
	l.undirected = p.undirected
	for i := range b.parts {
		l.edge = append(l.edge, b.parts[i].edge)
	}
}

// FileOrder returns the arcs of the graph, as indices of Col, in the order of its file or
// generator: those of an edge that is stored as two arcs follow each other, and of several equal
// edges the first one counts. It reads the file, or runs the generator, again, since a graph does
// not keep the order. The graph must come from [Open].
func (g *CSR) FileOrder(ctx context.Context) ([]uint32, error) {
	if g.from == nil {
		return nil, fmt.Errorf("graph %s has no order of edges: it was not opened from a file that can be read again, or by a generator", g.Name)
	}
	if p := g.from.opt.Power; p > 1 {
		return nil, fmt.Errorf("graph %s has no order of edges: its arcs are paths of up to %d arcs, which the file does not have", g.Name, p)
	}
	if _, err := g.Device32(); err != nil { // indices have 32 bits
		return nil, err
	}
	var l listing
	opt := g.from.opt
	opt.listing = &l
	if _, _, err := load(ctx, g.from.spec, opt); err != nil {
		return nil, err
	}
	if err := memory.Need(memory.Sum(memory.Bytes[uint32](uint64(g.Arcs())), memory.Bytes[uint32](uint64(l.of.Vertices())), uint64(g.Arcs())),
		"the order of the %d arcs of graph %q", g.Arcs(), g.Name); err != nil {
		return nil, err
	}
	changed := fmt.Errorf("graph %s is not the one that its file has now", g.Name)
	number := make([]uint32, l.of.Vertices()) // of the vertices of l
	for u := range number {
		number[u], _ = g.VertexOf(l.of.FileID(uint32(u))) // one without an arc may be dropped
	}
	both := l.undirected || g.Symmetric && !l.of.Symmetric
	list, seen := make([]uint32, 0, g.Arcs()), make([]bool, g.Arcs())
	add := func(u, v uint32) bool {
		i, found := slices.BinarySearch(g.Neighbors(u), v)
		e := g.Row[u] + uint64(i)
		if found && !seen[e] {
			seen[e] = true
			list = append(list, uint32(e))
		}
		return found
	}
	missing := false
	for _, edges := range l.edge {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, e := range edges {
			u, v := number[e>>32], number[uint32(e)]
			missing = missing || !add(u, v) || both && !add(v, u)
		}
	}
	if missing || len(list) != g.Arcs() {
		return nil, changed
	}
	return list, nil
}
