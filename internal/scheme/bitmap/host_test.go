//go:build !kernel

package bitmap_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/scheme/bitmap"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// typeOf returns the type of an algorithm that pushes and pulls as scheduler.Min does.
func typeOf(name string, value reflect.Type) scheduler.Type {
	return scheduler.Type{Name: name, Value: value, Source: true, Reaches: true, From: map[string]string{"Compute": name, "Apply": "scheduler.Min", "Update": "scheduler.Min"}}
}

// some is a search along some of the arcs.
type some struct{ kernels.BFS }

func carries(from, to uint32) bool { return (from^to)%3 > 0 }

func (a some) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
	level, _ := a.BFS.Compute(e, src)
	return level, carries(e.Src, e.Dst)
}

var (
	along   = typeOf("my.Some", reflect.TypeFor[uint32]())
	bfs     = typeOf("kernels.BFS", reflect.TypeFor[uint32]())
	parents = typeOf("kernels.Parents", reflect.TypeFor[uint64]())
)

func device() *native.Device {
	return native.New(map[string]any{
		"bitmap.Search[kernels.BFS, uint32]":     bitmap.Search[kernels.BFS, uint32],
		"bitmap.Search[kernels.Parents, uint64]": bitmap.Search[kernels.Parents, uint64],
		"bitmap.Search[my.Some, uint32]":         bitmap.Search[some, uint32],
	})
}

// run runs the scheme from a source.
func run(t *testing.T, a scheduler.Type, g *graph.CSR, source uint32, params map[string]string) (*scheduler.Outcome, error) {
	t.Helper()
	require.NoError(t, bitmap.New().Validate())
	values, err := bitmap.New().Values(params)
	require.NoError(t, err)
	require.NoError(t, bitmap.New().Takes(a, values))
	d := device()
	out, err := bitmap.New().Run(t.Context(), scheduler.Job{Device: d, Kernels: d, Algorithm: a, Graph: g, Source: source, Params: values})
	require.Zero(t, d.Live, "buffers are left")
	return out, err
}

// search is a search by a list of vertices along those arcs that carry something: the level of each vertex, and its smallest predecessor.
func search(g *graph.CSR, source uint32, carries func(from, to uint32) bool) (levels []uint32, parents []uint64) {
	levels, parents = make([]uint32, g.Vertices()), make([]uint64, g.Vertices())
	for v := range levels {
		levels[v], parents[v] = ^uint32(0), ^uint64(0)
	}
	levels[source], parents[source] = 0, uint64(source)
	for list := []uint32{source}; len(list) > 0; list = list[1:] {
		u := list[0]
		for _, v := range g.Col[g.Row[u]:g.Row[u+1]] {
			if !carries(u, v) {
				continue
			}
			if levels[v] == ^uint32(0) {
				levels[v] = levels[u] + 1
				list = append(list, v)
			}
			if levels[v] == levels[u]+1 {
				parents[v] = min(parents[v], uint64(levels[v])<<32|uint64(u))
			}
		}
	}
	return levels, parents
}

// ways are parameters by which every part of the kernel runs.
var ways = []map[string]string{
	{},
	{"direction": "push", "one-block": "0"},
	{"direction": "push", "stage": "2"}, // pieces go to global memory at once
	{"direction": "push", "stage": "0", "blocks": "2", "block": "32"}, // and warps reserve places for several
	{"direction": "push", "one-block": "0", "blocks": "1"},            // wide pushes
	{"pull-above": "0.6", "push-below": "0.5", "one-block": "0", "blocks": "2", "block": "32"},
	{"pull-above": "0", "push-below": "0", "one-block": "0"},
	{"pull-above": "0", "push-below": "0", "rest": "0"}, // arcs of a pull go to all warps
	{"pull-above": "0.01", "push-below": "0.3", "rest": "40"},
	{"one-block": "4096", "blocks": "3"},
}

