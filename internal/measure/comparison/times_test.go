package comparison

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/results"
)

// TestTwoH200 checks that what results/hw/h200x2 says of the simulator follows from its files: times that were simulated,
// and times that were measured.
func TestTwoH200(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "results", "hw", "h200x2")
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		return text
	}
	var table TimeTable
	require.NoError(t, json.Unmarshal(read("simulated.json"), &table))
	record, err := results.ReadRepeated(read("times.json"))
	require.NoError(t, err)
	recorded := map[string]results.Row{}
	for _, r := range record.Rows {
		recorded[r.Graph+r.Algorithm+r.Params] = r
	}
	by := map[string]int{}
	for _, r := range table.Rows {
		b, ok := recorded[r.Graph+r.Algorithm+format.Assignments(r.Params)]
		require.True(t, ok, "%+v", r)
		require.InDelta(t, results.SpreadOf(b.Seconds).Median, r.B, 1e-15)
		require.InDelta(t, results.SpreadOf(b.KernelSeconds).Median, r.KernelsB, 1e-15)
		require.InDelta(t, r.A/r.B-1, float64(r.Error), 1e-12)
		by[r.Graph]++
	}
	assert.GreaterOrEqual(t, len(by), 3)
	for name, n := range by {
		assert.Equal(t, 20, n, name) // five algorithms, two exchanges, two ways
	}
	was := table.Summary
	table.summarize()
	assert.Equal(t, was, table.Summary)
	assert.Less(t, table.Summary.Mean, 0.15)
	for _, p := range table.Parts {
		if p.What == "graph" {
			assert.Less(t, p.Mean, 0.15, p.Value)
		}
	}
	var text bytes.Buffer
	table.Text(&text)
	_, summary, ok := strings.Cut(text.String(), "\n\n"+summed(table.Summary))
	require.True(t, ok)
	assert.Contains(t, string(read("README.md")), "```text\n"+summed(table.Summary)+summary+"```\n")
}
