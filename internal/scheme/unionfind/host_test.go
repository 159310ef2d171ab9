//go:build !kernel

package unionfind_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/scheme/unionfind"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// size is the number of vertices of a component.
type size struct{ scheduler.Add[uint32] }

func (size) Init(scheduler.Vertex, scheduler.Problem) uint32          { return 1 }
func (size) Start(scheduler.Vertex, scheduler.Problem) bool           { return false }
func (size) Compute(e scheduler.Edge, src uint32) (x uint32, ok bool) { return 0, false }

var (
	ccType     = scheduler.Type{Name: "kernels.CC", Value: reflect.TypeFor[uint32](), Symmetric: true, Spreads: true}
	degreeType = scheduler.Type{Name: "my.Degree", Value: reflect.TypeFor[uint32](), Spreads: true}
	sizeType   = scheduler.Type{Name: "my.Size", Value: reflect.TypeFor[uint32](), Symmetric: true, Spreads: true}
)

// device returns a device with the kernels as plain Go.
func device() *native.Device { return native.New(kernelsOf()) }

// kernelsOf returns the kernels as plain Go.
func kernelsOf() map[string]any {
	return map[string]any{
		"unionfind.Init[kernels.CC, uint32]":    unionfind.Init[kernels.CC, uint32],
		"unionfind.Init[my.Size, uint32]":       unionfind.Init[size, uint32],
		"unionfind.Init[my.Degree, uint32]":     unionfind.Init[degree, uint32],
		"unionfind.Tile[kernels.CC, uint32]":    unionfind.Tile[kernels.CC, uint32],
		"unionfind.Tile[my.Size, uint32]":       unionfind.Tile[size, uint32],
		"unionfind.Tile[my.Degree, uint32]":     unionfind.Tile[degree, uint32],
		"unionfind.Flatten[my.Degree, uint32]":  unionfind.Flatten[degree, uint32],
		"unionfind.HookRoots":                   unionfind.HookRoots,
		"unionfind.Sample":                      unionfind.Sample,
		"unionfind.Compress":                    unionfind.Compress,
		"unionfind.Join":                        unionfind.Join,
		"unionfind.Hook[unionfind.Rest]":        unionfind.Hook[unionfind.Rest],
		"unionfind.Hook[unionfind.Across]":      unionfind.Hook[unionfind.Across],
		"unionfind.HookWide[unionfind.Across]":  unionfind.HookWide[unionfind.Across],
		"unionfind.Hook[unionfind.Smaller]":     unionfind.Hook[unionfind.Smaller],
		"unionfind.HookWide[unionfind.Rest]":    unionfind.HookWide[unionfind.Rest],
		"unionfind.HookWide[unionfind.Smaller]": unionfind.HookWide[unionfind.Smaller],
		"unionfind.Flatten[kernels.CC, uint32]": unionfind.Flatten[kernels.CC, uint32],
		"unionfind.Flatten[my.Size, uint32]":    unionfind.Flatten[size, uint32],
		"unionfind.Spread[uint32]":              unionfind.Spread[uint32],

		"unionfind.WholeRest[kernels.CC, uint32]":                unionfind.WholeRest[kernels.CC, uint32],
		"unionfind.WholeRest[my.Size, uint32]":                   unionfind.WholeRest[size, uint32],
		"unionfind.WholeRest[my.Degree, uint32]":                 unionfind.WholeRest[degree, uint32],
		"unionfind.Whole[kernels.CC, uint32, unionfind.Smaller]": unionfind.Whole[kernels.CC, uint32, unionfind.Smaller],
		"unionfind.Whole[my.Size, uint32, unionfind.Smaller]":    unionfind.Whole[size, uint32, unionfind.Smaller],
		"unionfind.Whole[my.Degree, uint32, unionfind.Smaller]":  unionfind.Whole[degree, uint32, unionfind.Smaller],
		"unionfind.Whole[kernels.CC, uint32, unionfind.Across]":  unionfind.Whole[kernels.CC, uint32, unionfind.Across],
		"unionfind.Whole[my.Size, uint32, unionfind.Across]":     unionfind.Whole[size, uint32, unionfind.Across],
		"unionfind.Whole[my.Degree, uint32, unionfind.Across]":   unionfind.Whole[degree, uint32, unionfind.Across],
	}
}

