package choice

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/scheduler"
)

// fake returns a scheme of any parameters that the rules set, which takes an algorithm if refused is nil.
func fake(name string, refused error) scheduler.Scheme {
	s := scheduler.Scheme{Name: name, Takes: func(scheduler.Type, scheduler.Values) error { return refused }}
	seen := map[string]bool{}
	for _, r := range rules {
		for p := range r.Params {
			if !seen[p] {
				s.Params = append(s.Params, scheduler.Param{Name: p, Type: scheduler.WordParam, Words: []string{"", "device", "64", "all", "0.1", "pull", "false"}})
			}
			seen[p] = true
		}
	}
	return s
}

var (
	bfs  = scheduler.Type{Name: "kernels.BFS", Value: reflect.TypeFor[uint32](), Source: true, From: map[string]string{"Unique": "kernels.BFS"}}
	road = graph.Shape{Vertices: 264346, Arcs: 730100, MeanDegree: 2.76, MaxDegree: 8, DegreeVariation: 0.354, Levels: 721, LevelSize: 635.4}
)

// TestChoose checks that the first rule decides that holds and whose scheme takes the algorithm.
func TestChoose(t *testing.T) {
	no := errors.New("not this one")
	c, err := Choose(bfs, road, 1, []scheduler.Scheme{fake("atos", nil), fake("simdx", nil), fake("warp", nil)})
	require.NoError(t, err)
	assert.Equal(t, "simdx", c.Scheme)
	assert.Equal(t, map[string]string{"blocks": "64"}, c.Params)
	assert.Equal(t, road, c.Facts)
	assert.Equal(t, "by auto, rule 3: a search, and small levels (264346 vertices, degrees 2.76 on average, 8 at most, variation 0.35; 721 levels, 635.4 vertices each)", c.String())
	c.Params["blocks"] = "changed"
	assert.Equal(t, "64", rules[2].Params["blocks"], "a choice has parameters of its own")

	web := graph.Shape{Vertices: 325729, Arcs: 1469679, MeanDegree: 4.5, MaxDegree: 3444, DegreeVariation: 4.8, Levels: 50, LevelSize: 6000}
	c, err = Choose(bfs, web, 1, []scheduler.Scheme{fake("atos", nil), fake("simdx", nil)})
	require.NoError(t, err)
	assert.Equal(t, "simdx", c.Scheme)
	assert.Equal(t, map[string]string{"fusion": "all", "pull-above": "0.1"}, c.Params, "at least a million arcs")

	reaches := bfs
	reaches.Reaches = true
	all := []scheduler.Scheme{fake("atos", nil), fake("bitmap", nil), fake("simdx", nil)}
	for want, g := range map[string]graph.Shape{"bitmap": web, "simdx": road} {
		c, err = Choose(reaches, g, 1, all)
		require.NoError(t, err)
		assert.Equal(t, want, c.Scheme)
	}
	dense := road
	dense.MeanDegree = 4
	c, err = Choose(reaches, dense, 1, all)
	require.NoError(t, err)
	assert.Equal(t, "bitmap", c.Scheme, "many small levels, but not of a road map")

	sssp := bfs
	sssp.Weighted, sssp.Phased = true, true
	shallow := graph.Shape{Vertices: 262144, Arcs: 3_000_000, MeanDegree: 15, MaxDegree: 20000, DegreeVariation: 6, Levels: 16, LevelSize: 16000}
	deep, small := shallow, shallow
	deep.Levels, small.Arcs = 17, 2_999_999
	for _, x := range []struct {
		want string
		g    graph.Shape
	}{{"near-far", shallow}, {"atos", deep}, {"atos", small}} {
		c, err = Choose(sssp, x.g, 1, []scheduler.Scheme{fake("atos", nil), fake("near-far", nil), fake("simdx", nil)})
		require.NoError(t, err)
		assert.Equal(t, x.want, c.Scheme, "%+v", x.g)
	}
	c, err = Choose(sssp, road, 2, []scheduler.Scheme{fake("multi", nil), fake("near-far", nil)})
	require.NoError(t, err)
	assert.Equal(t, "near-far", c.Scheme)

	web.Arcs = 900_000
	c, err = Choose(bfs, web, 1, []scheduler.Scheme{fake("atos", nil), fake("simdx", nil)})
	require.NoError(t, err)
	assert.Equal(t, "atos", c.Scheme)
	assert.Empty(t, c.Params)

	c, err = Choose(bfs, web, 1, []scheduler.Scheme{fake("atos", no), fake("simdx", nil)})
	require.NoError(t, err)
	assert.Equal(t, "simdx", c.Scheme)

	c, err = Choose(bfs, road, 1, []scheduler.Scheme{fake("atos", no), fake("hierq", nil), fake("simdx", no), fake("warp", no)})
	require.NoError(t, err)
	assert.Equal(t, "hierq", c.Scheme)
	last := slices.IndexFunc(rules, func(r Rule) bool { return r.Group })
	assert.Equal(t, last, c.Rule, "the last one for one GPU")

	c, err = Choose(bfs, road, 2, []scheduler.Scheme{fake("hierq", nil), fake("multi", nil), fake("simdx", nil)})
	require.NoError(t, err)
	assert.Equal(t, "multi", c.Scheme)
	assert.Greater(t, c.Rule, last)
	_, err = Choose(bfs, road, 2, []scheduler.Scheme{fake("multi", errors.New("multi does not"))})
	require.EqualError(t, err, `scheduler "auto" finds no scheme of Weft's that runs kernels.BFS on several GPUs: multi: multi does not`)

	_, err = Choose(bfs, road, 1, []scheduler.Scheme{fake("simdx", errors.New("simdx does not")), fake("warp", no)})
	require.EqualError(t, err, `scheduler "auto" finds no scheme of Weft's that runs kernels.BFS: simdx: simdx does not`)
	wide := road
	wide.Cut = true
	assert.Contains(t, (&Choice{By: Name, Facts: wide}).String(), "635.4 vertices each in the part that was searched)")
}

