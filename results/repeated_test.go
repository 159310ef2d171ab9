package results_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/results"
)

// TestRepeated checks that a record is written as it was read, and what rows and graphs replace.
func TestRepeated(t *testing.T) {
	text := `{
 "sessions": [
  {"gpu":"NVIDIA H200","driver":"580","cuda":13000,"sms":132,"clock_mhz":1980,"memory_mhz":3201,"clocks":"","event_us":1.7,"date":"2026-11-22","commit":"","command":"weft"}
 ],
 "rows": [
  {"graph":"g","algorithm":"bfs","scheduler":"auto","params":"block=64, queues=4","session":0,"chosen_by":{"chosen":"simdx","parameters":{"blocks":"64"}},"checked":"values","solve_seconds":[2,1]}
 ]
}
`
	f, err := results.ReadRepeated([]byte(text))
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, f.Write(&b))
	require.Equal(t, text, b.String())
	r := f.Rows[0]
	assert.Equal(t, map[string]string{"block": "64", "queues": "4"}, r.Values())
	scheme, params, ok := r.Choice()
	assert.True(t, ok)
	assert.Equal(t, "simdx", scheme)
	assert.Equal(t, map[string]string{"blocks": "64"}, params)

	r.Checked = results.ByReference
	f.Put(r)
	require.Len(t, f.Rows, 1)
	assert.Equal(t, results.ByReference, f.Find(r.Key).Checked)
	f.Put(results.Row{Key: results.Key{Graph: "h"}})
	require.Len(t, f.Rows, 2)
	for _, vertices := range []uint64{3, 4} {
		g := results.Graph{Name: "g"}
		g.Shape.Vertices = vertices
		f.Describe(g)
	}
	require.Len(t, f.Graphs, 1)
	assert.EqualValues(t, 4, f.Graphs[0].Shape.Vertices)
	_, err = results.ReadRepeated([]byte(`{"rows":[{"graph":"g","session":1}]}`))
	require.EqualError(t, err, "row g: there is no session 1")
}

// TestSpread compares with quartiles computed by hand.
func TestSpread(t *testing.T) {
	assert.Equal(t, results.Spread{Min: 1, Q1: 2, Median: 3, Q3: 4, Max: 5}, results.SpreadOf([]float64{5, 3, 1, 2, 4}))
	assert.Equal(t, results.Spread{Min: 1, Q1: 1.75, Median: 2.5, Q3: 3.25, Max: 4}, results.SpreadOf([]float64{4, 3, 2, 1}))
	assert.Equal(t, results.Spread{Min: 7, Q1: 7, Median: 7, Q3: 7, Max: 7}, results.SpreadOf([]float64{7}))
}
