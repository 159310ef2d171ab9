package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// TestNearCopyArrives checks that a load of a line that is on its way to the near half of the L2 waits until DRAM has
// delivered it. Two warps on each SM load one cold word after another, both the same, from pages of both halves.
func TestNearCopyArrives(t *testing.T) {
	const pages, pageWords = 8, 1024
	d := open(t, "tiny", "l2.partitions", "2", "l2.far", "100", "dram.latency", "1000")
	a := newAsm("cold", 10, 0)
	x, _, xr := a.slice("x", ir.U32)
	out, _, or := a.slice("out", ir.U64)
	a.special(0, ir.TID)
	a.special(1, ir.CTAID)
	a.op(ir.OpMad, ir.U32, 1, 1, a.konst(ir.U32, 64), 0) // thread in the grid
	for page := range pages {
		a.special(2, ir.CTAID) // each SM reads different words
		a.op(ir.OpMad, ir.U32, 2, 2, a.konst(ir.U32, pages*pageWords), a.konst(ir.U32, uint64(page*pageWords)))
		a.lea(3, x, 2, 4)
		a.op(ir.OpBar, ir.Void, -1)
		a.special(4, ir.Clock64)
		in := a.mem(ir.OpLoad, ir.U32, 5, xr, 3)
		in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeDevice
		a.op(ir.OpAdd, ir.U32, 5, 5, 5) // wait for it
		a.special(6, ir.Clock64)
		a.op(ir.OpSub, ir.U64, 6, 6, 4)
		a.op(ir.OpMad, ir.U32, 7, 1, a.konst(ir.U32, pages), a.konst(ir.U32, uint64(page)))
		a.lea(8, out, 7, 8)
		a.mem(ir.OpStore, ir.U64, -1, or, 8, 6)
	}
	a.op(ir.OpExit, ir.Void, -1)
	b := upload(t, d, "out", device.U64, make([]uint64, 128*pages))
	launch(t, d, a.kernel(t), 2, 64, upload(t, d, "x", device.U32, make([]uint32, 2*pages*pageWords)), b)
	took := download[uint64](t, d, b)
	far := 0
	for i, n := range took {
		assert.GreaterOrEqual(t, n, uint64(1000), "thread %d, page %d", i/pages, i%pages)
		if n > 1400 { // both ways, 100 cycles each
			far++
		}
	}
	assert.Greater(t, far, 0, "some lines have their home in the far half: %v", took)
	assert.Less(t, far, len(took), "and some do not: %v", took)
}
