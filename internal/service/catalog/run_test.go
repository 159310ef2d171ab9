package catalog_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/scheduler"
)

const testdata = "../../../graph/testdata/"

// graphOf opens a generator's graph or a graph file.
func graphOf(t testing.TB, spec string) *graph.CSR {
	t.Helper()
	g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	return g
}

// TestPullIsReproducible checks that without randomness, equal runs give equal results, including the sums of a pull.
func TestPullIsReproducible(t *testing.T) {
	g := graphOf(t, "rmat:scale=8,degree=12,seed=1")
	for _, s := range []string{"thread", "warp", "block", "vwc", "warpseg"} {
		e, err := catalog.Lookup("pagerank-pull", s)
		require.NoError(t, err)
		first := verify(t, openDevice(t, "func"), e, g, 0)
		require.Equal(t, first.Values, verify(t, openDevice(t, "func"), e, g, 0).Values)
		require.Equal(t, first.Values, verify(t, openDevice(t, "sim:tiny"), e, g, 0).Values)
	}
}

// TestRunSaysWhatItDidToTheGraph checks that notes report assigned weights and the treatment of directed graphs.
func TestRunSaysWhatItDidToTheGraph(t *testing.T) {
	g := graphOf(t, "rmat:scale=6,degree=6,seed=3,directed=true")
	require.False(t, g.Symmetric)
	run := func(algorithm string) *catalog.Result {
		res, err := catalog.Run(context.Background(), openDevice(t, "func"), catalog.Request{Algorithm: algorithm, Scheduler: "warp", Graph: g, Verify: true})
		require.NoError(t, err)
		require.True(t, res.Verified)
		return res
	}
	require.Empty(t, run("bfs").Notes)
	res := run("cc")
	require.Equal(t, []string{fmt.Sprintf("the graph is directed: cc runs on its symmetric closure (%d arcs added)", res.Graph.Arcs()-g.Arcs())}, res.Notes)
	require.Equal(t, []string{"the graph has no weights: assigned " + graph.HashRule}, run("sssp").Notes)
}

func TestRunRefuses(t *testing.T) {
	g := graphOf(t, "rmat:scale=6,degree=6,seed=3")
	for _, c := range []struct {
		req  catalog.Request
		want string
	}{
		{catalog.Request{Algorithm: "bsf", Scheduler: "warp", Graph: g}, `unknown algorithm "bsf"`},
		{catalog.Request{Algorithm: "bfs", Scheduler: "warp"}, "no graph to run on"},
		{catalog.Request{Algorithm: "bfs", Scheduler: "warp", Graph: g, Source: 64}, "has vertices 0 to 63"},
		{catalog.Request{Algorithm: "bfs", Scheduler: "warp", Graph: g, Params: map[string]string{"block": "33"}}, "parameter block of scheduler warp: 33 is not a multiple of 32 from 32 to 1024"},
		{catalog.Request{Algorithm: "bfs", Scheduler: "warp", Graph: g, Params: map[string]string{"depth": "1"}}, `unknown parameter of bfs by warp "depth"; there are: block, direction, max-iterations`},
		{catalog.Request{Algorithm: "bp", Scheduler: "warpseg", Graph: g, Params: map[string]string{"coupling": "1"}}, "parameter coupling is 1: must be from 0.01 to 0.9"},
		{catalog.Request{Algorithm: "bp", Scheduler: "vwc", Graph: g, Params: map[string]string{"epsilon": "0.1"}}, "parameter epsilon is 0.1: must be from 1e-05 to 0.01"},
		{catalog.Request{Algorithm: "heat", Scheduler: "warpseg", Graph: g, Params: map[string]string{"rate": "1"}}, "parameter rate is 1: must be from 0.01 to 0.9"},
		{catalog.Request{Algorithm: "nn", Scheduler: "vwc", Graph: g, Params: map[string]string{"gain": "0"}}, "parameter gain is 0: must be from 0.01 to 0.99"},
		{catalog.Request{Algorithm: "circuit", Scheduler: "warpseg", Graph: g, Params: map[string]string{"epsilon": "1e-6"}}, "parameter epsilon is 1e-06: must be from 1e-05 to 0.01"},
		{catalog.Request{Algorithm: "circuit", Scheduler: "warpseg", Graph: g, Params: map[string]string{"leak": "-1"}}, "parameter leak is -1: must be from 0.01 to 100"},
		{catalog.Request{Algorithm: "pagerank", Scheduler: "warp", Graph: g, Params: map[string]string{"damping": "1"}}, "parameter damping is 1: must be between 0 and 1"},
		{catalog.Request{Algorithm: "pagerank", Scheduler: "warp", Graph: g, Params: map[string]string{"epsilon": "0"}}, "parameter epsilon is 0: must be positive, and at most 0.0015 for a damping of 0.85"},
		{catalog.Request{Algorithm: "pagerank", Scheduler: "warp", Graph: g, Params: map[string]string{"epsilon": "0.1"}},
			"parameter epsilon is 0.1: ranks could be wrong by 66.7% of themselves (epsilon/(1-damping)); for a damping of 0.85, epsilon is at most 0.0015 (1%)"},
		{catalog.Request{Algorithm: "pagerank-pull", Scheduler: "warp", Graph: g, Params: map[string]string{"epsilon": "0.0001", "damping": "0.995"}},
			"parameter epsilon is 0.0001: ranks could be wrong by 2% of themselves (epsilon/(1-damping)); for a damping of 0.995, epsilon is at most 5e-05 (1%)"},
		{catalog.Request{Algorithm: "pagerank", Scheduler: "warp", Graph: g, Params: map[string]string{"epsilon": "1e-9", "damping": "0.9999999"}},
			"parameter damping is 0.9999999: the rounding of float32 alone could make ranks wrong by 200%; damping is at most 0.99997 here"},
		{catalog.Request{Algorithm: "pagerank-pull", Scheduler: "warp", Graph: g, Params: map[string]string{"tolerance": "-1e-4"}}, "parameter tolerance is -0.0001: must not be negative"},
		{catalog.Request{Algorithm: "pagerank-pull", Scheduler: "warp", Graph: g, Params: map[string]string{"tolerance": "0.0015"}},
			"parameter tolerance is 0.0015: with an epsilon of 0.0001, ranks could be wrong by 1.07% of themselves ((epsilon+tolerance)/(1-damping)); for a damping of 0.85, both together are at most 0.0015 (1%)"},
		{catalog.Request{Algorithm: "pagerank", Scheduler: "warp", Graph: g, Params: map[string]string{"epsilon": "low"}}, `parameter epsilon of kernels.PageRank: "low" is not a number`},
	} {
		_, err := catalog.Run(context.Background(), openDevice(t, "func"), c.req)
		require.ErrorContains(t, err, c.want)
	}
}

