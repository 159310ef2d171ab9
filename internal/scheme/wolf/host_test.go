//go:build !kernel

package wolf_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/scheme/wolf"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

var (
	ssspType = scheduler.Type{Name: "kernels.SSSP", Value: reflect.TypeFor[uint32](), Fields: []scheduler.Field{{Name: "Delta", Elem: reflect.TypeFor[uint32]()}}}
	rankType = scheduler.Type{Name: "kernels.PageRank", Value: reflect.TypeFor[float32](), Fields: []scheduler.Field{
		{Name: "Rank", Elem: reflect.TypeFor[float32](), Array: true},
		{Name: "Damping", Elem: reflect.TypeFor[float32](), Default: "0.85"},
		{Name: "Epsilon", Elem: reflect.TypeFor[float32](), Default: "0.001"},
	}, From: map[string]string{"Take": "kernels.PageRank", "Consumes": "kernels.PageRank", "Apply": "scheduler.Add"}}
)

// device returns a device with the kernels as plain Go.
func device() *native.Device {
	return native.New(map[string]any{
		"wolf.Init[kernels.SSSP, uint32]":           wolf.Init[kernels.SSSP, uint32],
		"wolf.Gather[kernels.SSSP, uint32]":         wolf.Gather[kernels.SSSP, uint32],
		"wolf.WriteBack[kernels.SSSP, uint32]":      wolf.WriteBack[kernels.SSSP, uint32],
		"wolf.Direct[kernels.SSSP, uint32]":         wolf.Direct[kernels.SSSP, uint32],
		"wolf.Conflicts[kernels.SSSP, uint32]":      wolf.Conflicts[kernels.SSSP, uint32],
		"wolf.Init[kernels.PageRank, float32]":      wolf.Init[kernels.PageRank, float32],
		"wolf.Take[kernels.PageRank, float32]":      wolf.Take[kernels.PageRank, float32],
		"wolf.Gather[kernels.PageRank, float32]":    wolf.Gather[kernels.PageRank, float32],
		"wolf.WriteBack[kernels.PageRank, float32]": wolf.WriteBack[kernels.PageRank, float32],
		"wolf.Direct[kernels.PageRank, float32]":    wolf.Direct[kernels.PageRank, float32],

		"wolf.InitBy[kernels.SSSP, wolf.Listed, uint32]":          wolf.InitBy[kernels.SSSP, wolf.Listed, uint32],
		"wolf.GatherBy[kernels.SSSP, wolf.Listed, uint32]":        wolf.GatherBy[kernels.SSSP, wolf.Listed, uint32],
		"wolf.WriteBackBy[kernels.SSSP, wolf.Listed, uint32]":     wolf.WriteBackBy[kernels.SSSP, wolf.Listed, uint32],
		"wolf.DirectBy[kernels.SSSP, wolf.Listed, uint32]":        wolf.DirectBy[kernels.SSSP, wolf.Listed, uint32],
		"wolf.ConflictsBy[kernels.SSSP, wolf.Listed, uint32]":     wolf.ConflictsBy[kernels.SSSP, wolf.Listed, uint32],
		"wolf.InitBy[kernels.SSSP, wolf.Every, uint32]":           wolf.InitBy[kernels.SSSP, wolf.Every, uint32],
		"wolf.GatherBy[kernels.SSSP, wolf.Every, uint32]":         wolf.GatherBy[kernels.SSSP, wolf.Every, uint32],
		"wolf.WriteBackBy[kernels.SSSP, wolf.Every, uint32]":      wolf.WriteBackBy[kernels.SSSP, wolf.Every, uint32],
		"wolf.DirectBy[kernels.SSSP, wolf.Every, uint32]":         wolf.DirectBy[kernels.SSSP, wolf.Every, uint32],
		"wolf.ConflictsBy[kernels.SSSP, wolf.Every, uint32]":      wolf.ConflictsBy[kernels.SSSP, wolf.Every, uint32],
		"wolf.InitBy[kernels.PageRank, wolf.Every, float32]":      wolf.InitBy[kernels.PageRank, wolf.Every, float32],
		"wolf.TakeBy[kernels.PageRank, wolf.Every, float32]":      wolf.TakeBy[kernels.PageRank, wolf.Every, float32],
		"wolf.GatherBy[kernels.PageRank, wolf.Every, float32]":    wolf.GatherBy[kernels.PageRank, wolf.Every, float32],
		"wolf.WriteBackBy[kernels.PageRank, wolf.Every, float32]": wolf.WriteBackBy[kernels.PageRank, wolf.Every, float32],
	})
}

