package catalog_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/kernels"
)

// TestParents checks predecessors by every scheme, in each direction, with updates in other orders, and with vertices that are visited
// before their level is final: the answer is always the same.
func TestParents(t *testing.T) {
	// Vertex k of a layer has arcs from all vertices of the layer before but the first k, so that its predecessor is the one of index k, whichever
	// arc comes first; vertex 0 of the file has no arc.
	const width, layers = 9, 4
	var edges []graph.Edge
	source := uint32(1)
	want := []uint32{kernels.Unreached, source}
	at := func(layer, k uint32) uint32 { return 2 + layer*width + k }
	for layer := range uint32(layers) {
		for k := range uint32(width) {
			if layer == 0 {
				edges = append(edges, graph.Edge{From: source, To: at(0, k)})
				want = append(want, source)
				continue
			}
			for before := k; before < width; before++ {
				edges = append(edges, graph.Edge{From: at(layer-1, before), To: at(layer, k)})
			}
			want = append(want, at(layer-1, k))
		}
	}
	slices.Reverse(edges)
	edges = append(edges, graph.Edge{From: at(1, 0), To: at(0, 3)}, graph.Edge{From: at(3, 1), To: source}) // back
	known, _, err := graph.FromEdges(t.Context(), "layers", len(want), edges, graph.LoadOptions{})
	require.NoError(t, err)
	sets := map[string][]map[string]string{
		"atos":     {{"worker": "thread"}, {"worker": "warp", "fetch": "1"}, {"worker": "warp", "merge": "false"}, {"kernel": "discrete", "block": "64"}},
		"balanced": {{"balance": "buckets"}}, "block": {{"direction": "pull"}}, "thread": {{"direction": "pull"}}, "warp": {{"direction": "pull"}},
		"hierq": {{"levels": "global"}, {"levels": "block", "block-length": "5", "one-block": "0", "full": "flush"}, {"warp-length": "2", "block-length": "5", "one-block": "0"}, {"host-levels": "2"}},
		"multi": {{"base": "push"}, {"base": "thread"}},
		"simdx": {{"fusion": "none", "filter": "batch"}, {"fusion": "all", "direction": "pull"}, {"direction": "both", "pull-above": "0.05", "stable": "0.5"}, {"filter": "atomic", "direction": "push"}, {"filter": "khorasani", "direction": "push"}},
		"vwc":   {{"width": "32"}}, "warpseg": {{"reduce": "sized"}},
		"wolf": {{"variant": "direct"}, {"order": "source", "edges": "all"}, {"destinations-per-block": "7"}},
	}
	random := graphOf(t, "rmat:scale=6,degree=4,directed=true,seed=2")
	hub, _ := random.MaxDegreeVertex()
	schemes := 0
	for _, e := range catalog.Entries() {
		if e.Algorithm.Name != "parents" {
			continue
		}
		schemes++
		for _, params := range append(sets[e.Scheduler.Name], nil) {
			for _, device := range []string{"func", "sim:tiny"} {
				res := verifyWith(t, openDevice(t, device), e, known, source, params)
				assert.Equal(t, want, res.Values, "%s on %s, %v", e.Scheduler.Name, device, params)
				verifyWith(t, openDevice(t, device), e, random, hub, params)
			}
		}
	}
	assert.Equal(t, 15, schemes, "all but oriented and union-find")
}
