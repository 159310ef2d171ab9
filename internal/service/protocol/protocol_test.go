package protocol

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/run"
)

func open(t *testing.T, spec string) *graph.CSR {
	t.Helper()
	g, _, err := graph.Open(t.Context(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	return g
}

// islands is a directed graph: 0 -> 1 -> 2, 2 -> 2, 3 -> 3, 4 <-> 5, and 6 alone.
func islands() *graph.CSR {
	return &graph.CSR{Name: "islands", Row: []uint64{0, 1, 2, 3, 4, 5, 6, 6}, Col: []uint32{1, 2, 2, 3, 5, 4}}
}

// TestSources checks which vertices may be drawn, that each is as likely as another, and that a seed gives the same ones.
func TestSources(t *testing.T) {
	g := islands()
	draw := func(n int, seed uint64, largest bool) []uint32 {
		list, err := Sources(t.Context(), g, n, seed, largest)
		require.NoError(t, err)
		return list
	}
	all := draw(100, 1, false)
	assert.ElementsMatch(t, []uint32{0, 1, 4, 5}, all, "not those that lead to themselves or nowhere")
	assert.Equal(t, all[:3], draw(3, 1, false), "fewer are the first ones")
	assert.ElementsMatch(t, []uint32{0, 1}, draw(100, 1, true), "0, 1 and 2 are the largest component")
	count := map[uint32]int{}
	const seeds = 4000
	for seed := range uint64(seeds) {
		count[draw(1, seed, false)[0]]++
	}
	for v, n := range count { // four standard deviations of a binomial distribution
		assert.InDelta(t, seeds/4, n, 4*math.Sqrt(seeds*0.25*0.75), "vertex %d", v)
	}
	none, err := Sources(t.Context(), &graph.CSR{Row: []uint64{0}}, 1, 1, true)
	require.NoError(t, err)
	assert.Empty(t, none)
}

// TestTraversed checks what is counted by hand.
func TestTraversed(t *testing.T) {
	from := func(g *graph.CSR, v uint32) Traversed {
		x := traversals{g: g}
		got, err := x.from(t.Context(), v)
		require.NoError(t, err)
		return got
	}
	assert.Equal(t, Traversed{3, 3}, from(islands(), 0), "two arcs, and one to itself")
	assert.Equal(t, Traversed{2, 2}, from(islands(), 1))
	assert.Equal(t, Traversed{2, 2}, from(islands(), 4))
	s, err := islands().Symmetrize(t.Context())
	require.NoError(t, err)
	assert.Equal(t, Traversed{3, 3}, from(s, 0), "each edge once, and so the loop")
	assert.Equal(t, Traversed{2, 1}, from(s, 4))
	assert.Equal(t, Traversed{1, 1}, from(s, 3))
	assert.Equal(t, Traversed{1, 0}, from(s, 6))
	grid := from(open(t, "grid:width=7,height=5"), 3)
	assert.Equal(t, Traversed{35, 6*5 + 7*4}, grid)
}

// TestSpread compares with numbers that were computed by hand.
func TestSpread(t *testing.T) {
	s := rates([]float64{4, 1, 2})
	assert.Equal(t, []float64{1, 1.5, 2, 3, 4}, []float64{s.Min, s.FirstQuartile, s.Median, s.ThirdQuartile, s.Max})
	assert.InDelta(t, 7.0/3, s.Mean, 1e-15)
	assert.InDelta(t, math.Sqrt((25.0/9+16.0/9+1.0/9)/2), s.Deviation, 1e-15)
	assert.InDelta(t, 3/(1+0.5+0.25), s.HarmonicMean, 1e-15)
	// The inverses 1, 1/2 and 1/4 have the mean 7/12, and differ from it by 5/12, 1/12 and 4/12.
	assert.InDelta(t, math.Sqrt((25.0+1+16)/144/2)/math.Sqrt(3)*144/49, s.HarmonicDeviation, 1e-15)
	one := rates([]float64{5})
	assert.Equal(t, &Spread{5, 5, 5, 5, 5, 5, 0, 5, 0}, one)
	assert.Zero(t, times([]float64{5}).HarmonicMean)
	assert.Nil(t, rates(nil))
}

// TestRules checks that the rules are about algorithms that there are, and what they refuse.
func TestRules(t *testing.T) {
	for i := range protocols {
		p := &protocols[i]
		for name := range p.trials {
			e, err := catalog.Named(name, "auto")
			require.NoError(t, err, name)
			set, err := p.Set(name, nil)
			require.NoError(t, err)
			defaults, err := catalog.Params(e.Algorithm)
			require.NoError(t, err)
			for param := range set {
				assert.Contains(t, defaults, param)
			}
		}
		for name := range p.differs {
			assert.True(t, name == "" || p.trials[name] > 0, name)
		}
	}
	gap, err := Named("gap")
	require.NoError(t, err)
	_, err = gap.Set("pagerank", map[string]string{"pagerank.damping": "0.9"})
	require.EqualError(t, err, "--param: gap runs pagerank with damping=0.85")
	set, err := gap.Set("pagerank", map[string]string{"pagerank.damping": "0.85", "block": "64"})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"damping": "0.85", "epsilon": "0.0001", "block": "64"}, set)
	_, err = gap.Trials("kcore")
	require.EqualError(t, err, "--protocol: gap has no rules for kcore")
	_, err = Named("gab")
	require.EqualError(t, err, `unknown protocol "gab"`)
}

