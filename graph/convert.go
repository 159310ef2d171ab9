package graph

import (
	"fmt"
	"slices"
)

// Transpose is the graph with all arcs turned round: row v holds the sources
// of the arcs into v. A symmetric graph is its own transpose and is returned as it is.
func (g *CSR) Transpose() *CSR {
	if g.Symmetric {
		return g
	}
	return g.reverse()
}

// reverse turns all arcs round.
func (g *CSR) reverse() *CSR {
	n := g.Vertices()
	t := *g
	t.Row, t.Col = make([]uint64, n+1), make([]uint32, len(g.Col))
	if g.Weight != nil {
		t.Weight = make([]uint32, len(g.Col))
	}
	for _, v := range g.Col {
		t.Row[v+1]++
	}
	prefixSum(t.Row)
	next := slices.Clone(t.Row[:n])
	for u := range n {
		for e := g.Row[u]; e < g.Row[u+1]; e++ {
			at := next[g.Col[e]]
			next[g.Col[e]]++
			t.Col[at] = uint32(u)
			if g.Weight != nil {
				t.Weight[at] = g.Weight[e]
			}
		}
	}
	return &t
}

// Symmetrize is the graph with the opposite of each arc added where it is
// missing; where both exist with different weights, both get the smaller one.
// A symmetric graph is returned as it is.
func (g *CSR) Symmetrize() *CSR {
	if g.Symmetric {
		return g
	}
	t := g.reverse()
	s := *g
	s.Symmetric = true
	s.Row = make([]uint64, len(g.Row))
	for u := range g.Vertices() {
		s.Row[u+1] = s.Row[u] + uint64(mergeRows(g, t, u, nil, nil))
	}
	s.Col = make([]uint32, s.Row[g.Vertices()])
	if g.Weight != nil {
		s.Weight = make([]uint32, len(s.Col))
	}
	for u := range g.Vertices() {
		lo, hi := s.Row[u], s.Row[u+1]
		if s.Weight != nil {
			mergeRows(g, t, u, s.Col[lo:hi], s.Weight[lo:hi])
		} else {
			mergeRows(g, t, u, s.Col[lo:hi], nil)
		}
	}
	return &s
}

// mergeRows writes the union of row u of a and of b to col (and weight, where
// not nil), and returns its length; with col nil it only counts.
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

// isSymmetric says whether each arc has its opposite, with the same weight.
// Visiting arcs by ascending source meets the arcs into v in the order in which a
// symmetric row v lists them, so one cursor a row is enough.
func isSymmetric(g *CSR) bool {
	_, _, ok := findAsymmetry(g)
	return ok
}

// findAsymmetry is an arc u -> v whose opposite is missing or has another
// weight; ok when there is none.
func findAsymmetry(g *CSR) (u, v uint32, ok bool) {
	next := slices.Clone(g.Row[:g.Vertices()])
	for u := range g.Vertices() {
		for e := g.Row[u]; e < g.Row[u+1]; e++ {
			v := g.Col[e]
			at := next[v]
			next[v]++
			switch {
			case at == g.Row[v+1] || g.Col[at] > uint32(u):
				return uint32(u), v, false // v does not list u
			case g.Col[at] < uint32(u):
				return v, g.Col[at], false // v lists a vertex that passed without listing v
			case g.Weight != nil && g.Weight[at] != g.Weight[e]:
				return uint32(u), v, false
			}
		}
	}
	return 0, 0, true
}

// Validate checks everything that the fields of a CSR promise: offsets ascend
// and end at the number of arcs, targets are in range and ascend within a row
// (equal neighbours are allowed), and Symmetric, when set, is true.
func (g *CSR) Validate() error {
	n := g.Vertices()
	switch {
	case n < 0:
		return fmt.Errorf("graph %s: Row is empty; it needs one offset more than there are vertices", g.Name)
	case n > MaxVertices:
		return fmt.Errorf("graph %s: %d vertices; at most %d", g.Name, n, uint64(MaxVertices))
	case g.Row[0] != 0:
		return fmt.Errorf("graph %s: the first row offset is %d, not 0", g.Name, g.Row[0])
	case g.Row[n] != uint64(len(g.Col)):
		return fmt.Errorf("graph %s: the last row offset is %d, but there are %d arcs", g.Name, g.Row[n], len(g.Col))
	case g.Weight != nil && len(g.Weight) != len(g.Col):
		return fmt.Errorf("graph %s: %d weights for %d arcs", g.Name, len(g.Weight), len(g.Col))
	case g.ID != nil && len(g.ID) != n:
		return fmt.Errorf("graph %s: %d file ids for %d vertices", g.Name, len(g.ID), n)
	}
	for u := range n {
		lo, hi := g.Row[u], g.Row[u+1]
		if lo > hi || hi > uint64(len(g.Col)) {
			return fmt.Errorf("graph %s: vertex %d: row from %d to %d of %d arcs", g.Name, u, lo, hi, len(g.Col))
		}
		for e := lo; e < hi; e++ {
			if int64(g.Col[e]) >= int64(n) {
				return fmt.Errorf("graph %s: vertex %d: arc to %d, but there are %d vertices", g.Name, u, g.Col[e], n)
			}
			if e > lo && g.Col[e-1] > g.Col[e] {
				return fmt.Errorf("graph %s: vertex %d: target %d comes after %d", g.Name, u, g.Col[e], g.Col[e-1])
			}
		}
	}
	if g.Symmetric {
		if u, v, ok := findAsymmetry(g); !ok {
			return fmt.Errorf("graph %s: said to be symmetric, but arc %d -> %d has no opposite of the same weight", g.Name, u, v)
		}
	}
	return nil
}
