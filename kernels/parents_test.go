//go:build !kernel

package kernels_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/scheme/bsp"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// predecessors returns the answer of a run, checked by the host half.
func predecessors(t *testing.T, g *graph.CSR, source uint32, values []uint64) []uint32 {
	t.Helper()
	out := &scheduler.Outcome{Values: values}
	answer, err := kernels.ParentsHost.Answer(out)
	require.NoError(t, err)
	_, err = kernels.ParentsHost.Check(t.Context(), scheduler.Input{Graph: g, Source: source}, out, answer)
	require.NoError(t, err)
	return answer.([]uint32)
}

func TestParentsAsPlainGo(t *testing.T) {
	for _, g := range small(t) {
		source, _ := g.MaxDegreeVertex()
		for name, step := range pushes[kernels.Parents, uint64]() {
			t.Run("push/"+name+"/"+g.Name, func(t *testing.T) {
				predecessors(t, g, source, push(t, kernels.Parents{}, step, g, source))
			})
		}
		for name, step := range pulls[kernels.Parents, uint64]() {
			t.Run("pull/"+name+"/"+g.Name, func(t *testing.T) {
				predecessors(t, g, source, pull(t, kernels.Parents{}, step, g, source))
			})
		}
	}
}

// TestParentsAreTheSmallest begins at the vertex with the largest number. Vertex 5 has three in-neighbors of one level, of which
// 2 is the smallest, and a smaller one that is a level further. The vertices of the level are also active in the opposite
// order, so that the last update is the one that counts.
func TestParentsAreTheSmallest(t *testing.T) {
	g, _, err := graph.FromEdges(t.Context(), "fan", 7, []graph.Edge{
		{From: 6, To: 4}, {From: 6, To: 3}, {From: 6, To: 2}, {From: 4, To: 5}, {From: 3, To: 5}, {From: 2, To: 5}, {From: 4, To: 0}, {From: 0, To: 5}, {From: 5, To: 6}}, graph.LoadOptions{})
	require.NoError(t, err)
	want := []uint32{4, kernels.Unreached, 6, 6, 6, 2, 6}
	for name, step := range pushes[kernels.Parents, uint64]() {
		require.Equal(t, want, predecessors(t, g, 6, push(t, kernels.Parents{}, step, g, 6)), name)
	}
	for name, step := range pulls[kernels.Parents, uint64]() {
		require.Equal(t, want, predecessors(t, g, 6, pull(t, kernels.Parents{}, step, g, 6)), name)
	}
	values, _ := start[kernels.Parents, uint64](t, kernels.Parents{}, g, 6)
	for _, v := range []uint32{2, 3, 4} {
		values[v] = 1<<32 | 6
	}
	values = pushOn(t, kernels.Parents{}, bsp.Push[kernels.Parents, scheduler.ThreadPerVertex, uint64], g, values, []uint32{4, 3, 2})
	require.Equal(t, want, predecessors(t, g, 6, values))
}

// TestParentsSendWhatTheLevelSays checks that a smaller predecessor alone makes nobody active.
func TestParentsSendWhatTheLevelSays(t *testing.T) {
	var a kernels.Parents
	require.True(t, a.Active(9, a.Identity(), 3<<32|8))
	require.True(t, a.Active(9, 4<<32|1, 3<<32|8))
	require.False(t, a.Active(9, 3<<32|8, 3<<32|7))
	_, sends := a.Compute(scheduler.Edge{Src: 7, Dst: 9}, a.Identity())
	require.False(t, sends)
	x, sends := a.Compute(scheduler.Edge{Src: 7, Dst: 9}, 3<<32|8)
	require.True(t, sends)
	require.EqualValues(t, 4<<32|7, x)
}

// TestParentsCheck checks that a wrong level and a wrong predecessor are found, and wrong types.
func TestParentsCheck(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "grid:width=3,keep=1,seed=1", graph.LoadOptions{})
	require.NoError(t, err)
	_, parents, err := reference.Parents(t.Context(), g, 0)
	require.NoError(t, err)
	values := pull(t, kernels.Parents{}, pulls[kernels.Parents, uint64]()["thread"], g, 0)
	check := func(answer any) error {
		_, err := kernels.ParentsHost.Check(t.Context(), scheduler.Input{Graph: g}, &scheduler.Outcome{Values: values}, answer)
		return err
	}
	require.NoError(t, check(parents))
	parents[8] = 7
	require.EqualError(t, check(parents), "parents: vertex 8 has predecessor 7, the reference predecessor 5; 1 of 9 vertices is wrong")
	parents[8] = 5
	values[8] += 1 << 32
	require.EqualError(t, check(parents), "bfs: vertex 8 has level 5, the reference level 4; 1 of 9 vertices is wrong")
	require.EqualError(t, check([]float32{}), "the answer is []float32, not []uint32")
	_, err = kernels.ParentsHost.Check(t.Context(), scheduler.Input{Graph: g}, &scheduler.Outcome{Values: parents}, parents)
	require.EqualError(t, err, "the answer is []uint32, not []uint64")
	_, err = kernels.ParentsHost.Answer(&scheduler.Outcome{Values: parents})
	require.EqualError(t, err, "the answer is []uint32, not []uint64")
}
