package sim

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/config"
)

// spinner is a kernel that spins until done[block] is not 0; body is executed in the loop.
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
	b := upload(t, d, "done", device.U32, make([]uint32, 20))
	h := hangOf(t, d, spinner(t, nil), 20, 40, b)
	assert.Contains(t, h.What, "every warp repeats itself")
	assert.Contains(t, h.What, "12 of 20 blocks cannot be placed until others end")
	require.Len(t, h.Waiting, 16)
	assert.Zero(t, h.More)
	w := h.Waiting[3]
	assert.Equal(t, "spins on done[1]", w.Why)
	assert.Equal(t, 1, w.Block)
	assert.Equal(t, 1, w.Warp)
	assert.Equal(t, uint32(0xff), w.Threads)
	assert.Equal(t, "test.go", w.At[0].File)

	// The device remains usable.
	require.NoError(t, d.Write(b, []uint32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}))
	launch(t, d, spinner(t, nil), 20, 40, b)
}

// counting is the body of a loop that may end when a counter overflows.
func counting(a *asm) {
	a.op(ir.OpAdd, ir.U32, 3, 3, a.konst(ir.U32, 1))
	a.cmp(ir.OpEq, ir.U32, 0, 3, a.konst(ir.U32, 0))
	a.op(ir.OpExit, ir.Void, -1).Guard = 0
}

// TestSpinVariants checks that loops whose state differs from iteration to iteration are no proof of a hang; they run
// until a budget ends them.
func TestSpinVariants(t *testing.T) {
	for _, c := range []struct {
		name  string
		body  func(a *asm)
		hangs bool
	}{
		{"failing compare-and-swap", func(a *asm) {
			a.mem(ir.OpAtomCAS, ir.U32, 4, 0, 1, a.konst(ir.U32, 5), a.konst(ir.U32, 6))
		}, true},
		{"storing what is there", func(a *asm) { a.mem(ir.OpStore, ir.U32, -1, 0, 1, a.konst(ir.U32, 0)) }, true},
		{"sleeping", func(a *asm) { a.op(ir.OpSleep, ir.Void, -1, a.konst(ir.U32, 100)) }, true},
		{"two states in turn", func(a *asm) { a.op(ir.OpXor, ir.U32, 3, 3, a.konst(ir.U32, 3)) }, true},
		{"reading the thread's number", func(a *asm) { a.special(4, ir.TID) }, true},
		{"a load that nobody waits for", func(a *asm) { a.mem(ir.OpLoad, ir.U32, 4, 0, 1) }, true},
		{"a load under way at the loop's head", func(a *asm) {
			in := a.mem(ir.OpLoad, ir.U32, 2, 0, 1) // its result is the loop condition
			in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeDevice
			a.mem(ir.OpLoad, ir.U32, 4, 0, 1).Mem = in.Mem
		}, true},
		{"counting what nobody uses", func(a *asm) { a.op(ir.OpAdd, ir.U32, 3, 3, a.konst(ir.U32, 1)) }, true},
		{"reading the clock for nothing", func(a *asm) { a.special(4, ir.Clock64) }, true},
		{"sleeping longer and longer", func(a *asm) {
			a.op(ir.OpAdd, ir.U32, 3, 3, a.konst(ir.U32, 1))
			a.op(ir.OpSleep, ir.Void, -1, 3)
		}, true},
		{"counting", counting, false},
		{"counting in a register that feeds another", func(a *asm) {
			a.op(ir.OpAdd, ir.U32, 3, 3, a.konst(ir.U32, 1))
			a.op(ir.OpMul, ir.U32, 5, 3, a.konst(ir.U32, 3))
			a.cmp(ir.OpEq, ir.U32, 0, 5, a.konst(ir.U32, 1<<31+1))
			a.op(ir.OpExit, ir.Void, -1).Guard = 0
		}, false},
		{"dividing by a count", func(a *asm) {
			a.op(ir.OpAdd, ir.U32, 3, 3, a.konst(ir.U32, 1))
			a.op(ir.OpDiv, ir.U32, 5, a.konst(ir.U32, 7), 3)
		}, false},
		{"reading the clock", func(a *asm) {
			a.special(4, ir.Clock64)
			a.cmp(ir.OpEq, ir.U64, 0, 4, a.konst(ir.U64, 1))
			a.op(ir.OpExit, ir.Void, -1).Guard = 0
		}, false},
		{"counting in local memory", func(a *asm) {
			own := a.konst(ir.U64, ir.LocalWindow)
			a.generic(ir.OpLoad, 4, own)
			a.op(ir.OpAdd, ir.U32, 4, 4, a.konst(ir.U32, 1))
			a.generic(ir.OpStore, -1, own, 4)
			a.op(ir.OpMov, ir.U32, 4, a.konst(ir.U32, 0))
		}, false},
	} {
		cfg, err := config.Load("tiny")
		require.NoError(t, err)
		d, err := New(cfg, Options{Budget: 1_000_000})
		require.NoError(t, err)
		b := upload(t, d, "done", device.U32, make([]uint32, 2))
		k := spinner(t, func(a *asm) {
			a.p.Local = []ir.Var{{Name: "own", Elem: ir.U32, Size: 4, ElemSize: 4, Align: 4}}
			a.p.LocalBytes = 4
			c.body(a)
		})
		rep, err := d.Launch(context.Background(), device.Launch{Kernel: k, Grid: 2, Block: 32, Args: []any{b}})
		if c.hangs {
			var h *device.HangError
			require.ErrorAs(t, err, &h, c.name)
			assert.Equal(t, "no value in memory has changed, and every warp repeats itself or waits for one that does", h.What, c.name)
			assert.Less(t, rep.Cycles, uint64(20_000), c.name)
		} else {
			var u *device.UndecidedError
			require.ErrorAs(t, err, &u, c.name)
			assert.Equal(t, "1000000 cycles", u.Budget)
			require.Len(t, u.Waiting, 2, c.name)
			assert.Equal(t, "test.go", u.Waiting[0].At[0].File, c.name)
			assert.InDelta(t, 1_000_000, rep.Cycles, 20_000, c.name)
		}
		checkIdle(t, d)
	}
}

