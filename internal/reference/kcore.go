package reference

import (
	"context"

	"github.com/weft-gpu/weft/graph"
)

// Coreness returns for each vertex of a symmetric graph the largest k for which it belongs to
// the k-core: the largest part of the graph in which every vertex has at least k neighbors in
// that part. A self loop counts as one neighbor. It takes time O(vertices + arcs).
//
// Source: Batagelj and Zaversnik, An O(m) algorithm for cores decomposition of networks, 2003.
func Coreness(ctx context.Context, g *graph.CSR) ([]uint32, error) {
	degree := g.Degrees()
	order, position, start := byDegree(degree)
	for i, v := range order { // always the vertex with the fewest neighbors left
		if err := poll(ctx, i); err != nil {
			return nil, err
		}
		for _, u := range g.Neighbors(v) {
			if degree[u] <= degree[v] {
				continue
			}
			// Move u to the front of its bucket, which then begins behind it.
			first := start[degree[u]]
			w := order[first]
			order[first], order[position[u]] = u, w
			position[w], position[u] = position[u], first
			start[degree[u]]++
			degree[u]--
		}
	}
	return degree, nil
}

// byDegree returns the vertices in the order of their degrees, the position of each in it,
// and the position where each degree begins.
func byDegree(degree []uint32) (order, position, start []uint32) {
	most := uint32(0)
	for _, d := range degree {
		most = max(most, d)
	}
	next := make([]uint32, most+2)
	for _, d := range degree {
		next[d+1]++
	}
	for d := range most + 1 {
		next[d+1] += next[d]
	}
	start = append([]uint32(nil), next...)
	order, position = make([]uint32, len(degree)), make([]uint32, len(degree))
	for v, d := range degree {
		order[next[d]], position[v] = uint32(v), next[d]
		next[d]++
	}
	return order, position, start
}

// Core returns the number of neighbors in the k-core for each of its vertices, and the smaller
// one of the degree and k-1 for each other vertex. k is at least 1; coreness is the result of
// Coreness.
func Core(ctx context.Context, g *graph.CSR, coreness []uint32, k uint32) ([]uint32, error) {
	left := make([]uint32, g.Vertices())
	for v := range left {
		if err := poll(ctx, v); err != nil {
			return nil, err
		}
		if coreness[v] < k {
			left[v] = min(uint32(g.Degree(uint32(v))), k-1)
			continue
		}
		for _, u := range g.Neighbors(uint32(v)) {
			if coreness[u] >= k {
				left[v]++
			}
		}
	}
	return left, nil
}
