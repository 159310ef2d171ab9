//go:build !kernel

package kernels_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/scheme/bsp"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

func newColouring(g *graph.CSR) kernels.Colouring {
	return kernels.Colouring{Degree: make([]uint32, g.Vertices()), Least: make([]uint32, g.Vertices())}
}

// crowded returns graphs with many colours: those of small, made symmetric, a complete graph
// with self loops, whose colours fill more than one set, and a crown, for which a bad order
// takes many colours.
func crowded(t *testing.T) []*graph.CSR {
	gs := append(small(t),
		build("complete", 70, func(edge func(u, v uint32)) {
			for u := range uint32(70) {
				for v := range uint32(70) {
					edge(u, v)
				}
			}
		}),
		build("crown", 80, func(edge func(u, v uint32)) {
			for u := range uint32(40) {
				for v := range uint32(40) {
					if u != v {
						edge(u, 40+v)
					}
				}
			}
		}))
	for i, g := range gs {
		both, err := g.Symmetrize(t.Context())
		require.NoError(t, err)
		gs[i] = both
	}
	return gs
}

// judged checks the values of a run as the host half does, and returns what it says of them.
func judged(t *testing.T, g *graph.CSR, values []uint64) (summary string, err error) {
	out := &scheduler.Outcome{Values: values}
	answer, err := kernels.ColouringHost.Answer(out)
	require.NoError(t, err)
	tolerance, err := kernels.ColouringHost.Check(t.Context(), scheduler.Input{Graph: g}, out, answer)
	require.Nil(t, tolerance)
	return kernels.ColouringHost.Summary(answer), err
}

func TestHeavyColouringAsPlainGo(t *testing.T) {
	want := map[string]string{"complete": "70 colours", "star": "2 colours", "lone": "1 colour"}
	for name, step := range pulls[kernels.Colouring, uint64]() {
		for _, g := range crowded(t) {
			t.Run(name+"/"+g.Name, func(t *testing.T) {
				values := pull(t, newColouring(g), step, g, 0)
				require.LessOrEqual(t, slices.Max(values), 1<<63|uint64(g.Vertices()), "no value has the mark of a guess")
				summary, err := judged(t, g, values)
				require.NoError(t, err)
				if want[g.Name] != "" {
					require.Equal(t, want[g.Name], summary)
				}
			})
		}
	}
}

// In a graph where all degrees are equal, only the scattered numbers decide, and each
// iteration colours at least the vertex of highest priority.
func TestColouringProgresses(t *testing.T) {
	const n = 64
	g := build("ring", n, func(edge func(u, v uint32)) {
		for v := range uint32(n) {
			edge(v, (v+1)%n)
			edge((v+1)%n, v)
		}
	})
	alg := newColouring(g)
	values, _ := start[kernels.Colouring, uint64](t, alg, g, 0)
	left := n
	for left > 0 {
		before := left
		next := make([]uint64, n)
		changed := uint32(0)
		dg := onDevice(t, g)
		require.NoError(t, gpu.Launch(grid, block, func(th gpu.Thread) {
			bsp.Pull[kernels.Colouring, scheduler.WarpPerVertex, uint64](th, alg, dg, dg.Row, values, next, &changed)
		}))
		values, left = next, 0
		for _, x := range values {
			if !alg.Settled(x) {
				left++
			}
		}
		require.Less(t, left, before)
	}
	_, err := judged(t, g, values)
	require.NoError(t, err)
}

// guess lets vertices choose as a speculative scheme does: those of a batch at the same time,
// from the same values. Then the losers of all conflicts are to choose again.
func guess(t *testing.T, alg kernels.Colouring, g *graph.CSR, batch int, r *rand.Rand) (values []uint64, chosen int) {
	n := uint32(g.Vertices())
	values = make([]uint64, n)
	var waiting []uint32
	for v := range n {
		values[v] = alg.Init(scheduler.Vertex{ID: v, Degree: uint32(g.Degree(v))}, scheduler.Problem{Vertices: n})
		waiting = append(waiting, v)
	}
	for round := 0; len(waiting) > 0; round++ {
		require.Less(t, round, 100*int(n), "conflicts do not end")
		r.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
		now := waiting[:min(batch, len(waiting))]
		next := make([]uint64, len(now))
		for i, v := range now {
			next[i] = choose(alg, g, v, values)
		}
		chosen += len(now)
		lost := map[uint32]bool{}
		for i, v := range now {
			values[v] = next[i]
		}
		for _, v := range now {
			for _, u := range g.Neighbors(v) {
				if alg.Conflict(scheduler.Edge{Src: u, Dst: v}, values[u], values[v]) {
					lost[v] = true
				}
				if alg.Conflict(scheduler.Edge{Src: v, Dst: u}, values[v], values[u]) {
					lost[u] = true
				}
			}
		}
		waiting = waiting[len(now):]
		for v := range lost {
			waiting = append(waiting, v)
		}
	}
	return values, chosen
}

