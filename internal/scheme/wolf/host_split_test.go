//go:build !kernel

package wolf

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// The edges of figure 5.2 in its order, and of each the shared index.
var (
	figureSource = []uint32{2, 0, 1, 2, 0, 3, 4, 2, 3}
	figureDest   = []uint32{3, 1, 3, 4, 2, 5, 5, 1, 4}
	figureValue  = []uint32{1, 3, 5, 6, 12, 9, 2, 6, 7}
	figureShared = []uint32{0, 1, 0, 2, 3, 0, 0, 1, 2}
)

// TestFigure52 reads the graph of the figure from a file with its edges in the figure's order, and
// checks the arrays of the figure: two edge blocks, of five and four edges.
func TestFigure52(t *testing.T) {
	var text strings.Builder
	for i, u := range figureSource {
		fmt.Fprintln(&text, u, figureDest[i], figureValue[i])
	}
	path := filepath.Join(t.TempDir(), "figure.txt")
	require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o600))
	g, _, err := graph.Open(t.Context(), path, graph.LoadOptions{})
	require.NoError(t, err)
	values, err := New().Values(map[string]string{"order": "file", "edges": "all", "edges-per-block": "5"})
	require.NoError(t, err)
	l := &loop{Loop: &scheduler.Loop{Job: scheduler.Job{Graph: g, Params: values}}}
	source, ordered, err := l.list(t.Context())
	require.NoError(t, err)
	require.Equal(t, figureSource, source)
	require.Equal(t, figureDest, ordered.Col)
	require.Equal(t, figureValue, ordered.Weight)
	s, err := newSplit(t.Context(), ordered, 5, 0)
	require.NoError(t, err)
	require.Equal(t, []uint32{0, 5, 9}, s.begin)
	require.Equal(t, figureShared, s.slot)
	require.Equal(t, []uint32{0, 4, 7}, s.first)
	require.Equal(t, []uint32{3, 1, 4, 2, 5, 1, 4}, s.vertex, "the local vertex value arrays of the two blocks")
	row, home := s.homes(source, 6)
	require.Equal(t, []uint32{0, 1, 2, 4, 5, 6, 6}, row)
	require.Equal(t, []uint32{0, 0, 0, 1, 1, 1}, home, "vertex 2 has edges in both blocks")
}

// TestSplit splits nine edges that are ordered by source into blocks of five and four, and by the
// number of destinations.
func TestSplit(t *testing.T) {
	g := &graph.CSR{Name: "g", Row: []uint64{0, 2, 4, 6, 8, 8, 9}, Col: []uint32{1, 4, 2, 3, 3, 4, 1, 5, 1}}
	require.Equal(t, []uint32{0, 0, 1, 1, 2, 2, 3, 3, 5}, sources(g))
	s, err := newSplit(t.Context(), g, 5, 0)
	require.NoError(t, err)
	require.Equal(t, []uint32{0, 1, 2, 3, 3, 0, 1, 2, 1}, s.slot, "slots begin at 0 in each block; equal destinations share one")
	require.Equal(t, []uint32{0, 4, 7}, s.first)
	require.Equal(t, []uint32{1, 4, 2, 3, 4, 1, 5}, s.vertex)
	require.Equal(t, []uint32{0, 5, 9}, s.begin)
	require.Equal(t, s.begin, evenly(9, 5).begin)

	s, err = newSplit(t.Context(), g, 100, 3)
	require.NoError(t, err)
	require.Equal(t, []uint32{0, 3, 7, 9}, s.begin, "destinations 1 4 2, 3 4 1, 5 1")
	require.Equal(t, []uint32{0, 1, 2, 0, 0, 1, 2, 0, 1}, s.slot)
	require.Equal(t, []uint32{0, 3, 6, 8}, s.first)
	s, err = newSplit(t.Context(), g, 2, 1)
	require.NoError(t, err)
	require.Equal(t, []uint32{0, 1, 2, 3, 5, 6, 7, 8, 9}, s.begin, "3 and 3 meet in a block; 1, 5 and 1 cannot")

	s, err = newSplit(t.Context(), &graph.CSR{Name: "no edges", Row: []uint64{0, 0}}, 5, 0)
	require.NoError(t, err)
	require.Equal(t, []uint32{0, 0}, s.first, "one block without slots")
	require.Equal(t, []uint32{0, 0}, s.begin)
	require.Equal(t, s.begin, evenly(0, 5).begin)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = newSplit(ctx, g, 5, 0)
	require.ErrorIs(t, err, context.Canceled)
}

func TestEdgesPerBlock(t *testing.T) {
	kepler := device.Occupancy{BlocksPerSM: 16, SMs: 15, SharedFree: 3072}
	hopper := device.Occupancy{BlocksPerSM: 16, SMs: 132, SharedFree: 13568}
	for _, c := range []struct {
		occ                  device.Occupancy
		threads, bytes, arcs int
		want                 int
	}{
		{kepler, 128, 4, 5e6, 768},                             // 48 KiB for 16 blocks
		{kepler, 128, 8, 5e6, 384},                             // values of 64 bits
		{hopper, 128, 4, 1e8, 3328},                            // 26 edges per thread
		{hopper, 128, 4, 730100, 384},                          // what gives each of 132 SMs 16 blocks
		{hopper, 128, 4, 100, 128},                             // at least one edge per thread
		{device.Occupancy{BlocksPerSM: 1}, 1024, 4, 5e6, 1024}, // also if that lowers the occupancy
	} {
		require.Equal(t, c.want, edgesPerBlock(c.occ, c.threads, c.bytes, c.arcs), "%+v", c)
	}
}

// BenchmarkSplit measures the preparation of a graph: the sources and slots of all edges.
func BenchmarkSplit(b *testing.B) {
	g, _, err := graph.Open(context.Background(), "rmat:scale=16,degree=16,seed=1", graph.LoadOptions{})
	require.NoError(b, err)
	for b.Loop() {
		sources(g)
		_, err := newSplit(context.Background(), g, 768, 0)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(g.Arcs())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Medges/s")
}
