package sim

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/sim/config"
)

// spinner spins until done[block] is not 0; body runs in the loop.
func spinner(t testing.TB, body func(a *asm)) *device.Kernel {
	a := newAsm("spinner", 8, 1)
	done, _, dr := a.slice("done", ir.U32)
	a.special(0, ir.CTAID)
	a.lea(1, done, 0, 4)
	a.op(ir.OpMov, ir.U32, 3, a.konst(ir.U32, 1))
	a.label("spin")
	if body != nil {
		body(a)
	}
	in := a.mem(ir.OpLoad, ir.U32, 2, dr, 1)
	in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeDevice
	a.cmp(ir.OpEq, ir.U32, 0, 2, a.konst(ir.U32, 0))
	a.bra(0, "spin", "end")
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

func hangOf(t *testing.T, d *Device, k *device.Kernel, grid, block int, args ...any) *device.HangError {
	rep, err := d.Launch(context.Background(), device.Launch{Kernel: k, Grid: grid, Block: block, Args: args})
	var h *device.HangError
	require.ErrorAs(t, err, &h)
	require.NotNil(t, rep, "what happened so far")
	assert.Positive(t, rep.Cycles)
	checkIdle(t, d)
	return h
}

func TestSpinIsAHang(t *testing.T) {
	d := open(t, "tiny")
	b := upload(t, d, "done", ir.U32, make([]uint32, 20))
	h := hangOf(t, d, spinner(t, nil), 20, 40, b)
	assert.Contains(t, h.What, "every warp repeats itself")
	assert.Contains(t, h.What, "12 of 20 blocks have no place on the machine")
	require.Len(t, h.Waiting, 16)
	assert.Zero(t, h.More)
	w := h.Waiting[3]
	assert.Equal(t, "spins on done[1]", w.Why)
	assert.Equal(t, 1, w.Block)
	assert.Equal(t, 1, w.Warp)
	assert.Equal(t, uint32(0xff), w.Threads)
	assert.Equal(t, "test.go", w.At[0].File)

	// The device goes on.
	require.NoError(t, d.Write(b, []uint32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}))
	launch(t, d, spinner(t, nil), 20, 40, b)
}

// TestSpinVariants: loops whose state differs from turn to turn are no proof
// of a hang; they are given up at the limit.
func TestSpinVariants(t *testing.T) {
	for _, c := range []struct {
		name string
		body func(a *asm)
		want string
	}{
		{"failing compare-and-swap", func(a *asm) {
			a.mem(ir.OpAtomCAS, ir.U32, 4, 0, 1, a.konst(ir.U32, 5), a.konst(ir.U32, 6))
		}, "every warp repeats itself"},
		{"storing what is there", func(a *asm) { a.mem(ir.OpStore, ir.U32, -1, 0, 1, a.konst(ir.U32, 0)) }, "every warp repeats itself"},
		{"sleeping", func(a *asm) { a.op(ir.OpSleep, ir.Void, -1, a.konst(ir.U32, 100)) }, "every warp repeats itself"},
		{"two states in turn", func(a *asm) { a.op(ir.OpXor, ir.U32, 3, 3, a.konst(ir.U32, 3)) }, "every warp repeats itself"},
		{"counting", func(a *asm) { a.op(ir.OpAdd, ir.U32, 3, 3, a.konst(ir.U32, 1)) }, "undecided: "},
		{"reading the clock", func(a *asm) { a.special(4, ir.Clock64) }, "undecided: "},
	} {
		d := open(t, "tiny", "hang.limit", "1000000")
		b := upload(t, d, "done", ir.U32, make([]uint32, 2))
		h := hangOf(t, d, spinner(t, c.body), 2, 32, b)
		assert.Contains(t, h.What, c.want, c.name)
	}
}

// TestSlowIsNoHang: a wait that is much longer than the window, but in which
// memory changes now and then, or of which the spinning warp's partner counts
// in registers, ends.
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
	r := launch(t, d, a.kernel(t), 2, 1, upload(t, d, "x", ir.U32, []uint32{0}))
	assert.Greater(t, r.Cycles, uint64(100_000))
}

