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
	names, err := c.Entries("lint")
	require.NoError(t, err)
	var found []Warning
	for _, name := range names {
		found = append(found, LintKernel(kernel(t, c, name, nil))...)
	}
	var got strings.Builder
	for _, w := range tidyWarnings(found) {
		got.WriteString(w.String() + "\n")
	}
	golden.Check(t, "testdata/lint/races.txt", got.String())
	require.NotContains(t, got.String(), "Fine")
}

func TestLintOwn(t *testing.T) {
	c := New(ownSources...)
	for _, name := range composed() {
		require.Empty(t, LintKernel(kernel(t, c, name, nil)), name)
	}
}