// job returns a run of an algorithm on a small graph with weights.
func job(t *testing.T, d *native.Device, a scheduler.Type, spec string, params map[string]string) scheduler.Job {
	g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	g, _, err = g.WithWeights(t.Context())
	require.NoError(t, err)
	v, err := wolf.New().Values(params)
	require.NoError(t, err)
	source, _ := g.MaxDegreeVertex()
	return scheduler.Job{Device: d, Kernels: d, Algorithm: a, Graph: g, Source: source, Params: v}
}

const (
	dense = "rmat:scale=6,degree=6,seed=3"
	long  = "grid:width=6,keep=1,seed=1"
)

// number returns a quantity of a step, which must have it.
func number(t *testing.T, s scheduler.Step, name string) int {
	x, ok := s.Number(name)
	require.True(t, ok, "%s of %s", name, s.Kernel)
	return int(x)
}

// TestVariants runs the host loop in both variants, with several sizes of edge blocks: below,
// at and above the number of threads, and one that does not divide it.
func TestVariants(t *testing.T) {
	for _, params := range []map[string]string{
		{"variant": "direct"},
		{"variant": "shared", "edges-per-block": "0"},
		{"variant": "shared", "edges-per-block": "7"},
		{"variant": "shared", "edges-per-block": "64"},
		{"variant": "shared", "edges-per-block": "100"},
		{"variant": "shared", "edges-per-block": "1000"},
	} {
		params["block"] = "64"
		d := device()
		j := job(t, d, ssspType, dense, params)
		var seen []scheduler.Step
		j.Progress = func(s scheduler.Step) { seen = append(seen, s) }
		out, err := wolf.New().Run(t.Context(), j)
		require.NoError(t, err, params)
		require.NoError(t, reference.CheckSSSP(t.Context(), j.Graph, j.Source, out.Values.([]uint32)), params)
		require.Equal(t, out.Steps, seen)
		require.Zero(t, d.Live, "buffers are left")

		require.Equal(t, scheduler.Step{Kernel: "wolf.Init[kernels.SSSP, uint32]", Setup: true, Cycles: 10,
			Numbers: []scheduler.Number{{Name: "changed", Value: 1}}}, seen[0])
		require.Equal(t, j.Graph.Degree(j.Source), number(t, seen[1], "edges"), "only the source is active first")
		require.Zero(t, number(t, seen[len(seen)-1], "changed"))
		if params["variant"] == "direct" {
			require.Len(t, seen, 1+out.Iterations)
			require.Len(t, d.Grids, len(seen))
			continue
		}
		require.Len(t, seen, 1+2*out.Iterations)
		require.Equal(t, "wolf.Gather[kernels.SSSP, uint32]", seen[1].Kernel)
		require.Equal(t, "wolf.WriteBack[kernels.SSSP, uint32]", seen[2].Kernel)
		require.Equal(t, 1, seen[2].Iteration)
		require.Equal(t, d.Grids[1], d.Grids[2], "a thread block per edge block in both")
	}
}

// TestPlans runs the host loop with each order, with all edges and with those of changed sources,
// and with blocks that end at a number of destinations, in both variants.
func TestPlans(t *testing.T) {
	for _, params := range []map[string]string{
		{"order": "file"},
		{"order": "file", "variant": "direct", "edges-per-block": "50"},
		{"order": "file", "edges": "all", "edges-per-block": "70"},
		{"edges": "all", "conflicts": "true"},
		{"edges": "all", "variant": "direct"},
		{"destinations-per-block": "3", "conflicts": "true"},
		{"destinations-per-block": "1", "order": "file"},
		{"destinations-per-block": "1000", "edges": "all"},
	} {
		d := device()
		j := job(t, d, ssspType, dense, params)
		out, err := wolf.New().Run(t.Context(), j)
		require.NoError(t, err, params)
		require.NoError(t, reference.CheckSSSP(t.Context(), j.Graph, j.Source, out.Values.([]uint32)), params)
		require.Zero(t, d.Live)
		edges := 0
		for _, s := range out.Steps {
			if n, ok := s.Number("edges"); ok {
				edges += int(n)
			}
		}
		if params["edges"] == "all" {
			require.Equal(t, out.Iterations*j.Graph.Arcs(), edges, "%v", params)
		} else {
			require.Less(t, edges, out.Iterations*j.Graph.Arcs(), "%v", params)
		}
	}
}

