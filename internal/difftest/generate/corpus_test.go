package generate

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the committed corpus")

const corpusDir = "../corpus"

// The committed corpus is what the generator makes.
func TestCorpusIsCurrent(t *testing.T) {
	files, err := Corpus(Seeds)
	require.NoError(t, err)
	old, err := filepath.Glob(filepath.Join(corpusDir, "kernels*.go"))
	require.NoError(t, err)
	if *update {
		for _, f := range old {
			require.NoError(t, os.Remove(f))
		}
		for _, f := range files {
			require.NoError(t, os.WriteFile(filepath.Join(corpusDir, f.Name), []byte(f.Text), 0o644))
		}
		return
	}
	require.Len(t, old, len(files)-1, "go test ./internal/difftest/generate -update rewrites the corpus")
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(corpusDir, f.Name))
		require.NoError(t, err)
		require.True(t, string(text) == f.Text, "%s is not what the generator makes; go test ./internal/difftest/generate -update rewrites the corpus", f.Name)
	}
}
