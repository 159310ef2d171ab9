package graph

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// endless repeats a gzip member without end, after another one.
type endless struct {
	first, member []byte
	at            int
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.first) > 0 {
		n := copy(p, e.first)
		e.first = e.first[n:]
		return n, nil
	}
	n := copy(p, e.member[e.at:])
	e.at = (e.at + n) % len(e.member)
	return n, nil
}

// packed compresses a text.
func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

// TestEndlessPacked reads gzip data that expand a thousandfold and without end: reading ends with
// the context, with an error of the text, or before memory is used up.
func TestEndlessPacked(t *testing.T) {
	const mib = 1 << 20
	fill := func(line string) string { return strings.Repeat(line, mib/len(line)) }
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(512 * mib))
	for _, c := range []struct {
		name, first, repeat, want string // want is empty if only the context ends reading
	}{
		{"zeros.txt", "", fill("\x00"), "is not a text file: byte 0x00 at offset 0"},
		{"line.mtx", "%%MatrixMarket matrix coordinate pattern general\n", fill("x"), "the line is longer than"},
		{"empty.txt", "0 1\n", "", ""},
		{"newlines.txt", "0 1\n", fill("\n"), ""},
		{"comments.txt", "0 1\n", fill("# a comment\n"), ""},
		{"comments.gr", "p sp 2 1\n", fill("c a comment\n"), ""},
		{"comments.mtx", "%%MatrixMarket matrix coordinate pattern general\n", fill("% a comment\n"), ""},
		{"comments.graph", "% a comment\n", fill("% a comment\n"), ""},
		{"loops.txt", "0 1\n", fill("7 7\n"), ""},
		{"more.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n", fill("1 2\n"), "more.mtx:4: entry 2, but the header says 1"},
		{"line.graph", "2 1\n", fill("1 2 1 2 1 2 1 2 "), "line.graph: a line of more than"},
		{"edges.txt", "0 1\n", fill("1 2\n"), "of memory, and"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.want == "" {
				time.AfterFunc(200*time.Millisecond, cancel)
			}
			_, _, err := Read(ctx, c.name, &endless{first: packed(t, c.first), member: packed(t, c.repeat)}, 0, LoadOptions{})
			var mem runtime.MemStats
			runtime.ReadMemStats(&mem)
			assert.Less(t, mem.HeapSys-mem.HeapReleased, uint64(600*mib))
			if c.want == "" {
				require.ErrorIs(t, err, context.Canceled)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}
