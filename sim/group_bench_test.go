package sim

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// scatter is a kernel whose threads load words at random and add to others.
func scatter(t testing.TB, words uint64) *device.Kernel {
	a := newAsm("scatter", 6, 0)
	x, _, xr := a.slice("x", ir.U32)
	y, _, yr := a.slice("y", ir.U32)
	a.special(0, ir.TID)
	a.special(1, ir.CTAID)
	a.op(ir.OpMad, ir.U32, 0, 1, a.konst(ir.U32, 256), 0)
	for i := range uint64(16) {
		a.op(ir.OpMul, ir.U32, 2, 0, a.konst(ir.U32, 2654435761+2*i))
		a.op(ir.OpShr, ir.U32, 2, 2, a.konst(ir.U32, 7))
		a.op(ir.OpAnd, ir.U32, 2, 2, a.konst(ir.U32, words-1))
		a.lea(3, x, 2, 4)
		a.lea(4, y, 2, 4)
		a.mem(ir.OpLoad, ir.U32, 5, xr, 3)
		a.mem(ir.OpAtomAdd, ir.U32, -1, yr, 4, 5)
	}
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// BenchmarkGroup reports how much more processor time a group of GPUs takes that all do the same work than a GPU
// outside a group that does it once: the least of each, measured in turn.
func BenchmarkGroup(b *testing.B) {
	const words = 1 << 18
	k := scatter(b, words)
	launch := func(d *Device) device.Launch {
		x := upload(b, d, "x", device.U32, make([]uint32, words))
		y := upload(b, d, "y", device.U32, make([]uint32, words))
		return device.Launch{Kernel: k, Grid: 264, Block: 256, Args: []any{x, y}}
	}
	for _, n := range []int{1, 2} {
		b.Run(fmt.Sprintf("gpus=%d", n), func(b *testing.B) {
			single, g := open(b, "h200"), openGroup(b, Options{Seed: 1}, "h200", n)
			one := launch(single)
			var cmds []device.Command
			for i, d := range g.gpus {
				l := launch(d)
				cmds = append(cmds, device.Command{GPU: i, Launch: &l})
			}
			least := [2]float64{math.Inf(1), math.Inf(1)}
			for b.Loop() {
				began := cpu(b)
				_, err := single.Launch(b.Context(), one)
				require.NoError(b, err)
				middle := cpu(b)
				_, err = g.Run(b.Context(), cmds)
				require.NoError(b, err)
				least = [2]float64{min(least[0], middle-began), min(least[1], cpu(b)-middle)}
			}
			b.ReportMetric(least[1]/least[0], "times-one-GPU")
		})
	}
}
