package compile

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
)

func TestLint(t *testing.T) {
	text, err := os.ReadFile("testdata/lint/races.go")
	require.NoError(t, err)
	c := New(ownSources...)
	c.Mount("lint", fstest.MapFS{"races.go": {Data: text}})
	ws, err := c.Lint(t.Context(), "lint")
	require.NoError(t, err)
	var got strings.Builder
	for _, w := range ws {
		got.WriteString(w.String() + "\n")
	}
	golden.Check(t, "testdata/lint/races.txt", got.String())
	require.NotContains(t, got.String(), "Fine")

	_, err = c.Lint(t.Context(), "nowhere")
	require.ErrorContains(t, err, `no package "nowhere"`)
}

func TestLintOwn(t *testing.T) {
	c := New(ownSources...)
	for _, name := range composed() {
		require.Empty(t, LintKernel(kernel(t, c, name, nil)), name)
	}
}