// TestOrderNeedsFile checks that a graph without an order of edges is refused.
func TestOrderNeedsFile(t *testing.T) {
	d := device()
	j := job(t, d, ssspType, dense, map[string]string{"order": "file"})
	j.Graph = &graph.CSR{Name: "made", Row: []uint64{0, 1, 1}, Col: []uint32{1}, Weight: []uint32{1}}
	j.Source = 0
	_, err := wolf.New().Run(t.Context(), j)
	require.EqualError(t, err, "order=file: graph made has no order of edges: it was not opened from a file that can be read again, or by a generator")
	require.Zero(t, d.Live)
}

// TestFirstIteration checks that in the shared variant an iteration reads only values of the
// one before: the first iteration changes exactly the neighbors of the source.
func TestFirstIteration(t *testing.T) {
	d := device()
	j := job(t, d, ssspType, long, nil)
	out, err := wolf.New().Run(t.Context(), j)
	require.NoError(t, err)
	require.Equal(t, j.Graph.Degree(j.Source), number(t, out.Steps[2], "changed"))
}

// TestTakeModifies runs an algorithm whose Take modifies the vertex, also on a graph without
// edges, where Take does all the work.
func TestTakeModifies(t *testing.T) {
	for _, params := range []map[string]string{{"variant": "shared"}, {"variant": "direct"}, {"edges": "all"}} {
		for _, spec := range []string{dense, "rmat:scale=3,degree=1,seed=1"} {
			d := device()
			params["block"] = "32"
			j := job(t, d, rankType, spec, params)
			if spec != dense {
				j.Graph = &graph.CSR{Name: "no edges", Row: []uint64{0, 0, 0}, Symmetric: true}
				j.Source = 0
			}
			out, err := wolf.New().Run(t.Context(), j)
			require.NoError(t, err)
			require.Zero(t, d.Live)
			require.Equal(t, map[string]string{"": "wolf.Take[kernels.PageRank, float32]", "all": "wolf.TakeBy[kernels.PageRank, wolf.Every, float32]"}[params["edges"]], out.Steps[1].Kernel)
			scalars, err := rankType.Scalars(nil)
			require.NoError(t, err)
			answer, err := kernels.PageRankHost.Answer(out)
			require.NoError(t, err)
			_, err = kernels.PageRankHost.Check(t.Context(), scheduler.Input{Graph: j.Graph, Params: scalars}, out, answer)
			require.NoError(t, err)
		}
	}
}

func TestRunEndsEarly(t *testing.T) {
	for _, variant := range []string{"shared", "direct"} {
		perIteration := map[string]int{"shared": 2, "direct": 1}[variant]
		t.Run(variant+" at the limit of iterations", func(t *testing.T) {
			d := device()
			out, err := wolf.New().Run(t.Context(), job(t, d, ssspType, long, map[string]string{"variant": variant, "max-iterations": "1"}))
			var nc *scheduler.NotConverged
			require.ErrorAs(t, err, &nc)
			require.EqualError(t, err, "kernels.SSSP did not end within 1 iterations: 4 vertices are still active")
			require.Equal(t, 1, out.Iterations)
			require.Nil(t, out.Values)
			require.Zero(t, d.Live)
		})
		t.Run(variant+" when cancelled", func(t *testing.T) {
			for after := 1; after <= 3; after++ {
				d := device()
				ctx, cancel := context.WithCancel(context.Background())
				d.After = func() {
					if len(d.Grids) == after {
						cancel()
					}
				}
				out, err := wolf.New().Run(ctx, job(t, d, ssspType, long, map[string]string{"variant": variant}))
				require.ErrorIs(t, err, context.Canceled)
				require.Len(t, out.Steps, after)
				require.Zero(t, d.Live)
			}
		})
		t.Run(variant+" when a launch fails", func(t *testing.T) {
			for at := 1; at <= 1+2*perIteration; at++ {
				d := device()
				d.FailAt, d.Failure = at, errors.New("index out of range")
				out, err := wolf.New().Run(t.Context(), job(t, d, ssspType, long, map[string]string{"variant": variant}))
				require.ErrorIs(t, err, d.Failure)
				require.Zero(t, d.Live)
				require.Len(t, out.Steps, at, "the launch that failed counts, with what it reported")
				require.EqualValues(t, 5, out.Steps[at-1].Cycles)
				require.Nil(t, out.Values)
			}
		})
	}
	t.Run("before it begins", func(t *testing.T) {
		d := device()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		out, err := wolf.New().Run(ctx, job(t, d, ssspType, dense, nil))
		require.ErrorIs(t, err, context.Canceled)
		require.Empty(t, out.Steps)
		require.Zero(t, d.Live)
	})
	t.Run("without memory", func(t *testing.T) {
		for _, name := range []string{"g.Row", "g.Col", "g.Weight", "edges.Source", "edges.Slot", "values", "stamps", "count",
			"blocks.awake", "blocks.First", "blocks.Vertex", "local", "conflict"} {
			d := device()
			d.NoMemory = name
			_, err := wolf.New().Run(t.Context(), job(t, d, ssspType, dense, map[string]string{"conflicts": "true"}))
			require.EqualError(t, err, "allocating "+name+": out of memory")
			require.Zero(t, d.Live)
		}
		d := device()
		d.NoMemory = "taken"
		_, err := wolf.New().Run(t.Context(), job(t, d, rankType, dense, nil))
		require.EqualError(t, err, "allocating taken: out of memory")
	})
}

