package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// perStep returns the cycles of one further step of a chain of equal steps: the difference between launches with 96
// and 32 steps, divided by 64.
func perStep(t *testing.T, d *Device, kernel func(steps int) *device.Kernel, grid, block int, args ...any) float64 {
	run := func(steps int) float64 {
		k := kernel(steps)
		launch(t, d, k, grid, block, args...) // warm up
		return float64(launch(t, d, k, grid, block, args...).Cycles)
	}
	return (run(96) - run(32)) / 64
}

// chase is a chain of loads, each of the address that the previous one returned, beginning at x[0].
func chase(t *testing.T, order ir.Order) func(int) *device.Kernel {
	return func(steps int) *device.Kernel {
		a := newAsm("chase", 2, 0)
		x, _, xr := a.slice("x", ir.U64)
		a.op(ir.OpMov, ir.U64, 0, x)
		for range steps {
			in := a.mem(ir.OpLoad, ir.U64, 0, xr, 0)
			if order != ir.Weak {
				in.Mem.Order, in.Mem.Scope = order, ir.ScopeDevice
			}
		}
		a.mem(ir.OpStore, ir.U64, -1, xr, 0, 0)
		a.op(ir.OpExit, ir.Void, -1)
		return a.kernel(t)
	}
}

func TestLatencyOfLoads(t *testing.T) {
	for _, c := range []struct {
		preset string
		order  ir.Order
		want   float64
	}{
		{"h200", ir.Weak, 36.5},     // 41.8 with the address computation
		{"h200", ir.Relaxed, 279.5}, // 284.3 with the address computation
		{"v100", ir.Weak, 28},
		{"v100", ir.Relaxed, 193},
		{"k40", ir.Weak, 200}, // global loads bypass L1
	} {
		d := open(t, c.preset, "l2.spread", "0")
		b, err := d.Alloc("x", device.U64, 1)
		assert.NoError(t, err)
		assert.NoError(t, d.Write(b, []uint64{b.Addr}))
		assert.InDelta(t, c.want, perStep(t, d, chase(t, c.order), 1, 1, b), 1.5, "%s %v", c.preset, c.order)
	}
}

// sharedChase is a chain of shared loads in which the 32 lanes access words in ways rows of one bank: lane l starts at
// row l%ways.
func sharedChase(t *testing.T, ways int) func(int) *device.Kernel {
	return func(steps int) *device.Kernel {
		a := newAsm("sharedchase", 4, 0)
		x, xr := a.shared("x", ir.U32, 32*32)
		a.special(0, ir.LaneID)
		a.op(ir.OpAnd, ir.U32, 0, 0, a.konst(ir.U32, uint64(ways-1)))
		a.lea(1, x, 0, 128) // address of row l%ways, bank 0
		a.mem(ir.OpStore, ir.U32, -1, xr, 1, a.konst(ir.U32, 0))
		a.op(ir.OpMov, ir.U64, 3, 1)
		for range steps {
			// The loaded 0 feeds the next address without adding latency: the load writes row 2, and the base of the
			// address stays in row 3.
			a.mem(ir.OpLoad, ir.U32, 2, xr, 1)
			in := a.op(ir.OpLea, ir.U64, 1, 3, 2)
			in.ArgK, in.Imm = ir.U32, 4
		}
		a.op(ir.OpExit, ir.Void, -1)
		return a.kernel(t)
	}
}

func TestLatencyOfSharedMemory(t *testing.T) {
	d := open(t, "h200")
	for ways, want := range map[int]float64{1: 28.03, 2: 30.03, 4: 34.02, 8: 42, 16: 57.97, 32: 89.91} {
		assert.InDelta(t, want, perStep(t, d, sharedChase(t, ways), 1, 32), 1, "%d ways", ways)
	}
}