// job returns a run of an algorithm on a graph.
func job(t *testing.T, d *native.Device, a scheduler.Type, g *graph.CSR, params map[string]string) scheduler.Job {
	v, err := unionfind.New().Values(params)
	require.NoError(t, err)
	return scheduler.Job{Device: d, Kernels: d, Algorithm: a, Graph: g, Params: v}
}

func open(t *testing.T, spec string) *graph.CSR {
	g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	return g
}

// random returns a symmetric graph with n vertices and at most m edges. Half of the edges, on
// average, end in one of two vertices, so that some vertices are wide.
func random(t *testing.T, rng *rand.Rand, n, m int) *graph.CSR {
	hubs := [2]uint32{rng.Uint32N(uint32(n)), rng.Uint32N(uint32(n))}
	var edges []graph.Edge
	for range m {
		e := graph.Edge{From: rng.Uint32N(uint32(n)), To: rng.Uint32N(uint32(n))}
		if rng.IntN(2) == 0 {
			e.To = hubs[rng.IntN(2)]
		}
		edges = append(edges, e)
	}
	g, _, err := graph.FromEdges(t.Context(), "random", n, edges, graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	return g
}

// settings returns parameters for run i of many.
func settings(rng *rand.Rand, i int) map[string]string {
	return map[string]string{"skip": []string{"never", "always", "auto"}[i%3], "block": []string{"32", "64"}[i%2], "rounds": []string{"0", "1", "4"}[rng.IntN(3)], "fusion": []string{"auto", "none"}[i/2%2],
		"tile": []string{"-1", "0", "1", "7", "64", "1000"}[rng.IntN(6)]}
}

// TestRandomGraphs compares components and their sizes with the reference on many graphs, from
// graphs almost without edges to dense ones.
func TestRandomGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 120 {
		n := 1 + rng.IntN(500)
		g := random(t, rng, n, rng.IntN(3*n))
		want, err := reference.CC(t.Context(), g)
		require.NoError(t, err)
		params := settings(rng, i)
		d := device()
		out, err := unionfind.New().Run(t.Context(), job(t, d, ccType, g, params))
		require.NoError(t, err)
		require.Equal(t, want, out.Values, "%d vertices, %d arcs, %v", n, g.Arcs(), params)
		require.Zero(t, d.Live, "buffers are left")

		sizes := make([]uint32, n)
		for _, root := range want {
			sizes[root]++
		}
		for v, root := range want {
			sizes[v] = sizes[root]
		}
		out, err = unionfind.New().Run(t.Context(), job(t, device(), sizeType, g, params))
		require.NoError(t, err)
		require.Equal(t, sizes, out.Values, "%d vertices, %d arcs, %v", n, g.Arcs(), params)
	}
}

// degree is the largest number of outgoing arcs of a vertex in the component.
type degree struct{ scheduler.Max[uint32] }

func (degree) Init(v scheduler.Vertex, in scheduler.Problem) uint32     { return v.Degree }
func (degree) Start(scheduler.Vertex, scheduler.Problem) bool           { return false }
func (degree) Compute(e scheduler.Edge, src uint32) (x uint32, ok bool) { return 0, false }

// largest returns for each vertex the largest number of outgoing arcs in its component; roots has the smallest vertex of that.
func largest(g *graph.CSR, roots []uint32) []uint32 {
	most := make([]uint32, g.Vertices())
	for v, root := range roots {
		most[root] = max(most[root], uint32(g.Degree(uint32(v))))
	}
	for v, root := range roots {
		most[v] = most[root]
	}
	return most
}

// TestDirected runs on directed graphs: components ignore directions, degrees do not.
func TestDirected(t *testing.T) {
	for i := range uint64(20) {
		g, _, err := graph.Open(t.Context(), fmt.Sprintf("rmat:scale=7,degree=%d,seed=%d,directed=true", 1+i%9, i), graph.LoadOptions{})
		require.NoError(t, err)
		require.False(t, g.Symmetric)
		want, err := reference.CC(t.Context(), g)
		require.NoError(t, err)
		out, err := unionfind.New().Run(t.Context(), job(t, device(), ccType, g, nil))
		require.NoError(t, err)
		require.Equal(t, want, out.Values)

		d := device()
		out, err = unionfind.New().Run(t.Context(), job(t, d, degreeType, g, nil))
		require.NoError(t, err)
		require.Equal(t, largest(g, want), out.Values)
		require.Zero(t, d.Live)
	}
}