// TestMerge checks that a user's parameters replace those of a rule, with and without the scheme's name before them.
func TestMerge(t *testing.T) {
	c := &Choice{Scheme: "hierq", Params: map[string]string{"levels": "block", "one-block": "4000"}}
	for _, x := range []struct{ given, want map[string]string }{
		{nil, map[string]string{"hierq.levels": "block", "hierq.one-block": "4000"}},
		{map[string]string{"levels": "warp"}, map[string]string{"levels": "warp", "hierq.one-block": "4000"}},
		{map[string]string{"hierq.one-block": "0", "damping": "0.9"}, map[string]string{"hierq.levels": "block", "hierq.one-block": "0", "damping": "0.9"}},
	} {
		before := len(x.given)
		assert.Equal(t, x.want, c.Merge(x.given))
		assert.Len(t, x.given, before, "the user's parameters are not changed")
	}
}

// TestFactsAreComputedOnce checks that the shape of a graph is remembered as long as the graph is in use, and that of its
// closure beside it.
func TestFactsAreComputedOnce(t *testing.T) {
	count := func() (n int) {
		shapes.Range(func(any, any) bool { n++; return true })
		return n
	}
	before := count()
	g := &graph.CSR{Name: "pair", Row: []uint64{0, 1, 1}, Col: []uint32{1}}
	s, err := Facts(t.Context(), g, false)
	require.NoError(t, err)
	assert.EqualValues(t, 1, s.Arcs)
	for range 2 {
		s, err = Facts(t.Context(), g, true)
		require.NoError(t, err)
		assert.EqualValues(t, 2, s.Arcs)
	}
	assert.Equal(t, before+2, count())
	runtime.KeepAlive(g)
	g = nil
	for i := 0; count() > before && i < 1000; i++ {
		runtime.GC() // cleanups run some time after
		runtime.Gosched()
	}
	assert.Equal(t, before, count())
}

// TestEveryRuleIsComplete checks that each rule says when it holds and why, and that one of them always holds.
func TestEveryRuleIsComplete(t *testing.T) {
	group := slices.IndexFunc(rules, func(r Rule) bool { return r.Group })
	for i, r := range rules {
		assert.NotEmpty(t, r.If, i)
		assert.NotEmpty(t, r.Evidence, i)
		assert.Equal(t, i == group-1, r.Scheme == "", "only the last rule for one GPU names no scheme")
		assert.Equal(t, i >= group, r.Group, "those for several GPUs come last")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		for _, last := range []Rule{rules[group-1], rules[len(rules)-1]} {
			assert.True(t, last.holds(scheduler.Type{Source: r.IntN(2) == 0}, graph.Shape{Vertices: r.Uint64(), MaxDegree: r.Uint32(), Levels: r.Uint32()}))
		}
	}
}

