package oracle

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/experiments/second/host"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// verified runs all pairs of an algorithm and a scheme that wanted chooses on clang. Each answer must be that of the CPU
// reference. It returns how many pairs ran.
func verified(t *testing.T, wanted func(scheme string) bool) (pairs int) {
	t.Helper()
	g, _, err := graph.Open(t.Context(), "smallworld:n=60,degree=4,rewire=0.1,seed=1", graph.LoadOptions{})
	require.NoError(t, err)
	d := clang(t, host.Options{})
	for _, a := range catalog.Algorithms() {
		for _, s := range catalog.Schedulers() {
			if !wanted(s.Name) {
				continue
			}
			res, err := catalog.Run(t.Context(), d, catalog.Request{Algorithm: a.Name, Scheduler: s.Name, Graph: g, Verify: true})
			// The lanes that happen to be together, which multi asks for where a phase is counted, are nothing that clang could say for a CPU.
			if err != nil && (strings.Contains(err.Error(), "does not run") || strings.HasSuffix(err.Error(), ": no activemask")) {
				continue
			}
			if assert.NoError(t, err, "%s/%s", a.Name, s.Name) {
				assert.True(t, res.Verified, "%s/%s: %v", a.Name, s.Name, res.Mismatch)
				pairs++
			}
		}
	}
	return pairs
}

// Every algorithm has the right answer on clang, with the simplest scheme.
func TestAlgorithms(t *testing.T) {
	assert.Equal(t, len(catalog.Algorithms()), verified(t, func(scheme string) bool { return scheme == "thread" }))
}

// So has every pair of an algorithm and a scheme: with queues, locks, barriers of the grid, and operations of warps.
func TestHeavyAlgorithms(t *testing.T) {
	assert.Equal(t, 170, verified(t, func(string) bool { return true }))
}

// Where the order of sums is fixed, the answer on clang has the bits of that on device func.
func TestEqualBits(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "smallworld:n=60,degree=4,rewire=0.1,seed=1", graph.LoadOptions{})
	require.NoError(t, err)
	d, f := clang(t, host.Options{}), function.New(function.Options{})
	for _, name := range []string{"bfs", "circuit", "heat", "nn", "pagerank-pull"} {
		request := catalog.Request{Algorithm: name, Scheduler: "thread", Graph: g}
		want, err := catalog.Run(t.Context(), f, request)
		require.NoError(t, err)
		got, err := catalog.Run(t.Context(), d, request)
		require.NoError(t, err)
		assert.Equal(t, want.Values, got.Values, name)
		assert.Equal(t, want.Iterations, got.Iterations, name)
	}
}
