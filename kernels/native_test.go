//go:build !kernel

package kernels_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/scheme/blockqueue"
	"github.com/weft-gpu/weft/internal/scheme/bsp"
	"github.com/weft-gpu/weft/internal/scheme/vwc"
	"github.com/weft-gpu/weft/internal/scheme/warpseg"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// The kernels run here as plain Go, without compiler and device. A failure here is a bug in
// the kernel or in package gpu.

const (
	grid  = 3
	block = 64
)

type pushKernel[A any, V gpu.Num] = func(gpu.Thread, A, scheduler.Graph, []V, scheduler.Frontier, scheduler.Queue)
type pullKernel[A any, V gpu.Num] = func(gpu.Thread, A, scheduler.Graph, []uint32, []V, []V, *uint32)

// pushes returns the kernels of the push schemes, and pulls those of the pull schemes.
func pushes[A scheduler.Algorithm[V], V gpu.Num]() map[string]pushKernel[A, V] {
	return map[string]pushKernel[A, V]{
		"thread": bsp.Push[A, scheduler.ThreadPerVertex, V], "warp": bsp.Push[A, scheduler.WarpPerVertex, V],
		"block": bsp.Push[A, scheduler.BlockPerVertex, V], "block-queue": blockqueue.Push[A, V],
	}
}

func pulls[A scheduler.Algorithm[V], V gpu.Num]() map[string]pullKernel[A, V] {
	return map[string]pullKernel[A, V]{
		"thread": bsp.Pull[A, scheduler.ThreadPerVertex, V], "warp": bsp.Pull[A, scheduler.WarpPerVertex, V],
		"block": bsp.Pull[A, scheduler.BlockPerVertex, V], "vwc": vwc.Pull[A, vwc.Lanes8, V], "warpseg": warpseg.Pull[A, V],
	}
}

// onDevice returns g as a kernel sees it.
func onDevice(t *testing.T, g *graph.CSR) scheduler.Graph {
	row, err := g.Device32()
	require.NoError(t, err)
	return scheduler.Graph{Row: row, Col: g.Col, Weight: g.Weight}
}

// start runs Init and returns the values and the first frontier.
func start[A scheduler.Algorithm[V], V gpu.Num](t *testing.T, alg A, g *graph.CSR, source uint32) ([]V, []uint32) {
	n := g.Vertices()
	values, frontier, count := make([]V, n), make([]uint32, n), uint32(0)
	dg, in := onDevice(t, g), scheduler.Problem{Source: source, Vertices: uint32(n)}
	q := scheduler.Queue{Vertices: frontier, Count: &count, Stamp: make([]uint32, n)}
	require.NoError(t, gpu.Launch(grid, block, func(th gpu.Thread) { scheduler.Init[A, V](th, alg, dg, in, values, q) }))
	return values, frontier[:count]
}

// push runs a push kernel to the end.
func push[A scheduler.Algorithm[V], V gpu.Num](t *testing.T, alg A, step pushKernel[A, V], g *graph.CSR, source uint32) []V {
	values, frontier := start[A, V](t, alg, g, source)
	return pushOn(t, alg, step, g, values, frontier)
}

// pushOn runs a push kernel from the given values and frontier to the end.
func pushOn[A scheduler.Algorithm[V], V gpu.Num](t *testing.T, alg A, step pushKernel[A, V], g *graph.CSR, values []V, frontier []uint32) []V {
	n, stamp, phase := g.Vertices(), make([]uint32, g.Vertices()), uint32(0)
	graphs := directions(t, g)
	for iteration := uint32(1); ; iteration++ {
		if len(frontier) == 0 {
			if frontier, phase = enter[A, V](t, alg, graphs, values, phase); phase == scheduler.NoPhase {
				return values
			}
		}
		require.Less(t, iteration, uint32(10*n+1000), "does not converge")
		traversed := graphs[0]
		if alg.Reverse(phase) {
			traversed = graphs[1]
		}
		next, count := make([]uint32, n), uint32(0)
		in := scheduler.Frontier{Vertices: frontier, Count: uint32(len(frontier)), Phase: phase}
		out := scheduler.Queue{Vertices: next, Count: &count, Stamp: stamp, Iteration: iteration}
		require.NoError(t, gpu.Launch(grid, block, func(th gpu.Thread) { step(th, alg, traversed, values, in, out) }))
		frontier = next[:count]
		seen := map[uint32]bool{}
		for _, v := range frontier {
			require.False(t, seen[v], "vertex %d stands twice in the frontier of iteration %d", v, iteration)
			seen[v] = true
		}
	}
}