// TestCompare checks which recorded times are compared.
func TestCompare(t *testing.T) {
	run := func(algorithm, scheme, g string, kernels, whole float64, params map[string]string) results.Run {
		r := results.Run{Algorithm: algorithm, Scheduler: scheme, Graph: g, Params: params, Verified: true, Kernels: results.NewTiming([]float64{kernels})}
		if whole > 0 {
			r.Whole = results.NewTiming([]float64{whole})
		}
		return r
	}
	wrong := run("bfs", "block", "road", 0.001, 0.001, nil)
	wrong.Verified = false
	failed := run("bfs", "thread", "road", 0.001, 0.001, nil)
	failed.Error = "it hung"
	set := map[string]string{"one-block": "4000"}
	times := &results.Hardware{Runs: []results.Run{
		run("bfs", "warp", "road", 1, 4, nil), run("bfs", "hierq", "road", 3, 3, nil), run("bfs", "hierq", "road", 6, 6, set), wrong, failed,
	}}
	kernels := &results.Hardware{
		Graphs: []results.Graph{{Name: "road", Shape: road}, {Name: "web"}},
		Runs: []results.Run{
			run("bfs", "hierq", "road", 100, 0, set),                                    // the first record has the pair
			run("bfs", "warp", "web", 2, 9, nil), run("bfs", "hierq", "web", 4, 0, set), // one lacks the algorithm time
			run("cc", "warp", "web", 2, 2, nil),       // the choice is not recorded
			run("bfs", "warp", "unknown", 1, 1, nil)}, // no facts
	}
	choose := func(algorithm string, g results.Graph) (*Choice, error) {
		if algorithm == "sssp" {
			return nil, errors.New("no")
		}
		return &Choice{Rule: 7, Scheme: "hierq", Params: set, Facts: g.Shape}, nil
	}
	c, err := Compare([]*results.Hardware{times, kernels}, choose)
	require.NoError(t, err)
	assert.Equal(t, []Cell{
		{Algorithm: "bfs", Graph: "road", Rule: 7, Scheme: "hierq", Params: set, Time: "algorithm", Seconds: 6, Best: "hierq", BestSeconds: 3, Ratio: 2},
		{Algorithm: "bfs", Graph: "web", Rule: 7, Scheme: "hierq", Params: set, Time: "kernels", Seconds: 4, Best: "warp", BestSeconds: 2, Ratio: 2},
		{Algorithm: "cc", Graph: "web", Rule: 7, Scheme: "hierq", Params: set, Time: "algorithm", Best: "warp", BestSeconds: 2},
	}, c.Cells)
	assert.Equal(t, "2 choices: 2.00 times the best in the geometric mean, at worst 2.00 (bfs on road); 1 more without a record; 1 on graphs of which the record has no facts", c.String())
	assert.Equal(t, "no choice was recorded", (&Comparison{Worst: -1}).String())
	kernels.Runs = append(kernels.Runs, run("sssp", "warp", "web", 1, 1, nil))
	_, err = Compare([]*results.Hardware{kernels}, choose)
	require.EqualError(t, err, "sssp on web: no")

	closure := graph.Shape{Arcs: 2}
	assert.Equal(t, closure, ShapeOf(results.Graph{Closure: &closure}, true))
	assert.Equal(t, graph.Shape{}, ShapeOf(results.Graph{Closure: &closure}, false))
	assert.Equal(t, road, ShapeOf(results.Graph{Shape: road}, true))
	_, err = Records(results.Builtin(), "gtx780")
	require.ErrorIs(t, err, results.ErrNoRecord)
}

// TestDescribe checks that a record has the facts of a directed graph and of its closure.
func TestDescribe(t *testing.T) {
	directed, _, err := graph.Open(t.Context(), "rmat:scale=6,degree=6,seed=3,directed=true", graph.LoadOptions{})
	require.NoError(t, err)
	facts, err := Describe(t.Context(), "rmat.mtx", directed)
	require.NoError(t, err)
	assert.Equal(t, "rmat.mtx", facts.Name)
	assert.EqualValues(t, directed.Arcs(), facts.Shape.Arcs)
	require.NotNil(t, facts.Closure)
	assert.Greater(t, facts.Closure.Arcs, facts.Shape.Arcs)
	symmetric, err := directed.Symmetrize(t.Context())
	require.NoError(t, err)
	facts, err = Describe(t.Context(), "closure", symmetric)
	require.NoError(t, err)
	assert.Nil(t, facts.Closure)
}

// TestTimed checks what is read of a record of repeated runs.
func TestTimed(t *testing.T) {
	f, err := results.ReadRepeated([]byte(`{"sessions": [{}], "graphs": [{"graph": "road", "shape": {"vertices": 7, "levels": 3}}], "rows": [
		{"graph": "road", "algorithm": "bfs", "scheduler": "hierq", "params": "levels=block, one-block=64", "checked": "reference", "solve_seconds": [3, 1, 2], "kernel_seconds": [1, 1, 1]},
		{"graph": "road", "algorithm": "bfs", "scheduler": "auto", "params": "", "chosen_by": {"chosen": "warp", "parameters": {"block": "64"}}, "checked": "values", "solve_seconds": [4], "kernel_seconds": [1]},
		{"graph": "road", "algorithm": "sssp", "scheduler": "warp", "params": "", "error": "it hung"},
		{"graph": "road", "algorithm": "sssp", "scheduler": "thread", "params": "", "solve_seconds": [1], "kernel_seconds": [1]}]}`))
	require.NoError(t, err)
	h := timed(f)
	require.Len(t, h.Graphs, 1)
	assert.EqualValues(t, 3, h.Graphs[0].Shape.Levels)
	require.Len(t, h.Runs, 4)
	assert.Equal(t, results.Run{Algorithm: "bfs", Scheduler: "hierq", Params: map[string]string{"levels": "block", "one-block": "64"}, Graph: "road", Verified: true,
		Kernels: results.NewTiming([]float64{1, 1, 1}), Whole: results.NewTiming([]float64{3, 1, 2})}, h.Runs[0])
	assert.Equal(t, "warp", h.Runs[1].Scheduler)
	assert.Equal(t, map[string]string{"block": "64"}, h.Runs[1].Params)
	assert.Equal(t, "it hung", h.Runs[2].Error)
	assert.False(t, h.Runs[3].Verified, "nobody checked it")
}