// TestRandomGraphs compares levels and predecessors with those of a search by a list: sparse and dense graphs, directed ones, hubs, several components, and numbers of threads.
func TestRandomGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	pulled, pushed, alone := 0.0, 0.0, 0.0
	for i := range 84 {
		n := 1 + rng.IntN(700)
		var edges []graph.Edge
		for range rng.IntN(n*[]int{2, 8, 40}[i%3]) + 1 {
			u, v := rng.IntN(n), rng.IntN(n)
			if rng.IntN(3) == 0 {
				u = rng.IntN(1 + n/50) // hubs
			}
			edges = append(edges, graph.Edge{From: uint32(u), To: uint32(v)})
		}
		g, _, err := graph.FromEdges(t.Context(), "random", n, edges, graph.LoadOptions{Symmetrize: i%2 == 0})
		require.NoError(t, err)
		params := map[string]string{"block": []string{"32", "64", "256"}[i%3]}
		for name, value := range ways[i%len(ways)] {
			params[name] = value
		}
		source := uint32(rng.IntN(n))
		levels, predecessors := search(g, source, func(uint32, uint32) bool { return true })
		what := fmt.Sprintf("graph %d, source %d, %v", i, source, params)
		out, err := run(t, bfs, g, source, params)
		require.NoError(t, err, what)
		require.Equal(t, levels, out.Values, what)
		fewer, _ := search(g, source, carries)
		part, err := run(t, along, g, source, params)
		require.NoError(t, err, what)
		require.Equal(t, fewer, part.Values, what)
		also, err := run(t, parents, g, source, params)
		require.NoError(t, err, what)
		require.Equal(t, predecessors, also.Values, what)
		require.Equal(t, out.Iterations, also.Iterations, what)
		reached, arcs := 0.0, 0.0
		for v, level := range levels {
			if level != ^uint32(0) {
				reached++
				arcs += float64(g.Degree(uint32(v)))
			}
		}
		require.Equal(t, reached, number(t, out, "frontier"), what)
		require.Equal(t, arcs, number(t, out, "arcs"), what)
		pulled += number(t, out, "pulls")
		alone += number(t, out, "one-block-iterations")
		pushed += number(t, out, "iterations") - number(t, out, "pulls") - number(t, out, "one-block-iterations")
	}
	require.Greater(t, min(pulled, pushed, alone), 20.0, "of all kinds of iterations there are some")
}

// number returns a quantity of a run's only step.
func number(t *testing.T, out *scheduler.Outcome, name string) float64 {
	require.Len(t, out.Steps, 1)
	x, ok := out.Steps[0].Number(name)
	require.True(t, ok, name)
	return x
}

// TestHubs searches from a vertex with many pieces of arcs, over one whose row a warp leaves to all, to a path.
func TestHubs(t *testing.T) {
	const leaves, path = 20 * bitmap.PieceArcs, 40
	var edges []graph.Edge
	for v := range uint32(leaves) {
		edges = append(edges, graph.Edge{From: 0, To: 2 + v}, graph.Edge{From: 2 + v, To: 1})
	}
	last := uint32(1)
	for i := range uint32(path) {
		edges = append(edges, graph.Edge{From: last, To: 2 + leaves + i})
		last = 2 + leaves + i
	}
	g, _, err := graph.FromEdges(t.Context(), "hubs", 2+leaves+path, edges, graph.LoadOptions{})
	require.NoError(t, err)
	for _, params := range ways {
		for _, block := range []string{"0", "96"} {
			given := map[string]string{"block": block}
			for name, value := range params {
				given[name] = value
			}
			out, err := run(t, bfs, g, 0, given)
			require.NoError(t, err)
			levels := out.Values.([]uint32)
			for v, level := range levels {
				switch {
				case v == 0:
					require.Zero(t, level)
				case v == 1:
					require.EqualValues(t, 2, level)
				case v < 2+leaves:
					require.EqualValues(t, 1, level)
				default:
					require.EqualValues(t, 3+v-2-leaves, level)
				}
			}
			require.Equal(t, 3+path, out.Iterations, "the last one finds nothing")
		}
	}
}

