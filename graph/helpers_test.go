package graph

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// read loads a graph from a text, as if from a file of that name.
func read(name, text string, opt LoadOptions) (*CSR, Notes, error) {
	return Read(context.Background(), name, strings.NewReader(text), int64(len(text)), opt)
}

// mustRead loads a graph from a text that must be valid.
func mustRead(t testing.TB, name, text string, opt LoadOptions) (*CSR, Notes) {
	t.Helper()
	g, notes, err := read(name, text, opt)
	require.NoError(t, err)
	require.NoError(t, g.Validate())
	return g, notes
}

// open returns the graph of a specification that must be valid.
func open(t testing.TB, spec string) *CSR {
	t.Helper()
	g, _, err := Open(context.Background(), spec, LoadOptions{})
	require.NoError(t, err)
	require.NoError(t, g.Validate())
	return g
}

// rows returns a graph as lists of neighbors.
func rows(g *CSR) [][]uint32 {
	r := make([][]uint32, g.Vertices())
	for v := range r {
		r[v] = append([]uint32{}, g.Neighbors(uint32(v))...)
	}
	return r
}

// pack compresses a text with gzip.
func pack(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

// write writes a file to a directory of the test.
func write(t testing.TB, name string, data []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, data, 0o644))
	return path
}

// texts returns the sentences of the notes.
func texts(notes Notes) []string {
	var s []string
	for _, n := range notes {
		s = append(s, n.String())
	}
	return s
}

// symmetrized returns g made symmetric.
func symmetrized(t testing.TB, g *CSR) *CSR {
	t.Helper()
	s, err := g.Symmetrize(t.Context())
	require.NoError(t, err)
	return s
}

// transposed returns g with all arcs reversed.
func transposed(t testing.TB, g *CSR) *CSR {
	t.Helper()
	s, err := g.Transpose(t.Context())
	require.NoError(t, err)
	return s
}

// facts returns the facts of g.
func facts(t testing.TB, g *CSR) Facts {
	t.Helper()
	f, err := g.Facts(t.Context())
	require.NoError(t, err)
	return f
}
