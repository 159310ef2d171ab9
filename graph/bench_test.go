package graph

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// benchText returns a graph of a million arcs as text in the given format.
func benchText(b *testing.B, format string) string {
	b.Helper()
	g := open(b, "uniform:n=65536,degree=16")
	var s strings.Builder
	each := func(line string, first int, weighted bool) {
		for u := range g.Vertices() {
			for _, v := range g.Neighbors(uint32(u)) {
				if weighted {
					fmt.Fprintf(&s, line, u+first, int(v)+first, HashWeight(uint32(u), v))
				} else {
					fmt.Fprintf(&s, line, u+first, int(v)+first)
				}
			}
		}
	}
	switch format {
	case "mtx":
		fmt.Fprintf(&s, "%%%%MatrixMarket matrix coordinate pattern general\n%d %d %d\n", g.Vertices(), g.Vertices(), g.Arcs())
		each("%d %d\n", 1, false)
	case "mtx-real":
		fmt.Fprintf(&s, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", g.Vertices(), g.Vertices(), g.Arcs())
		each("%d %d %d.0\n", 1, true)
	case "snap":
		each("%d\t%d\n", 0, false)
	case "dimacs":
		fmt.Fprintf(&s, "p sp %d %d\n", g.Vertices(), g.Arcs())
		each("a %d %d %d\n", 1, true)
	case "metis":
		h := symmetrized(b, g)
		fmt.Fprintf(&s, "%d %d\n", h.Vertices(), h.Arcs()/2)
		for u := range h.Vertices() {
			for _, v := range h.Neighbors(uint32(u)) {
				fmt.Fprintf(&s, "%d ", v+1)
			}
			s.WriteString("\n")
		}
	}
	return s.String()
}

// BenchmarkRead reads a million arcs (two million for METIS), plain and compressed; MB/s
// refer to the text.
func BenchmarkRead(b *testing.B) {
	for _, format := range []string{"mtx", "mtx-real", "snap", "dimacs", "metis"} {
		text := benchText(b, format)
		name, _, _ := strings.Cut(format, "-")
		for _, packed := range []bool{false, true} {
			data, kind := []byte(text), format+"/plain"
			if packed {
				data, kind = pack(b, text), format+"/gzip"
			}
			b.Run(kind, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					_, _, err := Read(context.Background(), "a", bytes.NewReader(data), int64(len(data)), LoadOptions{Format: name})
					require.NoError(b, err)
				}
			})
		}
	}
}

// BenchmarkCorpus loads each available real graph; MB/s refer to the uncompressed text.
func BenchmarkCorpus(b *testing.B) {
	for _, c := range corpus {
		path, ok := corpusPath(c.file)
		if !ok {
			continue
		}
		b.Run(c.file, func(b *testing.B) {
			b.SetBytes(unpackedSize(b, path))
			for b.Loop() {
				_, _, err := Open(context.Background(), path, LoadOptions{})
				require.NoError(b, err)
			}
		})
	}
}

func unpackedSize(b *testing.B, path string) int64 {
	f, err := os.Open(path)
	require.NoError(b, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(b, err)
	n, err := io.Copy(io.Discard, z)
	require.NoError(b, err)
	return n
}

// BenchmarkGenerate makes graphs of about a million arcs; "arcs/s" is the rate.
func BenchmarkGenerate(b *testing.B) {
	for _, spec := range []string{"rmat:scale=16,degree=16", "uniform:n=65536,degree=16", "grid:width=600,keep=0.7", "smallworld:n=131072,degree=8"} {
		b.Run(spec, func(b *testing.B) {
			arcs := 0
			for b.Loop() {
				arcs += open(b, spec).Arcs()
			}
			b.ReportMetric(float64(arcs)/b.Elapsed().Seconds(), "arcs/s")
		})
	}
}

// BenchmarkFacts describes the demo graph.
func BenchmarkFacts(b *testing.B) {
	g := open(b, DemoName)
	b.ReportAllocs()
	for b.Loop() {
		facts(b, g)
	}
}

// BenchmarkPower multiplies matrices: a social network, a mesh and an R-MAT graph.
func BenchmarkPower(b *testing.B) {
	for _, spec := range []string{DemoName, "grid:width=64,keep=0.8,seed=1", "rmat:scale=12,degree=8,seed=1"} {
		g := open(b, spec)
		for power := 2; power <= MaxPower; power++ {
			b.Run(fmt.Sprintf("%s power %d", spec, power), func(b *testing.B) {
				arcs := 0
				for b.Loop() {
					p, err := g.raised(b.Context(), power, nil)
					require.NoError(b, err)
					arcs = p.Arcs()
				}
				b.ReportMetric(float64(arcs), "arcs")
			})
		}
	}
}
