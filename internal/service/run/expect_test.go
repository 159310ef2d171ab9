package run

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

func TestReadExpected(t *testing.T) {
	g := &graph.CSR{Name: "three", Row: []uint64{0, 0, 0, 0}, ID: []uint32{10, 20, 30}, Symmetric: true}
	read := func(algorithm, text string) (*Expected, error) {
		e, err := catalog.Lookup(algorithm, "warp")
		require.NoError(t, err)
		return ReadExpected(t.Context(), strings.NewReader(text), "want.txt", e, g)
	}
	x, err := read("bfs", "30 4294967295\n\n# the source\n10\t0\n 20   1 \n")
	require.NoError(t, err)
	assert.Equal(t, []uint32{0, 1, 4294967295}, x.values)
	x, err = read("cc", "10 10\n20 4294967300\n30 30\n") // vertices, by their ids in the file
	require.NoError(t, err)
	assert.Equal(t, []uint64{10, 4294967300, 30}, x.values)
	x, err = read("pagerank", "10 0.5\n20 NaN\n30 1e-3\n")
	require.NoError(t, err)
	assert.InDelta(t, 0.5, x.values.([]float32)[0], 0)
	for text, want := range map[string]string{
		"10 0\n20\n":                           `want.txt:2: "20" is not a vertex and its value; write them with a tab or spaces between`,
		"10 0 0\n":                             `want.txt:1: "10 0 0" is not a vertex and its value; write them with a tab or spaces between`,
		"x 0\n":                                `want.txt:1: "x" is not the id of a vertex; write one as in the graph's file`,
		"10 0\n11 0\n":                         `want.txt:2: graph three has no vertex 11`,
		"99999999999999999999 0\n":             `want.txt:1: graph three has no vertex 99999999999999999999`,
		"10 0\n20 1\n10 0\n":                   `want.txt:3: vertex 10 has a value already, in line 1`,
		"10 1.5\n":                             `want.txt:1: the value of vertex 10: "1.5" is not a whole number from 0 to 4294967295`,
		"10 -1\n":                              `want.txt:1: the value of vertex 10: "-1" is not a whole number from 0 to 4294967295`,
		"10 0\n30 1\n":                         `want.txt: vertex 20 has no value; it has values of 2 of 3 vertices`,
		"":                                     `want.txt: vertex 10 has no value; it has values of 0 of 3 vertices`,
		"10 0\n" + strings.Repeat("1", 70_000): `want.txt:2: the line is too long; write a vertex and its value`,
	} {
		_, err := read("bfs", text)
		require.EqualError(t, err, want)
	}
}

// TestExpected checks that a run is compared with the answer of a file instead
// of the reference.
func TestExpected(t *testing.T) {
	q := request(t, "func")
	e, err := catalog.Lookup(q.Algorithm, q.Scheduler)
	require.NoError(t, err)
	var right strings.Builder
	first, err := Run(t.Context(), q)
	require.NoError(t, err)
	assert.Empty(t, first.Against)
	require.NoError(t, WriteAnswer(&right, q.Graph, first.Values))
	for text, want := range map[string]string{
		right.String(): "",
		strings.Replace(right.String(), "15\t6", "15\t7", 1): "wrong answer: bfs: vertex 15 has level 6, want.txt level 7; 1 of 16 vertices is wrong",
	} {
		q.Expected, err = ReadExpected(t.Context(), strings.NewReader(text), "want.txt", e, q.Graph)
		require.NoError(t, err)
		r, err := Run(t.Context(), q)
		require.NoError(t, err)
		assert.Equal(t, "want.txt", r.Against)
		if want == "" {
			require.NoError(t, r.Err())
			assert.Equal(t, AnswerVerified, r.Answer)
		} else {
			require.EqualError(t, r.Err(), want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := Run(ctx, q)
	require.Error(t, err)
	if r != nil {
		assert.Equal(t, AnswerIncomplete, r.Answer)
	}
}

// TestNoVertex checks that no vertex stays none in the numbers of the file, also if the graph is permuted, and that a summary and
// a file of answers know it.
func TestNoVertex(t *testing.T) {
	g, _, err := graph.FromEdges(t.Context(), "two", 3, []graph.Edge{{From: 2, To: 1}}, graph.LoadOptions{Permute: 4})
	require.NoError(t, err)
	q := request(t, "func")
	q.Algorithm, q.Graph = "parents", g
	q.Source, err = ParseSource("2")
	require.NoError(t, err)
	r, err := Run(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, AnswerVerified, r.Answer, "%v", r.Why)
	byID := map[uint64]uint64{}
	for v, x := range r.Values.([]uint64) {
		byID[g.FileID(uint32(v))] = x
	}
	assert.Equal(t, map[uint64]uint64{0: 1<<64 - 1, 1: 2, 2: 2}, byID)
	assert.Equal(t, "2 to 2, 1 not reached", summarize(r.Values, true))
	var text strings.Builder
	require.NoError(t, WriteAnswer(&text, g, r.Values))
	e, err := catalog.Lookup("parents", "thread")
	require.NoError(t, err)
	x, err := ReadExpected(t.Context(), strings.NewReader(text.String()), "want.txt", e, g)
	require.NoError(t, err)
	assert.Equal(t, r.Values, x.values)
}
