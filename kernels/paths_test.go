//go:build !kernel

package kernels_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// answered returns the counts of a run, checked by the host half.
func answered(t *testing.T, g *graph.CSR, source uint32, values []uint64) []uint32 {
	t.Helper()
	out := &scheduler.Outcome{Values: values}
	answer, err := kernels.PathsHost.Answer(out)
	require.NoError(t, err)
	_, err = kernels.PathsHost.Check(t.Context(), scheduler.Input{Graph: g, Source: source}, out, answer)
	require.NoError(t, err)
	return answer.([]uint32)
}

func TestPathsAsPlainGo(t *testing.T) {
	for name, step := range pulls[kernels.Paths, uint64]() {
		for _, g := range small(t) {
			t.Run(name+"/"+g.Name, func(t *testing.T) {
				source, _ := g.MaxDegreeVertex()
				answered(t, g, source, pull(t, kernels.Paths{}, step, g, source))
			})
		}
	}
}

// TestPathsDouble counts the paths of a chain of 40 diamonds, each of which doubles them, beside a
// vertex that cannot be reached: up to the largest number that fits.
func TestPathsDouble(t *testing.T) {
	const diamonds = 40
	var edges []graph.Edge
	for i := range uint32(diamonds) {
		from := 3 * i
		edges = append(edges, graph.Edge{From: from, To: from + 1}, graph.Edge{From: from, To: from + 2}, graph.Edge{From: from + 1, To: from + 3}, graph.Edge{From: from + 2, To: from + 3})
	}
	g, _, err := graph.FromEdges(t.Context(), "diamonds", 3*diamonds+2, edges, graph.LoadOptions{})
	require.NoError(t, err)
	for _, step := range pulls[kernels.Paths, uint64]() {
		values := pull(t, kernels.Paths{}, step, g, 0)
		counts := answered(t, g, 0, values)
		for i := range diamonds + 1 {
			require.EqualValues(t, min(math.Exp2(float64(i)), math.MaxUint32), counts[3*i], "after %d diamonds", i)
			require.EqualValues(t, 2*i, values[3*i]>>32)
		}
		require.Zero(t, counts[3*diamonds+1])
	}
}

// TestPathsCheck checks that a wrong level and a wrong count are found, and wrong types.
func TestPathsCheck(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "grid:width=3,keep=1,seed=1", graph.LoadOptions{})
	require.NoError(t, err)
	_, counts, err := reference.Paths(t.Context(), g, 0)
	require.NoError(t, err)
	values := pull(t, kernels.Paths{}, pulls[kernels.Paths, uint64]()["thread"], g, 0)
	check := func(answer any) error {
		_, err := kernels.PathsHost.Check(t.Context(), scheduler.Input{Graph: g}, &scheduler.Outcome{Values: values}, answer)
		return err
	}
	require.NoError(t, check(counts))
	counts[8]++
	require.EqualError(t, check(counts), "paths: vertex 8 has number of paths 7, the reference number of paths 6; 1 of 9 vertices is wrong")
	counts[8]--
	values[8] += 1 << 32
	require.EqualError(t, check(counts), "bfs: vertex 8 has level 5, the reference level 4; 1 of 9 vertices is wrong")
	require.EqualError(t, check([]float32{}), "the answer is []float32, not []uint32")
}
