package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// TestBlockScopeWaitsForLoads checks that a fence of block scope, and the instruction after an acquire of block scope,
// wait for loads in flight, which take about 200 cycles on a V100, and for no store.
func TestBlockScopeWaitsForLoads(t *testing.T) {
	d := open(t, "v100")
	b, err := d.Alloc("x", device.U32, 1024)
	require.NoError(t, err)
	each := func(step func(a *asm, root int32)) float64 {
		return perStep(t, d, func(steps int) *device.Kernel {
			a := newAsm("fences", 8, 0)
			x, _, root := a.slice("x", ir.U32)
			a.op(ir.OpMov, ir.U64, 0, x)
			for range steps {
				step(a, root)
			}
			a.op(ir.OpExit, ir.Void, -1)
			return a.kernel(t)
		}, 1, 1, b)
	}
	load := func(order ir.Order, scope ir.Scope) func(*asm, int32) {
		return func(a *asm, root int32) {
			in := a.mem(ir.OpLoad, ir.U32, 2, root, 0)
			in.Mem.Order, in.Mem.Scope, in.Mem.Cache = order, scope, ir.CacheStreaming
			in.Dst[0] = int32(2 + len(a.p.Code)%4) // no instruction waits for a register
		}
	}
	store := func(a *asm, root int32) { a.mem(ir.OpStore, ir.U32, -1, root, 0, a.konst(ir.U32, 1)) }
	fence := func(a *asm) {
		a.op(ir.OpFence, ir.Void, -1).Mem = ir.Mem{Order: ir.AcqRel, Scope: ir.ScopeBlock}
	}
	device := load(ir.Relaxed, ir.ScopeDevice)
	assert.Less(t, each(device), 60.0, "loads overlap: four registers")
	assert.Greater(t, each(func(a *asm, root int32) { device(a, root); fence(a) }), 190.0, "a load, a fence")
	assert.Less(t, each(func(a *asm, root int32) { store(a, root); fence(a) }), 60.0, "a store, a fence")
	hit := float64(d.cfg.L1.Latency)
	assert.Less(t, each(load(ir.Relaxed, ir.ScopeBlock)), hit, "hits in L1 overlap")
	assert.GreaterOrEqual(t, each(load(ir.Acquire, ir.ScopeBlock)), hit, "after an acquire nothing goes on before the value is there")
}

// TestFenceIsCumulative checks that a fence of device scope waits for stores by other warps of its SM that a Sync
// orders before it, and for none that begin later. The stores take 600 cycles to the far half of the L2 and as many
// for the acknowledgement.
func TestFenceIsCumulative(t *testing.T) {
	const pageWords = 1024
	// where is the place of the stores by other warps, to 32 pages: before the Sync, after the fence, or in a block on
	// another SM.
	type where int
	const (
		before where = iota
		after
		elsewhere
	)
	// took returns how many cycles the second warp of block 0 takes for step after a Sync.
	took := func(stores where, step func(a *asm, flag ir.Operand, root int32)) uint64 {
		d := open(t, "tiny", "l2.partitions", "2", "l2.far", "600", "l2.latency", "700")
		a := newAsm("cumulative", 10, 3)
		x, _, xr := a.slice("x", ir.U32)
		flag, _, fr := a.slice("flag", ir.U32)
		out, _, or := a.slice("out", ir.U64)
		a.special(0, ir.TID)
		a.special(1, ir.CTAID)
		a.op(ir.OpMad, ir.U32, 2, 1, a.konst(ir.U32, 32), 0)
		a.op(ir.OpMul, ir.U32, 2, 2, a.konst(ir.U32, pageWords))
		a.lea(3, x, 2, 4)
		a.op(ir.OpMov, ir.U64, 4, flag)
		a.op(ir.OpMov, ir.U64, 9, out)
		a.cmp(ir.OpLt, ir.U32, 0, 0, a.konst(ir.U32, 32))
		a.bra(0, "writers", "end")
		a.op(ir.OpBar, ir.Void, -1)
		a.special(5, ir.Clock64)
		step(a, 4, fr)
		a.special(6, ir.Clock64)
		a.op(ir.OpSub, ir.U64, 6, 6, 5)
		a.cmp(ir.OpEq, ir.U32, 1, 1, a.konst(ir.U32, 0)) // block 0
		a.mem(ir.OpStore, ir.U64, -1, or, 9, 6).Guard = 1
		a.jmp("end")
		a.label("writers")
		a.cmp(map[where]ir.Op{before: ir.OpEq, after: ir.OpEq, elsewhere: ir.OpNe}[stores], ir.U32, 2, 1, a.konst(ir.U32, 0))
		if stores != after {
			a.mem(ir.OpStore, ir.U32, -1, xr, 3, a.konst(ir.U32, 1)).Guard = 2
		}
		a.op(ir.OpBar, ir.Void, -1)
		if stores == after {
			a.op(ir.OpSleep, ir.Void, -1, a.konst(ir.U32, 20)) // the fence has begun by now
			for range 40 {
				a.mem(ir.OpStore, ir.U32, -1, xr, 3, a.konst(ir.U32, 1)).Guard = 2
				a.op(ir.OpSleep, ir.Void, -1, a.konst(ir.U32, 50))
			}
		}
		a.label("end")
		a.op(ir.OpExit, ir.Void, -1)
		b := upload(t, d, "out", device.U64, make([]uint64, 1))
		launch(t, d, a.kernel(t), 2, 64, upload(t, d, "x", device.U32, make([]uint32, 64*pageWords)), upload(t, d, "flag", device.U32, make([]uint32, 1)), b)
		return download[uint64](t, d, b)[0]
	}
	fence := func(scope ir.Scope) func(*asm, ir.Operand, int32) {
		return func(a *asm, _ ir.Operand, _ int32) {
			a.op(ir.OpFence, ir.Void, -1).Mem = ir.Mem{Order: ir.AcqRel, Scope: scope}
		}
	}
	release := func(a *asm, flag ir.Operand, root int32) {
		in := a.mem(ir.OpStore, ir.U32, -1, root, flag, a.konst(ir.U32, 1))
		in.Mem.Order, in.Mem.Scope = ir.Release, ir.ScopeDevice
	}
	cost := uint64(open(t, "tiny").cfg.Fence.Device)
	for name, step := range map[string]func(*asm, ir.Operand, int32){"fence": fence(ir.ScopeDevice), "release": release} {
		assert.Greater(t, took(before, step), uint64(1200), "%s behind stores", name)
		assert.Less(t, took(after, step), cost+100, "%s, and stores after it", name)
		assert.Less(t, took(elsewhere, step), cost+100, "%s, and stores of another SM", name)
	}
	assert.Less(t, took(before, fence(ir.ScopeBlock)), uint64(100), "a fence of block scope")
}

