//go:build !kernel

package scheduler

import (
	"context"
	"slices"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/memo"
)

// Where arcs are divided among GPUs by their targets, each GPU alone changes the values of its vertices, and no update crosses a link.

// ArcsBefore returns the number of incoming arcs of all vertices before each one, and then that of all.
func ArcsBefore(g *graph.CSR) []uint64 {
	if g.Symmetric {
		return g.Row
	}
	before := make([]uint64, g.Vertices()+1)
	for _, v := range g.Col {
		before[v+1]++
	}
	for v := range g.Vertices() {
		before[v+1] += before[v]
	}
	return before
}

// ArcsInto returns the graph of those arcs that lead to the vertices from lo to hi (exclusive). It has all vertices, and is kept for the next run on the same graph.
func ArcsInto(ctx context.Context, g *graph.CSR, lo, hi int) (*graph.CSR, error) {
	return memo.Do(ctx, targetRange{g, lo, hi}, (*graph.CSR).Bytes, func() (*graph.CSR, error) {
		part := &graph.CSR{Name: g.Name, Row: make([]uint64, 1, len(g.Row)), Col: make([]uint32, 0, g.Arcs()*(hi-lo)/max(g.Vertices(), 1))}
		for u := range g.Vertices() {
			to := g.Neighbors(uint32(u))
			first, _ := slices.BinarySearch(to, uint32(lo))
			last, _ := slices.BinarySearch(to, uint32(hi))
			part.Col = append(part.Col, to[first:last]...)
			if len(g.Weight) > 0 {
				begin := int(g.Row[u])
				part.Weight = append(part.Weight, g.Weight[begin+first:begin+last]...)
			}
			part.Row = append(part.Row, uint64(len(part.Col)))
		}
		return part, nil
	})
}

// targetRange is the key of a part of a graph that a memo keeps: another start vertex needs the same one.
type targetRange struct {
	graph  *graph.CSR
	lo, hi int
}