// TestParentsAscend links random pairs in many threads, and checks after it that no parent is
// larger than its vertex and that exactly the linked vertices are in one tree.
func TestParentsAscend(t *testing.T) {
	const n, threads = 200, 128
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		parents := make([]uint32, n)
		for v := range parents {
			parents[v] = uint32(v)
		}
		var pairs [threads]graph.Edge
		for i := range pairs {
			pairs[i] = graph.Edge{From: rng.Uint32N(n), To: rng.Uint32N(n)}
		}
		f := unionfind.Forest{Parents: parents}
		common := make([]uint32, threads)
		require.NoError(t, gpu.Launch(2, threads/2, func(th gpu.Thread) {
			i := th.Global()
			common[i] = f.Link(pairs[i].From, pairs[i].To)
		}))
		g, _, err := graph.FromEdges(t.Context(), "pairs", n, pairs[:], graph.LoadOptions{Symmetrize: true})
		require.NoError(t, err)
		want, err := reference.CC(t.Context(), g)
		require.NoError(t, err)
		for v := range parents {
			require.LessOrEqual(t, parents[v], uint32(v))
			root := parents[v]
			for parents[root] != root {
				root = parents[root]
			}
			require.Equal(t, want[v], root)
		}
		for i, c := range common {
			require.Equal(t, want[pairs[i].From], want[c], "Link returned a vertex of another tree")
			require.LessOrEqual(t, c, min(pairs[i].From, pairs[i].To))
		}
	}
}

// TestTile checks that Tile connects exactly what the edges within each tile connect: every
// vertex is then under the smallest one of its part of the tile.
func TestTile(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 30 {
		n := 1 + rng.IntN(300)
		g := random(t, rng, n, rng.IntN(3*n))
		tile := 1 + rng.IntN(100)
		var within []graph.Edge
		for u := range n {
			for _, v := range g.Col[g.Row[u]:g.Row[u+1]] {
				if int(v)/tile == u/tile {
					within = append(within, graph.Edge{From: uint32(u), To: v})
				}
			}
		}
		parts, _, err := graph.FromEdges(t.Context(), "parts", n, within, graph.LoadOptions{Symmetrize: true})
		require.NoError(t, err)
		want, err := reference.CC(t.Context(), parts)
		require.NoError(t, err)

		row := make([]uint32, n+1)
		for i, r := range g.Row {
			row[i] = uint32(r)
		}
		f, values := unionfind.Forest{Parents: make([]uint32, n)}, make([]uint32, n)
		require.NoError(t, gpu.Launch((n+tile-1)/tile, 32, func(th gpu.Thread) {
			unionfind.Tile(th, kernels.CC{}, scheduler.Graph{Row: row, Col: g.Col}, row, scheduler.Problem{Vertices: uint32(n)}, f, values)
		}, gpu.DynamicSharedBytes(4*tile)))
		require.Equal(t, want, f.Parents, "%d vertices, tiles of %d", n, tile)
	}
}

// launched returns the kernels of the steps, without the package.
func launched(out *scheduler.Outcome) (names []string) {
	for _, s := range out.Steps {
		names = append(names, s.Kernel[len("unionfind."):])
	}
	return names
}

// numbers returns the quantities of a step by name.
func numbers(s scheduler.Step) map[string]int {
	m := map[string]int{}
	for _, n := range s.Numbers {
		m[n.Name] = int(n.Value)
	}
	return m
}

