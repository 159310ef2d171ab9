//go:build !kernel

package wolf_test

import (
	"errors"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/scheme/wolf"
)

var errFault = errors.New("index out of range")

// degrees returns how many updates meet at each destination of each edge block if the given
// vertices send one along each of their edges.
func degrees(g *graph.CSR, edgesPerBlock int, active map[uint32]bool) map[[2]uint32]int {
	met := map[[2]uint32]int{}
	for u := range g.Vertices() {
		for e := g.Row[u]; e < g.Row[u+1] && active[uint32(u)]; e++ {
			met[[2]uint32{uint32(e) / uint32(edgesPerBlock), g.Col[e]}]++
		}
	}
	return met
}

// TestConflicts checks the degrees of conflict of the first two iterations, whose active
// vertices are the source and its neighbors, against a count on the CPU.
func TestConflicts(t *testing.T) {
	const spec, size = "rmat:scale=8,degree=16,seed=3", 256
	d := device()
	j := job(t, d, ssspType, spec, map[string]string{"conflicts": "true", "edges-per-block": "256", "block": "64"})
	out, err := wolf.New().Run(t.Context(), j)
	require.NoError(t, err)
	require.Zero(t, d.Live)
	active := map[uint32]bool{j.Source: true}
	for iteration := 1; iteration <= 2; iteration++ {
		s := out.Steps[3*iteration-2]
		require.Equal(t, "wolf.Conflicts[kernels.SSSP, uint32]", s.Kernel)
		require.Equal(t, iteration, s.Iteration)
		require.True(t, s.Setup, "it is not part of the kernel time")
		highest, classes := 0, [wolf.Degrees]int{}
		for _, n := range degrees(j.Graph, size, active) {
			highest = max(highest, n)
			classes[min(bits.Len(uint(n))-1, wolf.Degrees-1)]++
		}
		require.Equal(t, highest, number(t, s, "conflict"))
		require.Equal(t, iteration > 1, highest > 4, "the graph is dense enough to show something")
		for class, name := range []string{"conflict-1", "conflict-2", "conflict-4", "conflict-8", "conflict-16", "conflict-32"} {
			require.Equal(t, classes[class], number(t, s, name), "%s of iteration %d", name, iteration)
		}
		active = map[uint32]bool{}
		for e := j.Graph.Row[j.Source]; e < j.Graph.Row[j.Source+1]; e++ {
			active[j.Graph.Col[e]] = true
		}
	}
	for _, s := range out.Steps {
		if s.Kernel == "wolf.Gather[kernels.SSSP, uint32]" {
			require.False(t, s.Setup)
		}
	}
}

// TestConflictsFail checks that a failed count ends the run and is recorded.
func TestConflictsFail(t *testing.T) {
	d := device()
	d.FailAt, d.Failure = 2, errFault
	out, err := wolf.New().Run(t.Context(), job(t, d, ssspType, long, map[string]string{"conflicts": "true"}))
	require.ErrorIs(t, err, errFault)
	require.Len(t, out.Steps, 2)
	require.Zero(t, d.Live)
}
