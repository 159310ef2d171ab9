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

// TestOut compares tiles that are stored, and those that are copied in bulk, with what the CPU computes: in plain Go, on func with checks
// for races, and on simulated machines with one and with several threads.
func TestOut(t *testing.T) {
	c := compile.New()
	c.Mount(pipeline.Sources.Path, pipeline.Sources.Files)
	data, _ := words(50)
	want := make([]uint32, len(data))
	for i, x := range data {
		want[i] = pipeline.Mix(x, steps)
	}
	kernels := map[string]func(gpu.Thread, []uint32, uint32, []uint32){"MixPlain": pipeline.MixPlain, "MixBulk": pipeline.MixBulk}
	for name, kernel := range kernels {
		out := make([]uint32, len(data))
		require.NoError(t, gpu.Launch(3, pipeline.Tile, func(th gpu.Thread) { kernel(th, data, steps, out) }))
		require.Equal(t, want, out, name)
	}
	launch := func(d device.Device, name string) uint64 {
		k, err := c.Kernel(t.Context(), "pipeline."+name, nil)
		require.NoError(t, err)
		in, err := d.Alloc("data", device.U32, len(data))
		require.NoError(t, err)
		require.NoError(t, d.Write(in, data))
		out, err := d.Alloc("out", device.U32, len(data))
		require.NoError(t, err)
		rep, err := d.Launch(t.Context(), device.Launch{Kernel: k, Grid: 3, Block: pipeline.Tile, Args: []any{in, uint32(steps), out}})
		require.NoError(t, err)
		got := make([]uint32, len(data))
		require.NoError(t, d.Read(out, got))
		require.Equal(t, want, got, name)
		return rep.Cycles
	}
	for name := range kernels {
		races := device.NewRaces()
		launch(function.New(function.Options{Races: races}), name)
		require.Empty(t, races.List(), name)
		launch(function.New(function.Options{}), name)
		for _, machine := range []string{"tiny", "h200"} {
			cfg, err := config.Load(machine)
			require.NoError(t, err)
			cycles := map[int]uint64{}
			for _, threads := range []int{1, 3} {
				d, err := sim.New(cfg, sim.Options{Threads: threads, Strict: true})
				require.NoError(t, err)
				cycles[threads] = launch(d, name)
			}
			assert.Equal(t, cycles[1], cycles[3], "%s on %s", name, machine)
		}
	}
}
