package catalog_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestPowersHaveTheLevels checks what the lecture on queues says of powers of the matrix: shortest paths on a graph with arcs for paths have the
// levels of a breadth-first search on the graph, after as many iterations as the power divides the levels into. One more finds that nothing changes.
func TestPowersHaveTheLevels(t *testing.T) {
	for _, spec := range []string{"grid:width=25,keep=0.8,seed=1", "grid:width=18,keep=1", "rmat:scale=9,degree=4,seed=2", "rmat:scale=9,degree=3,directed=true,seed=5"} {
		plain := graphOf(t, spec)
		source, _ := plain.MaxDegreeVertex()
		want, err := reference.BFS(t.Context(), plain, source)
		require.NoError(t, err)
		levels := slices.Max(slices.DeleteFunc(slices.Clone(want), func(level uint32) bool { return level == reference.Unreached }))
		require.Greater(t, int(levels), 3, spec)
		pull := map[string]string{"direction": "pull"}
		res, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: "bfs", Scheduler: "thread", Graph: plain, Source: source, Params: pull, Verify: true})
		require.NoError(t, err)
		require.True(t, res.Verified, "%v", res.Mismatch)
		require.Equal(t, int(levels)+1, res.Iterations, spec)
		for power := 2; power <= graph.MaxPower; power++ {
			g, _, err := graph.Open(t.Context(), spec, graph.LoadOptions{Power: power})
			require.NoError(t, err)
			res, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: "sssp", Scheduler: "thread", Graph: g, Source: source, Params: pull, Verify: true})
			require.NoError(t, err)
			require.True(t, res.Verified, "%v", res.Mismatch)
			assert.Equal(t, want, res.Values, "%s, power %d", spec, power)
			assert.Equal(t, (int(levels)+power-1)/power+1, res.Iterations, "%s, power %d", spec, power)
		}
	}
}
