package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestTriangles checks the triangles of graphs for which they are known, under all schemes that count them.
func TestTriangles(t *testing.T) {
	const n = 40
	loops := &graph.CSR{Name: "loops", Symmetric: true, Row: []uint64{0, 3, 6, 9}, Col: []uint32{0, 1, 2, 0, 1, 2, 0, 1, 2}}
	shape := func(edge func(u, v uint32) bool) *graph.CSR {
		var edges []graph.Edge
		for u := range uint32(n) {
			for v := range u {
				if edge(u, v) {
					edges = append(edges, graph.Edge{From: u, To: v})
				}
			}
		}
		g, _, err := graph.FromEdges(t.Context(), "shape", n, edges, graph.LoadOptions{Symmetrize: true})
		require.NoError(t, err)
		return g
	}
	shapes := map[string]struct {
		g    *graph.CSR
		want func(v int) uint64
		all  string
	}{
		"complete": {shape(func(u, v uint32) bool { return true }), func(int) uint64 { return (n - 1) * (n - 2) / 2 }, "9,880 triangles"},
		"cycle":    {shape(func(u, v uint32) bool { return u == v+1 || u-v == n-1 }), func(int) uint64 { return 0 }, "0 triangles"},
		"fan of a hub": {shape(func(u, v uint32) bool { return v == 0 || u == v+1 || u-v == n-2 && v == 1 }), func(v int) uint64 {
			if v == 0 {
				return n - 1
			}
			return 2
		}, "39 triangles"},
		"loops": {loops, func(int) uint64 { return 1 }, "1 triangles"},
	}
	schemes := 0
	for _, e := range catalog.Entries() {
		if e.Algorithm.Name != "tc" {
			continue
		}
		schemes++
		for name, x := range shapes {
			for _, device := range []string{"func", "sim:tiny"} {
				res, err := catalog.Run(t.Context(), openDevice(t, device), catalog.Request{Algorithm: "tc", Scheduler: e.Scheduler.Name, Graph: x.g, Verify: true})
				require.NoError(t, err)
				require.True(t, res.Verified, "%s by %s on %s: %v", name, e.Scheduler.Name, device, res.Mismatch)
				for v, got := range res.Values.([]uint64) {
					require.Equal(t, x.want(v), got, "%s by %s on %s, vertex %d", name, e.Scheduler.Name, device, v)
				}
				assert.Equal(t, x.all, res.Summary)
			}
		}
	}
	assert.Equal(t, 6, schemes, "block, oriented, simdx, thread, vwc, warp")
	_, err := catalog.Lookup("tc", "multi")
	require.ErrorContains(t, err, "kernels.TC looks at the neighbors of both ends of an arc (Edge.Common), and the scheme does not have the whole graph in one piece")
}
