//go:build !kernel

package wolf

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
)

// TestSplit splits nine edges into blocks of five and four, as figure 5.2 does, with the
// edges ordered by source.
func TestSplit(t *testing.T) {
	g := &graph.CSR{Name: "g", Row: []uint64{0, 2, 4, 6, 8, 8, 9}, Col: []uint32{1, 4, 2, 3, 3, 4, 1, 5, 1}}
	require.Equal(t, []uint32{0, 0, 1, 1, 2, 2, 3, 3, 5}, sources(g))
	s, err := newSplit(t.Context(), g, 5)
	require.NoError(t, err)
	require.Equal(t, []uint32{0, 1, 2, 3, 3, 0, 1, 2, 1}, s.slot, "slots begin at 0 in each block; equal destinations share one")
	require.Equal(t, []uint32{0, 4, 7}, s.first)
	require.Equal(t, []uint32{1, 4, 2, 3, 4, 1, 5}, s.vertex)

	s, err = newSplit(t.Context(), &graph.CSR{Name: "no edges", Row: []uint64{0, 0}}, 5)
	require.NoError(t, err)
	require.Equal(t, []uint32{0, 0}, s.first, "one block without slots")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = newSplit(ctx, g, 5)
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
		_, err := newSplit(context.Background(), g, 768)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(g.Arcs())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Medges/s")
}
