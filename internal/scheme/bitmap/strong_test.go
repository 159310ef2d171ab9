//go:build !kernel

package bitmap_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/scheme/bitmap"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/scheduler"
)

var scc = scheduler.Type{Name: "kernels.SCC", Value: reflect.TypeFor[uint32](), Strong: true, Phased: true}

// components runs the scheme.
func components(t *testing.T, g *graph.CSR, params map[string]string) *scheduler.Outcome {
	t.Helper()
	s := bitmap.Strongly()
	require.NoError(t, s.Validate())
	values, err := s.Values(params)
	require.NoError(t, err)
	require.NoError(t, s.Takes(scc, values))
	d := native.New(map[string]any{"bitmap.Components": bitmap.Components})
	out, err := s.Run(t.Context(), scheduler.Job{Device: d, Kernels: d, Algorithm: scc, Graph: g, Params: values})
	require.NoError(t, err)
	require.Zero(t, d.Live, "buffers are left")
	return out
}

// reachable returns what each vertex reaches, by a search from each.
func reachable(g *graph.CSR) [][]bool {
	all := make([][]bool, g.Vertices())
	for s := range all {
		all[s] = make([]bool, g.Vertices())
		all[s][s] = true
		for list := []uint32{uint32(s)}; len(list) > 0; {
			u := list[len(list)-1]
			list = list[:len(list)-1]
			for _, v := range g.Col[g.Row[u]:g.Row[u+1]] {
				if !all[s][v] {
					all[s][v] = true
					list = append(list, v)
				}
			}
		}
	}
	return all
}

// checkComponents compares with which vertices reach each other.
func checkComponents(t *testing.T, g *graph.CSR, out *scheduler.Outcome, what string) {
	t.Helper()
	reaches, got := reachable(g), out.Values.([]uint32)
	for u := range got {
		require.Less(t, int(got[u]), len(got), what)
		require.True(t, reaches[u][got[u]] && reaches[got[u]][u], "%s: vertex %d has vertex %d, which is in another component", what, u, got[u])
		for v := range got {
			require.Equal(t, reaches[u][v] && reaches[v][u], got[u] == got[v], "%s: vertices %d and %d", what, u, v)
		}
	}
}

// strongWays are parameters by which every part of the kernel runs.
var strongWays = []map[string]string{
	{},
	{"one-block-arcs": "0"},
	{"pivot": "never"},
	{"pivot": "never", "one-block-arcs": "0", "sweeps": "1"},
	{"pivot": "never", "order": "numbers", "one-block-arcs": "20"},
	{"one-block-arcs": "0", "one-block": "0", "direction": "push"},
	{"pull-above": "0", "push-below": "0", "one-block": "0", "one-block-arcs": "0"},
	{"blocks": "1"},
	{"blocks": "3", "one-block-arcs": "10"},
}

// TestStrongRandomGraphs compares with searches from each vertex: on graphs of few and of many arcs, with a large component and without one, with hubs and self loops, and symmetric ones.
func TestStrongRandomGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	rounds, alone, listed := 0.0, 0.0, 0.0
	for i := range 90 {
		n := 1 + rng.IntN(230)
		var edges []graph.Edge
		for range rng.IntN(n*(1+i%4)) + 1 {
			u, v := rng.IntN(n), rng.IntN(n)
			if i%5 == 0 && rng.IntN(3) == 0 {
				u = rng.IntN(1 + n/50)
			}
			if i%2 == 0 { // near ones, so that there are many components of several vertices
				v = min(max(u+rng.IntN(9)-4, 0), n-1)
			}
			edges = append(edges, graph.Edge{From: uint32(u), To: uint32(v)})
		}
		g, _, err := graph.FromEdges(t.Context(), "random", n, edges, graph.LoadOptions{Symmetrize: i%7 == 0})
		require.NoError(t, err)
		params := map[string]string{"block": []string{"32", "64", "96"}[i%3]}
		for name, value := range strongWays[i%len(strongWays)] {
			params[name] = value
		}
		out := components(t, g, params)
		checkComponents(t, g, out, fmt.Sprintf("graph %d, %v", i, params))
		rounds += number(t, out, "rounds") - number(t, out, "one-block-rounds")
		alone += number(t, out, "one-block-rounds")
		listed += number(t, out, "listed-arcs")
	}
	require.Greater(t, min(rounds, alone), 40.0, "of both kinds of rounds there are some")
	require.Greater(t, listed, 1000.0)
}

