//go:build !kernel

package scheduler_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// expandJob returns a job of a linked algorithm on a graph with weights.
func expandJob(t *testing.T, spec string, linked any, a scheduler.Type) scheduler.Job {
	t.Helper()
	g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	g, _, err = g.WithWeights(t.Context())
	require.NoError(t, err)
	source, _ := g.MaxDegreeVertex()
	return scheduler.Job{Graph: g, Source: source, Linked: linked, Algorithm: a}
}

// TestExpandFindsLevels checks each number of iterations of BFS against the levels of the
// reference: those up to it are there, the next frontier is the last level, and vertices
// further away were not reached.
func TestExpandFindsLevels(t *testing.T) {
	for _, spec := range []string{"rmat:scale=8,degree=6,seed=3", "grid:width=9,keep=0.9,seed=1"} {
		j := expandJob(t, spec, kernels.BFS{}, scheduler.Type{Name: "kernels.BFS", Value: reflect.TypeFor[uint32]()})
		levels, err := reference.BFS(t.Context(), j.Graph, j.Source)
		require.NoError(t, err)
		last := uint32(0)
		for _, l := range levels {
			if l != kernels.Unreached {
				last = max(last, l)
			}
		}
		for n := range int(last) + 3 {
			x, err := scheduler.Expand(t.Context(), j, []uint32{j.Source}, n)
			require.NoError(t, err)
			require.Equal(t, min(n, int(last)+1), x.Iterations, "it ends with the frontier")
			var frontier, inner []uint32
			found := map[uint32]uint32{}
			for i, v := range x.Vertices {
				found[v] = x.Values.([]uint32)[i]
			}
			for v, l := range levels {
				got, reached := found[uint32(v)]
				switch {
				case l == uint32(n):
					frontier = append(frontier, uint32(v))
				case l < uint32(n):
					inner = append(inner, uint32(v))
				}
				if n > 0 {
					require.Equal(t, l <= uint32(n), reached, "%s, %d iterations: vertex %d of level %d", spec, n, v, l)
				}
				if reached {
					require.Equal(t, l, got, "%s, %d iterations: vertex %d", spec, n, v)
				}
			}
			require.ElementsMatch(t, frontier, x.Frontier, "%s, %d iterations", spec, n)
			require.Equal(t, len(inner), x.Processed)
		}
	}
}

// TestExpandToTheEnd checks an algorithm whose vertices return to the frontier.
func TestExpandToTheEnd(t *testing.T) {
	j := expandJob(t, "rmat:scale=7,degree=6,seed=3", kernels.SSSP{}, scheduler.Type{Name: "kernels.SSSP", Value: reflect.TypeFor[uint32](), Fields: []scheduler.Field{{Name: "Delta", Elem: reflect.TypeFor[uint32]()}}})
	x, err := scheduler.Expand(t.Context(), j, []uint32{j.Source}, 1000)
	require.NoError(t, err)
	require.Empty(t, x.Frontier)
	values := make([]uint32, j.Graph.Vertices())
	for v := range values {
		values[v] = kernels.Unreached
	}
	for i, v := range x.Vertices {
		values[v] = x.Values.([]uint32)[i]
	}
	require.NoError(t, reference.CheckSSSP(t.Context(), j.Graph, j.Source, values))
}

// halved is an algorithm with a parameter.
type halved struct {
	scheduler.Min[uint32]
	Most uint32 `default:"3"`
}

func (halved) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return 1 << 20 }
func (halved) Start(v scheduler.Vertex, in scheduler.Problem) bool  { return v.ID == in.Source }
func (a halved) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
	return src / 2, src > 1<<20>>a.Most
}

// TestExpandTakesParameters checks that the algorithm has its default, or what the job says.
func TestExpandTakesParameters(t *testing.T) {
	a := scheduler.Type{Name: "a.halved", Value: reflect.TypeFor[uint32](), Fields: []scheduler.Field{{Name: "Most", Elem: reflect.TypeFor[uint32](), Default: "3"}}}
	j := expandJob(t, "grid:width=9,keep=1,seed=1", halved{}, a)
	for want, params := range map[int]map[string]string{4: nil, 6: {"most": "5"}} {
		j.AlgorithmParams = params
		x, err := scheduler.Expand(t.Context(), j, []uint32{j.Source}, 100)
		require.NoError(t, err)
		require.Equal(t, want, x.Iterations)
	}
	j.AlgorithmParams = map[string]string{"least": "1"}
	_, err := scheduler.Expand(t.Context(), j, []uint32{j.Source}, 100)
	require.EqualError(t, err, `a.halved has no parameter "least"; there are: most`)
}

func TestExpandRefuses(t *testing.T) {
	bfs := scheduler.Type{Name: "a.A", Value: reflect.TypeFor[uint32]()}
	j := expandJob(t, "grid:width=3,keep=1,seed=1", nil, bfs)
	_, err := scheduler.Expand(t.Context(), j, []uint32{0}, 1)
	require.EqualError(t, err, "a.A is compiled for devices and not a part of this program, so the host cannot run its methods")
	j.Linked = 7
	_, err = scheduler.Expand(t.Context(), j, []uint32{0}, 1)
	require.EqualError(t, err, "a.A is a int, which is no algorithm with values of a type that the host knows")
	j.Linked, j.Algorithm.Phased = kernels.BFS{}, true
	_, err = scheduler.Expand(t.Context(), j, []uint32{0}, 1)
	require.EqualError(t, err, "a.A runs in phases, which the host does not")
	j.Algorithm.Phased, j.Algorithm.Fields = false, []scheduler.Field{{Name: "Rank", Elem: reflect.TypeFor[float32](), Array: true}}
	_, err = scheduler.Expand(t.Context(), j, []uint32{0}, 1)
	require.EqualError(t, err, "a.A keeps its array Rank in device memory, which the host does not change")
	j.Algorithm.Fields = nil
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = scheduler.Expand(ctx, j, []uint32{0}, 1)
	require.ErrorIs(t, err, context.Canceled)
}
