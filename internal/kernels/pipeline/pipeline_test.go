//go:build !kernel

package pipeline_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/kernels/pipeline"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// steps are those of Mix.
const steps = 100

// words returns numbers and the sum of what Mix makes of them.
func words(tiles int) (list []uint32, sum uint32) {
	for i := range tiles * pipeline.Tile {
		list = append(list, uint32(i)*2654435761)
		sum += pipeline.Mix(list[i], steps)
	}
	return list, sum
}

// TestNative runs the kernels as plain Go.
func TestNative(t *testing.T) {
	data, want := words(21)
	for stages := uint32(pipeline.Producers); stages <= pipeline.MaxStages; stages++ {
		out := make([]uint32, 1)
		require.NoError(t, gpu.Launch(2, pipeline.Threads, func(th gpu.Thread) { pipeline.Ring(th, data, steps, stages, out) }))
		assert.Equal(t, want, out[0], "%d stages", stages)
		out[0] = 0
		require.NoError(t, gpu.Launch(2, pipeline.BulkThreads, func(th gpu.Thread) { pipeline.RingBulk(th, data, steps, stages, out) }))
		assert.Equal(t, want, out[0], "%d stages, copies in bulk", stages)
	}
	out := make([]uint32, 2)
	require.NoError(t, gpu.Launch(2, pipeline.Threads, func(th gpu.Thread) { pipeline.Plain(th, data, steps, out) }))
	assert.Equal(t, want, out[0])
	require.NoError(t, gpu.Launch(2, pipeline.Tile, func(th gpu.Thread) { pipeline.RingAsync(th, data, steps, out[1:]) }))
	assert.Equal(t, want, out[1])
}

// TestDevices compares the sums of devices, with checks for races, with that of the CPU, and checks that the simulation does not
// depend on the number of threads that simulate.
func TestDevices(t *testing.T) {
	c := compile.New()
	c.Mount(pipeline.Sources.Path, pipeline.Sources.Files)
	data, want := words(150)
	launch := func(d device.Device, kernel string, threads int, args ...any) uint64 {
		k, err := c.Kernel(t.Context(), "pipeline."+kernel, nil)
		require.NoError(t, err)
		in, err := d.Alloc("data", device.U32, len(data))
		require.NoError(t, err)
		require.NoError(t, d.Write(in, data))
		out, err := d.Alloc("out", device.U32, 1)
		require.NoError(t, err)
		require.NoError(t, d.Write(out, []uint32{0}))
		rep, err := d.Launch(t.Context(), device.Launch{Kernel: k, Grid: 3, Block: threads, Args: append(append([]any{in, uint32(steps)}, args...), out)})
		require.NoError(t, err)
		got := []uint32{0}
		require.NoError(t, d.Read(out, got))
		require.Equal(t, want, got[0], "%s %v", kernel, args)
		return rep.Cycles
	}
	all := func(open func(races *device.Races) device.Device) (cycles []uint64) {
		races := device.NewRaces()
		d := open(races)
		cycles = append(cycles, launch(d, "Plain", pipeline.Threads), launch(d, "RingAsync", pipeline.Tile), launch(d, "RingBulk", pipeline.BulkThreads, uint32(pipeline.MaxStages)))
		for stages := uint32(pipeline.Producers); stages <= pipeline.MaxStages; stages++ {
			cycles = append(cycles, launch(d, "Ring", pipeline.Threads, stages))
		}
		require.Empty(t, races.List())
		require.NoError(t, d.Close())
		return cycles
	}
	all(func(races *device.Races) device.Device { return function.New(function.Options{Races: races}) })
	for _, machine := range []string{"tiny", "h200"} {
		cfg, err := config.Load(machine)
		require.NoError(t, err)
		on := func(threads int) []uint64 {
			return all(func(*device.Races) device.Device {
				d, err := sim.New(cfg, sim.Options{Threads: threads, Strict: true})
				require.NoError(t, err)
				return d
			})
		}
		one := on(1)
		assert.Equal(t, one, on(3), "%s: threads that simulate", machine)
		assert.Less(t, one[len(one)-1], one[0], "%s: a ring of eight buffers takes less time than barriers of the block: %v", machine, one)
		assert.Less(t, one[1], one[0], "%s: copies that are begun seven tiles ahead take less time than loads: %v", machine, one)
		assert.Less(t, one[2], one[0], "%s: copies in bulk take less time than loads: %v", machine, one)
		t.Log(machine, one)
	}
}
