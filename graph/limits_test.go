package graph

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// A compressed file can state many vertices in few bytes, since equal lines cost almost
// nothing.
func TestPackedHeaderTakesNoMemory(t *testing.T) {
	const entries = 2_000_000
	for file, head := range map[string]string{
		"a.mtx": "%%MatrixMarket matrix coordinate pattern general\n500000000 500000000 2000001\n", "a.gr": "p sp 500000000 2000001\n",
	} {
		line := map[string]string{"a.mtx": "1 1\n", "a.gr": "a 1 1 1\n"}[file]
		data := pack(t, head+strings.Repeat(line, entries)+strings.ReplaceAll(line, "1 1", "500000000 1"))
		require.Less(t, len(data), 40_000)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := Read(t.Context(), file, bytes.NewReader(data), int64(len(data)), LoadOptions{})
		runtime.ReadMemStats(&after)
		require.ErrorContains(t, err, file+": the header says 500000000 vertices, but the file has only ")
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(128<<20), "edges that are there")
	}
}

// limitMemory allows Go n bytes more than it has.
func limitMemory(t *testing.T, n int64) {
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := debug.SetMemoryLimit(int64(m.Sys-m.HeapReleased) + n)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
}

// If something needs more memory than there is, the error says how much, before anything is
// allocated.
func TestNotEnoughMemory(t *testing.T) {
	limitMemory(t, 64<<20)
	for _, spec := range []string{"rmat:scale=26,degree=8", "rmat:scale=30,degree=0", "uniform:n=20000000,degree=8", "grid:width=20000", "smallworld:n=9000000", "rmat:scale=22,degree=2,shuffle=false",
		"grid:width=60000", "rmat:scale=30,degree=16", "uniform:n=4000000000", "rmat:scale=31,degree=1048576"} {
		_, _, err := Open(t.Context(), spec, LoadOptions{})
		var e *memory.Error
		require.ErrorAs(t, err, &e, spec)
		assert.Greater(t, e.Needed, e.Available)
		kind, _, _ := strings.Cut(spec, ":")
		assert.Regexp(t, "^generator "+kind+`: a graph of \d+ vertices and \d+ arcs needs [\d.]+ [MGT]iB of memory, and [\d.]+ MiB are available$`, err.Error())
	}
	// An endless stream.
	endless := &repeat{text: []byte("1 2\n")}
	_, _, err := Read(t.Context(), "stream.txt", endless, 0, LoadOptions{})
	require.Regexp(t, `^stream\.txt: a graph of \d+ edges or more needs [\d.]+ MiB of memory, and [\d.]+ MiB are available$`, err.Error())
	var fe *FileError
	require.ErrorAs(t, err, &fe)
	// An endless line, in the format that allows long lines.
	_, _, err = Read(t.Context(), "stream.graph", io.MultiReader(strings.NewReader("9 9\n"), &repeat{text: []byte("3 ")}), 0, LoadOptions{})
	require.Error(t, err)

	big := &CSR{Name: "big", Row: make([]uint64, 2), Col: make([]uint32, 12<<20)}
	big.Row[1] = uint64(len(big.Col))
	for what, f := range map[string]func() error{
		`transposing the 12582912 arcs of graph "big" needs`:   func() error { _, err := big.Transpose(t.Context()); return err },
		`transposing the 12582912 arcs of graph "big" nee`:     func() error { _, err := big.Symmetrize(t.Context()); return err },
		`the weights of the 12582912 arcs of graph "big" need`: func() error { _, _, err := big.WithWeights(t.Context()); return err },
	} {
		err := f()
		var e *memory.Error
		require.ErrorAs(t, err, &e)
		assert.ErrorContains(t, err, what)
	}
}

// repeat is an endless text.
type repeat struct {
	text []byte
	at   int
}

func (r *repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.text[r.at]
		r.at = (r.at + 1) % len(r.text)
	}
	return len(p), nil
}

// ending is a context that is done after it was checked a number of times.
type ending struct {
	context.Context
	looks atomic.Int64
}

func (e *ending) Err() error {
	if e.looks.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func endingAfter(looks int) *ending {
	e := &ending{Context: context.Background()}
	e.looks.Store(int64(looks))
	return e
}

// looks returns how often f checks its context.
func looks(f func(ctx context.Context) error) int {
	e := endingAfter(math.MaxInt)
	if err := f(e); err != nil {
		return 0
	}
	return math.MaxInt - int(e.looks.Load())
}

// Everything that takes time with a graph stops when its context is done, at every check.
func TestAllEndsWithTheContext(t *testing.T) {
	directed, both := open(t, "rmat:scale=15,degree=8,directed=true"), open(t, "rmat:scale=15,degree=8")
	sparse := &strings.Builder{}
	for i := range uint64(300_000) {
		fmt.Fprintf(sparse, "%d %d\n", mix64(i)>>33, mix64(i+1<<40)>>33)
	}
	load := func(spec string, opt LoadOptions) func(ctx context.Context) error {
		return func(ctx context.Context) error { _, _, err := Open(ctx, spec, opt); return err }
	}
	for name, f := range map[string]func(ctx context.Context) error{
		"facts":          func(ctx context.Context) error { _, err := directed.Facts(ctx); return err },
		"symmetric":      func(ctx context.Context) error { _, err := directed.Symmetrize(ctx); return err },
		"transpose":      func(ctx context.Context) error { _, err := directed.Transpose(ctx); return err },
		"weights":        func(ctx context.Context) error { _, _, err := directed.WithWeights(ctx); return err },
		"is symmetric":   func(ctx context.Context) error { _, err := isSymmetric(ctx, both); return err },
		"rmat":           load("rmat:scale=15,degree=8", LoadOptions{}),
		"uniform":        load("uniform:n=30000,degree=8", LoadOptions{}),
		"uniform, steep": load("uniform:n=2000,degree=1000", LoadOptions{}),
		"grid":           load("grid:width=300", LoadOptions{}),
		"small world":    load("smallworld:n=30000,degree=8", LoadOptions{}),
		"with weights":   load("rmat:scale=15,degree=8,directed=true", LoadOptions{Symmetrize: true, Weights: WeightsHash}),
		"power":          load("rmat:scale=10,degree=8,directed=true", LoadOptions{Power: 3}),
		"file":           load(DemoName, LoadOptions{}),
		"sparse ids": func(ctx context.Context) error {
			_, _, err := Read(ctx, "a.txt", strings.NewReader(sparse.String()), 0, LoadOptions{})
			return err
		},
	} {
		n := looks(f)
		require.Greater(t, n, 2, name)
		for _, after := range []int{0, 1, n / 3, n / 2, n - 1} {
			e := endingAfter(after)
			require.ErrorIs(t, f(e), context.Canceled, "%s, after %d looks of %d", name, after, n)
		}
	}
}

// Merging the sorted halves gives the same result as one sort.
func TestSortUnique(t *testing.T) {
	var s []uint32
	for i := range uint64(1 << 20) {
		s = append(s, uint32(mix64(i)>>45)) // each number about twice
	}
	seen := map[uint32]bool{}
	for _, x := range s {
		seen[x] = true
	}
	got, err := sortUnique(t.Context(), s, make([]uint32, 0, len(s)))
	require.NoError(t, err)
	require.Len(t, got, len(seen))
	for i, x := range got {
		require.True(t, seen[x])
		require.True(t, i == 0 || got[i-1] < x)
	}
}
