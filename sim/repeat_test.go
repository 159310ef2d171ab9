package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// quiet sets hang.window such that a wait of a few thousand cycles is long.
var quiet = []string{"hang.window", "1000"}

// TestStaleSpinEnds: a warp spins on a stale line of L1, while another one waits for it. A fence by a third warp
// invalidates the line, and the first warp then computes for a long time without a store. The launch ends.
func TestStaleSpinEnds(t *testing.T) {
	a := newAsm("stale", 8, 3)
	x, _, xr := a.slice("x", ir.U32)
	a.special(0, ir.CTAID)
	a.special(1, ir.TID)
	a.op(ir.OpMov, ir.U64, 2, x)
	a.cmp(ir.OpEq, ir.U32, 0, 0, a.konst(ir.U32, 1))
	a.bra(0, "writer", "end")
	a.cmp(ir.OpGe, ir.U32, 1, 1, a.konst(ir.U32, 32))
	a.bra(1, "fencer", "end")
	a.label("spin") // block 0, warp 0: a plain load
	a.mem(ir.OpLoad, ir.U32, 3, xr, 2)
	a.cmp(ir.OpEq, ir.U32, 2, 3, a.konst(ir.U32, 0))
	a.bra(2, "spin", "end")
	a.op(ir.OpMov, ir.U32, 4, a.konst(ir.U32, 0))
	a.label("compute")
	a.op(ir.OpAdd, ir.U32, 4, 4, a.konst(ir.U32, 1))
	a.cmp(ir.OpLt, ir.U32, 2, 4, a.konst(ir.U32, 20_000))
	a.bra(2, "compute", "computed")
	a.label("computed")
	a.mem(ir.OpStore, ir.U32, -1, xr, 2, a.konst(ir.U32, 1)).Imm = 128
	a.jmp("end")
	a.label("fencer") // block 0, warp 1
	a.op(ir.OpSleep, ir.Void, -1, a.konst(ir.U32, 20_000))
	a.op(ir.OpFence, ir.Void, -1).Mem = ir.Mem{Order: ir.AcqRel, Scope: ir.ScopeDevice}
	a.label("wait")
	in := a.mem(ir.OpLoad, ir.U32, 5, xr, 2)
	in.Mem.Order, in.Mem.Scope, in.Imm = ir.Relaxed, ir.ScopeDevice, 128
	a.cmp(ir.OpEq, ir.U32, 2, 5, a.konst(ir.U32, 0))
	a.bra(2, "wait", "end")
	a.jmp("end")
	a.label("writer") // block 1, on the other SM
	a.op(ir.OpSleep, ir.Void, -1, a.konst(ir.U32, 2000))
	a.mem(ir.OpStore, ir.U32, -1, xr, 2, a.konst(ir.U32, 1))
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	d := open(t, "tiny", quiet...)
	launch(t, d, a.kernel(t), 2, 64, upload(t, d, "x", device.U32, make([]uint32, 64)))
}

// TestStaleSpinHangs: a plain load that hits a stale line reads the old value forever, although memory has the value
// that the warp waits for.
func TestStaleSpinHangs(t *testing.T) {
	a := newAsm("stale", 8, 3)
	x, _, xr := a.slice("x", ir.U32)
	a.special(0, ir.CTAID)
	a.op(ir.OpMov, ir.U64, 2, x)
	a.cmp(ir.OpEq, ir.U32, 0, 0, a.konst(ir.U32, 1))
	a.bra(0, "writer", "end")
	a.label("spin")
	a.mem(ir.OpLoad, ir.U32, 3, xr, 2)
	a.cmp(ir.OpEq, ir.U32, 2, 3, a.konst(ir.U32, 0))
	a.bra(2, "spin", "end")
	a.jmp("end")
	a.label("writer")
	a.op(ir.OpSleep, ir.Void, -1, a.konst(ir.U32, 2000))
	a.mem(ir.OpStore, ir.U32, -1, xr, 2, a.konst(ir.U32, 1))
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	d := open(t, "tiny", quiet...)
	h := hangOf(t, d, a.kernel(t), 2, 32, upload(t, d, "x", device.U32, []uint32{0}))
	require.Len(t, h.Waiting, 1)
	assert.Equal(t, "spins on x[0]", h.Waiting[0].Why)
}

// TestLastArrivalOpens: the last warp of a block reaches a barrier after a long time without a store, while warps of
// another block spin on a value stored after it.
func TestLastArrivalOpens(t *testing.T) {
	for n := uint64(20_000); n < 20_800; n += 100 {
		a := newAsm("late", 8, 3)
		x, _, xr := a.slice("x", ir.U32)
		a.special(0, ir.CTAID)
		a.special(1, ir.TID)
		a.op(ir.OpMov, ir.U64, 2, x)
		a.cmp(ir.OpEq, ir.U32, 0, 0, a.konst(ir.U32, 1))
		a.bra(0, "spin", "end")
		a.cmp(ir.OpLt, ir.U32, 1, 1, a.konst(ir.U32, 32))
		a.bra(1, "meet", "meet")
		a.op(ir.OpMov, ir.U32, 4, a.konst(ir.U32, 0))
		a.label("compute") // the second warp
		a.op(ir.OpAdd, ir.U32, 4, 4, a.konst(ir.U32, 1))
		a.cmp(ir.OpLt, ir.U32, 2, 4, a.konst(ir.U32, n))
		a.bra(2, "compute", "meet")
		a.label("meet")
		a.op(ir.OpBar, ir.Void, -1)
		a.mem(ir.OpStore, ir.U32, -1, xr, 2, a.konst(ir.U32, 1))
		a.jmp("end")
		a.label("spin")
		in := a.mem(ir.OpLoad, ir.U32, 3, xr, 2)
		in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeDevice
		a.cmp(ir.OpEq, ir.U32, 2, 3, a.konst(ir.U32, 0))
		a.bra(2, "spin", "end")
		a.label("end")
		a.op(ir.OpExit, ir.Void, -1)
		// A barrier that takes long to open, so that the search runs meanwhile.
		d := open(t, "tiny", append(quiet, "barrier.base", "1000")...)
		launch(t, d, a.kernel(t), 2, 64, upload(t, d, "x", device.U32, []uint32{0}))
	}
}

