package graph

import (
	"context"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/weft-gpu/weft/internal/base/laps"
	"github.com/weft-gpu/weft/internal/base/memo"
	"github.com/weft-gpu/weft/internal/base/memory"
)

// Transpose returns the graph with all arcs reversed: row v contains the sources of the
// arcs into v. A symmetric graph is its own transpose and is returned unchanged. The error
// reports that there is not enough memory, or is ctx's error.
func (g *CSR) Transpose(ctx context.Context) (*CSR, error) {
	if g.Symmetric {
		return g, nil
	}
	return memo.Do(ctx, transposeOf{g}, (*CSR).Bytes, func() (*CSR, error) {
		defer laps.Start(ctx, "transposing")()
		return g.reverse(ctx)
	})
}

// transposeOf is the key of a graph with its arcs reversed, which a memo in a context keeps: nobody changes a graph.
type transposeOf struct{ *CSR }

// copyBytes returns the size of a graph with the given number of arcs and g's vertices.
func (g *CSR) copyBytes(arcs int) uint64 {
	need := memory.Sum(memory.Bytes[uint64](uint64(len(g.Row))), memory.Bytes[uint32](uint64(arcs)))
	if g.Weight != nil {
		need = memory.Sum(need, memory.Bytes[uint32](uint64(arcs)))
	}
	return need
}

// reverse returns the graph with all arcs reversed.
func (g *CSR) reverse(ctx context.Context) (*CSR, error) {
	if err := memory.Need(sortBytes(g.Vertices(), g.Arcs(), g.Weight != nil), "transposing the %d arcs of graph %q", g.Arcs(), g.Name); err != nil {
		return nil, err
	}
	buffers := make([][]uint64, cores())
	s := sorter{n: g.Vertices(), arcs: g.Arcs(), pieces: (g.Arcs() + pieceSize - 1) / pieceSize, weighted: g.Weight != nil,
		read: func(worker, piece int) ([]uint64, []uint32) {
			lo, hi := piece*pieceSize, min((piece+1)*pieceSize, g.Arcs())
			arcs := slices.Grow(buffers[worker][:0], hi-lo)
			u := uint64(sort.Search(g.Vertices(), func(v int) bool { return g.Row[v+1] > uint64(lo) }))
			for e := lo; e < hi; u++ {
				for end := min(hi, int(g.Row[u+1])); e < end; e++ {
					arcs = append(arcs, uint64(g.Col[e])<<32|u)
				}
			}
			buffers[worker] = arcs
			if g.Weight == nil {
				return arcs, nil
			}
			return arcs, g.Weight[lo:hi]
		}}
	sorted, _, err := s.sort(ctx, func() {})
	if err != nil {
		return nil, err
	}
	t := *g
	t.from = nil // its arcs are not those of the file
	t.Row, t.Col, t.Weight = sorted.Row, sorted.Col, sorted.Weight
	return &t, nil
}

// Symmetrize returns the graph with the missing opposite arcs added. If an arc and its
// opposite have different weights, both get the smaller one. A symmetric graph is returned
// unchanged. The error reports that there is not enough memory, or is ctx's error.
func (g *CSR) Symmetrize(ctx context.Context) (*CSR, error) {
	if g.Symmetric {
		return g, nil
	}
	defer laps.Start(ctx, "symmetrising")()
	t, err := g.reverse(ctx)
	if err != nil {
		return nil, err
	}
	s := *g
	s.Symmetric = true
	s.Row = make([]uint64, len(g.Row))
	err = g.eachRows(ctx, func(_, lo, hi int) {
		for u := lo; u < hi; u++ {
			s.Row[u+1] = uint64(mergeRows(g, t, u, nil, nil))
		}
	})
	if err != nil {
		return nil, err
	}
	if err := prefixSum(ctx, s.Row); err != nil {
		return nil, err
	}
	arcs := int(s.Row[g.Vertices()])
	if err := memory.Need(g.copyBytes(arcs), "making graph %q symmetric, with %d arcs,", g.Name, arcs); err != nil {
		return nil, err
	}
	s.Col = make([]uint32, arcs)
	if g.Weight != nil {
		s.Weight = make([]uint32, len(s.Col))
	}
	return &s, s.eachRows(ctx, func(_, first, last int) {
		for u := first; u < last; u++ {
			lo, hi := s.Row[u], s.Row[u+1]
			if s.Weight != nil {
				mergeRows(g, t, u, s.Col[lo:hi], s.Weight[lo:hi])
			} else {
				mergeRows(g, t, u, s.Col[lo:hi], nil)
			}
		}
	})
}

