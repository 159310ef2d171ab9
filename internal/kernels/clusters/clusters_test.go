//go:build !kernel

package clusters_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/kernels/clusters"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// keysOf returns keys, of which some are no bins, and how often each bin is one.
func keysOf(n, bins int) (keys, want []uint32) {
	want = make([]uint32, bins)
	for i := range n {
		key := uint32(i) * 2654435761 >> 7 % uint32(bins+bins/8)
		keys = append(keys, key)
		if int(key) < bins {
			want[key]++
		}
	}
	return keys, want
}

// heat returns cells and what becomes of them in some steps, in rows of a number of cells.
func heat(n, row, steps int) (cells, want []float32) {
	for i := range n {
		cells = append(cells, float32(i*i%1000))
	}
	now := append([]float32(nil), cells...)
	for range steps {
		next := make([]float32, n)
		for i, here := range now {
			left, right := here, here
			if i%row > 0 {
				left = now[i-1]
			}
			if i%row < row-1 {
				right = now[i+1]
			}
			next[i] = (left + 2*here + right) / 4
		}
		now = next
	}
	return cells, now
}

// TestNative runs the kernels as plain Go.
func TestNative(t *testing.T) {
	for _, size := range []int{1, 2, 4} {
		keys, want := keysOf(3000, clusters.Bins*size)
		counts := make([]uint32, len(want))
		require.NoError(t, gpu.Launch(2*size, 64, func(th gpu.Thread) { clusters.Histogram(th, keys, counts) }, gpu.ClusterSize(size)))
		require.Equal(t, want, counts)
		counts = make([]uint32, len(want))
		require.NoError(t, gpu.Launch(2, 64, func(th gpu.Thread) { clusters.HistogramGlobal(th, keys, counts) }))
		require.Equal(t, want, counts)
		cells, after := heat(2*size*clusters.Cells, size*clusters.Cells, 3)
		from, to := append([]float32(nil), cells...), make([]float32, len(cells))
		require.NoError(t, gpu.Launch(2*size, clusters.Threads, func(th gpu.Thread) { clusters.HeatGlobal(th, from, to, 3) }, gpu.ClusterSize(size)))
		require.Equal(t, after, to)
		require.NoError(t, gpu.Launch(2*size, clusters.Threads, func(th gpu.Thread) { clusters.Heat(th, cells, 3) }, gpu.ClusterSize(size)))
		require.Equal(t, after, cells)
	}
}

// TestDevices compares what devices compute with the CPU.
func TestDevices(t *testing.T) {
	c := compile.New()
	c.Mount(clusters.Sources.Path, clusters.Sources.Files)
	for _, on := range []struct {
		device string
		sizes  []int
	}{
		{"func", []int{1, 2, 4, 8}}, {"tiny", []int{1, 2}}, {"h200", []int{1, 2, 4, 8}}, {"h100", []int{1, 2, 4, 8}},
	} {
		for _, size := range on.sizes {
			t.Run(fmt.Sprint(on.device, "/", size), func(t *testing.T) {
				d := opened(t, on.device)
				defer func() { require.NoError(t, d.Close()) }()
				keys, want := keysOf(20_000, clusters.Bins*size)
				require.Equal(t, want, counted(t, c, d, "Histogram", 4*size, size, keys, len(want)))
				require.Equal(t, want, counted(t, c, d, "HistogramGlobal", 4, 1, keys, len(want)))
				for _, steps := range []int{0, 1, 4} {
					cells, after := heat(2*size*clusters.Cells, size*clusters.Cells, steps)
					require.Equal(t, after, spread(t, c, d, "Heat", size, cells, steps))
					require.Equal(t, after, spread(t, c, d, "HeatGlobal", size, cells, steps))
				}
			})
		}
	}
}

// TestNoRaces looks for races of the kernels.
func TestNoRaces(t *testing.T) {
	c := compile.New()
	c.Mount(clusters.Sources.Path, clusters.Sources.Files)
	for _, on := range []string{"func", "h200"} {
		for _, size := range []int{1, 2, 4} {
			races := device.NewRaces()
			d := checked(t, on, races)
			keys, want := keysOf(2000, clusters.Bins*size)
			require.Equal(t, want, counted(t, c, d, "Histogram", 2*size, size, keys, len(want)))
			cells, after := heat(2*size*clusters.Cells, size*clusters.Cells, 3)
			require.Equal(t, after, spread(t, c, d, "Heat", size, cells, 3))
			require.Empty(t, races.List(), "%s, clusters of %d", on, size)
			require.NoError(t, d.Close())
		}
	}
}

// opened opens func or a simulated machine.
func opened(t *testing.T, name string) device.Device { return checked(t, name, nil) }

// checked opens func or a simulated machine that looks for races, unless races is nil.
func checked(t *testing.T, name string, races *device.Races) device.Device {
	if name == "func" {
		return function.New(function.Options{Races: races})
	}
	cfg, err := config.Load(name)
	require.NoError(t, err)
	d, err := sim.New(cfg, sim.Options{Races: races})
	require.NoError(t, err)
	return d
}

// launched launches a kernel with buffers of data, which it fills with what is there afterwards.
func launched(t *testing.T, c *compile.Compiler, d device.Device, kernel string, grid, block, size int, args ...any) {
	k, err := c.Kernel(t.Context(), "clusters."+kernel, nil)
	require.NoError(t, err)
	var given []any
	var buffers []device.Buffer
	for _, a := range args {
		var b device.Buffer
		switch data := a.(type) {
		case []uint32:
			b, err = d.Alloc("words", device.U32, len(data))
		case []float32:
			b, err = d.Alloc("cells", device.F32, len(data))
		default:
			given = append(given, a)
			continue
		}
		require.NoError(t, err)
		require.NoError(t, d.Write(b, a))
		given, buffers = append(given, b), append(buffers, b)
	}
	_, err = d.Launch(t.Context(), device.Launch{Kernel: k, Grid: grid, Block: block, Cluster: size, Args: given})
	require.NoError(t, err)
	for _, a := range args {
		switch a.(type) {
		case []uint32, []float32:
			require.NoError(t, d.Read(buffers[0], a))
			buffers = buffers[1:]
		}
	}
}

func counted(t *testing.T, c *compile.Compiler, d device.Device, kernel string, grid, size int, keys []uint32, bins int) []uint32 {
	counts := make([]uint32, bins)
	launched(t, c, d, kernel, grid, 128, size, keys, counts)
	return counts
}

func spread(t *testing.T, c *compile.Compiler, d device.Device, kernel string, size int, cells []float32, steps int) []float32 {
	cells, other := append([]float32(nil), cells...), make([]float32, len(cells))
	if kernel == "Heat" {
		launched(t, c, d, kernel, 2*size, clusters.Threads, size, cells, uint32(steps))
		return cells
	}
	launched(t, c, d, kernel, 2*size, clusters.Threads, size, cells, other, uint32(steps))
	if steps%2 == 1 {
		return other
	}
	return cells
}
