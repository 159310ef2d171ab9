package catalog_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/scheduler"
)

// TestPullLoopSends counts by hand what two GPUs that pull in loops of their own send each other of a ring of 64 vertices, which has two boundary vertices on each: in each
// iteration the values of all, or of the two, 4 bytes each; or those that have changed in this iteration or in the last one. Breadth-first search
// from vertex 0 reaches 63 and 1 in its first iteration, 31 and 32 in the last ones, and changes nothing in one more.
func TestPullLoopSends(t *testing.T) {
	g := graphOf(t, "smallworld:n=64,degree=2,rewire=0,seed=1")
	for exchange, want := range map[string][2]uint64{
		"all": {33 * 32 * 4, 33 * 32 * 4},
		"ms":  {33 * 2 * 4, 33 * 2 * 4},
		// Vertex 31 changes in iteration 31, 63 in the first one, and 32 in iteration 32: each is sent in that and in the next one. Vertex 0 never changes.
		"vr-online": {2 * 4, 2*4 + 2*4},
	} {
		for _, name := range []string{"func", "sim:tiny"} {
			res, err := catalog.Run(t.Context(), openGroup(t, name, 2, nil), catalog.Request{Algorithm: "bfs", Scheduler: "multi", Graph: g, Verify: true,
				Params: map[string]string{"loop": "device", "direction": "pull", "exchange": exchange}})
			require.NoError(t, err)
			assert.True(t, res.Verified)
			assert.Equal(t, 33, res.Iterations)
			require.Len(t, res.Communication.Pairs, 2)
			for i, pair := range res.Communication.Pairs {
				assert.Equal(t, want[i], pair.Bytes, "%s, %s, from GPU %d", name, exchange, i)
			}
			assert.EqualValues(t, 4, res.Communication.Pairs[0].Useful, "vertex 31 changes once")
			assert.EqualValues(t, 8, res.Communication.Pairs[1].Useful, "vertices 32 and 63")
		}
	}
}

// TestPullLoopLimit checks the limit of iterations against that of a loop by the host.
func TestPullLoopLimit(t *testing.T) {
	g := graphOf(t, "smallworld:n=16,degree=2,rewire=0,seed=1")
	for _, loop := range []string{"host", "device"} {
		run := func(most int) (*catalog.Result, error) {
			params := map[string]string{"loop": loop, "max-iterations": strconv.Itoa(most)}
			if loop == "device" {
				params["direction"] = "pull"
			}
			return catalog.Run(t.Context(), openGroup(t, "func", 3, nil), catalog.Request{Algorithm: "bfs", Scheduler: "multi", Graph: g, Verify: true, Params: params})
		}
		for most := 1; most < 9; most++ {
			_, err := run(most)
			var limit *scheduler.NotConverged
			require.ErrorAs(t, err, &limit, "%s %d", loop, most)
			assert.Equal(t, most, limit.Iterations)
			assert.Equal(t, 2-most/8, limit.Active, "%s %d: two vertices at a time, and the last one alone", loop, most)
		}
		res, err := run(9)
		require.NoError(t, err)
		assert.Equal(t, 9, res.Iterations)
	}
}

// TestPullLoopClasses has vertices for blocks, for warps and for threads on each of two GPUs: two stars with 1,500 leaves, whose centers and 40 of the leaves
// of each are joined with another vertex.
func TestPullLoopClasses(t *testing.T) {
	const leaves = 1500
	var arcs []graph.Edge
	both := func(u, v uint32) { arcs = append(arcs, graph.Edge{From: u, To: v}, graph.Edge{From: v, To: u}) }
	for star := range uint32(2) {
		center, middle := star*(leaves+2), star*(leaves+2)+1
		for leaf := range uint32(leaves) {
			both(center, center+2+leaf)
			if leaf < 40 {
				both(middle, center+2+leaf)
			}
		}
		both(center, (1-star)*(leaves+2)+1)
	}
	g, _, err := graph.FromEdges(t.Context(), "stars", 2*(leaves+2), arcs, graph.LoadOptions{})
	require.NoError(t, err)
	for _, algorithm := range []string{"pagerank", "pagerank-pull", "cc", "bfs"} {
		for _, name := range []string{"func", "sim:tiny"} {
			for _, gpus := range []int{1, 2, 3} {
				res, err := catalog.Run(t.Context(), openGroup(t, name, gpus, nil), catalog.Request{Algorithm: algorithm, Scheduler: "multi", Graph: g, Verify: true,
					Params: map[string]string{"loop": "device", "direction": "pull", "max-iterations": "200"}})
				require.NoError(t, err, "%s on %s", algorithm, name)
				assert.True(t, res.Verified, "%s on %d %s: %v", algorithm, gpus, name, res.Mismatch)
			}
		}
	}
}