// mergeRows writes the union of row u of a and of b to col (and to weight, if not nil) and
// returns its length. If col is nil, it only counts.
func mergeRows(a, b *CSR, u int, col, weight []uint32) (n int) {
	i, iEnd, j, jEnd := a.Row[u], a.Row[u+1], b.Row[u], b.Row[u+1]
	for i < iEnd || j < jEnd {
		var v, w uint32
		inA := i < iEnd && (j >= jEnd || a.Col[i] <= b.Col[j])
		inB := j < jEnd && (i >= iEnd || b.Col[j] <= a.Col[i])
		switch {
		case inA && inB:
			v = a.Col[i]
			if weight != nil {
				w = min(a.Weight[i], b.Weight[j])
			}
		case inA:
			v = a.Col[i]
			if weight != nil {
				w = a.Weight[i]
			}
		default:
			v = b.Col[j]
			if weight != nil {
				w = b.Weight[j]
			}
		}
		if inA {
			i++
		}
		if inB {
			j++
		}
		if col != nil {
			col[n] = v
		}
		if weight != nil {
			weight[n] = w
		}
		n++
	}
	return n
}

// isSymmetric reports whether each arc has an opposite with the same weight. The rows must be sets:
// then it is enough that each arc to a larger vertex has one, and that there are as many arcs to
// smaller ones.
func isSymmetric(ctx context.Context, g *CSR) (bool, error) {
	var asymmetric atomic.Bool
	var balance atomic.Int64
	err := g.eachRows(ctx, func(_, lo, hi int) {
		up, down := 0, 0
		for u := uint32(lo); u < uint32(hi) && !asymmetric.Load(); u++ {
			row := g.Neighbors(u)
			smaller, _ := slices.BinarySearch(row, u)
			down += smaller
			for i, v := range row[smaller:] {
				if v == u {
					continue
				}
				up++
				at, found := slices.BinarySearch(g.Neighbors(v), u)
				if !found || g.Weight != nil && g.Weight[g.Row[v]+uint64(at)] != g.Weight[g.Row[u]+uint64(smaller+i)] {
					asymmetric.Store(true)
					return
				}
			}
		}
		balance.Add(int64(up - down))
	})
	return err == nil && !asymmetric.Load() && balance.Load() == 0, err
}

// findAsymmetry finds an arc u -> v whose opposite is missing or has another weight; ok is
// true if there is none.
//
// It visits the arcs by ascending source. The arcs into v then come in the order in which a
// symmetric row v lists their sources, so one cursor per row is enough.
func findAsymmetry(ctx context.Context, g *CSR) (u, v uint32, ok bool, err error) {
	if err := memory.Need(memory.Bytes[uint64](uint64(len(g.Row))), "checking the symmetry of a graph of %d vertices", g.Vertices()); err != nil {
		return 0, 0, false, err
	}
	next := slices.Clone(g.Row[:g.Vertices()])
	look := poller{ctx: ctx}
	for u := range g.Vertices() {
		if err := look.after(1 + g.Degree(uint32(u))); err != nil {
			return 0, 0, false, err
		}
		for e := g.Row[u]; e < g.Row[u+1]; e++ {
			v := g.Col[e]
			at := next[v]
			next[v]++
			switch {
			case at == g.Row[v+1] || g.Col[at] > uint32(u):
				return uint32(u), v, false, nil // v does not list u
			case g.Col[at] < uint32(u):
				return v, g.Col[at], false, nil // v lists a vertex that was visited and does not list v
			case g.Weight != nil && g.Weight[at] != g.Weight[e]:
				return uint32(u), v, false, nil
			}
		}
	}
	return 0, 0, true, nil
}
