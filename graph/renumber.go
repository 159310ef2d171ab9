package graph

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// order is a permutation of the vertices, of one renumbering or of several, one after another.
type order struct {
	before []uint32 // by vertex: its number before the permutation
	after  []uint32 // by number before the permutation: the vertex
}

// Permuted reports whether LoadOptions.Permute, or Renumbered, has given the vertices other numbers than those of their order in the file.
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
	err := eachRange(ctx, len(g.Col), func(_, lo, hi int) {
		for _, v := range g.Col[lo:hi] {
			if p := &number[v]; atomic.LoadUint32(p) == 0 {
				atomic.StoreUint32(p, 1)
			}
		}
	})
	if err != nil {
		return nil, 0, err
	}
	counts := make([]int, (n+pieceSize-1)/pieceSize)
	err = eachRange(ctx, n, func(_, lo, hi int) {
		count := 0
		for u := lo; u < hi; u++ {
			if number[u] != 0 || g.Degree(uint32(u)) != 0 {
				number[u] = 1
				count++
			}
		}
		counts[lo/pieceSize] = count
	})
	if err != nil {
		return nil, 0, err
	}
	left := 0
	for i, count := range counts {
		counts[i], left = left, left+count
	}
	if left == n {
		return g, 0, nil
	}
	kept := *g
	kept.Row, kept.ID = make([]uint64, left+1), make([]uint32, left)
	err = eachRange(ctx, n, func(_, lo, hi int) {
		at := counts[lo/pieceSize]
		for u := lo; u < hi; u++ {
			if number[u] == 0 {
				number[u] = isolated
				continue
			}
			number[u] = uint32(at)
			kept.ID[at] = uint32(g.FileID(uint32(u)))
			kept.Row[at+1] = g.Row[u+1]
			at++
		}
	})
	if err != nil {
		return nil, 0, err
	}
	kept.Col = make([]uint32, len(g.Col))
	return &kept, uint64(n - left), eachRange(ctx, len(g.Col), func(_, lo, hi int) {
		for e := lo; e < hi; e++ {
			kept.Col[e] = number[g.Col[e]]
		}
	})
}

// Shuffled returns the graph with its vertices in random order, which depends on the seed alone. Their ids stay what they are.
func (g *CSR) Shuffled(ctx context.Context, seed uint64) (*CSR, error) {
	after, err := permutation(ctx, newRNG(seed, streamShuffle), uint64(g.Vertices()))
	if err != nil {
		return nil, err
	}
	return g.Renumbered(ctx, after)
}

// Renumbered returns the graph with other numbers of its vertices: v becomes after[v]. Their ids stay what they are, so that VertexOf and
// FileID lead from one graph to the other.
func (g *CSR) Renumbered(ctx context.Context, after []uint32) (*CSR, error) {
	n := g.Vertices()
	if err := memory.Need(memory.Sum(memory.Bytes[[3]uint32](uint64(n)), g.copyBytes(g.Arcs())), "permuting the %d vertices of graph %q", n, g.Name); err != nil {
		return nil, err
	}
	before, err := inverse(after, n)
	if err != nil {
		return nil, fmt.Errorf("renumbering the vertices of graph %s: %w", g.Name, err)
	}
	p := *g
	p.order = &order{before: before, after: after}
	if g.order != nil { // ids belong to the order before all permutations
		p.order = &order{before: make([]uint32, n), after: make([]uint32, n)}
		for v, old := range before {
			first := g.order.before[old]
			p.order.before[v], p.order.after[first] = first, uint32(v)
		}
	}
	p.Row, p.Col = make([]uint64, n+1), make([]uint32, len(g.Col))
	if g.Weight != nil {
		p.Weight = make([]uint32, len(g.Weight))
	}
	err = eachRange(ctx, n, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			p.Row[v+1] = uint64(g.Degree(before[v]))
		}
	})
	if err != nil {
		return nil, err
	}
	if err := prefixSum(ctx, p.Row); err != nil {
		return nil, err
	}
	scratch := make([]rowSorter, cores())
	return &p, p.eachRows(ctx, func(worker, lo, hi int) {
		for v := uint32(lo); v < uint32(hi); v++ {
			row := p.Neighbors(v)
			for i, old := range g.Neighbors(before[v]) {
				row[i] = after[old]
			}
			weight := p.Weights(v)
			copy(weight, g.Weights(before[v]))
			scratch[worker].sort(row, weight)
		}
	})
}

// inverse returns the inverse of a permutation of n numbers.
func inverse(after []uint32, n int) ([]uint32, error) {
	if len(after) != n {
		return nil, fmt.Errorf("%d numbers for %d vertices", len(after), n)
	}
	before, seen := make([]uint32, n), make([]bool, n)
	for old, v := range after {
		if int64(v) >= int64(n) || seen[v] {
			return nil, fmt.Errorf("number %d of vertex %d is not below %d, or another vertex has it", v, old, n)
		}
		before[v], seen[v] = uint32(old), true
	}
	return before, nil
}
