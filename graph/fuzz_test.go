package graph

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fuzzReader passes arbitrary data to a reader; options determine how it is loaded.
func fuzzReader(f *testing.F, format string, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s), uint8(0))
		f.Add([]byte(s), uint8(7))
		f.Add(pack(f, s), uint8(2))
	}
	quick(f)
	f.Fuzz(func(t *testing.T, data []byte, options uint8) { readAnything(t, format, data, options) })
}

// quick makes reading small texts fast.
func quick(f *testing.F) {
	buffer, vertices := lineBuffer, alwaysVertices
	f.Cleanup(func() { lineBuffer, alwaysVertices = buffer, vertices })
	lineBuffer, alwaysVertices = 1<<12, 1<<8
}

// readAnything reads data. The reader must not panic, must return either an error or a
// valid graph, and must not allocate memory out of proportion to the data. A graph that was
// read, written to a file and read again must be the same.
func readAnything(t *testing.T, format string, data []byte, options uint8) {
	opt := LoadOptions{Symmetrize: options&1 != 0, KeepSelfLoops: options&2 != 0, Weights: WeightMode(options >> 2 % 6), Format: format}
	before := allocated()
	g, notes, err := read("fuzz", string(data), opt)
	took := allocated() - before
	// A header may state 64 vertices per byte; one byte of a compressed file can expand to
	// 258 bytes of an edge list.
	const always, perByte = 1 << 20, 16 << 10
	require.Less(t, took, always+perByte*uint64(len(data)))
	if err != nil {
		assert.Nil(t, g)
		assert.Nil(t, notes)
		return
	}
	require.NoError(t, g.Validate())
	if opt.Symmetrize {
		require.True(t, g.Symmetric)
	}
	switch opt.Weights {
	case WeightsAuto:
		require.True(t, g.Weight == nil || g.BadWeights == nil)
	case WeightsNone:
		require.Nil(t, g.Weight)
	default:
		require.NotNil(t, g.Weight)
		require.NoError(t, g.BadWeights)
	}
	for v := range uint32(min(g.Vertices(), 10)) {
		back, ok := g.VertexOf(g.FileID(v))
		require.True(t, ok)
		require.Equal(t, v, back)
	}
	if options >= 64 || g.Vertices() > 2000 || g.Arcs() > 2000 {
		return // for speed: not all need it
	}
	h, _ := mustRead(t, "again.mtx", asMatrixMarket(g), LoadOptions{KeepSelfLoops: true})
	require.Equal(t, rows(g), rows(h))
	if g.Arcs() > 0 {
		require.Equal(t, g.Weight, h.Weight)
	}
	require.Equal(t, g.Symmetric, h.Symmetric)
}

// allocated returns the number of bytes allocated so far. Unlike runtime.ReadMemStats it
// does not stop the world; it may miss a few KiB in the caches of processors.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// asMatrixMarket returns g in Matrix Market format.
func asMatrixMarket(g *CSR) string {
	var s strings.Builder
	field := map[bool]string{true: "integer", false: "pattern"}[g.Weight != nil]
	fmt.Fprintf(&s, "%%%%MatrixMarket matrix coordinate %s general\n%d %d %d\n", field, g.Vertices(), g.Vertices(), g.Arcs())
	for u := range uint32(g.Vertices()) {
		for i, v := range g.Neighbors(u) {
			fmt.Fprint(&s, u+1, v+1)
			if g.Weight != nil {
				fmt.Fprint(&s, " ", g.Weights(u)[i])
			}
			s.WriteByte('\n')
		}
	}
	return s.String()
}

// FuzzPacked compresses its input, so that the text is damaged and not the gzip data.
func FuzzPacked(f *testing.F) {
	f.Add([]byte("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 1\n3 2\n"), uint8(0), uint8(0))
	f.Add([]byte("# Nodes: 3 Edges: 2\n0 1\n7\t9\r\n"), uint8(3), uint8(1))
	f.Add([]byte("p sp 3 2\na 1 2 5\na 3 1 0\n"), uint8(5), uint8(2))
	f.Add([]byte("3 2\n2 3\n1\n1\n"), uint8(7), uint8(3))
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	require.NoError(f, err)
	quick(f)
	f.Fuzz(func(t *testing.T, data []byte, options, format uint8) {
		packed.Reset()
		z.Reset(&packed)
		_, err := z.Write(data)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		readAnything(t, formats[int(format)%len(formats)].name, packed.Bytes(), options)
	})
}

func FuzzMatrixMarket(f *testing.F) {
	fuzzReader(f, "mtx",
		"%%MatrixMarket matrix coordinate pattern symmetric\n% c\n3 3 3\n2 1\n3 1\n3 2\n",
		"%%MatrixMarket matrix coordinate real general\n3 3 3\n2 1 1.5\n3 3 -1e9\n3 2 7\n",
		"%%MatrixMarket matrix coordinate integer general\n4294967295 4294967295 1\n1 1 1",
		"%%MatrixMarket matrix coordinate integer general\n2 2 18446744073709551615\n")
}

func FuzzEdgeList(f *testing.F) {
	fuzzReader(f, "snap", "# Nodes: 3 Edges: 2\n0 1\n7\t9\r\n", "0 1 5\n1 0 7 8\n", "0 4294967295\n4294967295 1\n", "1 18446744073709551615\n")
}

func FuzzDIMACS(f *testing.F) {
	fuzzReader(f, "dimacs", "c x\np sp 3 2\na 1 2 5\na 3 1 0\n", "p sp 4294967295 9223372036854775807\n", "p sp 2 1\na 1 1 -3.5\n")
}

func FuzzMETIS(f *testing.F) {
	fuzzReader(f, "metis", "% x\n3 2\n2 3\n1\n1\n", "2 1 111 2\n9 8 7 2 5\n9 8 7 1 5\n", "4294967295 9223372036854775807 11\n1 1\n", "2 2\n1 2\n1\n")
}

func FuzzSpecification(f *testing.F) {
	for _, s := range []string{"scale=5", "n=10,degree=2", "width=3,keep=0.5", "n=10,rewire=1,seed=3,", "scale=31", "n=1,,degree=0", "a=1e9", "seed=18446744073709551615"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, args string) {
		for _, gen := range generators {
			v, err := gen.parse(args)
			if err != nil || v.whole["scale"] > 10 || v.whole["n"] > 1000 || v.whole["width"] > 50 || v.whole["height"] > 50 || v.whole["degree"] > 50 {
				continue
			}
			g, _, err := generate(context.Background(), gen, gen.name+":"+args, args, LoadOptions{})
			if err == nil {
				require.NoError(t, g.Validate())
			}
		}
	})
}

// TestLyingHeadersTakeNoMemory measures how much memory readers allocate for wrong headers
// of a few bytes.
func TestLyingHeadersTakeNoMemory(t *testing.T) {
	for file, text := range map[string]string{
		"vertices.mtx":   "%%MatrixMarket matrix coordinate integer general\n4294967295 4294967295 1\n1 1 1\n",
		"entries.mtx":    "%%MatrixMarket matrix coordinate integer general\n2 2 9000000000000000000\n1 1 1\n",
		"vertices.gr":    "p sp 4294967295 1\na 1 2 3\n",
		"arcs.gr":        "p sp 2 9000000000000000000\na 1 2 3\n",
		"vertices.graph": "4294967295 1\n2\n1\n",
		"edges.graph":    "2 4000000000000000000\n2\n1\n",
		"ids.txt":        "0 4294967295\n4294967294 1\n",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, _ = read(file, text, LoadOptions{})
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), file)
	}
}
