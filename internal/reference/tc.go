package reference

import (
	"context"

	"github.com/weft-gpu/weft/graph"
)

// TC returns for each vertex of a symmetric graph the number of triangles that it is part of.
//
// Each triangle is found once, from its vertex of smallest degree: the neighbors of larger degree (or of equal degree and
// larger number) of a vertex are marked, and looked for among those of each of them (the algorithm forward; Schank and
// Wagner, Finding, Counting and Listing All Triangles in Large Graphs, WEA 2005). The work is proportional to arcs^1.5.
func TC(ctx context.Context, g *graph.CSR) ([]uint64, error) {
	counts := make([]uint64, g.Vertices())
	above := func(u, v uint32) bool {
		d, e := g.Degree(u), g.Degree(v)
		return e > d || e == d && v > u
	}
	row := make([]uint64, g.Vertices()+1)
	var col []uint32
	for u := range counts {
		if err := poll(ctx, u); err != nil {
			return nil, err
		}
		for _, v := range g.Neighbors(uint32(u)) {
			if above(uint32(u), v) {
				col = append(col, v)
			}
		}
		row[u+1] = uint64(len(col))
	}
	marked := make([]uint32, g.Vertices()) // by which vertex, plus 1
	for u := range counts {
		if err := poll(ctx, u); err != nil {
			return nil, err
		}
		out := col[row[u]:row[u+1]]
		for _, v := range out {
			marked[v] = uint32(u) + 1
		}
		for _, v := range out {
			for _, w := range col[row[v]:row[v+1]] {
				if marked[w] == uint32(u)+1 {
					counts[u]++
					counts[v]++
					counts[w]++
				}
			}
		}
	}
	return counts, nil
}
