//go:build !kernel

package multi

import (
	"sort"

	"github.com/weft-gpu/weft/graph"
)

// halves divides the rows from 0 to n of a range into two parts with about equal numbers of
// arcs. The first one is whole groups of 32 rows, as a warp takes them.
func halves(row []uint32) (bounds []int) {
	n := len(row) - 1
	want := row[0] + (row[n]-row[0])/2
	at := sort.Search(n, func(v int) bool { return row[v] >= want })
	return []int{0, min((at+31)/32*32, n), n}
}

// marks returns for each vertex which ranges other than its own have an arc from it, a bit for
// each. The rows of g hold incoming arcs. A vertex with a bit is a boundary vertex: offline
// vertex refinement (slide 22).
func marks(g *graph.CSR, bounds []int) []uint32 {
	need := make([]uint32, g.Vertices())
	for i := range len(bounds) - 1 {
		lo, hi := bounds[i], bounds[i+1]
		for _, u := range g.Col[g.Row[lo]:g.Row[hi]] {
			if int(u) < lo || int(u) >= hi {
				need[u] |= 1 << i
			}
		}
	}
	return need
}

// boundary returns the marked vertices from lo to hi (exclusive).
func boundary(need []uint32, lo, hi int) (list []uint32) {
	for v := lo; v < hi; v++ {
		if need[v] != 0 {
			list = append(list, uint32(v))
		}
	}
	return list
}

// targets returns the vertices outside a range to which its arcs lead in any of the graphs, which have the same vertices, in
// order; or all vertices outside it. Their rows hold the arcs along which updates are sent.
func targets(graphs []*graph.CSR, lo, hi int, all bool) (list []uint32) {
	is := make([]bool, graphs[0].Vertices())
	for _, g := range graphs {
		for _, v := range g.Col[g.Row[lo]:g.Row[hi]] {
			is[v] = true
		}
	}
	for v := range is {
		if (v < lo || v >= hi) && (all || is[v]) {
			list = append(list, uint32(v))
		}
	}
	return list
}

// arcsTo returns how many arcs lead from one range of vertices to another one, in that of the graphs in which there are most.
func arcsTo(graphs []*graph.CSR, lo, hi, first, end int) (most int) {
	for _, g := range graphs {
		n := 0
		for _, v := range g.Col[g.Row[lo]:g.Row[hi]] {
			if int(v) >= first && int(v) < end {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// rowsOf returns the row offsets of a range, from 0.
func rowsOf(g *graph.CSR, lo, hi int) []uint32 {
	rows := make([]uint32, hi-lo+1)
	for i := range rows {
		rows[i] = uint32(g.Row[lo+i] - g.Row[lo])
	}
	return rows
}