// TestHistory sums what the kernel records of its iterations.
func TestHistory(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "rmat:scale=9,degree=10,seed=2", graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	hub, _ := g.MaxDegreeVertex()
	wide := 0.0
	for _, params := range ways {
		given := map[string]string{"history": "50", "block": "64"}
		for name, value := range params {
			given[name] = value
		}
		out, err := run(t, bfs, g, hub, given)
		require.NoError(t, err)
		require.Len(t, out.Series, 4)
		sums := map[string]float64{}
		codes := map[float64]float64{}
		for _, s := range out.Series {
			require.Len(t, s.Values, out.Iterations)
			for _, x := range s.Values {
				sums[s.Name] += x
				if s.Name == "how" {
					codes[x]++
				}
			}
		}
		require.Equal(t, number(t, out, "frontier"), sums["frontier"])
		require.Equal(t, number(t, out, "arcs"), sums["arcs"])
		require.Equal(t, number(t, out, "pulls"), codes[1])
		require.Equal(t, number(t, out, "one-block-iterations"), codes[2])
		wide += codes[3]
	}
	require.Greater(t, wide, 3.0, "some pushes are wide")
}

// TestTooManyIterations ends a run on a path, in one block and in all.
func TestTooManyIterations(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "grid:width=60,height=1", graph.LoadOptions{})
	require.NoError(t, err)
	for _, params := range []map[string]string{{"one-block": "256"}, {"one-block": "0"}} {
		params["max-iterations"] = "7"
		out, err := run(t, bfs, g, 0, params)
		var stopped *scheduler.NotConverged
		require.True(t, errors.As(err, &stopped))
		require.Equal(t, scheduler.NotConverged{Algorithm: "kernels.BFS", Iterations: 7, Active: 1}, *stopped)
		require.Equal(t, 7, out.Iterations)
		params["max-iterations"] = "60"
		_, err = run(t, bfs, g, 0, params)
		require.NoError(t, err)
	}
}

// TestEmptyGraphs reaches the source alone.
func TestEmptyGraphs(t *testing.T) {
	for n := 1; n < 40; n += 19 {
		g, _, err := graph.FromEdges(t.Context(), "none", n, nil, graph.LoadOptions{})
		require.NoError(t, err)
		out, err := run(t, bfs, g, uint32(n-1), nil)
		require.NoError(t, err)
		for v, level := range out.Values.([]uint32) {
			require.Equal(t, v == n-1, level == 0)
		}
	}
}

// TestTakes says what it does not run.
func TestTakes(t *testing.T) {
	other := bfs
	other.Reaches = false
	require.EqualError(t, bitmap.New().Takes(other, scheduler.Values{}),
		"kernels.BFS has no method Reaches that returns true: a vertex may get another value after the first iteration that reaches it")
	other = bfs
	other.From = map[string]string{"Take": "kernels.BFS", "Consumes": "kernels.BFS"}
	require.EqualError(t, bitmap.New().Takes(other, scheduler.Values{}), "kernels.BFS has a method Take or Turn that changes values, and Reaches, by which they are final")
	other = bfs
	other.Phased = true
	require.EqualError(t, bitmap.New().Takes(other, scheduler.Values{}), "kernels.BFS runs in phases, which the scheduler does not have")
	values, err := bitmap.New().Values(map[string]string{"partition-seed": "2"})
	require.NoError(t, err)
	require.EqualError(t, bitmap.New().Takes(bfs, values), "partition-seed is of a random order: it needs partition=random")
	require.NoError(t, bitmap.New().TakesGroup(bfs, scheduler.Values{}))
	other = bfs
	other.Neighbors = true
	require.EqualError(t, bitmap.New().TakesGroup(other, scheduler.Values{}),
		"kernels.BFS looks at the neighbors of both ends of an arc (Edge.Common), and a GPU of several has a part of each row")
}
