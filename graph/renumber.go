package graph

import (
	"context"
	"sync/atomic"

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
	before := make([]uint32, n)
	p.order = &order{before: before, after: after}
	err = eachRange(ctx, n, func(_, lo, hi int) {
		for old := lo; old < hi; old++ {
			before[after[old]] = uint32(old)
		}
	})
	if err != nil {
		return nil, err
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
