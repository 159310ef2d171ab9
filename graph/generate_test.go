package graph

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
)

// TestRNG checks the published sequence of xoshiro256** for the state 1, 2, 3, 4.
func TestRNG(t *testing.T) {
	r := rng{s: [4]uint64{1, 2, 3, 4}}
	for _, want := range []uint64{11520, 0, 1509978240, 1215971899390074240} {
		assert.Equal(t, want, r.next())
	}
	// And that of splitmix64 from 1234567.
	assert.EqualValues(t, uint64(6457827717110365317), mix64(1234567+splitMixGamma))

	var seen [7]int
	for range 70_000 {
		seen[r.below(7)]++
	}
	for _, n := range seen {
		assert.InDelta(t, 10_000, n, 500)
	}
}

// fingerprint returns a hash of a graph's arcs that does not depend on the machine.
func fingerprint(g *CSR) string {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, g.Row)
	_ = binary.Write(h, binary.LittleEndian, g.Col)
	return fmt.Sprintf("%016x", h.Sum64())
}

// TestGeneratorsGolden checks that a specification always means the same graph. The golden
// file changes only when a generator changes.
func TestGeneratorsGolden(t *testing.T) {
	const file = "testdata/generators.golden"
	specs := []string{
		"rmat:scale=0", "rmat:scale=1", "rmat:scale=10", "rmat:scale=10,seed=2", "rmat:scale=10,directed=true",
		"rmat:scale=10,shuffle=false", "rmat:scale=8,degree=4,a=0.25,b=0.25,c=0.25", "rmat:scale=14,degree=32,seed=7",
		"uniform:n=0", "uniform:n=1,degree=0", "uniform:n=10,degree=9", "uniform:n=1000,degree=8,seed=3", "uniform:n=20000",
		"grid:width=1", "grid:width=4,height=3", "grid:width=100,keep=0.7", "grid:width=100,height=50,keep=0.5,seed=9", "grid:width=5,keep=0",
		"smallworld:n=0,degree=0", "smallworld:n=3,degree=2", "smallworld:n=1000", "smallworld:n=1000,degree=4,rewire=1,seed=5", "smallworld:n=100,rewire=0",
	}
	var b strings.Builder
	for _, spec := range specs {
		g := open(t, spec)
		assert.Equal(t, spec, g.Name)
		fmt.Fprintf(&b, "%s vertices=%d arcs=%d fnv=%s\n", spec, g.Vertices(), g.Arcs(), fingerprint(g))
	}
	golden.Check(t, file, b.String())
}

func TestUniformIsUniform(t *testing.T) {
	g := open(t, "uniform:n=2000,degree=12,seed=4")
	for u := range uint32(2000) {
		require.Equal(t, 12, g.Degree(u), "distinct targets")
		require.NotContains(t, g.Neighbors(u), u)
	}
	for _, d := range transposed(t, g).Degrees() {
		require.InDelta(t, 12, d, 20)
	}
	full := open(t, "uniform:n=6,degree=5")
	assert.Equal(t, 30, full.Arcs())
}

func TestRMATIsSkewed(t *testing.T) {
	g, notes, err := Open(context.Background(), "rmat:scale=12,degree=16", LoadOptions{})
	require.NoError(t, err)
	f := facts(t, g)
	assert.True(t, g.Symmetric)
	assert.Greater(t, float64(f.MaxDegree), 20*f.MeanDegree)
	assert.EqualValues(t, 4096*8, notes.Count(NoteGenerated))
	// Every generated edge is a self loop, a duplicate or an edge of the graph.
	assert.EqualValues(t, 4096*8, int(notes.Count(NoteSelfLoops)+notes.Count(NoteDuplicates))+g.Arcs()/2)

	flat := facts(t, open(t, "rmat:scale=12,degree=16,a=0.25,b=0.25,c=0.25"))
	assert.Less(t, flat.MaxDegree, uint32(50))

	// Without renumbering, low vertex numbers have large degrees.
	v, _ := open(t, "rmat:scale=12,shuffle=false").MaxDegreeVertex()
	assert.Zero(t, v)
	directed := open(t, "rmat:scale=8,directed=true")
	assert.False(t, directed.Symmetric)
}