// atomicChain is a chain of atomic adds of 0 with result to x[lane/lanes]; the result, always 0, feeds the next
// address.
func atomicChain(t *testing.T, lanes int, space ir.Space) func(int) *device.Kernel {
	return func(steps int) *device.Kernel {
		a := newAsm("atomics", 5, 0)
		x, _, xr := a.slice("x", ir.U32)
		if space == ir.Shared {
			x, xr = a.shared("s", ir.U32, 32)
		}
		a.special(0, ir.LaneID)
		a.op(ir.OpDiv, ir.U32, 0, 0, a.konst(ir.U32, uint64(lanes)))
		a.lea(1, x, 0, 4)
		zero := a.konst(ir.U32, 0)
		for range steps {
			a.mem(ir.OpAtomAdd, ir.U32, 2, xr, 1, zero)
			if space == ir.Global {
				a.lea(1, x, 0, 4)
				a.op(ir.OpAnd, ir.U32, 2, 2, zero)
				a.op(ir.OpAdd, ir.U32, 0, 0, 2)
			}
		}
		a.op(ir.OpExit, ir.Void, -1)
		return a.kernel(t)
	}
}

// wordsAt returns a buffer that begins with 32 words of a line whose home is in the near or far half of the L2, as
// seen from the first SM.
func wordsAt(t *testing.T, d *Device, k device.Kind, far bool) device.Buffer {
	b, err := d.Alloc("x", k, 1<<16)
	assert.NoError(t, err)
	for i := 0; i < b.Len; i += 32 {
		w := b.Slice(i, i+32)
		a, off := d.mem.Lookup(w.Addr)
		if w.Addr%lineBytes == 0 && d.m.l2.isFar(0, d.m.l2.homeOf(a.Phys+uint64(off)).slice) == far {
			return w
		}
	}
	t.Fatal("no such line")
	return b
}

func TestLatencyOfGlobalAtomics(t *testing.T) {
	d := open(t, "h200", "l2.spread", "0")
	arithmetic := float64(d.cfg.Latency.ALU) // the measured kernel has one operation, this one two
	for far, wants := range map[bool]map[int]float64{
		false: {1: 304.8, 2: 304.8, 4: 305.8, 8: 314.7, 16: 342},
		true:  {1: 490.9},
	} {
		b := wordsAt(t, d, device.U32, far)
		for lanes, want := range wants {
			// The lea overlaps with the atomic and uses the previous index.
			got := perStep(t, d, atomicChain(t, lanes, ir.Global), 1, 32, b) - arithmetic
			assert.InEpsilon(t, want, got, 0.06, "%d lanes on an address, far %v", lanes, far)
		}
	}
}

// TestLatencyOfHalves checks that a load from the far half of the L2 leaves a copy in the near half, which serves
// loads, including ordered ones, until the line is written.
func TestLatencyOfHalves(t *testing.T) {
	d := open(t, "h200", "l2.spread", "0")
	a := newAsm("load", 3, 0)
	x, _, xr := a.slice("x", ir.U32)
	a.mem(ir.OpLoad, ir.U32, 0, xr, x)
	a.op(ir.OpAdd, ir.U32, 1, 0, 0)
	a.op(ir.OpExit, ir.Void, -1)
	load := a.kernel(t)
	a = newAsm("store", 3, 0)
	x, _, xr = a.slice("x", ir.U32)
	a.special(0, ir.LaneID)
	a.lea(1, x, 0, 4)
	a.mem(ir.OpStore, ir.U32, -1, xr, 1, a.konst(ir.U32, 1))
	a.op(ir.OpExit, ir.Void, -1)
	store := a.kernel(t)
	a = newAsm("add", 3, 0)
	x, _, xr = a.slice("x", ir.U32)
	a.mem(ir.OpAtomAdd, ir.U32, -1, xr, x, a.konst(ir.U32, 1))
	a.op(ir.OpExit, ir.Void, -1)
	add := a.kernel(t)

	near, far := wordsAt(t, d, device.U32, false), wordsAt(t, d, device.U32, true)
	cycles := func(b device.Buffer) int { return int(launch(t, d, load, 1, 1, b).Cycles) }
	for _, b := range []device.Buffer{near, far} {
		launch(t, d, store, 1, 8, b) // a whole sector of the line is in the L2, at its home
	}
	here := cycles(near)
	assert.Equal(t, here, cycles(near))
	assert.Equal(t, here+2*d.cfg.L2.Far, cycles(far), "there and back")
	assert.Equal(t, here, cycles(far), "the copy")
	launch(t, d, store, 1, 8, far)
	assert.Equal(t, here+2*d.cfg.L2.Far, cycles(far), "the copy is gone")
	assert.Equal(t, here, cycles(far))
	launch(t, d, add, 1, 1, far)
	assert.Equal(t, here+2*d.cfg.L2.Far, cycles(far), "an atomic drops it, too")
	assert.Equal(t, here, cycles(far), "and the loads of later launches make one again: results/hw/chains")

	for _, isFar := range []bool{false, true} {
		b := wordsAt(t, d, device.U64, isFar)
		assert.NoError(t, d.Write(b.Slice(0, 1), []uint64{b.Addr}))
		assert.InDelta(t, 279.5, perStep(t, d, chase(t, ir.Relaxed), 1, 1, b), 1.5, "far %v", isFar)
	}
}