// choose is the loop that the documentation of scheduler.Speculative shows.
func choose(alg kernels.Colouring, g *graph.CSR, v uint32, values []uint64) uint64 {
	x := values[v]
	for done := false; !done; {
		gathered := alg.Identity()
		for _, u := range g.Neighbors(v) {
			gathered = alg.Combine(gathered, alg.Guess(scheduler.Edge{Src: u, Dst: v}, values[u], x))
		}
		x, done = alg.Choose(scheduler.Vertex{ID: v, Degree: uint32(g.Degree(v))}, x, gathered)
	}
	return x
}

func TestColouringGuessed(t *testing.T) {
	for _, g := range crowded(t) {
		for _, batch := range []int{1, 7, 1000} {
			t.Run(fmt.Sprint(g.Name, "/", batch), func(t *testing.T) {
				values, chosen := guess(t, newColouring(g), g, batch, rand.New(rand.NewPCG(2, uint64(batch))))
				_, err := judged(t, g, values)
				require.NoError(t, err)
				require.GreaterOrEqual(t, chosen, g.Vertices())
				if batch == 1 {
					require.Equal(t, g.Vertices(), chosen, "without concurrency there are no conflicts")
				}
			})
		}
	}
}

// TestColouringBeginsAgain has a vertex whose neighbors change colours while it looks: it
// sees the first 63 colours taken, then the next ones, by the same 63 neighbors.
func TestColouringBeginsAgain(t *testing.T) {
	alg := kernels.Colouring{}
	v := scheduler.Vertex{ID: 0, Degree: 63}
	x, done := alg.Choose(v, 63<<32, 1<<63-1)
	require.False(t, done)
	e := scheduler.Edge{Src: 1, Dst: 0}
	require.Zero(t, alg.Guess(e, 1<<63|5, x), "below")
	require.Equal(t, uint64(2), alg.Guess(e, 1<<63|64, x), "the second one from 63 on")
	require.Zero(t, alg.Guess(e, 1<<63|126, x), "beyond")
	x, done = alg.Choose(v, x, 1)
	require.False(t, done, "64 is above its degree")
	require.Equal(t, uint64(1), alg.Guess(e, 1<<63, x), "from 0 on again")
	x, done = alg.Choose(v, x, 1<<63-2)
	require.True(t, done)
	require.Equal(t, alg.Guess(scheduler.Edge{Src: 0, Dst: 1}, x, 0), uint64(1), "it took 0")
}

// TestColouringCheck tells answers that must be greedy from those that need not be.
func TestColouringCheck(t *testing.T) {
	g := build("path", 3, func(edge func(u, v uint32)) { edge(0, 1); edge(1, 0); edge(1, 2); edge(2, 1) })
	const has, guess = 1 << 63, 1 << 62
	summary, err := judged(t, g, []uint64{has | 1, has, has | 1})
	require.NoError(t, err)
	require.Equal(t, "2 colours", summary)
	_, err = judged(t, g, []uint64{has, has | 1, has})
	require.EqualError(t, err, "colouring: vertex 0 has colour 0, the reference colour 1; 3 of 3 vertices are wrong")
	_, err = judged(t, g, []uint64{has | guess, has | guess | 1, has | guess})
	require.NoError(t, err, "a proper colouring")
	_, err = judged(t, g, []uint64{has | guess, has | guess, has | guess | 1})
	require.ErrorContains(t, err, "vertex 0 has colour 0, a colouring another one than that of its neighbor 1")
	_, err = judged(t, g, []uint64{has, has | 1, 5})
	require.ErrorContains(t, err, "vertex 2 has no colour")
	_, err = kernels.ColouringHost.Answer(&scheduler.Outcome{Values: []uint32{1}})
	require.EqualError(t, err, "the answer is []uint32, not []uint64")
}
