package graph_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
)

// TestHash checks that the hash is of the arcs and weights, and of nothing else.
func TestHash(t *testing.T) {
	dir := t.TempDir()
	hashOf := func(name, text string, opt graph.LoadOptions) string {
		var b bytes.Buffer
		b.WriteString(text)
		if filepath.Ext(name) == ".gz" {
			b.Reset()
			z := gzip.NewWriter(&b)
			_, err := z.Write([]byte(text))
			require.NoError(t, err)
			require.NoError(t, z.Close())
		}
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, b.Bytes(), 0o666))
		g, _, err := graph.Open(t.Context(), file, opt)
		require.NoError(t, err)
		return g.Hash()
	}
	const head = "%%MatrixMarket matrix coordinate pattern general\n4 4 4\n"
	mtx := hashOf("a.mtx", head+"1 2\n1 3\n3 1\n4 1\n", graph.LoadOptions{})
	require.Equal(t, mtx, hashOf("b.txt.gz", "# arcs\n0 1\n0 2\n2 0\n3 0\n", graph.LoadOptions{}), "another format")
	require.Equal(t, mtx, hashOf("renamed.mtx", head+"% a comment\n4 1\n3 1\n1 3\n1 2\n", graph.LoadOptions{}), "another name and order")
	require.NotEqual(t, mtx, hashOf("c.mtx", head+"1 2\n1 3\n3 1\n4 2\n", graph.LoadOptions{}), "another arc")
	require.NotEqual(t, mtx, hashOf("d.mtx", "%%MatrixMarket matrix coordinate pattern general\n5 5 4\n1 2\n1 3\n3 1\n4 1\n", graph.LoadOptions{}), "another vertex")
	unit := hashOf("a.mtx", head+"1 2\n1 3\n3 1\n4 1\n", graph.LoadOptions{Weights: graph.WeightsUnit})
	require.NotEqual(t, mtx, unit, "weights")
	const weighted = "%%MatrixMarket matrix coordinate integer general\n4 4 4\n1 2 1\n1 3 1\n3 1 1\n"
	require.Equal(t, unit, hashOf("e.mtx", weighted+"4 1 1\n", graph.LoadOptions{}))
	require.NotEqual(t, unit, hashOf("f.mtx", weighted+"4 1 2\n", graph.LoadOptions{}), "another weight")
	require.NotEqual(t, mtx, hashOf("a.mtx", head+"1 2\n1 3\n3 1\n4 1\n", graph.LoadOptions{Permute: 3}), "another order of the vertices")

	// Two vertices, an arc from 0 to 1 of weight 7, by hand.
	g := &graph.CSR{Row: []uint64{0, 1, 1}, Col: []uint32{1}, Weight: []uint32{7}}
	sum := sha256.Sum256([]byte("\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00" + "\x01\x00\x00\x00" + "\x07\x00\x00\x00"))
	require.Equal(t, hex.EncodeToString(sum[:]), g.Hash())
}

// TestHashLong has more words than one block.
func TestHashLong(t *testing.T) {
	a, _, err := graph.Open(t.Context(), "rmat:scale=12,degree=8,seed=1", graph.LoadOptions{})
	require.NoError(t, err)
	b, _, err := graph.Open(t.Context(), "rmat:scale=12,degree=8,seed=1", graph.LoadOptions{})
	require.NoError(t, err)
	require.Equal(t, a.Hash(), b.Hash())
	b.Col[len(b.Col)-1] ^= 1
	require.NotEqual(t, a.Hash(), b.Hash())
}