// directions returns g and its transpose as kernels see them.
func directions(t *testing.T, g *graph.CSR) [2]scheduler.Graph {
	turned, err := g.Transpose(t.Context())
	require.NoError(t, err)
	return [2]scheduler.Graph{onDevice(t, g), onDevice(t, turned)}
}

// enter returns the first frontier of the next phase after now that has one, or NoPhase.
func enter[A scheduler.Algorithm[V], V gpu.Num](t *testing.T, alg A, graphs [2]scheduler.Graph, values []V, now uint32) ([]uint32, uint32) {
	for alg.Phases() {
		next := uint32(0)
		require.NoError(t, gpu.Launch(grid, block, func(th gpu.Thread) { scheduler.NextPhase[A, V](th, alg, values, now, &next) }))
		if next == 0 {
			break
		}
		phase := ^next
		require.Greater(t, phase, now)
		frontier, count, reversed := make([]uint32, len(values)), uint32(0), uint32(0)
		out := scheduler.Queue{Vertices: frontier, Count: &count}
		require.NoError(t, gpu.Launch(grid, block, func(th gpu.Thread) {
			scheduler.EnterPhase[A, V](th, alg, graphs[0].Row, graphs[1].Row, values, now, phase, &reversed, out)
		}))
		require.Equal(t, alg.Reverse(phase), reversed == 1)
		if now = phase; count > 0 {
			return frontier[:count], now
		}
	}
	return nil, scheduler.NoPhase
}

// turn converts the values to pull or to push.
func turn[A scheduler.Algorithm[V], V gpu.Num](t *testing.T, alg A, g *graph.CSR, values []V, toPull bool) {
	row := onDevice(t, g).Row
	require.NoError(t, gpu.Launch(grid, block, func(th gpu.Thread) { scheduler.Turn[A, V](th, alg, row, values, toPull) }))
}

// pull runs a pull kernel to the end.
func pull[A scheduler.Algorithm[V], V gpu.Num](t *testing.T, alg A, step pullKernel[A, V], g *graph.CSR, source uint32) []V {
	values, _ := start[A, V](t, alg, g, source)
	turn(t, alg, g, values, true)
	return pullOn(t, alg, step, g, values, math.MaxInt)
}

// pullOn runs a pull kernel from the given values to the end, or for a number of iterations.
func pullOn[A scheduler.Algorithm[V], V gpu.Num](t *testing.T, alg A, step pullKernel[A, V], g *graph.CSR, values []V, most int) []V {
	turned, err := g.Transpose(t.Context())
	require.NoError(t, err)
	forward, in, next := onDevice(t, g), onDevice(t, turned), make([]V, len(values))
	for i, changed := 0, uint32(1); changed > 0 && i < most; i++ {
		changed = 0
		require.NoError(t, gpu.Launch(grid, block, func(th gpu.Thread) { step(th, alg, in, forward.Row, values, next, &changed) }))
		values, next = next, values
	}
	return values
}

// small returns graphs whose plain-Go runs take milliseconds.
func small(t *testing.T) []*graph.CSR {
	var gs []*graph.CSR
	add := func(g *graph.CSR) { gs = append(gs, g) }
	for _, spec := range []string{
		"rmat:scale=6,degree=6,seed=3",
		"grid:width=9,keep=0.7,seed=2",
		"smallworld:n=80,degree=4,seed=5",
	} {
		g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
		require.NoError(t, err)
		add(g)
	}
	add(build("lone", 1, nil))
	add(build("star", 150, func(edge func(u, v uint32)) {
		for v := range uint32(149) {
			edge(0, v+1)
		}
	}))
	add(build("path", 40, func(edge func(u, v uint32)) {
		for v := range uint32(39) {
			edge(v, v+1)
		}
	}))
	r := rand.New(rand.NewPCG(7, 7))
	add(build("random arcs", 70, func(edge func(u, v uint32)) {
		for range 260 {
			edge(r.Uint32N(70), r.Uint32N(70))
		}
	}))
	for i, g := range gs {
		weighted, _, err := g.WithWeights(t.Context())
		require.NoError(t, err)
		gs[i] = weighted
	}
	return gs
}

