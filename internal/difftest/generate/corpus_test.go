package generate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/golden"
)

func TestMain(m *testing.M) { os.Exit(golden.Run(m, "../corpus/kernels*.go")) }

// The committed corpus is the generator's output.
func TestCorpusIsCurrent(t *testing.T) {
	files, err := Corpus(Seeds)
	require.NoError(t, err)
	for _, f := range files {
		golden.Check(t, filepath.Join("..", "corpus", f.Name), f.Text)
	}
}
