package sweep

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRough compares forecasts with runs that were measured on one core, among them those for which the forecast is worst.
func TestRough(t *testing.T) {
	const few, many, tiny, h200 = 16128, 956084, 2, 132 // arcs of grid:width=64 and rmat:scale=16,degree=16,seed=1; SMs
	for _, c := range []struct {
		what string
		w    workload
		took float64 // seconds of processor time
	}{
		{"bfs", workload{many, tiny, 1, true}, 0.7},
		{"bfs", workload{many, h200, 1, true}, 1.4},
		{"bfs", workload{many, h200, 2, true}, 2.3},
		{"bfs", workload{many, h200, 4, true}, 2.3},
		{"bfs", workload{many, 0, 1, true}, 0.2},
		{"sssp", workload{few, tiny, 1, true}, 0.2},
		{"sssp", workload{few, h200, 1, true}, 0.3},
		{"sssp", workload{few, h200, 2, true}, 1.2},
		{"bfs", workload{few, h200, 4, true}, 0.9},
		{"pagerank", workload{few, tiny, 1, false}, 1.4},
		{"pagerank", workload{few, h200, 1, false}, 4.1},
		{"pagerank", workload{few, h200, 2, false}, 0.4},
		{"pagerank", workload{few, 0, 1, false}, 0.33},
		{"cc", workload{few, h200, 1, false}, 5},
		{"cc", workload{few, h200, 2, false}, 1},
	} {
		what := fmt.Sprintf("%s %+v: %.3g s", c.what, c.w, rough(c.w))
		require.Less(t, rough(c.w), 10*c.took, what)
		require.Greater(t, rough(c.w), c.took/10, what)
	}
	one := workload{few, h200, 1, true}
	two, larger := one, one
	two.gpus, larger.arcs = 2, many
	require.Greater(t, rough(two), rough(one))
	require.Greater(t, rough(larger), rough(one))
}
