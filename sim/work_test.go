package sim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// TestWork checks how much work it is to simulate a launch: the events, to the last one, and at most so many allocations.
// Speed depends on the host and cannot be tested; what costs speed on every host can. If the cycles of a machine are as
// before and its events are more, then some of these are not necessary.
func TestWork(t *testing.T) {
	for _, c := range []struct {
		preset      string
		first, next uint64 // events of the first launch, and of each one after it, which finds its data in the L2
		allocations float64
	}{
		{"tiny", 58_568, 59_147, 200},
		{"k40", 72_094, 72_112, 225},
		{"v100", 43_568, 43_568, 200},
		{"h200", 44_080, 44_080, 125}, // sub-cores wake when their path takes another access
	} {
		d := open(t, c.preset)
		k := spread(t)
		x, y := upload(t, d, "x", device.U32, make([]uint32, 1<<12)), upload(t, d, "y", device.U32, make([]uint32, 1<<12))
		for i, want := range []uint64{c.first, c.next, c.next} {
			before := d.m.wheel.Taken
			launch(t, d, k, 16, 128, x, y)
			assert.Equal(t, int(want), int(d.m.wheel.Taken-before), "events of launch %d on %s", i, c.preset)
		}
		l := device.Launch{Kernel: k, Grid: 16, Block: 128, Args: []any{x, y}}
		allocated := testing.AllocsPerRun(5, func() {
			_, err := d.Launch(context.Background(), l)
			require.NoError(t, err)
		})
		assert.LessOrEqual(t, allocated, c.allocations, "allocations of a launch on %s", c.preset)
	}
}

// spread loads words of x that lie apart, adds them to words of y, and stores into x, in a loop.
func spread(t testing.TB) *device.Kernel {
	a := newAsm("spread", 7, 1)
	x, _, xr := a.slice("x", ir.U32)
	y, _, yr := a.slice("y", ir.U32)
	a.global(0)
	a.op(ir.OpMov, ir.U32, 6, a.konst(ir.U32, 0))
	a.label("loop")
	a.op(ir.OpMul, ir.U32, 2, 0, a.konst(ir.U32, 331))
	a.op(ir.OpAnd, ir.U32, 2, 2, a.konst(ir.U32, 1<<12-1))
	a.lea(3, x, 2, 4)
	a.lea(4, y, 2, 4)
	a.mem(ir.OpLoad, ir.U32, 5, xr, 3)
	a.mem(ir.OpAtomAdd, ir.U32, -1, yr, 4, 5)
	a.mem(ir.OpStore, ir.U32, -1, xr, 3, 6)
	a.op(ir.OpAdd, ir.U32, 0, 0, a.konst(ir.U32, 17))
	a.op(ir.OpAdd, ir.U32, 6, 6, a.konst(ir.U32, 1))
	a.cmp(ir.OpLt, ir.U32, 0, 6, a.konst(ir.U32, 8))
	a.bra(0, "loop", "end")
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}
