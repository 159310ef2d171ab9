package generate

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
)

func TestMain(m *testing.M) { os.Exit(golden.Run(m, "testdata/*.txt")) }

// TestCorpusIsCurrent checks that the seeds give the kernels for which they were
// chosen. After a change of the generator, choose them anew, and -update.
func TestCorpusIsCurrent(t *testing.T) {
	kernels, err := OfSeeds(Seeds)
	require.NoError(t, err)
	var text strings.Builder
	for _, k := range kernels {
		fmt.Fprintf(&text, "%s %d blocks of %d threads, ends %q, %d lines, %x\n", k.Name, k.Grid, k.Block, k.Ends, strings.Count(k.Source, "\n"), sha256.Sum256([]byte(k.Source)))
	}
	golden.Check(t, filepath.Join("testdata", "corpus.txt"), text.String())
}

// TestOverlay checks that an overlay has the kernels of the seeds, and a table
// of them.
func TestOverlay(t *testing.T) {
	dir := t.TempDir()
	replace, err := Replace("../../../..", dir, []uint64{70001, 70002})
	require.NoError(t, err)
	var text strings.Builder
	for file, at := range replace {
		assert.NoFileExists(t, file, "an overlay adds it")
		b, err := os.ReadFile(at)
		require.NoError(t, err)
		text.Write(b)
	}
	for _, name := range []string{"K70001", "K70002"} {
		assert.Contains(t, text.String(), "func "+name+"(")
		assert.Contains(t, text.String(), "{\""+name+"\", "+name+", ")
	}
	assert.NotContains(t, text.String(), "func K005(")
	_, err = Overlay(t.TempDir(), dir, nil)
	assert.ErrorContains(t, err, "this is not the root of the project")
}
