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

// smoothed is what Smooth computes. Sums of these small integers are exact in any order.
func smoothed(in []float32, wide, high, pitch int) []float32 {
	out := make([]float32, len(in))
	at := func(x, y int) float32 {
		if x < 0 || x >= wide || y < 0 || y >= high {
			return 0
		}
		return in[y*pitch+x]
	}
	for y := range high {
		for x := range wide {
			out[y*pitch+x] = at(x, y) + at(x-1, y) + at(x+1, y) + at(x, y-1) + at(x, y+1)
		}
	}
	return out
}

// TestSmooth compares a stencil over boxes of tensors, and one with loads, with the CPU: on matrices that are no multiple of a tile, in plain
// Go, on func with checks for races, and on simulated machines, strict ones and with several threads.
func TestSmooth(t *testing.T) {
	c := compile.New()
	c.Mount(pipeline.Sources.Path, pipeline.Sources.Files)
	box, out := [2]uint32{pipeline.BoxWide, pipeline.BoxHigh}, [2]uint32{pipeline.SmoothWide, pipeline.SmoothHigh}
	for _, size := range [][2]uint32{{100, 45}, {32, 16}, {4, 1}, {132, 33}} {
		wide, high := size[0], size[1]
		pitch := wide + 4
		in := make([]float32, pitch*high)
		for i := range in {
			in[i] = float32(i*i%1009) + 1
		}
		want := smoothed(in, int(wide), int(high), int(pitch))
		got := make([]float32, len(in))
		from, to := gpu.NewTensorMap2(in, size, box, 0), gpu.NewTensorMap2(got, size, out, 0)
		from.Pitches[0], to.Pitches[0] = pitch, pitch
		require.NoError(t, gpu.Launch(3, 96, func(th gpu.Thread) { pipeline.Smooth(th, from, to) }))
		require.Equal(t, want, got)
		plain := make([]float32, len(in))
		require.NoError(t, gpu.Launch(3, 96, func(th gpu.Thread) { pipeline.SmoothPlain(th, in, wide, high, pitch, plain) }))
		require.Equal(t, want, plain)

		launch := func(d device.Device, name string) uint64 {
			k, err := c.Kernel(t.Context(), "pipeline."+name, nil)
			require.NoError(t, err)
			data, err := d.Alloc("data", device.F32, len(in))
			require.NoError(t, err)
			require.NoError(t, d.Write(data, in))
			sums, err := d.Alloc("sums", device.F32, len(in))
			require.NoError(t, err)
			require.NoError(t, d.Write(sums, make([]float32, len(in))))
			args := []any{data, wide, high, pitch, sums}
			if name == "Smooth" {
				from, to := device.NewTensorMap2(data, size, box, 0), device.NewTensorMap2(sums, size, out, 0)
				from.Pitches[0], to.Pitches[0] = pitch, pitch
				args = []any{from, to}
			}
			rep, err := d.Launch(t.Context(), device.Launch{Kernel: k, Grid: 3, Block: 96, Args: args})
			require.NoError(t, err)
			require.NoError(t, d.Read(sums, got))
			require.Equal(t, want, got, name)
			return rep.Cycles
		}
		for _, name := range []string{"Smooth", "SmoothPlain"} {
			races := device.NewRaces()
			launch(function.New(function.Options{Races: races}), name)
			require.Empty(t, races.List(), name)
			launch(function.New(function.Options{}), name)
			for _, machine := range []string{"tiny", "h200"} {
				cfg, err := config.Load(machine)
				require.NoError(t, err)
				cycles := map[int]uint64{}
				for _, threads := range []int{1, 3} {
					d, err := sim.New(cfg, sim.Options{Threads: threads})
					require.NoError(t, err)
					cycles[threads] = launch(d, name)
					require.NoError(t, d.Close())
				}
				assert.Equal(t, cycles[1], cycles[3], "%s on %s", name, machine)
				strict, err := sim.New(cfg, sim.Options{Strict: true})
				require.NoError(t, err)
				launch(strict, name)
				require.NoError(t, strict.Close())
				races := device.NewRaces()
				watched, err := sim.New(cfg, sim.Options{Races: races})
				require.NoError(t, err)
				launch(watched, name)
				require.Empty(t, races.List(), name)
				require.NoError(t, watched.Close())
			}
		}
	}
}
