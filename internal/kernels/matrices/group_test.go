//go:build !kernel

package matrices_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/kernels/matrices"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// TestGrouped multiplies matrices that are no multiple of a tile, with one piece and with more than the ring has: in plain Go, on func with checks
// for races, and on a strict H200.
func TestGrouped(t *testing.T) {
	compiler := compile.New()
	compiler.Mount(matrices.Sources.Path, matrices.Sources.Files)
	for _, size := range [][3]int{{100, 130, 64}, {129, 80, 64*5 + 8}} {
		m, n, k := size[0], size[1], size[2]
		a, b, x, y := randomFactors(m, n, k)
		grid := (m + matrices.GroupRows - 1) / matrices.GroupRows * ((n + matrices.GroupColumns - 1) / matrices.GroupColumns)
		right := func(c []float32) { t.Helper(); compare(t, x, y, c, m, n, k) }

		c := make([]float32, m*n)
		words := uint32(k / 2)
		first := gpu.NewTensorMap2(a, [2]uint32{words, uint32(m)}, [2]uint32{32, matrices.GroupRows}, 128)
		second := gpu.NewTensorMap2(b, [2]uint32{words, uint32(n)}, [2]uint32{32, matrices.GroupColumns}, 128)
		require.NoError(t, gpu.Launch(grid, matrices.GroupThreads, func(th gpu.Thread) { matrices.Grouped(th, first, second, c, uint32(n)) },
			gpu.DynamicSharedBytes(matrices.GroupBytes)))
		right(c)

		kernel, err := compiler.Kernel(t.Context(), "matrices.Grouped", nil)
		require.NoError(t, err)
		launch := func(d device.Device, what string) (cycles uint64) {
			put := func(name string, kind device.Kind, n int, data any) device.Buffer {
				buf, err := d.Alloc(name, kind, n)
				require.NoError(t, err)
				require.NoError(t, d.Write(buf, data))
				return buf
			}
			c := make([]float32, m*n)
			out := put("c", device.F32, len(c), c)
			from := device.NewTensorMap2(put("a", device.U32, len(a), a), first.Sizes, first.Box, 128)
			by := device.NewTensorMap2(put("b", device.U32, len(b), b), second.Sizes, second.Box, 128)
			rep, err := d.Launch(t.Context(), device.Launch{Kernel: kernel, Grid: grid, Block: matrices.GroupThreads, DynamicShared: matrices.GroupBytes, Args: []any{from, by, out, uint32(n)}})
			require.NoError(t, err, "%s, %v", what, size)
			require.NoError(t, d.Read(out, c))
			right(c)
			return rep.Cycles
		}
		races := device.NewRaces()
		launch(function.New(function.Options{Races: races}), "races")
		require.Empty(t, races.List())
		launch(function.New(function.Options{}), "func")
		cfg, err := config.Load("h200")
		require.NoError(t, err)
		cycles := map[int]uint64{}
		for _, threads := range []int{1, 2} {
			d, err := sim.New(cfg, sim.Options{Threads: threads})
			require.NoError(t, err)
			cycles[threads] = launch(d, "sim")
			require.NoError(t, d.Close())
		}
		require.Equal(t, cycles[1], cycles[2])
		races = device.NewRaces()
		for what, options := range map[string]sim.Options{"strict": {Strict: true}, "races on sim": {Races: races}} {
			d, err := sim.New(cfg, options)
			require.NoError(t, err)
			launch(d, what)
			require.NoError(t, d.Close())
		}
		require.Empty(t, races.List())
	}
}
