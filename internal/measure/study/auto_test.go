package study

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestAuto checks that auto is a candidate like any other, and that the record says what was run, on which kind of graph.
func TestAuto(t *testing.T) {
	b := onTiny(t)
	b.Spec.Runs = []Runs{{Algorithm: "bfs", Graphs: []string{"grid"}, Candidates: []Candidate{
		{Scheduler: catalog.Auto, Params: map[string]any{"block": 64}}, {Scheduler: catalog.Auto, Params: map[string]any{"nothing": 1}}, {Scheduler: "warp"}}}}
	require.NoError(t, b.Spec.Check(), "the parameters of auto are checked when the graph is known")
	f := &File{}
	_, err := b.Run(t.Context(), f)
	require.NoError(t, err)
	require.Len(t, f.Rows, 3)
	r := f.Rows[0]
	require.Empty(t, r.Error)
	assert.Equal(t, Key{"grid", "bfs", "auto", "block=64"}, r.Key)
	require.NotNil(t, r.Chosen)
	assert.Equal(t, "simdx", r.Chosen.Scheme)
	assert.Equal(t, ByReference, r.Checked)
	assert.Len(t, r.Seconds, 3)
	assert.Contains(t, f.Rows[1].Error, `unknown parameter of bfs by simdx "nothing"`)
	assert.Nil(t, f.Rows[2].Chosen)
	assert.Equal(t, "auto (simdx blocks=64)", r.scheme())
	assert.Equal(t, "warp", f.Rows[2].scheme())
	require.Len(t, f.Graphs, 1)
	assert.Equal(t, r.Chosen.Facts, f.Graphs[0].Shape)

	var text bytes.Buffer
	require.NoError(t, f.Write(&text))
	again, err := Read(text.Bytes())
	require.NoError(t, err)
	require.Equal(t, f, again)
	b.Again = true
	_, err = b.Run(t.Context(), again)
	require.NoError(t, err)
	assert.Len(t, again.Graphs, 1)
}
