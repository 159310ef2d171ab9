package sim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// sides is a kernel that branches by lane parity and executes different code on either side, before both store a word.
func sides(t testing.TB, odd, even func(a *asm)) *device.Kernel {
	a := newAsm("sides", 6, 2)
	x, _, xr := a.slice("x", ir.U32)
	a.special(0, ir.TID)
	a.op(ir.OpMov, ir.U32, 3, 0)
	a.lea(2, x, 0, 4)
	a.op(ir.OpAnd, ir.U32, 1, 0, a.konst(ir.U32, 1))
	a.cmp(ir.OpEq, ir.U32, 0, 1, a.konst(ir.U32, 1))
	a.bra(0, "odd", "end")
	even(a)
	a.jmp("end")
	a.label("odd")
	odd(a)
	a.label("end")
	a.mem(ir.OpStore, ir.U32, -1, xr, 2, 3)
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// add adds n to the stored value, one by one.
func add(n int) func(*asm) {
	return func(a *asm) {
		for range n {
			a.op(ir.OpAdd, ir.U32, 3, 3, a.konst(ir.U32, 1))
		}
	}
}

// TestPlainDivergenceCostsTheSame checks that both models run alike if no lane waits for lanes of its own warp.
func TestPlainDivergenceCostsTheSame(t *testing.T) {
	cycles := map[string]uint64{}
	for _, model := range []string{"stack", "its"} {
		d := open(t, "tiny", "sm.divergence", model)
		b := upload(t, d, "x", device.U32, make([]uint32, 256))
		cycles[model] = launch(t, d, sides(t, add(20), add(30)), 1, 256, b).Cycles
		got := download[uint32](t, d, b)
		assert.Equal(t, uint32(30), got[0])
		assert.Equal(t, uint32(21), got[1])
	}
	assert.Equal(t, cycles["stack"], cycles["its"])
}

// TestCollectivesWait checks that a collective waits for the lanes that its mask names and that arrive later, on the
// other side of a branch.
func TestCollectivesWait(t *testing.T) {
	full := uint64(0xffffffff)
	t.Run("warp barriers on either side", func(t *testing.T) {
		bar := func(a *asm) {
			add(3)(a)
			a.op(ir.OpWarpBar, ir.Void, -1, a.konst(ir.U32, full))
		}
		d := open(t, "tiny", "sm.divergence", "its")
		b := upload(t, d, "x", device.U32, make([]uint32, 64))
		launch(t, d, sides(t, bar, bar), 1, 64, b)
		got := download[uint32](t, d, b)
		assert.Equal(t, uint32(63+3), got[63])
	})
	t.Run("a vote that all reach from either side", func(t *testing.T) {
		a := newAsm("vote", 6, 2)
		x, _, xr := a.slice("x", ir.U32)
		a.special(0, ir.TID)
		a.lea(2, x, 0, 4)
		a.op(ir.OpAnd, ir.U32, 1, 0, a.konst(ir.U32, 1))
		a.cmp(ir.OpEq, ir.U32, 0, 1, a.konst(ir.U32, 1))
		// The branch declares reconvergence only at the end, so that nothing but the mask brings the lanes together.
		a.bra(0, "vote", "end")
		add(7)(a)
		a.label("vote")
		a.op(ir.OpBallot, ir.U32, 4, a.konst(ir.U32, full), 0)
		a.mem(ir.OpStore, ir.U32, -1, xr, 2, 4)
		a.label("end")
		a.op(ir.OpExit, ir.Void, -1)
		k := a.kernel(t)
		for _, c := range []struct {
			model     string
			odd, even uint32
		}{{"its", 0xaaaaaaaa, 0xaaaaaaaa}, {"stack", 0xaaaaaaaa, 0}} {
			d := open(t, "tiny", "sm.divergence", c.model)
			b := upload(t, d, "x", device.U32, make([]uint32, 32))
			launch(t, d, k, 1, 32, b)
			got := download[uint32](t, d, b)
			assert.Equal(t, c.even, got[0], c.model)
			assert.Equal(t, c.odd, got[31], c.model)
		}
	})
	t.Run("lanes that exit are not waited for", func(t *testing.T) {
		d := open(t, "tiny", "sm.divergence", "its")
		b := upload(t, d, "x", device.U32, make([]uint32, 32))
		launch(t, d, sides(t,
			func(a *asm) { a.op(ir.OpExit, ir.Void, -1) },
			func(a *asm) { a.op(ir.OpWarpBar, ir.Void, -1, a.konst(ir.U32, full)) }), 1, 32, b)
		got := download[uint32](t, d, b)
		assert.Equal(t, uint32(30), got[30])
		assert.Equal(t, uint32(0), got[31])
	})
	t.Run("lanes that never come", func(t *testing.T) {
		d := open(t, "tiny", "sm.divergence", "its")
		b := upload(t, d, "x", device.U32, make([]uint32, 32))
		h := hangOf(t, d, sides(t,
			func(a *asm) { a.op(ir.OpBar, ir.Void, -1) },
			func(a *asm) { a.op(ir.OpBallot, ir.U32, 4, a.konst(ir.U32, full), 0) }), 1, 32, b)
		require.Len(t, h.Waiting, 2)
		why := h.Waiting[0].Why + "; " + h.Waiting[1].Why
		assert.Contains(t, why, "for lanes aaaaaaaa, which its mask names")
		assert.Contains(t, why, "waits at a barrier that 16 of the block's 32 remaining threads have reached")
	})
}

// TestBarrierSides checks that threads count at a barrier on either side of a branch.
func TestBarrierSides(t *testing.T) {
	launch(t, open(t, "tiny", "sm.divergence", "its"), divergentBarrier(t), 1, 64)
}

// waitsForLane is a kernel whose even lanes spin until the odd ones have stored.
func waitsForLane(t testing.TB, order ir.Order, stores bool) *device.Kernel {
	a := newAsm("waits", 6, 2)
	x, _, xr := a.slice("x", ir.U32)
	a.special(0, ir.TID)
	a.op(ir.OpAnd, ir.U32, 1, 0, a.konst(ir.U32, 1))
	a.cmp(ir.OpEq, ir.U32, 0, 1, a.konst(ir.U32, 1))
	a.bra(0, "odd", "end")
	a.label("spin")
	in := a.mem(ir.OpLoad, ir.U32, 4, xr, x)
	in.Mem.Order, in.Mem.Scope = order, ir.ScopeDevice
	a.cmp(ir.OpEq, ir.U32, 1, 4, a.konst(ir.U32, 0))
	a.bra(1, "spin", "end")
	a.jmp("end")
	a.label("odd")
	if stores {
		a.mem(ir.OpStore, ir.U32, -1, xr, x, a.konst(ir.U32, 1))
	}
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// TestSpinOnOwnWarp checks that lanes that spin on lanes of their own warp hang with a stack, and yield with
// independent thread scheduling: soon if the loop polls with ordered loads, eventually if it uses plain loads.
func TestSpinOnOwnWarp(t *testing.T) {
	run := func(model string, order ir.Order, stores bool) (*device.Report, error) {
		d := open(t, "tiny", "sm.divergence", model, "issue.patience", "200", "l1.global", "false")
		b := upload(t, d, "x", device.U32, make([]uint32, 1))
		return d.Launch(context.Background(), device.Launch{Kernel: waitsForLane(t, order, stores), Grid: 1, Block: 32, Args: []any{b}})
	}
	var hang *device.HangError
	_, err := run("stack", ir.Relaxed, true)
	require.ErrorAs(t, err, &hang)
	soon, err := run("its", ir.Relaxed, true)
	require.NoError(t, err)
	late, err := run("its", ir.Weak, true)
	require.NoError(t, err)
	assert.Greater(t, late.Cycles, 10*soon.Cycles)
	_, err = run("its", ir.Relaxed, false)
	require.ErrorAs(t, err, &hang, "nobody stores")
	assert.Contains(t, hang.What, "every warp repeats itself")
}

// TestPartsMeet checks that lanes that were split are merged when they reach the same position, after the spin.
func TestPartsMeet(t *testing.T) {
	d := open(t, "tiny", "sm.divergence", "its")
	a := newAsm("meet", 6, 2)
	x, _, xr := a.slice("x", ir.U32)
	a.special(0, ir.TID)
	a.op(ir.OpAnd, ir.U32, 1, 0, a.konst(ir.U32, 1))
	a.cmp(ir.OpEq, ir.U32, 0, 1, a.konst(ir.U32, 1))
	a.bra(0, "odd", "odd")
	a.label("spin") // the even lanes wait for the store after the reconvergence point
	in := a.mem(ir.OpLoad, ir.U32, 4, xr, x)
	in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeDevice
	a.cmp(ir.OpEq, ir.U32, 1, 4, a.konst(ir.U32, 0))
	a.bra(1, "spin", "odd")
	a.label("odd")
	a.mem(ir.OpStore, ir.U32, -1, xr, x, a.konst(ir.U32, 1))
	a.op(ir.OpWarpBar, ir.Void, -1, a.konst(ir.U32, 0xffffffff))
	a.op(ir.OpActiveMask, ir.U32, 5)
	a.lea(2, x, 0, 4)
	a.mem(ir.OpStore, ir.U32, -1, xr, 2, 5)
	a.op(ir.OpExit, ir.Void, -1)
	b := upload(t, d, "x", device.U32, make([]uint32, 32))
	launch(t, d, a.kernel(t), 1, 32, b)
	for i, v := range download[uint32](t, d, b) {
		require.Equal(t, uint32(0xffffffff), v, "lane %d", i)
	}
}