// TestLaunches checks which kernels a run with a launch for each step has, and what they report.
func TestLaunches(t *testing.T) {
	grid := open(t, "grid:width=20,keep=0.7,seed=1")
	d := device()
	out, err := unionfind.New().Run(t.Context(), job(t, d, ccType, grid, map[string]string{"fusion": "none"}))
	require.NoError(t, err)
	require.Equal(t, []string{"Tile[kernels.CC, uint32]", "Hook[unionfind.Across]", "Flatten[kernels.CC, uint32]"}, launched(out), "few arcs and no wide vertex")
	require.Equal(t, []int{1, 4, 4}, d.Grids, "400 vertices in one tile and in blocks of 128 threads")

	d = device()
	out, err = unionfind.New().Run(t.Context(), job(t, d, ccType, grid, map[string]string{"fusion": "none", "tile": "0"}))
	require.NoError(t, err)
	require.Equal(t, []string{"Init[kernels.CC, uint32]", "Hook[unionfind.Smaller]", "Flatten[kernels.CC, uint32]"}, launched(out), "no tiles")
	require.Empty(t, numbers(out.Steps[1]))
	require.Equal(t, map[string]int{"moved": 0}, numbers(out.Steps[2]), "the root has the smallest number from the start")
	require.Zero(t, out.Iterations)
	require.Equal(t, []int{4, 4, 4}, d.Grids, "400 vertices in blocks of 128 threads")

	dense := open(t, "rmat:scale=8,degree=20,seed=3")
	isolated, wide, widest := 0, 0, 0
	for _, degree := range dense.Degrees() {
		switch {
		case degree == 0:
			isolated++
		case degree > unionfind.WarpDegree:
			widest++
		case degree > unionfind.ThreadDegree:
			wide++
		}
	}
	require.Positive(t, wide)
	out, err = unionfind.New().Run(t.Context(), job(t, device(), ccType, dense, map[string]string{"fusion": "none", "skip": "never", "tile": "0"}))
	require.NoError(t, err)
	require.Equal(t, []string{"Init[kernels.CC, uint32]", "Hook[unionfind.Smaller]", "HookWide[unionfind.Smaller]", "Flatten[kernels.CC, uint32]"}, launched(out))
	require.Equal(t, map[string]int{"warp-vertices": wide, "block-vertices": widest}, numbers(out.Steps[1]))

	out, err = unionfind.New().Run(t.Context(), job(t, device(), sizeType, dense, map[string]string{"fusion": "none"}))
	require.NoError(t, err)
	require.Equal(t, []string{"Init[my.Size, uint32]", "HookRoots", "Compress", "Sample", "Compress", "Hook[unionfind.Rest]", "HookWide[unionfind.Rest]", "Flatten[my.Size, uint32]", "Spread[uint32]"}, launched(out), "the mean degree is above 6")
	require.Empty(t, numbers(out.Steps[2]))
	require.Equal(t, map[string]int{"share": 100}, numbers(out.Steps[4]))
	require.Equal(t, map[string]int{"visited": isolated, "warp-vertices": 0, "block-vertices": 0}, numbers(out.Steps[5]), "two arcs connect all vertices that have one")
	require.Equal(t, map[string]int{"moved": dense.Vertices() - isolated - 1}, numbers(out.Steps[7]))

	pairs, _, err := graph.FromEdges(t.Context(), "pairs", 4, []graph.Edge{{From: 0, To: 1}, {From: 2, To: 3}}, graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	out, err = unionfind.New().Run(t.Context(), job(t, device(), ccType, pairs, map[string]string{"fusion": "none", "skip": "always", "rounds": "1"}))
	require.NoError(t, err)
	require.Equal(t, []string{"Init[kernels.CC, uint32]", "HookRoots", "Compress", "Sample", "Compress", "Sample", "Compress", "Hook[unionfind.Rest]", "Flatten[kernels.CC, uint32]"}, launched(out), "the second round does not double the share")
	require.Equal(t, []uint32{0, 0, 2, 2}, out.Values)

	none := open(t, "grid:width=4,keep=0")
	out, err = unionfind.New().Run(t.Context(), job(t, device(), ccType, none, map[string]string{"fusion": "none", "skip": "always"}))
	require.NoError(t, err)
	require.Equal(t, []string{"Tile[kernels.CC, uint32]", "Hook[unionfind.Across]", "Flatten[kernels.CC, uint32]"}, launched(out), "no arc, and nothing to skip")
}

// TestWhole checks the kernel of a whole run, its grid and its block, and what it reports.
func TestWhole(t *testing.T) {
	grid, dense, none := open(t, "grid:width=100,keep=0.7,seed=1"), open(t, "rmat:scale=8,degree=20,seed=3"), open(t, "grid:width=4,keep=0")
	isolated := 0
	for _, degree := range dense.Degrees() {
		if degree == 0 {
			isolated++
		}
	}
	for what, c := range map[string]struct {
		a             scheduler.Type
		g             *graph.CSR
		params        map[string]string
		kernel        string
		blocks, block int
		numbers       map[string]int
	}{
		"tiles of 1,024 vertices":              {ccType, grid, nil, "Whole[kernels.CC, uint32, unionfind.Across]", 4, 1024, map[string]int{"moved": 0, "warp-vertices": 0, "block-vertices": 0}},
		"asked for":                            {ccType, grid, map[string]string{"fusion": "all", "block": "64"}, "Whole[kernels.CC, uint32, unionfind.Across]", 4, 64, map[string]int{"moved": 0, "warp-vertices": 0, "block-vertices": 0}},
		"a tile that is no multiple of a warp": {ccType, grid, map[string]string{"tile": "65"}, "Whole[kernels.CC, uint32, unionfind.Across]", 4, 96, map[string]int{"moved": 0, "warp-vertices": 0, "block-vertices": 0}},
		"no tiles":                             {ccType, grid, map[string]string{"tile": "0"}, "Whole[kernels.CC, uint32, unionfind.Smaller]", 4, 512, map[string]int{"moved": 0, "warp-vertices": 0, "block-vertices": 0}},
		"no arc, and nothing to skip":          {ccType, none, map[string]string{"skip": "always"}, "Whole[kernels.CC, uint32, unionfind.Across]", 1, 1024, map[string]int{"moved": 0, "warp-vertices": 0, "block-vertices": 0}},
		"the mean degree is above 6; values move": {sizeType, dense, nil, "WholeRest[my.Size, uint32]", 1, 512,
			map[string]int{"share": 100, "visited": isolated, "warp-vertices": 0, "block-vertices": 0, "moved": dense.Vertices() - isolated - 1}},
	} {
		d := device()
		d.Blocks = 4
		out, err := unionfind.New().Run(t.Context(), job(t, d, c.a, c.g, c.params))
		require.NoError(t, err, what)
		require.Equal(t, []string{c.kernel}, launched(out), what)
		require.Equal(t, []int{c.blocks}, d.Grids, what)
		require.Equal(t, []int{c.block}, d.Threads, what)
		require.Equal(t, c.numbers, numbers(out.Steps[0]), what)
		require.Zero(t, d.Live, what)
	}
	d := device()
	d.Blocks = 0
	_, err := unionfind.New().Run(t.Context(), job(t, d, ccType, grid, map[string]string{"block": "256"}))
	require.EqualError(t, err, "launch of unionfind.Whole[kernels.CC, uint32, unionfind.Across]: no block of 256 threads fits on an SM")
	require.Zero(t, d.Live)
}

// TestWidest has a vertex for a block that is outside of the largest component, and one that
// only later hooks find to be in it.
func TestWidest(t *testing.T) {
	const n = 4000
	var edges []graph.Edge
	for v := uint32(1); v < 400; v++ {
		edges = append(edges, graph.Edge{From: 0, To: v}) // a star of 400
	}
	for v := uint32(401); v < n; v++ {
		edges = append(edges, graph.Edge{From: v, To: v - 1}) // the largest component, a path
	}
	edges = append(edges, graph.Edge{From: 0, To: n - 1}) // after more arcs than are sampled
	g, _, err := graph.FromEdges(t.Context(), "star and path", n, edges, graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	for _, skip := range []string{"always", "never"} {
		out, err := unionfind.New().Run(t.Context(), job(t, device(), ccType, g, map[string]string{"skip": skip, "rounds": "1"}))
		require.NoError(t, err)
		require.Equal(t, make([]uint32, n), out.Values)
	}
	edges = edges[:len(edges)-1]
	g, _, err = graph.FromEdges(t.Context(), "star beside path", n, edges, graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	out, err := unionfind.New().Run(t.Context(), job(t, device(), ccType, g, map[string]string{"skip": "always", "rounds": "1", "fusion": "none"}))
	require.NoError(t, err)
	require.Equal(t, map[string]int{"visited": 400, "warp-vertices": 0, "block-vertices": 1}, numbers(out.Steps[len(out.Steps)-3]))
	require.Equal(t, "unionfind.HookWide[unionfind.Rest]", out.Steps[len(out.Steps)-2].Kernel)
	want, err := reference.CC(t.Context(), g)
	require.NoError(t, err)
	require.Equal(t, want, out.Values)
}

func TestRunEndsEarly(t *testing.T) {
	g := open(t, "rmat:scale=8,degree=20,seed=3")
	for _, skip := range []string{"never", "always"} {
		full, err := unionfind.New().Run(t.Context(), job(t, device(), sizeType, g, map[string]string{"skip": skip, "fusion": "none"}))
		require.NoError(t, err)
		for at := 1; at <= len(full.Steps); at++ {
			d := device()
			d.FailAt, d.Failure = at, errors.New("index out of range")
			out, err := unionfind.New().Run(t.Context(), job(t, d, sizeType, g, map[string]string{"skip": skip, "fusion": "none"}))
			require.ErrorIs(t, err, d.Failure)
			require.Len(t, out.Steps, at, "the launch that failed counts, with what it reported")
			require.EqualValues(t, 5, out.Steps[at-1].Cycles)
			require.Nil(t, out.Values)
			require.Zero(t, d.Live)
		}
		for after := 1; after < len(full.Steps); after++ {
			d := device()
			ctx, cancel := context.WithCancel(t.Context())
			d.After = func() {
				if len(d.Grids) == after {
					cancel()
				}
			}
			out, err := unionfind.New().Run(ctx, job(t, d, sizeType, g, map[string]string{"skip": skip, "fusion": "none"}))
			require.ErrorIs(t, err, context.Canceled)
			require.Len(t, out.Steps, after)
			require.Zero(t, d.Live)
		}
	}
	for _, name := range []string{"g.Row", "g.Col", "g.Weight", "values", "forest.Parents", "counts", "wide.Vertices", "barrier"} {
		d := device()
		d.NoMemory = name
		_, err := unionfind.New().Run(t.Context(), job(t, d, ccType, g, nil))
		require.EqualError(t, err, "allocating "+name+": out of memory")
		require.Zero(t, d.Live)
	}
}

func TestRefuses(t *testing.T) {
	s := unionfind.New()
	require.NoError(t, s.Validate())
	defaults, err := s.Values(nil)
	require.NoError(t, err)
	require.NoError(t, s.Takes(ccType, defaults))
	require.EqualError(t, s.Takes(scheduler.Type{Name: "kernels.BFS"}, defaults),
		"kernels.BFS has no method Spreads that returns true: its answer is not one value for each connected component, the Combine of the Init values of its vertices")
	for want, params := range map[string]map[string]string{
		"parameter skip of scheduler union-find: \"some\" is not one of auto, always, never":                                        {"skip": "some"},
		"parameter rounds of scheduler union-find: -1 is not a whole number from 0 to 8":                                            {"rounds": "-1"},
		"parameter rounds of scheduler union-find: 9 is not a whole number from 0 to 8":                                             {"rounds": "9"},
		"parameter block of scheduler union-find: 100 is not a multiple of 32 from 0 to 1024":                                       {"block": "100"},
		"parameter tile of scheduler union-find: -2 is not a whole number from -1 to 12288":                                         {"tile": "-2"},
		"parameter tile of scheduler union-find: 12289 is not a whole number from -1 to 12288":                                      {"tile": "12289"},
		"scheduler union-find has no parameter \"sample\"; there are: block, fusion, partition, partition-seed, rounds, skip, tile": {"sample": "1"},
	} {
		_, err := s.Values(params)
		require.EqualError(t, err, want)
	}
	seeded, err := s.Values(map[string]string{"partition-seed": "2"})
	require.NoError(t, err)
	require.EqualError(t, s.Takes(ccType, seeded), "partition-seed is of a random order: it needs partition=random")
	g := open(t, "grid:width=4")
	fused, err := s.Values(map[string]string{"fusion": "all"})
	require.NoError(t, err)
	many := native.NewGroup(kernelsOf(), 9)
	_, err = s.Run(t.Context(), scheduler.Job{Device: many, Kernels: many, Algorithm: ccType, Graph: g, Params: fused})
	require.EqualError(t, err, "native has 9 GPUs; kernels that store to the memory of others are for at most 8")
	for want, change := range map[string]func(j *scheduler.Job){
		"source 16: graph grid:width=4 has vertices 0 to 15":            func(j *scheduler.Job) { j.Source = 16 },
		"graph void has no vertices":                                    func(j *scheduler.Job) { j.Graph = &graph.CSR{Name: "void", Row: []uint64{0}} },
		"no kernel unionfind.Whole[my.Other, uint32, unionfind.Across]": func(j *scheduler.Job) { j.Algorithm.Name = "my.Other" },
		`kernels.CC has no parameter "k"; it has no parameters`:         func(j *scheduler.Job) { j.AlgorithmParams = map[string]string{"k": "3"} },
	} {
		d := device()
		j := job(t, d, ccType, g, nil)
		change(&j)
		_, err := s.Run(t.Context(), j)
		require.EqualError(t, err, want)
		require.Zero(t, d.Live)
	}
}