// TestStrongCounts compares what the kernel counts with what is known of two cycles, an arc between them, and a path: the searches find the cycle with a chord.
func TestStrongCounts(t *testing.T) {
	var edges []graph.Edge
	arc := func(u, v int) { edges = append(edges, graph.Edge{From: uint32(u), To: uint32(v)}) }
	for v := range 40 {
		arc(v, (v+1)%40)
		arc(40+v, 40+(v+1)%40)
	}
	arc(3, 17) // with this chord, 3 is the vertex of the largest product of degrees, but for 45
	arc(3, 9)
	arc(12, 45)
	for v := 80; v < 99; v++ {
		arc(v, v+1)
	}
	arc(60, 80)
	g, _, err := graph.FromEdges(t.Context(), "two cycles", 100, edges, graph.LoadOptions{})
	require.NoError(t, err)
	for _, params := range []map[string]string{{"block": "64"}, {"block": "32", "one-block-arcs": "0"}} {
		out := components(t, g, params)
		checkComponents(t, g, out, "two cycles")
		require.EqualValues(t, 100+40, number(t, out, "searched"), "along the arcs all vertices, against them those of the cycle")
		require.EqualValues(t, 40+18+1, number(t, out, "listed-arcs"), "the other cycle, and the path but for its last arc")
		require.Positive(t, number(t, out, "rounds"))
	}
	out := components(t, g, map[string]string{"pivot": "never", "block": "64"})
	checkComponents(t, g, out, "two cycles")
	require.Zero(t, number(t, out, "searched"))
	require.EqualValues(t, len(edges)-1, number(t, out, "listed-arcs"), "all but the last arc of the path")
}

// signatureRounds returns how many rounds signatures by numbers take on a graph without searches, and the arcs of all of them, one step after the other.
func signatureRounds(g *graph.CSR) (rounds, arcs float64) {
	type arc struct{ from, to uint32 }
	n := g.Vertices()
	in := make([]uint32, n)
	for _, v := range g.Col {
		in[v]++
	}
	both := func(v uint32) bool { return in[v] > 0 && g.Degree(v) > 0 }
	var list []arc
	for u := range uint32(n) {
		for _, v := range g.Col[g.Row[u]:g.Row[u+1]] {
			if u != v && both(u) && both(v) {
				list = append(list, arc{u, v})
			}
		}
	}
	live := make([]bool, n)
	for v := range live {
		live[v] = true
	}
	for {
		comes, goes, left := make([]bool, n), make([]bool, n), false
		for _, a := range list {
			goes[a.from], comes[a.to] = true, true
		}
		for v := range live {
			live[v] = live[v] && comes[v] && goes[v]
			left = left || live[v]
		}
		if !left {
			return rounds, arcs
		}
		rounds++
		arcs += float64(len(list))
		from, to := make([]int, n), make([]int, n) // the largest vertex that leads there, and to which it leads
		for v := range live {
			if live[v] {
				from[v], to[v] = v+1, v+1
			}
		}
		for changed := true; changed; {
			changed = false
			for _, a := range list {
				if live[a.from] && live[a.to] && (from[a.from] > from[a.to] || to[a.to] > to[a.from]) {
					from[a.to], to[a.from] = max(from[a.to], from[a.from]), max(to[a.from], to[a.to])
					changed = true
				}
			}
		}
		var kept []arc
		for _, a := range list {
			if from[a.from] == from[a.to] && to[a.from] == to[a.to] && from[a.from] != to[a.from] {
				kept = append(kept, a)
			}
		}
		list = kept
		for v := range live {
			live[v] = live[v] && from[v] != to[v]
		}
	}
}

// TestStrongRounds compares the number of rounds and their arcs with those of one step after the other: an arc or a vertex that stays too long, or leaves too soon, changes them.
func TestStrongRounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	most := 0.0
	for i := range 60 {
		n := 2 + rng.IntN(150)
		var edges []graph.Edge
		for range n * (1 + i%3) {
			u := rng.IntN(n)
			edges = append(edges, graph.Edge{From: uint32(u), To: uint32(min(max(u+rng.IntN(7)-3, 0), n-1))})
		}
		g, _, err := graph.FromEdges(t.Context(), "random", n, edges, graph.LoadOptions{})
		require.NoError(t, err)
		rounds, arcs := signatureRounds(g)
		for _, alone := range []string{"0", "4096"} {
			out := components(t, g, map[string]string{"pivot": "never", "order": "numbers", "block": "64", "one-block-arcs": alone})
			require.Equal(t, rounds, number(t, out, "rounds"), "graph %d", i)
			require.Equal(t, arcs, number(t, out, "round-arcs"), "graph %d", i)
		}
		most = max(most, rounds)
	}
	require.GreaterOrEqual(t, most, 3.0)
}