func TestRateOfSharedAtomics(t *testing.T) {
	d := open(t, "h200")
	b := upload(t, d, "x", device.U32, make([]uint32, 1))
	// Loops of eight take 8 max(4, 2 d) + 35 cycles on an H200.
	for lanes, want := range map[int]float64{1: 4, 2: 4, 4: 8, 8: 16, 16: 32, 32: 64} {
		k := func(steps int) *device.Kernel { // independent: results are written to rows in turn
			a := newAsm("atomics", 40, 0)
			a.slice("x", ir.U32)
			x, xr := a.shared("s", ir.U32, 32)
			a.special(0, ir.LaneID)
			a.op(ir.OpDiv, ir.U32, 0, 0, a.konst(ir.U32, uint64(lanes)))
			a.lea(1, x, 0, 4)
			for i := range steps {
				a.mem(ir.OpAtomAdd, ir.U32, int32(2+i%32), xr, 1, a.konst(ir.U32, 0))
			}
			a.op(ir.OpExit, ir.Void, -1)
			return a.kernel(t)
		}
		assert.InEpsilon(t, want, perStep(t, d, k, 1, 32, b), 0.06, "%d lanes on an address", lanes)
	}
}

func TestLatencyOfBarrier(t *testing.T) {
	d := open(t, "h200")
	k := func(steps int) *device.Kernel {
		a := newAsm("barriers", 1, 0)
		for range steps {
			a.op(ir.OpBar, ir.Void, -1)
		}
		a.op(ir.OpExit, ir.Void, -1)
		return a.kernel(t)
	}
	for _, warps := range []int{1, 2, 4, 8, 16, 32} {
		assert.InDelta(t, 12.9+2*float64(warps), perStep(t, d, k, 1, 32*warps), 1, "%d warps", warps)
	}
}

func TestLatencyOfArithmetic(t *testing.T) {
	d := open(t, "h200")
	chain := func(op ir.Op, k ir.Kind) func(int) *device.Kernel {
		return func(steps int) *device.Kernel {
			a := newAsm("chain", 2, 0)
			a.op(ir.OpMov, k, 0, a.konst(k, 1))
			for range steps {
				a.op(op, k, 0, 0, a.konst(k, 3))
			}
			a.op(ir.OpExit, ir.Void, -1)
			return a.kernel(t)
		}
	}
	for _, c := range []struct {
		op   ir.Op
		k    ir.Kind
		want int
	}{
		{ir.OpAdd, ir.U32, d.cfg.Latency.ALU}, {ir.OpMul, ir.U32, d.cfg.Latency.IMAD},
		{ir.OpAdd, ir.F32, d.cfg.Latency.FP32}, {ir.OpAdd, ir.F64, d.cfg.Latency.FP64}, {ir.OpDiv, ir.U32, d.cfg.Latency.Div},
	} {
		assert.Equal(t, float64(c.want), perStep(t, d, chain(c.op, c.k), 1, 32), "%v of %v", c.op, c.k)
	}
}

// TestRateOfIndependentArithmetic checks that one warp is limited by the issue interval of its pipe, and that four
// warps on four sub-cores do not limit each other.
func TestRateOfIndependentArithmetic(t *testing.T) {
	d := open(t, "h200")
	k := func(steps int) *device.Kernel {
		a := newAsm("independent", 9, 0)
		a.op(ir.OpMov, ir.U32, 8, a.konst(ir.U32, 1))
		for i := range steps {
			a.op(ir.OpPopc, ir.U32, int32(i%8), 8)
		}
		a.op(ir.OpExit, ir.Void, -1)
		return a.kernel(t)
	}
	for _, warps := range []int{1, 4, 8} {
		want := float64(d.cfg.Cadence.SFU * ((warps + 3) / 4))
		assert.InDelta(t, want, perStep(t, d, k, 1, 32*warps), 0.5, "%d warps", warps)
	}
}
