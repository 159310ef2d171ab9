//go:build !kernel

package unionfind

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
)

// star has n vertices around another one, and an edge from each vertex to the next k.
func star(t *testing.T, n, k uint32) *graph.CSR {
	var edges []graph.Edge
	for v := range n {
		edges = append(edges, graph.Edge{From: v, To: n})
		for i := range k {
			edges = append(edges, graph.Edge{From: v, To: (v + 1 + i) % n})
		}
	}
	g, _, err := graph.FromEdges(t.Context(), "star", int(n)+1, edges, graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	return g
}

// TestPays checks the parts of the rule by graphs whose degrees and distances are known.
func TestPays(t *testing.T) {
	open := func(spec string) *graph.CSR {
		g, _, err := graph.Open(t.Context(), spec, graph.LoadOptions{Symmetrize: true})
		require.NoError(t, err)
		return g
	}
	steps := func(g *graph.CSR) *loop { return &loop{both: g} }
	whole := func(g *graph.CSR) *loop { return &loop{both: g, whole: true} }
	// All degrees are 7 but one: the variance is nearly n, and the mean 8.
	wheel := star(t, 5000, 3)
	assert.True(t, uneven(wheel))
	assert.True(t, steps(wheel).pays())
	// Of 8 arcs of a vertex 6 are near. One of two others is the hub's, which is near to a fifth of the vertices.
	assert.InDelta(t, (6+2*0.2)/8*100, nearArcs(wheel), 2)
	few := star(t, 5000, 1) // a mean degree of 4
	assert.True(t, uneven(few))
	assert.False(t, steps(few).pays(), "few edges")
	assert.False(t, whole(few).pays(), "few edges")
	assert.True(t, whole(open("smallworld:n=6000,degree=6,rewire=0,seed=1")).pays())

	ring := open("smallworld:n=50000,degree=8,rewire=0,seed=1")
	assert.False(t, uneven(ring))
	assert.GreaterOrEqual(t, nearArcs(ring), 99, "all but those from one end to the other")
	assert.False(t, steps(ring).pays())
	assert.True(t, whole(ring).pays(), "barriers cost less than launches")
	far := open("uniform:n=50000,degree=8,seed=1")
	assert.False(t, uneven(far))
	assert.InDelta(t, 100*2*1024.0/50000, nearArcs(far), 1.5)
	assert.False(t, steps(far).pays(), "0.8 million arcs")
	assert.True(t, whole(far).pays())
	many := open("uniform:n=150000,degree=8,seed=1") // 2.4 million
	assert.False(t, uneven(many))
	assert.True(t, steps(many).pays())
	ring = open("smallworld:n=150000,degree=16,rewire=0,seed=1")
	assert.GreaterOrEqual(t, ring.Arcs(), skipArcs)
	assert.False(t, steps(ring).pays(), "near arcs")

	assert.Zero(t, nearArcs(open("grid:width=4,keep=0")), "no arcs")
	assert.False(t, uneven(open("grid:width=4,keep=0")))
}

// TestEnough has the votes of a sample of 128 arcs, of which three quarters are 96.
func TestEnough(t *testing.T) {
	for _, c := range []struct {
		before, votes, round uint32
		want                 bool
		why                  string
	}{
		{0, 96, 1, true, "the tree is large"},
		{0, 95, 1, false, "the first vote has nothing before it"},
		{0, 0, 1, false, "no vote at all is not less than twice none"},
		{20, 40, 2, false, "it has doubled"},
		{20, 39, 2, true, "it has not doubled"},
		{1, 10, maxRounds - 1, false, "one round is left"},
		{1, 10, maxRounds, true, "the last round"},
	} {
		assert.Equal(t, c.want, enough(c.before, c.votes, 128, c.round), c.why)
	}
}