func TestGridAndSmallWorld(t *testing.T) {
	g := open(t, "grid:width=3,height=2")
	assert.Equal(t, [][]uint32{{1, 3}, {0, 2, 4}, {1, 5}, {0, 4}, {1, 3, 5}, {2, 4}}, rows(g))
	f := facts(t, open(t, "grid:width=64"))
	assert.EqualValues(t, 126, f.Diameter)
	kept := open(t, "grid:width=300,keep=0.7")
	assert.InDelta(t, 0.7*2*300*299, kept.Arcs()/2, 1000)

	ring := open(t, "smallworld:n=10,degree=4,rewire=0")
	assert.Equal(t, []uint32{1, 2, 8, 9}, ring.Neighbors(0))
	far := facts(t, open(t, "smallworld:n=2000,degree=4,rewire=0")).Diameter
	near := facts(t, open(t, "smallworld:n=2000,degree=4,rewire=0.2")).Diameter
	assert.EqualValues(t, 500, far)
	assert.Less(t, near, far/10)
}

func TestGeneratorOptions(t *testing.T) {
	g, notes, err := Open(context.Background(), "uniform:n=100,degree=3", LoadOptions{Symmetrize: true, Weights: WeightsAlways})
	require.NoError(t, err)
	require.NoError(t, g.Validate())
	assert.True(t, g.Symmetric)
	assert.NotNil(t, g.Weight)
	assert.EqualValues(t, g.Arcs()-300, notes.Count(NoteSymmetrized))
	assert.Equal(t, []string{"generated: uniform:n=100,degree=3 (300 edges)", "directed: each edge is one arc",
		fmt.Sprintf("made symmetric: %d opposite arcs added", g.Arcs()-300), "weights are assigned: " + HashRule}, texts(notes))

	g, notes, err = Open(context.Background(), "rmat:scale=6,degree=8", LoadOptions{KeepSelfLoops: true})
	require.NoError(t, err)
	assert.Positive(t, facts(t, g).SelfLoops)
	assert.EqualValues(t, 256, notes.Count(NoteGenerated))
}

func TestBadSpecifications(t *testing.T) {
	grid := "; keys: width (vertices per row), height=width (rows), keep=1 (probability that an edge between neighbors exists), seed=1 (seed of the random numbers)"
	for _, test := range []struct{ spec, want string }{
		{"grid", "generator grid needs values, such as grid:width=512,keep=0.7,seed=1"},
		{"grid:", "generator grid: key width is missing" + grid},
		{"grid:keep=0.5", "generator grid: key width is missing" + grid},
		{"grid:width=5,depth=3", `generator grid: no key "depth"` + grid},
		{"grid:width", `generator grid: expected key=value, found "width"` + grid},
		{"grid:width=5,width=6", "generator grid: key width is given twice"},
		{"grid:width=abc", "generator grid: width=abc: expected a whole number from 1 to 4294967295 (vertices per row)"},
		{"grid:width=0", "generator grid: width=0: expected a whole number from 1 to 4294967295 (vertices per row)"},
		{"grid:width=-1", "generator grid: width=-1: expected a whole number from 1 to 4294967295 (vertices per row)"},
		{"grid:width=5,keep=1.5", "generator grid: keep=1.5: expected a number from 0 to 1 (probability that an edge between neighbors exists)"},
		{"grid:width=5,keep=NaN", "generator grid: keep=NaN: expected a number from 0 to 1 (probability that an edge between neighbors exists)"},
		{"grid:width=70000,height=70000", "generator grid: 70000 by 70000 vertices; at most 4294967295"},
		{"rmat:scale=32", "generator rmat: scale=32: expected a whole number from 0 to 31 (2^scale vertices)"},
		{"rmat:scale=5,a=0.6,b=0.3,c=0.2", "generator rmat: a+b+c is 1.1, more than 1"},
		{"rmat:scale=5,a=0.5,b=0.5,c=0.0000001", "generator rmat: a+b+c is 1.0000001, more than 1"},
		{"rmat:scale=5,directed=perhaps", "generator rmat: directed=perhaps: expected true or false (store each edge as one arc only)"},
		{"uniform:n=4,degree=4", "generator uniform: degree=4, but a vertex has only 3 others"},
		{"smallworld:n=10,degree=3", "generator smallworld: degree=3: expected an even number, half of it on either side"},
		{"smallworld:n=4,degree=4", "generator smallworld: degree=4, but a vertex has only 3 others"},
	} {
		g, notes, err := Open(context.Background(), test.spec, LoadOptions{})
		require.EqualError(t, err, test.want)
		assert.Nil(t, g)
		assert.Nil(t, notes)
	}
}

// TestHelp checks that the examples shown to users work, with smaller sizes.
func TestHelp(t *testing.T) {
	require.Len(t, Generators(), len(generators))
	for _, g := range generators {
		small := strings.NewReplacer("scale=20", "scale=8", "n=100000", "n=100", "width=512", "width=9").Replace(g.example)
		assert.Positive(t, open(t, small).Arcs(), small)
	}
	assert.Len(t, Formats(), 4)
}
