package sim

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/ir"
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

// BenchmarkGroup reports simulated warp instructions per second of this machine's processor, for 1, 2 and 4 GPUs that
// all do the same work, and for a single one outside a group.
func BenchmarkGroup(b *testing.B) {
	const words = 1 << 20
	k := scatter(b, words)
	for _, n := range []int{0, 1, 2, 4} {
		b.Run(fmt.Sprintf("gpus=%d", n), func(b *testing.B) {
			g := openGroup(b, Options{Seed: 1}, "h200", max(n, 1))
			var cmds []device.Command
			for i, d := range g.gpus {
				x := upload(b, d, "x", device.U32, make([]uint32, words))
				y := upload(b, d, "y", device.U32, make([]uint32, words))
				cmds = append(cmds, device.Command{GPU: i, Launch: &device.Launch{Kernel: k, Grid: 2048, Block: 256, Args: []any{x, y}}})
			}
			single := open(b, "h200")
			l := *cmds[0].Launch
			l.Args = []any{upload(b, single, "x", device.U32, make([]uint32, words)), upload(b, single, "y", device.U32, make([]uint32, words))}
			b.ReportAllocs()
			before := cpu(b)
			for b.Loop() {
				var err error
				if n == 0 {
					_, err = single.Launch(b.Context(), l)
				} else {
					_, err = g.Run(b.Context(), cmds)
				}
				require.NoError(b, err)
			}
			took := cpu(b) - before
			b.ReportMetric((count(b, g.Total(), "smsp__inst_executed.sum")+count(b, single.Total(), "smsp__inst_executed.sum"))/took/1e6, "Mwinst/cpu-s")
		})
	}
}