// divergentBarrier is a kernel with a barrier in the even lanes only.
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

// TestBarrierInDivergentCode checks that if arrivals count by thread, the barrier never opens for lanes that the stack
// separates; if they count by warp, it does.
func TestBarrierInDivergentCode(t *testing.T) {
	d := open(t, "tiny")
	h := hangOf(t, d, divergentBarrier(t), 1, 64)
	assert.Contains(t, h.What, "wait for threads that never arrive")
	require.Len(t, h.Waiting, 4)
	assert.Equal(t, "waits at a barrier that 32 of the block's 64 remaining threads have reached", h.Waiting[0].Why)
	assert.Equal(t, uint32(0x55555555), h.Waiting[0].Threads)
	assert.Contains(t, h.Waiting[1].Why, "wait for the other lanes of their warp")
	assert.Equal(t, uint32(0xaaaaaaaa), h.Waiting[1].Threads)

	launch(t, open(t, "k40"), divergentBarrier(t), 1, 64)
}

// TestBarrierKindsDoNotMeet checks each pair of barrier kinds, executed by two warps of a block. The same kind at
// different places does match.
func TestBarrierKindsDoNotMeet(t *testing.T) {
	kinds := []ir.Op{ir.OpBar, ir.OpBarCount, ir.OpBarAnd, ir.OpBarOr}
	for _, preset := range []string{"tiny", "k40"} {
		for _, first := range kinds {
			for _, second := range kinds {
				a := newAsm("kinds", 2, 3)
				bar := func(op ir.Op) {
					switch op {
					case ir.OpBar:
						a.op(op, ir.Void, -1)
					case ir.OpBarCount:
						a.op(op, ir.U32, 1, ir.PredTrue)
					default:
						a.op(op, ir.Pred, 1, ir.PredTrue)
					}
				}
				a.special(0, ir.TID)
				a.cmp(ir.OpLt, ir.U32, 0, 0, a.konst(ir.U32, 32))
				a.bra(0, "first", "end")
				bar(second)
				a.jmp("end")
				a.label("first")
				bar(first)
				a.label("end")
				a.op(ir.OpExit, ir.Void, -1)
				d := open(t, preset)
				if first == second {
					launch(t, d, a.kernel(t), 1, 64)
					continue
				}
				for _, blocks := range []int{7, 1} { // seven wait at different times
					h := hangOf(t, d, a.kernel(t), blocks, 64)
					assert.Equal(t, "threads of a block wait at barriers of different kinds, so none can complete", h.What)
					assert.Equal(t, device.Stuck, h.Kind)
				}
				h := hangOf(t, d, a.kernel(t), 1, 64)
				require.Len(t, h.Waiting, 2)
				for i, op := range []ir.Op{first, second} {
					assert.Equal(t, "waits at "+simt.BarrierName(&ir.Inst{Op: op})+"; others of the block wait at another kind of barrier", h.Waiting[i].Why)
				}
			}
		}
	}
}

// TestBarrierWithExits checks that a barrier does not wait for threads that have exited.
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
	b := upload(t, d, "x", device.U32, make([]uint32, 100))
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
	b := upload(t, d, "done", device.U32, make([]uint32, 3))
	rep, err := d.Launch(ctx, device.Launch{Kernel: spinner(t, counting), Grid: 3, Block: 32, Args: []any{b}})
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