// build makes a directed graph of the arcs that list yields; duplicates count once.
func build(name string, n int, list func(edge func(u, v uint32))) *graph.CSR {
	adjacent := make([]map[uint32]bool, n)
	if list != nil {
		list(func(u, v uint32) {
			if adjacent[u] == nil {
				adjacent[u] = map[uint32]bool{}
			}
			adjacent[u][v] = true
		})
	}
	g := &graph.CSR{Name: name, Row: []uint64{0}, Symmetric: list == nil}
	for u := range n {
		for v := range uint32(n) {
			if adjacent[u][v] {
				g.Col = append(g.Col, v)
			}
		}
		g.Row = append(g.Row, uint64(len(g.Col)))
	}
	return g
}

func TestBFSAsPlainGo(t *testing.T) {
	for name, step := range pushes[kernels.BFS, uint32]() {
		for _, g := range small(t) {
			t.Run(name+"/"+g.Name, func(t *testing.T) {
				source, _ := g.MaxDegreeVertex()
				require.NoError(t, reference.CheckBFS(t.Context(), g, source, push(t, kernels.BFS{}, step, g, source)))
			})
		}
	}
}

func TestBFSPullsAsPlainGo(t *testing.T) {
	for name, step := range pulls[kernels.BFS, uint32]() {
		for _, g := range small(t) {
			t.Run(name+"/"+g.Name, func(t *testing.T) {
				require.NoError(t, reference.CheckBFS(t.Context(), g, 0, pull(t, kernels.BFS{}, step, g, 0)))
			})
		}
	}
}

// A block that finds more vertices than its queue holds must add the rest to the global
// queue.
func TestBlockQueueOverflows(t *testing.T) {
	const leaves = 3000
	g := &graph.CSR{Name: "wide star", Row: make([]uint64, leaves+2)}
	for v := range uint32(leaves) {
		g.Col = append(g.Col, v+1)
		g.Row[v+1] = leaves
	}
	g.Row[leaves+1] = leaves
	require.NoError(t, reference.CheckBFS(t.Context(), g, 0, push(t, kernels.BFS{}, blockqueue.Push[kernels.BFS, uint32], g, 0)))
}

func TestSSSPAsPlainGo(t *testing.T) {
	for name, step := range pushes[kernels.SSSP, uint32]() {
		for _, g := range small(t) {
			t.Run(name+"/"+g.Name, func(t *testing.T) {
				for _, delta := range []uint32{0, 20} {
					require.NoError(t, reference.CheckSSSP(t.Context(), g, 0, push(t, kernels.SSSP{Delta: delta}, step, g, 0)))
				}
			})
		}
	}
}

// A path whose length does not fit into 32 bits is not a path.
func TestSSWPAsPlainGo(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "rmat:scale=6,degree=5,seed=4,directed=true", graph.LoadOptions{Weights: graph.WeightsAlways})
	require.NoError(t, err)
	want, err := reference.SSWP(t.Context(), g, 3)
	require.NoError(t, err)
	for name, step := range pushes[kernels.SSWP, uint32]() {
		require.Equal(t, want, push(t, kernels.SSWP{}, step, g, 3), name)
	}
	for name, step := range pulls[kernels.SSWP, uint32]() {
		require.Equal(t, want, pull(t, kernels.SSWP{}, step, g, 3), name)
	}
}

// checkMean runs a pull to the end and checks its values.
func checkMean[A scheduler.Algorithm[float32]](t *testing.T, h scheduler.Host, alg func(n int) A, params map[string]reflect.Value) {
	g, _, err := graph.Open(t.Context(), "rmat:scale=5,degree=5,seed=4", graph.LoadOptions{Weights: graph.WeightsAlways})
	require.NoError(t, err)
	for name, step := range pulls[A, float32]() {
		rounds := 0
		counted := func(th gpu.Thread, a A, g scheduler.Graph, outRow []uint32, values, next []float32, changed *uint32) {
			if th.Global() == 0 {
				rounds++
			}
			step(th, a, g, outRow, values, next, changed)
		}
		values := pull(t, alg(g.Vertices()), counted, g, 3)
		_, err := h.Check(t.Context(), scheduler.Input{Graph: g, Source: 3, Params: params}, &scheduler.Outcome{Iterations: rounds}, values)
		require.NoError(t, err, name)
	}
}

