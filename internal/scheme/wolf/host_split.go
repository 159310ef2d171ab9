//go:build !kernel

package wolf

import (
	"context"

	"github.com/weft-gpu/weft/graph"
)

// split is the edge list of a graph, split into edge blocks.
type split struct {
	slot   []uint32 // of each edge: the shared index
	first  []uint32 // the first slot of each edge block, and the number of slots
	vertex []uint32 // the destination of each slot
}

// sources returns the source of each edge.
func sources(g *graph.CSR) []uint32 {
	list := make([]uint32, g.Arcs())
	for u := range g.Vertices() {
		for e := g.Row[u]; e < g.Row[u+1]; e++ {
			list[e] = uint32(u)
		}
	}
	return list
}

// blocksOf returns the number of edge blocks with the given number of edges each, at least 1.
func blocksOf(arcs, edges int) int { return max((arcs+edges-1)/edges, 1) }

// newSplit numbers the destinations of each block of the given number of edges, in order of
// their first edge.
func newSplit(ctx context.Context, g *graph.CSR, edges int) (*split, error) {
	blocks := blocksOf(g.Arcs(), edges)
	s := &split{slot: make([]uint32, g.Arcs()), first: make([]uint32, 1, blocks+1), vertex: make([]uint32, 0, g.Arcs())}
	latest := make([]uint32, g.Vertices()) // the newest slot of each vertex plus 1, over all blocks
	for b := range blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		first := s.first[b]
		for e := b * edges; e < min((b+1)*edges, g.Arcs()); e++ {
			v := g.Col[e]
			if latest[v] <= first { // of an earlier block, or none
				s.vertex = append(s.vertex, v)
				latest[v] = uint32(len(s.vertex))
			}
			s.slot[e] = latest[v] - 1 - first
		}
		s.first = append(s.first, uint32(len(s.vertex)))
	}
	return s, nil
}