func TestRunRefuses(t *testing.T) {
	for _, c := range []struct {
		change func(j *scheduler.Job)
		want   string
	}{
		{func(j *scheduler.Job) { j.Source = 64 }, "source 64: graph rmat:scale=6,degree=6,seed=3 has vertices 0 to 63"},
		{func(j *scheduler.Job) { j.Graph = &graph.CSR{Name: "void", Row: []uint64{0}} }, "graph void has no vertices"},
		{func(j *scheduler.Job) { j.Algorithm.Name = "kernels.CC" }, "no kernel wolf.Init[kernels.CC, uint32]"},
		{func(j *scheduler.Job) { j.AlgorithmParams = map[string]string{"depth": "3"} }, `kernels.SSSP has no parameter "depth"; there are: delta`},
	} {
		d := device()
		j := job(t, d, ssspType, dense, nil)
		c.change(&j)
		_, err := wolf.New().Run(t.Context(), j)
		require.EqualError(t, err, c.want)
		require.Zero(t, d.Live)
	}
	for want, params := range map[string]map[string]string{
		"parameter variant of scheduler wolf: \"global\" is not one of shared, direct":                                                                          {"variant": "global"},
		"parameter edges-per-block of scheduler wolf: -1 is not a whole number from 0 to 65536":                                                                 {"edges-per-block": "-1"},
		"parameter edges-per-block of scheduler wolf: 65537 is not a whole number from 0 to 65536":                                                              {"edges-per-block": "65537"},
		"parameter block of scheduler wolf: 100 is not a multiple of 32 from 32 to 1024":                                                                        {"block": "100"},
		"scheduler wolf has no parameter \"size\"; there are: block, conflicts, destinations-per-block, edges, edges-per-block, max-iterations, order, variant": {"size": "1"},
		"parameter order of scheduler wolf: \"target\" is not one of source, file":                                                                              {"order": "target"},
		"parameter edges of scheduler wolf: \"some\" is not one of active, all":                                                                                 {"edges": "some"},
		"parameter destinations-per-block of scheduler wolf: 65537 is not a whole number from 0 to 65536":                                                       {"destinations-per-block": "65537"},
	} {
		_, err := wolf.New().Values(params)
		require.EqualError(t, err, want)
	}
}

// TestTakes checks that only algorithms that can be pushed are accepted, and that the kernel
// Take is there for those that need it.
func TestTakes(t *testing.T) {
	s := wolf.New()
	require.NoError(t, s.Validate())
	defaults, err := s.Values(nil)
	require.NoError(t, err)
	require.NoError(t, s.Takes(rankType, defaults))
	require.EqualError(t, s.Takes(scheduler.Type{Name: "a.A", From: map[string]string{"Apply": "a.A"}}, defaults),
		"a.A cannot be pushed: it defines Apply, which only a pull scheme calls, and none of Take, Update and Active")
	require.Len(t, s.Kernels(ssspType), 3*5)
	require.Len(t, s.Kernels(rankType), 3*6)
	counting, err := s.Values(map[string]string{"conflicts": "true", "variant": "direct"})
	require.NoError(t, err)
	bounded, err := s.Values(map[string]string{"destinations-per-block": "9", "variant": "direct"})
	require.NoError(t, err)
	require.EqualError(t, s.Takes(ssspType, bounded), "destinations-per-block=9 limits the values in shared memory; variant=direct has none there")
	repeated, err := s.Values(map[string]string{"edges": "all"})
	require.NoError(t, err)
	require.NoError(t, s.Takes(rankType, repeated))
	require.EqualError(t, s.Takes(scheduler.Type{Name: "a.A", Value: reflect.TypeFor[float32](), From: map[string]string{"Apply": "scheduler.Add"}}, repeated),
		"edges=all sends what was sent before, and updates of a.A add up; use edges=active")
	require.EqualError(t, s.Takes(ssspType, counting), "conflicts=true counts the updates that meet in shared memory; in variant=direct none do")
}