func TestMeansAsPlainGo(t *testing.T) {
	eps := reflect.ValueOf(float32(1e-3))
	checkMean(t, kernels.HeatHost, func(n int) kernels.Heat {
		return kernels.Heat{Total: make([]float32, n), Rate: 0.5, Epsilon: 1e-3}
	}, map[string]reflect.Value{"rate": reflect.ValueOf(float32(0.5)), "epsilon": eps})
	checkMean(t, kernels.CircuitHost, func(n int) kernels.Circuit {
		return kernels.Circuit{Total: make([]float32, n), Leak: 0.1, Epsilon: 1e-3}
	}, map[string]reflect.Value{"leak": reflect.ValueOf(float32(0.1)), "epsilon": eps})
	checkMean(t, kernels.NNHost, func(n int) kernels.NN {
		return kernels.NN{Total: make([]float32, n), Gain: 0.9, Epsilon: 1e-3}
	}, map[string]reflect.Value{"gain": reflect.ValueOf(float32(0.9)), "epsilon": eps})
}

func TestSSSPDoesNotWrapAround(t *testing.T) {
	g := build("heavy", 3, func(edge func(u, v uint32)) { edge(0, 1); edge(1, 2) })
	g.Weight = []uint32{1 << 31, 1 << 31}
	for _, delta := range []uint32{0, 1, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1} {
		got := push(t, kernels.SSSP{Delta: delta}, bsp.Push[kernels.SSSP, scheduler.ThreadPerVertex, uint32], g, 0)
		require.Equal(t, []uint32{0, 1 << 31, kernels.Unreached}, got)
	}
}

func TestCCAsPlainGo(t *testing.T) {
	for name, step := range pushes[kernels.CC, uint32]() {
		for _, g := range small(t) {
			t.Run(name+"/"+g.Name, func(t *testing.T) {
				both, err := g.Symmetrize(t.Context())
				require.NoError(t, err)
				require.NoError(t, reference.CheckComponents(t.Context(), "cc", g, push(t, kernels.CC{}, step, both, 0), reference.CC))
			})
		}
	}
}

const (
	damping = 0.85
	epsilon = 1e-4
)

// checkRanks processes and checks the results of a run as the host half does.
func checkRanks(t *testing.T, host scheduler.Host, g *graph.CSR, values, ranks []float32) {
	left := &scheduler.Outcome{Values: values, Arrays: map[string]any{"Rank": ranks}, Rounds: 100}
	answer, err := host.Answer(left)
	require.NoError(t, err)
	params := map[string]reflect.Value{"damping": reflect.ValueOf(float32(damping)), "epsilon": reflect.ValueOf(float32(epsilon))}
	require.NoError(t, host.Params(params))
	tolerance, err := host.Check(t.Context(), scheduler.Input{Graph: g, Params: params}, left, answer)
	require.NoError(t, err)
	require.Less(t, tolerance.Allowed, 2e-3, "twice what epsilon allows, since ranks are divided by their sum")
	require.LessOrEqual(t, tolerance.Seen, tolerance.Allowed)
}

func TestHeavyPageRankAsPlainGo(t *testing.T) {
	for name, step := range pushes[kernels.PageRank, float32]() {
		for _, g := range small(t) {
			t.Run(name+"/"+g.Name, func(t *testing.T) {
				alg := kernels.PageRank{Rank: make([]float32, g.Vertices()), Damping: damping, Epsilon: epsilon}
				residuals := push(t, alg, step, g, 0)
				checkRanks(t, kernels.PageRankHost, g, residuals, alg.Rank)
			})
		}
	}
}

func TestHeavyPageRankPullAsPlainGo(t *testing.T) {
	for name, step := range pulls[kernels.PageRankPull, float32]() {
		for _, g := range small(t) {
			t.Run(name+"/"+g.Name, func(t *testing.T) {
				alg := kernels.PageRankPull{Rank: make([]float32, g.Vertices()), Damping: damping, Epsilon: epsilon}
				shares := pull(t, alg, step, g, 0)
				checkRanks(t, kernels.PageRankPullHost, g, shares, alg.Rank)
			})
		}
	}
}

func ExampleBFS() {
	// A kernel is a function: it runs, and can be debugged, as plain Go.
	g := scheduler.Graph{Row: []uint32{0, 2, 3, 3}, Col: []uint32{1, 2, 2}}
	levels := []uint32{0, kernels.Unreached, kernels.Unreached}
	next, found := make([]uint32, 3), uint32(0)
	in := scheduler.Frontier{Vertices: []uint32{0}, Count: 1}
	out := scheduler.Queue{Vertices: next, Count: &found, Iteration: 1}
	kernel := bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]
	err := gpu.Launch(1, 32, func(t gpu.Thread) { kernel(t, kernels.BFS{}, g, levels, in, out) })
	fmt.Println(levels, next[:found], err)
	// Output: [0 1 1] [1 2] <nil>
}
