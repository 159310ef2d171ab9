package sim_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/kernels/clusters"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// onH100 are times of kernels on an H100 in us, by blocks of a cluster: results/hw/clusters/h100-kernels.csv. Only the latency, the rates
// and the barrier of other programs went into the machine's parameters.
var onH100 = []struct {
	kernel  string
	cluster int
	us      float64
}{
	{"Histogram", 1, 17.6}, {"Histogram", 2, 36.0}, {"Histogram", 4, 67.4}, {"Histogram", 8, 73.3},
	{"Heat", 1, 105.0}, {"Heat", 2, 110.9}, {"Heat", 4, 115.5}, {"Heat", 8, 118.3},
}

// TestHeavyClustersMeasured compares the times of kernels with clusters with those of an H100.
func TestHeavyClustersMeasured(t *testing.T) {
	c := compile.New()
	c.Mount(clusters.Sources.Path, clusters.Sources.Files)
	cfg, err := config.Load("h100")
	require.NoError(t, err)
	sum := 0.0
	for _, m := range onH100 {
		d, err := sim.New(cfg, sim.Options{})
		require.NoError(t, err)
		k, err := c.Kernel(t.Context(), "clusters."+m.kernel, nil)
		require.NoError(t, err)
		l := device.Launch{Kernel: k, Grid: 264, Block: 512, Cluster: m.cluster}
		if m.kernel == "Heat" {
			l.Grid, l.Block = 128, clusters.Threads
			cells, err := d.Alloc("cells", device.F32, 128*clusters.Cells)
			require.NoError(t, err)
			require.NoError(t, d.Write(cells, make([]float32, 128*clusters.Cells)))
			l.Args = []any{cells, uint32(100)}
		} else {
			keys, err := d.Alloc("keys", device.U32, 4_000_000)
			require.NoError(t, err)
			list, x := make([]uint32, 4_000_000), uint32(1)
			for i := range list {
				x = x*1664525 + 1013904223
				list[i] = x >> 8 % uint32(clusters.Bins*m.cluster)
			}
			require.NoError(t, d.Write(keys, list))
			counts, err := d.Alloc("counts", device.U32, clusters.Bins*m.cluster)
			require.NoError(t, err)
			require.NoError(t, d.Write(counts, make([]uint32, clusters.Bins*m.cluster)))
			l.Args = []any{keys, counts}
		}
		r, err := d.Launch(t.Context(), l)
		require.NoError(t, err)
		ratio := r.Seconds * 1e6 / m.us
		t.Logf("%s, clusters of %d: %.1f us simulated, %.1f measured", m.kernel, m.cluster, r.Seconds*1e6, m.us)
		require.InDelta(t, 1, ratio, 0.4, "%s, clusters of %d", m.kernel, m.cluster)
		sum += math.Abs(ratio - 1)
	}
	require.Less(t, sum/float64(len(onH100)), 0.16, "mean error")
}

// TestClusterPlaces checks that the blocks of a cluster are on different SMs of one group, and that a cluster waits for room for all.
func TestClusterPlaces(t *testing.T) {
	cfg, err := config.Load("h200")
	require.NoError(t, err)
	const size, grid = 8, 240
	d, err := sim.New(cfg, sim.Options{})
	require.NoError(t, err)
	out, err := d.Alloc("out", device.U32, grid)
	require.NoError(t, err)
	require.NoError(t, d.Write(out, make([]uint32, grid)))
	_, err = d.Launch(t.Context(), device.Launch{Kernel: kernelOf(t, "ClusterSM"), Grid: grid, Block: 1024, Cluster: size, Args: []any{out}})
	require.NoError(t, err)
	sms := make([]uint32, grid)
	require.NoError(t, d.Read(out, sms))
	used := map[uint32]bool{}
	for first := 0; first < grid; first += size {
		seen := map[uint32]bool{}
		for _, sm := range sms[first : first+size] {
			require.False(t, seen[sm], "two blocks of a cluster on SM %d", sm)
			require.Equal(t, sms[first]/2*8/66, sm/2*8/66, "SMs %d and %d are in different groups", sms[first], sm)
			seen[sm], used[sm] = true, true
		}
	}
	require.Greater(t, len(used), 120, "SMs with blocks")
}

// TestClusterTooLarge checks what a machine refuses.
func TestClusterTooLarge(t *testing.T) {
	for _, c := range []struct {
		machine        string
		cluster, block int
		shared         int
		what           string
	}{
		{"tiny", 16, 1024, 0, "a cluster of 16 blocks of 1024 threads; at most 2 fit a group of 2 SMs at once (1 an SM, by warps)"},
		{"a100", 2, 32, 0, "clusters need compute capability 9.0; a100 has 8.0"},
	} {
		cfg, err := config.Load(c.machine)
		require.NoError(t, err)
		d, err := sim.New(cfg, sim.Options{})
		require.NoError(t, err)
		out, err := d.Alloc("out", device.U32, 16)
		require.NoError(t, err)
		_, err = d.Launch(t.Context(), device.Launch{Kernel: kernelOf(t, "ClusterSM"), Grid: 16, Block: c.block, Cluster: c.cluster, DynamicShared: c.shared, Args: []any{out}})
		require.ErrorContains(t, err, c.what, fmt.Sprint(c.machine))
	}
}

// kernelOf returns a kernel of package testkernels.
func kernelOf(t *testing.T, name string) *device.Kernel {
	kernels, err := devicetest.Kernels()
	require.NoError(t, err)
	k, err := kernels.Kernel(t.Context(), "testkernels."+name, nil)
	require.NoError(t, err)
	return k
}
