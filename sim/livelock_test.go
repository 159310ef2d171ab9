package sim

import (
	"context"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/policy"
)

// ordered makes an access one of device scope that L1 does not serve.
func ordered(in *ir.Inst) *ir.Inst {
	in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeDevice
	return in
}

// toggle is a kernel in which each block writes 0 and 1 to a word of its own in turn, until it reads 2 there. body is
// executed in the loop.
func toggle(t testing.TB, body func(a *asm)) *device.Kernel {
	a := newAsm("toggle", 8, 2)
	x, _, xr := a.slice("x", ir.U32)
	a.special(0, ir.CTAID)
	a.lea(1, x, 0, 4)
	a.op(ir.OpMov, ir.U32, 3, a.konst(ir.U32, 0))
	a.label("again")
	a.op(ir.OpXor, ir.U32, 3, 3, a.konst(ir.U32, 1))
	if body != nil {
		body(a)
	}
	ordered(a.mem(ir.OpStore, ir.U32, -1, xr, 1, 3))
	ordered(a.mem(ir.OpLoad, ir.U32, 2, xr, 1))
	a.cmp(ir.OpNe, ir.U32, 0, 2, a.konst(ir.U32, 2))
	a.bra(0, "again", "end")
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// decided launches a kernel with a budget on a machine with parameters.
func decided(t *testing.T, preset string, k *device.Kernel, grid, block, words int, params ...string) (*device.Report, error) {
	cfg, err := config.Load(preset)
	require.NoError(t, err)
	for i := 0; i < len(params); i += 2 {
		require.NoError(t, cfg.Set(params[i], params[i+1]))
	}
	d, err := New(cfg, Options{Budget: 20_000_000})
	require.NoError(t, err)
	defer d.Close()
	b := upload(t, d, "x", device.U32, make([]uint32, words))
	r, err := d.Launch(context.Background(), device.Launch{Kernel: k, Grid: grid, Block: block, Args: []any{b}})
	checkIdle(t, d)
	return r, err
}

func TestTogglingIsALivelock(t *testing.T) {
	for _, preset := range []string{"tiny", "k40", "h200"} {
		for _, block := range []int{32, 256} {
			r, err := decided(t, preset, toggle(t, nil), 2, block, 2)
			var h *device.HangError
			require.ErrorAs(t, err, &h, preset)
			assert.Equal(t, device.Livelock, h.Kind)
			assert.Regexp(t, `^the whole machine is in the same state every \d+ cycles, so it goes on like this for ever, in this order of events; values in global memory change \d+ times meanwhile, and change back$`, h.What)
			t.Logf("%s, blocks of %d: %d cycles, %s", preset, block, r.Cycles, h.What)
		}
	}
}

// TestUndoneIsALivelock: warps undo what others do, in memory and in shared memory, and no value that they wait for
// comes.
func TestUndoneIsALivelock(t *testing.T) {
	for _, preset := range []string{"tiny", "k40", "v100"} {
		// Two warps of a block write different values to one word of shared memory, each until it reads a third one.
		a := newAsm("undo", 8, 2)
		cell, cr := a.shared("cell", ir.U32, 1)
		x, _, xr := a.slice("x", ir.U32)
		a.special(0, ir.TID)
		a.op(ir.OpDiv, ir.U32, 0, 0, a.konst(ir.U32, 32))
		a.op(ir.OpMov, ir.U64, 1, cell)
		a.op(ir.OpMov, ir.U64, 4, x)
		a.mem(ir.OpStore, ir.U32, -1, cr, 1, 0)
		a.label("again")
		a.mem(ir.OpStore, ir.U32, -1, cr, 1, 0)
		a.mem(ir.OpStore, ir.U32, -1, xr, 4, 0)
		in := a.mem(ir.OpLoad, ir.U32, 2, cr, 1)
		in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeBlock
		a.cmp(ir.OpNe, ir.U32, 0, 2, a.konst(ir.U32, 9))
		a.bra(0, "again", "end")
		a.label("end")
		a.op(ir.OpExit, ir.Void, -1)
		_, err := decided(t, preset, a.kernel(t), 1, 64, 1)
		var h *device.HangError
		require.ErrorAs(t, err, &h, preset)
		assert.Equal(t, device.Livelock, h.Kind, preset)

		// Two blocks take and free two locks in opposite order, and end when a third holds
		// the second.
		b := newAsm("courtesy", 8, 2)
		x, _, xr = b.slice("x", ir.U32)
		b.special(0, ir.CTAID)
		b.op(ir.OpXor, ir.U32, 5, 0, b.konst(ir.U32, 1))
		b.lea(1, x, 0, 4)
		b.lea(2, x, 5, 4)
		b.label("first")
		b.mem(ir.OpAtomCAS, ir.U32, 3, xr, 1, b.konst(ir.U32, 0), b.konst(ir.U32, 1))
		b.cmp(ir.OpNe, ir.U32, 0, 3, b.konst(ir.U32, 0))
		b.bra(0, "first", "second")
		b.label("second")
		b.mem(ir.OpAtomCAS, ir.U32, 4, xr, 2, b.konst(ir.U32, 0), b.konst(ir.U32, 1))
		b.mem(ir.OpAtomExch, ir.U32, 6, xr, 1, b.konst(ir.U32, 0))
		b.cmp(ir.OpNe, ir.U32, 0, 4, b.konst(ir.U32, 7))
		b.bra(0, "first", "done")
		b.label("done")
		b.op(ir.OpExit, ir.Void, -1)
		_, err = decided(t, preset, b.kernel(t), 2, 1, 2)
		require.ErrorAs(t, err, &h, preset)
		assert.Equal(t, device.Livelock, h.Kind, preset)
	}
}

// TestLanesExchangeALock: the lanes of a warp hand a lock to each other for ever.
func TestLanesExchangeALock(t *testing.T) {
	a := newAsm("exchange", 8, 2)
	x, _, xr := a.slice("x", ir.U32)
	a.special(0, ir.TID)
	a.op(ir.OpMov, ir.U64, 1, x)
	a.label("again")
	a.mem(ir.OpAtomExch, ir.U32, 2, xr, 1, 0) // each lane leaves its number
	a.cmp(ir.OpNe, ir.U32, 0, 2, a.konst(ir.U32, 99))
	a.bra(0, "again", "end")
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	for _, preset := range []string{"tiny", "k40"} {
		_, err := decided(t, preset, a.kernel(t), 1, 32, 1)
		var h *device.HangError
		require.ErrorAs(t, err, &h, preset)
		assert.Equal(t, device.Livelock, h.Kind, preset)
	}
}

// TestNoRecurrence checks that machines and kernels whose state never recurs are undecided, with the reason.
func TestNoRecurrence(t *testing.T) {
	for _, c := range []struct {
		why    string
		params []string
		body   func(a *asm)
	}{
		{"jitter draws random delays, so that the state of the machine never recurs", []string{"jitter.message", "3"}, nil},
		{"issue.scheduler=random does not show its state, so that the state of the machine is not known to recur", []string{"issue.scheduler", "random"}, nil},
		{"it reads a clock, so that the state of the machine never recurs", nil, func(a *asm) { a.special(5, ir.Clock64) }},
		{"", nil, func(a *asm) { a.op(ir.OpAdd, ir.U32, 5, 5, a.konst(ir.U32, 1)) }},
	} {
		_, err := decided(t, "tiny", toggle(t, c.body), 2, 32, 2, c.params...)
		var u *device.UndecidedError
		require.ErrorAs(t, err, &u, c.why)
		assert.Equal(t, c.why, u.Why)
	}
}

// keeper picks the oldest warp that is ready, except one that it never picks while another one is ready.
type keeper struct{ never int }

func (k keeper) Pick(ready uint64, age *[64]uint64) int {
	if rest := ready &^ (1 << k.never); rest != 0 {
		ready = rest
	}
	return bits.TrailingZeros64(ready)
}

func (keeper) Issued(int) {}

func (keeper) AppendState(to []uint64) []uint64 { return to }

// TestStarved: a warp computes without end on a machine on which it is always ready, and the scheduler picks the other one
// only if no other is.
func TestStarved(t *testing.T) {
	policy.RegisterWarpScheduler("keeps-last", func(uint64) policy.WarpScheduler { return keeper{1} })
	a := newAsm("starve", 8, 2)
	x, _, xr := a.slice("x", ir.U32)
	a.special(0, ir.TID)
	a.op(ir.OpMov, ir.U64, 1, x)
	a.op(ir.OpMov, ir.U32, 3, a.konst(ir.U32, 0))
	a.cmp(ir.OpGe, ir.U32, 0, 0, a.konst(ir.U32, 32))
	a.bra(0, "last", "end")
	a.label("spin")
	for range 40 {
		a.op(ir.OpXor, ir.U32, 3, 3, a.konst(ir.U32, 1))
	}
	a.cmp(ir.OpEq, ir.U32, 0, 3, a.konst(ir.U32, 0))
	a.bra(0, "spin", "end")
	a.jmp("end")
	a.label("last")
	a.mem(ir.OpStore, ir.U32, -1, xr, 1, a.konst(ir.U32, 1))
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	fast := []string{"sm.subcores", "1", "latency.alu", "1", "issue.branch", "1"}
	_, err := decided(t, "tiny", a.kernel(t), 1, 64, 1, append(fast, "issue.scheduler", "keeps-last")...)
	var h *device.HangError
	require.ErrorAs(t, err, &h)
	assert.Equal(t, device.Starved, h.Kind)
	assert.Contains(t, h.What, "warp 1 of block 0 could run and never gets a turn")
	assert.Contains(t, h.What, "no value in global memory changes")
	_, err = decided(t, "tiny", a.kernel(t), 1, 64, 1, append(fast, "issue.scheduler", "lrr")...)
	require.ErrorAs(t, err, &h, "the second warp has ended")
	assert.Equal(t, device.Hang, h.Kind)
}
