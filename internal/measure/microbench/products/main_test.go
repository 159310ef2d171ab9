package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMeasure writes the files of a simulated H200, and refuses what cannot be measured.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, measure(t.Context(), "sim:h200", dir, "products,matrices,attention", "Grouped,Tensor,Plain", "128", "128", 2, 1))
	for file, lines := range map[string]int{"products.csv": 184, "matrices.csv": 3, "attention.csv": 6} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		assert.Equal(t, lines, strings.Count(string(text), "\n"), file)
	}
	for _, c := range []struct {
		device, rows, keys string
		heads, times       int
		want               string
	}{
		{"sim:h200", "100", "128", 1, 1, `-rows: "100" is no multiple of 128`},
		{"sim:h200", "128,", "128", 1, 1, `-rows: "" is no multiple of 128`},
		{"sim:h200", "128", "128,64", 1, 1, `-keys: "64" is no multiple of 128`},
		{"sim:h200", "128", "128", 0, 1, "-heads: 0 is not positive"},
		{"sim:h200", "128", "128", 1, 0, "-times: 0 is not positive"},
		{"sim:v100", "128", "128", 1, 1, "needs compute capability 9.0; v100 has 7.0"},
		{"sim:h201", "128", "128", 1, 1, "h201"},
	} {
		assert.ErrorContains(t, measure(t.Context(), c.device, dir, "products,matrices,attention", "Grouped", c.rows, c.keys, c.heads, c.times), c.want)
	}
	assert.EqualError(t, measure(t.Context(), "sim:h200", dir, "matrices,times", "Grouped", "128", "128", 1, 1), `-parts: "times" is none of products, matrices, attention`)
	assert.EqualError(t, measure(t.Context(), "sim:h200", dir, "matrices", "Group", "128", "128", 1, 1), `-kernels: "Group" is none of Grouped, Tensor, Plain`)
	only := t.TempDir()
	require.NoError(t, measure(t.Context(), "sim:h200", only, "matrices", "Grouped", "128", "128", 1, 1))
	files, err := os.ReadDir(only)
	require.NoError(t, err)
	require.Len(t, files, 1)
	text, err := os.ReadFile(filepath.Join(only, "matrices.csv"))
	require.NoError(t, err)
	assert.Regexp(t, `^Grouped,128 rows,1,[0-9.]+ us\n$`, string(text))
}