// TestRunTakesTheLargestEpsilonItNames checks that the largest epsilon and damping named in an error are accepted.
func TestRunTakesTheLargestEpsilonItNames(t *testing.T) {
	g := graphOf(t, "rmat:scale=6,degree=6,seed=3")
	for _, params := range []map[string]string{{"epsilon": "0.0015"}, {"epsilon": "5e-05", "damping": "0.995"}, {"epsilon": "2.9e-7", "damping": "0.99997"}} {
		for _, algorithm := range []string{"pagerank", "pagerank-pull"} {
			ctx, cancel := context.WithCancel(t.Context())
			_, err := catalog.Run(ctx, openDevice(t, "func"), catalog.Request{Algorithm: algorithm, Scheduler: "warp", Graph: g, Params: params,
				Progress: func(scheduler.Step) { cancel() }})
			require.ErrorIs(t, err, context.Canceled, "%v: it got as far as iterations", params)
		}
	}
}

// TestRunSaysTheTolerance checks that the tolerance is reported for answers that need not agree bit by bit.
func TestRunSaysTheTolerance(t *testing.T) {
	g := graphOf(t, "rmat:scale=8,degree=12,seed=1,directed=true")
	for algorithm, rounded := range map[string]bool{"bfs": false, "pagerank": true, "pagerank-pull": true} {
		e, err := catalog.Lookup(algorithm, "warp")
		require.NoError(t, err)
		res := verify(t, openDevice(t, "func"), e, g, 0)
		require.Equal(t, rounded, res.Tolerance != nil, algorithm)
		if rounded {
			require.Positive(t, res.Tolerance.Seen)
			require.Less(t, res.Tolerance.Allowed, 1.1*1e-4/0.15, "what epsilon allows, and little for float32")
		}
	}
}

// TestRunSaysWhatItFound checks that a result has what the algorithm says of its answer, and nothing if it says nothing.
func TestRunSaysWhatItFound(t *testing.T) {
	g := &graph.CSR{Name: "one vertex", Row: []uint64{0, 0}, Symmetric: true}
	for algorithm, want := range map[string]string{"bfs": "", "colouring": "1 colour"} {
		res, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: algorithm, Scheduler: "warp", Graph: g})
		require.NoError(t, err)
		require.Equal(t, want, res.Summary)
	}
}