// trials runs trials on a device.
func trials(t *testing.T, algorithm, dev string, g *graph.CSR, change func(q *Request)) (*Trials, error) {
	t.Helper()
	spec, err := devices.New(dev, devices.Options{Seed: 1})
	require.NoError(t, err)
	e, err := catalog.Named(algorithm, "warp")
	require.NoError(t, err)
	q := Request{Run: run.Request{Algorithm: algorithm, Scheduler: "warp", Graph: g, Device: spec}, Sources: 3, Source: e.Type.Source}
	change(&q)
	return Run(t.Context(), q)
}

// TestTrials checks that a trial is what a run from its source alone is, and that the preparation is in none of them.
func TestTrials(t *testing.T) {
	g := open(t, "rmat:scale=7,degree=6,seed=2,directed=true")
	all, err := trials(t, "sssp", "sim:tiny", g, func(*Request) {})
	require.NoError(t, err)
	require.NoError(t, all.Err())
	require.Len(t, all.Trials, 3)
	assert.Equal(t, Answers{Verified: 3}, all.Answers)
	assert.Equal(t, Followed{Trials: 3, Seed: 1, Component: "any"}, all.Protocol)
	for _, x := range all.Trials {
		spec, err := devices.New("sim:tiny", devices.Options{Seed: 1})
		require.NoError(t, err)
		v, _ := g.VertexOf(*x.Source)
		one, err := run.Run(t.Context(), run.Request{Algorithm: "sssp", Scheduler: "warp", Graph: g, Device: spec, Source: run.SourceAt(g, v)})
		require.NoError(t, err)
		assert.Equal(t, one.SolveSeconds, x.SolveSeconds)
		assert.Equal(t, one.Iterations, x.Iterations)
		assert.InDelta(t, float64(x.Edges)/one.SolveSeconds, x.TEPS, 1e-6*x.TEPS)
		reached := 0
		for _, d := range one.Values.([]uint32) {
			if d != math.MaxUint32 {
				reached++
			}
		}
		assert.EqualValues(t, reached, x.Reached)
	}
	require.Len(t, all.Preparation, 1, "the graph was read before")
	assert.Equal(t, "assigning weights", all.Preparation[0].What)
	assert.Equal(t, 1, all.Preparation[0].Times, "the first trial's are kept")
	assert.Zero(t, all.WarmUps)

	pulled, err := trials(t, "bfs", "func", g, func(q *Request) { q.Run.Params = map[string]string{"direction": "pull"} })
	require.NoError(t, err)
	require.Len(t, pulled.Preparation, 1)
	assert.Equal(t, "transposing", pulled.Preparation[0].What)
	assert.Equal(t, 1, pulled.Preparation[0].Times)
	assert.Nil(t, pulled.SolveSeconds, "func has no clock")
	assert.Nil(t, pulled.TEPS)
}

// TestProtocols checks what each protocol makes of a request.
func TestProtocols(t *testing.T) {
	g := open(t, "grid:width=9")
	all, err := trials(t, "bfs", "func", g, func(q *Request) { q.Protocol, q.Sources = &protocols[1], 0 })
	require.NoError(t, err)
	assert.Len(t, all.Trials, 64)
	assert.Equal(t, 64, all.Answers.Verified)
	assert.False(t, slices.ContainsFunc(all.Trials, func(x Trial) bool { return x.Edges != 2*9*8 || x.Reached != 81 }))
	seen := map[uint64]bool{}
	for _, x := range all.Trials {
		seen[*x.Source] = true
	}
	assert.Len(t, seen, 64, "different sources")

	few, err := trials(t, "bfs", "func", islands(), func(q *Request) { q.Protocol, q.Sources = &protocols[0], 9 })
	require.NoError(t, err)
	assert.Len(t, few.Trials, 4, "there are no more")
	assert.Equal(t, 9, few.Protocol.Trials)
	assert.Contains(t, few.Protocol.Differences, "9 trials instead of 64")

	ranks, err := trials(t, "pagerank", "func", g, func(q *Request) { q.Protocol, q.Sources = &protocols[0], 0 })
	require.NoError(t, err)
	assert.Len(t, ranks.Trials, 1)
	assert.Nil(t, ranks.Trials[0].Source)
	assert.Contains(t, ranks.Protocol.Differences, "1 trial instead of 16: all trials are the same on a device without clock noise")

	_, err = trials(t, "bfs", "func", islands(), func(q *Request) { q.Protocol = &protocols[1] })
	require.EqualError(t, err, "--protocol: graph500 is for undirected graphs, and graph islands is directed")
	_, err = trials(t, "bfs", "func", &graph.CSR{Name: "dust", Row: []uint64{0, 0, 0}, Symmetric: true}, func(*Request) {})
	require.EqualError(t, err, "graph dust has no vertex with an arc to another one, to start from")
}

// TestWrongTrial checks that the first wrong answer is named.
func TestWrongTrial(t *testing.T) {
	id := uint64(7)
	x := &Trials{Answers: Answers{Wrong: 2}, Trials: []Trial{{Answer: run.AnswerVerified}, {Answer: run.AnswerWrong, Source: &id, Why: "vertex 3"}, {Answer: run.AnswerWrong}}}
	require.EqualError(t, x.Err(), "wrong answer in 2 of 3 trials, first in trial 2 from source 7: vertex 3")
	assert.True(t, errors.Is(x.Err(), run.ErrWrong))
	assert.NoError(t, (&Trials{}).Err())
}
