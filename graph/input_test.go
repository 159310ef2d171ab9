package graph

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const smallEdges = "0 1\n1 2\n2 0\n"

func TestGzip(t *testing.T) {
	ctx := context.Background()
	want, _ := mustRead(t, "a.txt", smallEdges, LoadOptions{})
	for name, data := range map[string][]byte{
		"a.txt.gz":        pack(t, smallEdges),
		"misnamed.txt":    pack(t, smallEdges),                                         // recognized by its first bytes
		"unpacked.txt.gz": []byte(smallEdges),                                          // not compressed, despite its name
		"members.txt.gz":  append(pack(t, smallEdges[:6]), pack(t, smallEdges[6:])...), // cut within a line
	} {
		g, _, err := Open(ctx, write(t, name, data), LoadOptions{})
		require.NoError(t, err, name)
		assert.Equal(t, rows(want), rows(g), name)
	}
}

func TestDamagedGzip(t *testing.T) {
	var long strings.Builder
	for i := range 100_000 {
		long.WriteString(string(rune('0'+i%10)) + " " + string(rune('0'+i*i%7)) + "\n")
	}
	packed := pack(t, long.String())
	flipped := bytes.Clone(packed)
	flipped[len(flipped)-6] ^= 1 // in the checksum
	garbled := bytes.Clone(packed)
	for i := range 20 {
		garbled[100+i] = 0xff
	}
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"cut off in the data", packed[:len(packed)/2], "the gzip data ends early; the file is truncated"},
		{"cut off in the checksum", packed[:len(packed)-3], "the gzip data ends early; the file is truncated"},
		{"cut off in the header", packed[:5], "the gzip data ends early; the file is truncated"},
		{"checksum", flipped, "the gzip checksum does not match; the file is damaged"},
		{"garbled", garbled, "the gzip data is damaged"},
		{"more bytes", append(bytes.Clone(packed), "garbage behind"...), "the gzip header is damaged, or other data follows the gzip data"},
		{"second member cut off", append(bytes.Clone(packed), packed[:len(packed)/2]...), "the gzip data ends early; the file is truncated"},
		{"empty member", pack(t, ""), "the file is empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, "a.txt.gz", test.data)
			g, notes, err := Open(context.Background(), path, LoadOptions{})
			require.EqualError(t, err, path+": "+test.want)
			assert.Nil(t, g)
			assert.Nil(t, notes)
		})
	}
}

func TestFilesThatAreNone(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	_, _, err := Open(ctx, dir, LoadOptions{})
	require.EqualError(t, err, dir+": is a directory; name a graph file in it")

	help := "generators: rmat:scale=20,degree=16,seed=1 uniform:n=100000,degree=16,seed=1 " +
		"grid:width=512,keep=0.7,seed=1 smallworld:n=100000,degree=8,rewire=0.1,seed=1"
	missing := filepath.Join(dir, "none.mtx")
	_, _, err = Open(ctx, missing, LoadOptions{})
	require.EqualError(t, err, missing+`: no such file or directory; a graph is a file, a generator or "demo"; `+help)
	require.ErrorIs(t, err, fs.ErrNotExist)

	_, _, err = Open(ctx, "rmatt:scale=3", LoadOptions{})
	require.EqualError(t, err, `rmatt:scale=3: no such file or directory, and no generator "rmatt"; `+help)

	_, _, err = Open(ctx, "", LoadOptions{})
	require.EqualError(t, err, `no graph given: name a file, a generator or "demo"; `+help)
}

// TestReadErrorMidway checks that a read error is reported and not mistaken for the end of
// the file.
func TestReadErrorMidway(t *testing.T) {
	broken := io.MultiReader(strings.NewReader(smallEdges), iotest.ErrReader(errors.New("disk on fire")))
	g, _, err := Read(context.Background(), "a.txt", broken, 0, LoadOptions{})
	require.EqualError(t, err, "a.txt: disk on fire")
	assert.Nil(t, g)

	g, _, err = Read(context.Background(), "a.txt", idle{}, 0, LoadOptions{})
	require.ErrorIs(t, err, io.ErrNoProgress)
	assert.Nil(t, g)
}

// idle is a reader that returns no data and does not end.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// TestSmallReads checks that lines do not depend on the sizes of the reads.
func TestSmallReads(t *testing.T) {
	want, _ := mustRead(t, "a.txt", smallEdges, LoadOptions{})
	g, _, err := Read(context.Background(), "a.txt", iotest.OneByteReader(strings.NewReader(smallEdges)), 0, LoadOptions{})
	require.NoError(t, err)
	assert.Equal(t, rows(want), rows(g))
}

// TestLongMETISLine has a line several times as long as the buffer.
func TestLongMETISLine(t *testing.T) {
	const n = 200_000
	var b strings.Builder
	b.WriteString("200000 199999\n")
	for v := 2; v <= n; v++ {
		b.WriteString(" ")
		b.WriteString(itoa(v))
	}
	b.WriteString(strings.Repeat("\n1", n-1))
	g, _ := mustRead(t, "star.graph", b.String(), LoadOptions{})
	assert.Equal(t, n-1, g.Degree(0))
	assert.Equal(t, []uint32{0}, g.Neighbors(n-1))
}

func itoa(v int) string {
	var b []byte
	for ; v > 0; v /= 10 {
		b = append([]byte{byte('0' + v%10)}, b...)
	}
	return string(b)
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, spec := range []string{DemoName, "testdata/karate.mtx.gz", "rmat:scale=10", "uniform:n=1000", "grid:width=100", "smallworld:n=100"} {
		g, _, err := Open(ctx, spec, LoadOptions{})
		require.ErrorIs(t, err, context.Canceled, spec)
		assert.Nil(t, g, spec)
	}
	// Midway: the progress callback cancels the context.
	ctx, cancel = context.WithCancel(context.Background())
	calls := 0
	_, _, err := Open(ctx, "testdata/luxembourg_osm.mtx.gz", LoadOptions{Progress: func(done, total int64) {
		calls++
		cancel()
	}})
	require.ErrorIs(t, err, context.Canceled)
	assert.EqualError(t, err, "testdata/luxembourg_osm.mtx.gz: reading was stopped: context canceled")
	assert.Equal(t, 1, calls)
}

func TestProgress(t *testing.T) {
	var last, size int64
	calls := 0
	_, _, err := Open(context.Background(), "testdata/luxembourg_osm.mtx.gz", LoadOptions{Progress: func(done, total int64) {
		assert.Greater(t, done, last)
		last, size = done, total
		calls++
	}})
	require.NoError(t, err)
	assert.Equal(t, size, last, "the last call is at the end")
	assert.Greater(t, calls, 1)
}

func TestDemo(t *testing.T) {
	g, _, err := Open(context.Background(), DemoName, LoadOptions{})
	require.NoError(t, err)
	assert.Equal(t, "wiki-Vote", g.Name)
	assert.Equal(t, 7115, g.Vertices())
	assert.Equal(t, 103_689, g.Arcs())
	assert.Contains(t, DemoNotice, g.Name)
	_, _, err = Open(context.Background(), DemoName, LoadOptions{Format: "metis"})
	require.NoError(t, err, "a format asked for is that of files")
}
