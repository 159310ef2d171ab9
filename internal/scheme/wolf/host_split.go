//go:build !kernel

package wolf

import (
	"context"
	"slices"

	"github.com/weft-gpu/weft/graph"
)

// split is the edge list of a graph, split into edge blocks.
type split struct {
	begin  []uint32 // the first edge of each edge block, and the number of edges
	slot   []uint32 // of each edge: the shared index
	first  []uint32 // the first slot of each edge block, and the number of slots
	vertex []uint32 // the destination of each slot
}

// blocks returns the number of edge blocks, at least 1.
func (s *split) blocks() int { return len(s.begin) - 1 }

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

// evenly returns blocks of the given number of edges, without slots.
func evenly(arcs, edges int) *split {
	s := &split{begin: []uint32{0}}
	for begin := 0; begin == 0 || begin < arcs; begin += edges {
		s.begin = append(s.begin, uint32(min(begin+edges, arcs)))
	}
	return s
}

// newSplit divides the arcs of a graph, in their order in memory, into blocks of the given number
// of edges, or fewer if a block would have more than the given number of different destinations,
// unless that is 0. It numbers the destinations of each block in order of their first edge.
func newSplit(ctx context.Context, g *graph.CSR, edges, destinations int) (*split, error) {
	if destinations == 0 {
		destinations = edges
	}
	s := &split{begin: []uint32{0}, slot: make([]uint32, g.Arcs()), first: []uint32{0}, vertex: make([]uint32, 0, g.Arcs())}
	latest := make([]uint32, g.Vertices()) // the newest slot of each vertex plus 1, over all blocks
	begin, first := 0, 0                   // of the current block
	end := func(e int) {
		s.begin, s.first = append(s.begin, uint32(e)), append(s.first, uint32(len(s.vertex)))
		begin, first = e, len(s.vertex)
	}
	for e, v := range g.Col {
		if e%(1<<16) == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		known := int(latest[v]) > first // otherwise of an earlier block, or none
		if e-begin == edges || !known && len(s.vertex)-first == destinations {
			end(e)
			known = false
		}
		if !known {
			s.vertex = append(s.vertex, v)
			latest[v] = uint32(len(s.vertex))
		}
		s.slot[e] = latest[v] - 1 - uint32(first)
	}
	end(g.Arcs())
	return s, ctx.Err()
}

// homes lists the edge blocks with edges of each vertex: those of vertex v are home[i], row[v] <=
// i < row[v+1].
func (s *split) homes(source []uint32, vertices int) (row, home []uint32) {
	row = make([]uint32, vertices+1)
	latest := make([]uint32, vertices) // the last block that was counted, plus 1
	visit := func(found func(u, block uint32)) {
		clear(latest)
		for b := range uint32(s.blocks()) {
			for _, u := range source[s.begin[b]:s.begin[b+1]] {
				if latest[u] != b+1 {
					latest[u] = b + 1
					found(u, b)
				}
			}
		}
	}
	visit(func(u, _ uint32) { row[u+1]++ })
	for v := range vertices {
		row[v+1] += row[v]
	}
	next := slices.Clone(row[:vertices])
	home = make([]uint32, row[vertices])
	visit(func(u, b uint32) {
		home[next[u]] = b
		next[u]++
	})
	return row, home
}