// TestFencesTogether compares fences of several warps of an SM with those of an H100 alone and of one of two (results/hw/barriers): an SM carries out one batch after
// the other, so that a round takes a whole number of gaps if warps come at different times.
func TestFencesTogether(t *testing.T) {
	round := func(d *Device, warps int, scope ir.Scope, load bool) float64 {
		b, err := d.Alloc("x", device.U32, 1<<16)
		require.NoError(t, err)
		return perStep(t, d, func(steps int) *device.Kernel {
			a := newAsm("together", 8, 0)
			x, _, root := a.slice("x", ir.U32)
			a.special(0, ir.TID)
			a.op(ir.OpShr, ir.U32, 1, 0, a.konst(ir.U32, 5))
			a.lea(2, x, 1, 256)
			for range steps {
				if load {
					in := a.mem(ir.OpLoad, ir.U32, 4, root, 2)
					in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeDevice
					a.op(ir.OpAdd, ir.U32, 5, 5, 4)
				}
				a.op(ir.OpFence, ir.Void, -1).Mem = ir.Mem{Order: ir.AcqRel, Scope: scope}
			}
			a.op(ir.OpExit, ir.Void, -1)
			return a.kernel(t)
		}, 1, 32*warps, b)
	}
	alone := open(t, "h100")
	g, err := NewGroup(alone.cfg, 2, Options{})
	require.NoError(t, err)
	const loop = 75 // of a round that is no whole number of gaps
	for _, c := range []struct {
		on     *Device
		warps  int
		scope  ir.Scope
		load   bool
		cycles float64 // recorded: of 132 SMs for device scope, since their distances differ, and of one SM for system scope
	}{
		{alone, 1, ir.ScopeDevice, false, 737 - loop}, {alone, 16, ir.ScopeDevice, false, 922}, {alone, 16, ir.ScopeDevice, true, 1372},
		{alone, 1, ir.ScopeSystem, false, 1333 - loop}, {alone, 16, ir.ScopeSystem, false, 1638}, {alone, 16, ir.ScopeSystem, true, 1720},
		{g.gpus[1], 1, ir.ScopeSystem, false, 3100 - loop}, {g.gpus[1], 16, ir.ScopeSystem, true, 5154}, {g.gpus[0], 1, ir.ScopeDevice, false, 738 - loop},
	} {
		assert.InEpsilon(t, c.cycles, round(c.on, c.warps, c.scope, c.load), 0.07, "%+v", c)
	}
	assert.Less(t, round(alone, 16, ir.ScopeBlock, false), 60.0, "fences of block scope wait for nobody")
}

// TestTurns tells by hand when fences begin that keep an SM for 100 cycles.
func TestTurns(t *testing.T) {
	var o accessOrder
	for _, c := range [][2]uint64{{1000, 1000}, {1005, 1005}, {1009, 1100}, {1090, 1100}, {1105, 1105}, {1108, 1108}, {1110, 1200}, {1350, 1350}} {
		assert.Equal(t, c[1], o.turn(c[0], 100), "at %d", c[0])
	}
	assert.EqualValues(t, 1450, o.turn(1400, 700), "one of system scope waits for one of device scope")
	assert.EqualValues(t, 2150, o.turn(1500, 100), "and keeps others for longer")
	assert.EqualValues(t, 2150, o.turn(2100, 100))
	assert.EqualValues(t, 2260, o.turn(2260, 100))
	assert.EqualValues(t, 2261, o.turn(2261, 0), "a machine without gaps")
}