// divergentBarrier has a barrier in the even lanes only.
func divergentBarrier(t testing.TB) *device.Kernel {
	a := newAsm("divergent", 2, 1)
	a.special(0, ir.TID)
	a.op(ir.OpAnd, ir.U32, 0, 0, a.konst(ir.U32, 1))
	a.cmp(ir.OpEq, ir.U32, 0, 0, a.konst(ir.U32, 1))
	a.bra(0, "odd", "end")
	a.op(ir.OpBar, ir.Void, -1)
	a.jmp("end")
	a.label("odd")
	a.op(ir.OpBar, ir.Void, -1)
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// TestBarrierInDivergentCode: where arrivals count by thread the barrier never
// opens for lanes that the stack keeps apart; where they count by warp it does.
func TestBarrierInDivergentCode(t *testing.T) {
	d := open(t, "tiny")
	h := hangOf(t, d, divergentBarrier(t), 1, 64)
	assert.Contains(t, h.What, "wait for others that never come")
	require.Len(t, h.Waiting, 4)
	assert.Equal(t, "waits at a barrier that 32 of the block's 64 threads have reached", h.Waiting[0].Why)
	assert.Equal(t, uint32(0x55555555), h.Waiting[0].Threads)
	assert.Contains(t, h.Waiting[1].Why, "wait for the other lanes of their warp")
	assert.Equal(t, uint32(0xaaaaaaaa), h.Waiting[1].Threads)

	launch(t, open(t, "k40"), divergentBarrier(t), 1, 64)
}

// TestBarrierWithExits: threads that have exited are not waited for.
func TestBarrierWithExits(t *testing.T) {
	d := open(t, "tiny")
	a := newAsm("exits", 3, 1)
	x, _, xr := a.slice("x", ir.U32)
	a.special(0, ir.TID)
	a.cmp(ir.OpLt, ir.U32, 0, 0, a.konst(ir.U32, 50))
	a.bra(0, "end", "end")
	a.op(ir.OpBarCount, ir.U32, 1, ir.PredTrue)
	a.lea(2, x, 0, 4)
	a.mem(ir.OpStore, ir.U32, -1, xr, 2, 1)
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	b := upload(t, d, "x", ir.U32, make([]uint32, 100))
	launch(t, d, a.kernel(t), 1, 100, b)
	got := download[uint32](t, d, b)
	assert.Equal(t, uint32(0), got[49])
	assert.Equal(t, uint32(50), got[50])
	assert.Equal(t, uint32(50), got[99])
}

func TestCancelAndProgress(t *testing.T) {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	d, err := New(cfg, Options{Progress: func(p Progress) {
		calls++
		assert.Equal(t, "spinner", p.Kernel)
		assert.Equal(t, 3, p.Grid)
		assert.Positive(t, p.Cycles)
		assert.Positive(t, p.Instructions)
		if calls == 2 {
			cancel()
		}
	}})
	require.NoError(t, err)
	b := upload(t, d, "done", ir.U32, make([]uint32, 3))
	rep, err := d.Launch(ctx, device.Launch{Kernel: spinner(t, nil), Grid: 3, Block: 32, Args: []any{b}})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 2, calls, "it ends promptly")
	assert.Positive(t, count(t, rep, "smsp__inst_executed.sum"))
	checkIdle(t, d)
	require.NoError(t, d.Write(b, []uint32{1, 1, 1}))
	launch(t, d, spinner(t, nil), 3, 32, b)
}

func TestFaults(t *testing.T) {
	d := open(t, "tiny")
	a := newAsm("divide", 3, 0)
	a.special(0, ir.TID)
	a.op(ir.OpDiv, ir.U32, 1, a.konst(ir.U32, 7), 0)
	a.op(ir.OpExit, ir.Void, -1)
	_, err := d.Launch(context.Background(), device.Launch{Kernel: a.kernel(t), Grid: 1, Block: 32})
	var f *device.Fault
	require.ErrorAs(t, err, &f)
	assert.Equal(t, "integer division by zero", f.What)
	assert.Equal(t, 0, f.Thread)
	assert.Equal(t, 2, f.At[0].Line)

	a = newAsm("trap", 1, 1)
	a.p.Traps = []string{"no way"}
	a.special(0, ir.TID)
	a.cmp(ir.OpGt, ir.U32, 0, 0, a.konst(ir.U32, 40))
	a.op(ir.OpTrap, ir.Void, -1).Guard = 0
	a.op(ir.OpExit, ir.Void, -1)
	_, err = d.Launch(context.Background(), device.Launch{Kernel: a.kernel(t), Grid: 1, Block: 64})
	require.True(t, errors.As(err, &f))
	assert.True(t, strings.HasPrefix(f.What, "panic: no way"))
	assert.Equal(t, 41, f.Thread)
	checkIdle(t, d)
}