// TestStrongOrders cuts a path whose vertices are numbered so that the largest ones are at its ends: by their numbers, only the two vertices at the ends leave in each round.
// With a random order the rounds grow with the logarithm.
func TestStrongOrders(t *testing.T) {
	const n = 400
	path := make([]uint32, n)
	for i := range uint32(n / 2) {
		path[n/2-1-i], path[n/2+i] = 2*i, 2*i+1
	}
	var edges []graph.Edge
	for i := range n - 1 {
		edges = append(edges, graph.Edge{From: path[i], To: path[i+1]})
	}
	g, _, err := graph.FromEdges(t.Context(), "path", n, edges, graph.LoadOptions{})
	require.NoError(t, err)
	rounds := map[string]float64{}
	for _, order := range []string{"random", "first", "numbers"} {
		out := components(t, g, map[string]string{"pivot": "never", "order": order, "block": "64"})
		for v, got := range out.Values.([]uint32) {
			require.EqualValues(t, v, got)
		}
		rounds[order] = number(t, out, "rounds")
	}
	require.Less(t, rounds["random"], 20.0)
	require.Less(t, rounds["first"], 20.0)
	require.Greater(t, rounds["numbers"], 60.0)
}

// TestStrongRows has hundreds of rows without arcs between two cycles, and before and after them, for numbers of threads that divide them in different places.
func TestStrongRows(t *testing.T) {
	const gap = 700
	var edges []graph.Edge
	for _, first := range []uint32{gap, 2*gap + 50} {
		for v := range uint32(50) {
			edges = append(edges, graph.Edge{From: first + v, To: first + (v+1)%50}, graph.Edge{From: first + v, To: first + (v+7)%50})
		}
	}
	g, _, err := graph.FromEdges(t.Context(), "gaps", 3*gap+100, edges, graph.LoadOptions{})
	require.NoError(t, err)
	for _, params := range []map[string]string{{"block": "32"}, {"block": "96"}, {"block": "64", "one-block-arcs": "0"}, {"block": "32", "blocks": "7", "pivot": "never"}} {
		out := components(t, g, params)
		listed := 100.0 // without the cycle that the searches find
		if params["pivot"] == "never" {
			listed = 200
		}
		require.Equal(t, listed, number(t, out, "listed-arcs"))
		got := out.Values.([]uint32)
		for v := range got {
			switch {
			case v >= gap && v < gap+50:
				require.Equal(t, got[gap], got[v])
			case v >= 2*gap+50 && v < 2*gap+100:
				require.Equal(t, got[2*gap+50], got[v])
			default:
				require.EqualValues(t, v, got[v])
			}
		}
		require.NotEqual(t, got[gap], got[2*gap+50])
	}
}

// TestStrongTakes says what the scheme does not run.
func TestStrongTakes(t *testing.T) {
	takes := bitmap.Strongly().Takes
	for _, c := range []struct {
		params map[string]string
		says   string
	}{
		{nil, ""},
		{map[string]string{"pivot": "never", "block": "64", "order": "random", "pull-above": "0.20"}, ""},
		{map[string]string{"direction": "push", "one-block": "0"}, ""},
		{map[string]string{"pivot": "never", "direction": "push"}, "direction is for searches: it needs pivot=always"},
		{map[string]string{"pivot": "never", "pull-above": "0.3"}, "pull-above is for searches: it needs pivot=always"},
		{map[string]string{"pivot": "never", "one-block": "0"}, "one-block is for searches: it needs pivot=always"},
	} {
		values, err := bitmap.Strongly().Values(c.params)
		require.NoError(t, err)
		if err = takes(scc, values); c.says == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.says)
		}
	}
	require.EqualError(t, takes(bfs, scheduler.Values{}), "kernels.BFS has no method Strong that returns true: its answer is not a vertex of the strongly connected component of each vertex")
	wide := scc
	wide.Value = reflect.TypeFor[uint64]()
	require.EqualError(t, takes(wide, scheduler.Values{}), "the values of kernels.SCC are uint64; scheme forward-backward gives each vertex the number of a vertex, a uint32")
}