// TestSlowAtomicIsNoHang: a warp waits at a barrier while its atomic, for which all others wait, is in flight for
// longer than the window.
func TestSlowAtomicIsNoHang(t *testing.T) {
	a := newAsm("slow", 8, 3)
	x, _, xr := a.slice("x", ir.U32)
	s, sr := a.shared("s", ir.U32, 1)
	a.special(1, ir.TID)
	a.op(ir.OpMov, ir.U64, 2, x)
	a.op(ir.OpMov, ir.U64, 3, s)
	a.mem(ir.OpStore, ir.U32, -1, sr, 3, a.konst(ir.U32, 0))
	a.op(ir.OpBar, ir.Void, -1)
	a.cmp(ir.OpLt, ir.U32, 0, 1, a.konst(ir.U32, 32))
	a.bra(0, "writer", "meet")
	a.cmp(ir.OpGe, ir.U32, 0, 1, a.konst(ir.U32, 64))
	a.bra(0, "others", "meet")
	a.label("spin") // the second warp, by a plain load that hits until the atomic arrives
	a.mem(ir.OpLoad, ir.U32, 4, xr, 2)
	a.cmp(ir.OpEq, ir.U32, 2, 4, a.konst(ir.U32, 0))
	a.bra(2, "spin", "seen")
	a.label("seen")
	a.mem(ir.OpStore, ir.U32, -1, sr, 3, a.konst(ir.U32, 1))
	a.jmp("meet")
	a.label("others") // they spin on shared memory
	a.mem(ir.OpLoad, ir.U32, 4, sr, 3)
	a.cmp(ir.OpEq, ir.U32, 2, 4, a.konst(ir.U32, 0))
	a.bra(2, "others", "meet")
	a.jmp("meet")
	a.label("writer")
	a.op(ir.OpMov, ir.U32, 4, a.konst(ir.U32, 0))
	a.label("compute")
	a.op(ir.OpAdd, ir.U32, 4, 4, a.konst(ir.U32, 1))
	a.cmp(ir.OpLt, ir.U32, 2, 4, a.konst(ir.U32, 5_000))
	a.bra(2, "compute", "computed")
	a.label("computed")
	a.mem(ir.OpAtomExch, ir.U32, -1, xr, 2, a.konst(ir.U32, 1))
	a.label("meet")
	a.op(ir.OpBar, ir.Void, -1)
	a.op(ir.OpExit, ir.Void, -1)
	d := open(t, "tiny", append(quiet, "xbar.request", "2000")...)
	launch(t, d, a.kernel(t), 1, 1024, upload(t, d, "x", device.U32, []uint32{0}))
}

// TestSlowIsNoHang: a wait ends that is much longer than the window, but during which memory changes occasionally, or
// the warp that the spinning warp waits for counts in registers.
func TestSlowIsNoHang(t *testing.T) {
	d := open(t, "tiny", "hang.window", "1000")
	a := newAsm("slow", 8, 2)
	x, _, xr := a.slice("x", ir.U32)
	a.special(0, ir.CTAID)
	a.op(ir.OpMov, ir.U64, 1, x)
	a.op(ir.OpMov, ir.U32, 2, a.konst(ir.U32, 0))
	a.cmp(ir.OpEq, ir.U32, 0, 0, a.konst(ir.U32, 1))
	a.bra(0, "writer", "end")
	a.label("spin")
	in := a.mem(ir.OpLoad, ir.U32, 3, xr, 1)
	in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeDevice
	a.cmp(ir.OpEq, ir.U32, 1, 3, a.konst(ir.U32, 0))
	a.bra(1, "spin", "end")
	a.jmp("end")
	a.label("writer") // counts to 20,000 without touching memory
	a.op(ir.OpAdd, ir.U32, 2, 2, a.konst(ir.U32, 1))
	a.cmp(ir.OpLt, ir.U32, 1, 2, a.konst(ir.U32, 20000))
	a.bra(1, "writer", "written")
	a.label("written")
	a.mem(ir.OpStore, ir.U32, -1, xr, 1, a.konst(ir.U32, 1))
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	r := launch(t, d, a.kernel(t), 2, 1, upload(t, d, "x", device.U32, []uint32{0}))
	assert.Greater(t, r.Cycles, uint64(100_000))
}

// TestLongLoopIsNoHang runs a loop of 300,000 iterations that accesses no memory.
func TestLongLoopIsNoHang(t *testing.T) {
	a := newAsm("long", 2, 1)
	a.op(ir.OpMov, ir.U32, 0, a.konst(ir.U32, 0))
	a.label("loop")
	a.op(ir.OpAdd, ir.U32, 0, 0, a.konst(ir.U32, 1))
	a.cmp(ir.OpLt, ir.U32, 0, 0, a.konst(ir.U32, 300_000))
	a.bra(0, "loop", "end")
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	r := launch(t, open(t, "tiny"), a.kernel(t), 1, 32)
	assert.Greater(t, r.Cycles, uint64(3_000_000))
}
