//go:build !kernel

package unionfind

import (
	"context"
	"slices"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/memo"
)

// piece is the arcs of a range of vertices: near are those between them, with the numbers from 0 on, and far those to other vertices, with the numbers of the whole graph.
type piece struct {
	near, far *graph.CSR
	bridges   []uint32 // both ends of a sample of far
}

// bridgesOf is the number of arcs in the sample for each other GPU: one of them is between two of the largest trees, very likely, if one of ten arcs is.
const bridgesOf = 64

// vertexRange is the key of a piece that a memo keeps.
type vertexRange struct {
	graph   *graph.CSR
	lo, hi  int
	bridges int
}

// pieceOf returns the arcs of the vertices from lo to hi (exclusive), with so many bridges.
func pieceOf(ctx context.Context, g *graph.CSR, lo, hi, bridges int) (*piece, error) {
	bytes := func(p *piece) uint64 { return p.near.Bytes() + p.far.Bytes() }
	return memo.Do(ctx, vertexRange{g, lo, hi, bridges}, bytes, func() (*piece, error) { return split(g, lo, hi, bridges), nil })
}

// split is pieceOf without a memo.
func split(g *graph.CSR, lo, hi, bridges int) *piece {
	near := &graph.CSR{Name: g.Name, Row: make([]uint64, 1, hi-lo+1)}
	far := &graph.CSR{Name: g.Name, Row: make([]uint64, 1, hi-lo+1)}
	ends := func(u int) (to []uint32, first, last int) {
		to = g.Neighbors(uint32(u))
		first, _ = slices.BinarySearch(to, uint32(lo))
		last, _ = slices.BinarySearch(to, uint32(hi))
		return to, first, last
	}
	for u := lo; u < hi; u++ {
		to, first, last := ends(u)
		near.Row = append(near.Row, near.Row[u-lo]+uint64(last-first))
		far.Row = append(far.Row, far.Row[u-lo]+uint64(len(to)-(last-first)))
	}
	near.Col, far.Col = make([]uint32, 0, near.Row[hi-lo]), make([]uint32, 0, far.Row[hi-lo])
	for u := lo; u < hi; u++ {
		to, first, last := ends(u)
		for _, v := range to[first:last] {
			near.Col = append(near.Col, v-uint32(lo))
		}
		far.Col = append(append(far.Col, to[:first]...), to[last:]...)
	}
	p := &piece{near: near, far: far}
	sample := min(bridges, far.Arcs())
	u := 0
	for i := range sample {
		// Neighboring arcs lead to neighboring vertices: the place in each part of the arcs is another one.
		e := (uint64(i)<<32 + uint64(spread(uint32(i)))) * uint64(far.Arcs()) / uint64(sample) >> 32
		for far.Row[u+1] <= e {
			u++
		}
		p.bridges = append(p.bridges, uint32(lo+u), far.Col[e])
	}
	return p
}
