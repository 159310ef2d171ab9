package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMeasure writes both files of a simulated H200, and refuses what cannot be measured.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, measure(t.Context(), "sim:h200", dir, "128", 1))
	for file, lines := range map[string]int{"products.csv": 184, "matrices.csv": 3} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		assert.Equal(t, lines, strings.Count(string(text), "\n"), file)
	}
	for _, c := range []struct {
		device, rows string
		times        int
		want         string
	}{
		{"sim:h200", "100", 1, `-rows: "100" is no multiple of 128`},
		{"sim:h200", "128,", 1, `-rows: "" is no multiple of 128`},
		{"sim:h200", "128", 0, "-times: 0 is not positive"},
		{"sim:v100", "128", 1, "needs compute capability 9.0; v100 has 7.0"},
		{"sim:h201", "128", 1, "h201"},
	} {
		assert.ErrorContains(t, measure(t.Context(), c.device, dir, c.rows, c.times), c.want)
	}
}
