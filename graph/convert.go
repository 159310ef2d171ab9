package graph

import (
	"context"
	"slices"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// Transpose returns the graph with all arcs reversed: row v contains the sources of the
// arcs into v. A symmetric graph is its own transpose and is returned unchanged. The error
// reports that there is not enough memory, or is ctx's error.
func (g *CSR) Transpose(ctx context.Context) (*CSR, error) {
	if g.Symmetric {
		return g, nil
	}
	return g.reverse(ctx)
}

// copyBytes returns the size of a graph with the given number of arcs and g's vertices,
// plus one number per row.
func (g *CSR) copyBytes(arcs int) uint64 {
	need := memory.Sum(memory.Bytes[[2]uint64](uint64(len(g.Row))), memory.Bytes[uint32](uint64(arcs)))
	if g.Weight != nil {
		need = memory.Sum(need, memory.Bytes[uint32](uint64(arcs)))
	}
	return need
}

// reverse returns the graph with all arcs reversed.
func (g *CSR) reverse(ctx context.Context) (*CSR, error) {
	n := g.Vertices()
	if err := memory.Need(g.copyBytes(g.Arcs()), "transposing the %d arcs of graph %q", g.Arcs(), g.Name); err != nil {
		return nil, err
	}
	t := *g
	t.from = nil // its arcs are not those of the file
	t.Row, t.Col = make([]uint64, n+1), make([]uint32, len(g.Col))
	if g.Weight != nil {
		t.Weight = make([]uint32, len(g.Col))
	}
	err := chunks(ctx, g.Col, func(_ int, col []uint32) {
		for _, v := range col {
			t.Row[v+1]++
		}
	})
	if err != nil {
		return nil, err
	}
	prefixSum(t.Row)
	next := slices.Clone(t.Row[:n])
	look := poller{ctx: ctx}
	for u := range n {
		if err := look.after(1 + g.Degree(uint32(u))); err != nil {
			return nil, err
		}
		for e := g.Row[u]; e < g.Row[u+1]; e++ {
			at := next[g.Col[e]]
			next[g.Col[e]]++
			t.Col[at] = uint32(u)
			if g.Weight != nil {
				t.Weight[at] = g.Weight[e]
			}
		}
	}
	return &t, nil
}

// Symmetrize returns the graph with the missing opposite arcs added. If an arc and its
// opposite have different weights, both get the smaller one. A symmetric graph is returned
// unchanged. The error reports that there is not enough memory, or is ctx's error.
func (g *CSR) Symmetrize(ctx context.Context) (*CSR, error) {
	if g.Symmetric {
		return g, nil
	}
	t, err := g.reverse(ctx)
	if err != nil {
		return nil, err
	}
	s := *g
	s.Symmetric = true
	s.Row = make([]uint64, len(g.Row))
	look := poller{ctx: ctx}
	for u := range g.Vertices() {
		if err := look.after(1 + g.Degree(uint32(u)) + t.Degree(uint32(u))); err != nil {
			return nil, err
		}
		s.Row[u+1] = s.Row[u] + uint64(mergeRows(g, t, u, nil, nil))
	}
	arcs := int(s.Row[g.Vertices()])
	if err := memory.Need(g.copyBytes(arcs), "making graph %q symmetric, with %d arcs,", g.Name, arcs); err != nil {
		return nil, err
	}
	s.Col = make([]uint32, arcs)
	if g.Weight != nil {
		s.Weight = make([]uint32, len(s.Col))
	}
	for u := range g.Vertices() {
		lo, hi := s.Row[u], s.Row[u+1]
		if err := look.after(1 + int(hi-lo)); err != nil {
			return nil, err
		}
		if s.Weight != nil {
			mergeRows(g, t, u, s.Col[lo:hi], s.Weight[lo:hi])
		} else {
			mergeRows(g, t, u, s.Col[lo:hi], nil)
		}
	}
	return &s, nil
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

// isSymmetric reports whether each arc has an opposite with the same weight.
func isSymmetric(ctx context.Context, g *CSR) (bool, error) {
	_, _, ok, err := findAsymmetry(ctx, g)
	return ok, err
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