// TestVerificationIsCancelled checks that Ctrl-C also ends the comparison with the reference, which leaves the answer
// unverified.
func TestVerificationIsCancelled(t *testing.T) {
	g := graphOf(t, "rmat:scale=8,degree=12,seed=1")
	for _, a := range catalog.Algorithms() {
		whole, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: a.Name, Scheduler: "warp", Graph: g})
		require.NoError(t, err)
		left := len(whole.Steps)
		ctx, cancel := context.WithCancel(t.Context())
		res, err := catalog.Run(ctx, openDevice(t, "func"), catalog.Request{Algorithm: a.Name, Scheduler: "warp", Graph: g, Verify: true,
			Progress: func(s scheduler.Step) {
				if left--; left == 0 {
					cancel()
				}
			}})
		require.ErrorIs(t, err, context.Canceled, a.Name)
		require.NotNil(t, res.Values, "%s: the run was over", a.Name)
		require.False(t, res.Checked)
		require.NoError(t, res.Mismatch)
		cancel()
	}
}

// TestRunIsCancelled checks that Ctrl-C keeps the iterations so far.
func TestRunIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	res, err := catalog.Run(ctx, openDevice(t, "func"), catalog.Request{Algorithm: "bfs", Scheduler: "warp",
		Graph: graphOf(t, "grid:width=20,keep=1,seed=1"), Verify: true, Progress: func(s scheduler.Step) {
			if s.Iteration == 3 {
				cancel()
			}
		}})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 3, res.Iterations)
	require.False(t, res.Checked)
	require.False(t, res.Verified)
	require.NotNil(t, res.Report)
}

// TestWrongAnswerIsAMismatch checks that a wrong answer is not an error, but is reported.
func TestWrongAnswerIsAMismatch(t *testing.T) {
	dev := openDevice(t, "func")
	res, err := catalog.Run(context.Background(), liar{dev}, catalog.Request{Algorithm: "bfs", Scheduler: "warp",
		Graph: graphOf(t, "grid:width=9,keep=1,seed=1"), Verify: true})
	require.NoError(t, err)
	require.True(t, res.Checked)
	require.False(t, res.Verified)
	require.ErrorContains(t, res.Mismatch, "bfs: vertex 5 has level 77")
}

// liar is a device on which one number is read incorrectly.
type liar struct{ device.Device }

func (l liar) Read(b device.Buffer, dst any) error {
	err := l.Device.Read(b, dst)
	if s, ok := dst.([]uint32); ok && b.Name == "values" {
		s[5] = 77
	}
	return err
}

// FuzzAlgorithms builds a directed graph from the bytes, two per arc, and verifies an entry on it against the
// reference.
func FuzzAlgorithms(f *testing.F) {
	f.Add(uint8(0), uint8(9), uint8(0), []byte{0, 1, 1, 2, 2, 3, 3, 0})
	f.Add(uint8(3), uint8(1), uint8(0), []byte{})
	f.Add(uint8(7), uint8(200), uint8(13), []byte("the arcs of a graph may be any text at all"))
	f.Add(uint8(12), uint8(40), uint8(39), []byte{39, 0, 39, 1, 39, 2, 39, 3, 0, 39, 7, 7, 7, 8})
	f.Fuzz(func(t *testing.T, entry, vertices, source uint8, arcs []byte) {
		n := uint64(vertices) + 1
		var edges [][2]uint32
		for i := 0; i+1 < len(arcs); i += 2 {
			edges = append(edges, [2]uint32{uint32(uint64(arcs[i]) % n), uint32(uint64(arcs[i+1]) % n)})
		}
		entries := catalog.Entries()
		verify(t, openDevice(t, "func"), entries[int(entry)%len(entries)], fromArcs(int(n), edges), uint32(source)%uint32(n))
	})
}

// fromArcs returns the graph of the given arcs, each counted once.
func fromArcs(n int, arcs [][2]uint32) *graph.CSR {
	row := make([]map[uint32]bool, n)
	for _, a := range arcs {
		if row[a[0]] == nil {
			row[a[0]] = map[uint32]bool{}
		}
		row[a[0]][a[1]] = true
	}
	g := &graph.CSR{Name: "fuzz", Row: []uint64{0}}
	for u := range n {
		for v := range uint32(n) {
			if row[u][v] {
				g.Col = append(g.Col, v)
			}
		}
		g.Row = append(g.Row, uint64(len(g.Col)))
	}
	return g
}
