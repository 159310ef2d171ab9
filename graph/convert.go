package graph

import "slices"

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
