package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// strided loads x[lane*stride] twice, one after the other.
func strided(t *testing.T, stride int64, order ir.Order, elem ir.Kind) func() (a *asm) {
	return func() *asm {
		a := newAsm("strided", 6, 0)
		x, _, xr := a.slice("x", elem)
		a.special(0, ir.LaneID)
		a.lea(1, x, 0, stride*int64(elem.Bytes()))
		for i := range int32(2) {
			in := a.mem(ir.OpLoad, elem, 2+i, xr, 1)
			if order != ir.Weak {
				in.Mem.Order, in.Mem.Scope = order, ir.ScopeDevice
			}
			a.op(ir.OpAdd, ir.U32, 4, 4, ir.Operand(2+i)) // wait for it
		}
		a.op(ir.OpExit, ir.Void, -1)
		return a
	}
}

func TestCoalescing(t *testing.T) {
	for _, c := range []struct {
		stride           int64
		elem             ir.Kind
		order            ir.Order
		lines            float64 // of both loads
		sectors, l1, lts float64
	}{
		{1, ir.U32, ir.Weak, 2, 8, 4, 4},
		{2, ir.U32, ir.Weak, 4, 16, 8, 8},
		{8, ir.U32, ir.Weak, 16, 64, 32, 32},  // one sector per lane
		{32, ir.U32, ir.Weak, 64, 64, 32, 32}, // one line per lane
		{0, ir.U32, ir.Weak, 2, 2, 1, 1},
		{1, ir.U64, ir.Weak, 4, 16, 8, 8},
		{1, ir.U8, ir.Weak, 2, 2, 1, 1},
		{1, ir.U32, ir.Relaxed, 2, 8, 0, 8}, // not served from L1
	} {
		d := open(t, "tiny", "l1.ways", "64") // one set: nothing is evicted
		b, err := d.Alloc("x", device.Kind(c.elem), 32*33)
		assert.NoError(t, err)
		r := launch(t, d, strided(t, c.stride, c.order, c.elem)().kernel(t), 1, 32, b)
		assert.Equal(t, 2.0, count(t, r, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), "%+v", c)
		assert.Equal(t, c.lines, count(t, r, "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum"), "%+v", c)
		assert.Equal(t, c.sectors/2, count(t, r, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"), "%+v", c)
		assert.Equal(t, c.sectors, count(t, r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), "%+v", c)
		assert.Equal(t, c.l1, count(t, r, "l1tex__t_sectors_pipe_lsu_lookup_hit.sum"), "%+v", c)
		assert.Equal(t, c.lts, count(t, r, "lts__t_sectors_op_read.sum"), "%+v", c)
	}
}

// TestL2AndDRAM checks that the first launch reads from DRAM in bursts of 64 bytes and that the second one finds
// everything in the L2.
func TestL2AndDRAM(t *testing.T) {
	d := open(t, "tiny")
	b := upload(t, d, "x", device.U32, make([]uint32, 32*8))
	k := strided(t, 8, ir.Relaxed, ir.U32)().kernel(t)
	r := launch(t, d, k, 1, 32, b)
	assert.Equal(t, 32.0, count(t, r, "lts__t_sectors_lookup_miss.sum"))
	assert.Equal(t, 32.0, count(t, r, "lts__t_sectors_lookup_hit.sum"), "the second load of each sector")
	assert.Equal(t, 1024.0, count(t, r, "dram__bytes_read.sum"))
	r = launch(t, d, k, 1, 32, b)
	assert.Equal(t, 100.0, count(t, r, "lts__t_sector_hit_rate.pct"))
	assert.Zero(t, count(t, r, "dram__bytes_read.sum"))

	// One sector of a burst costs the whole burst.
	far := upload(t, d, "far", device.U32, make([]uint32, 32*32))
	r = launch(t, d, strided(t, 32, ir.Weak, ir.U32)().kernel(t), 1, 32, far)
	assert.Equal(t, 32.0, count(t, r, "lts__t_sectors_lookup_miss.sum"))
	assert.Equal(t, 32*64.0, count(t, r, "dram__bytes_read.sum"))
}

// TestWriteBack writes more than the L2 holds: evicted lines are written to DRAM, and a store reads nothing from DRAM.
func TestWriteBack(t *testing.T) {
	d := open(t, "tiny")
	n := d.cfg.L2.Bytes / 4 * 4
	b, err := d.Alloc("x", device.U32, n)
	assert.NoError(t, err)
	a := newAsm("fill", 3, 0)
	x, _, xr := a.slice("x", ir.U32)
	a.global(0)
	a.lea(1, x, 0, 4)
	a.mem(ir.OpStore, ir.U32, -1, xr, 1, 0)
	a.op(ir.OpExit, ir.Void, -1)
	r := launch(t, d, a.kernel(t), n/256, 256, b)
	got := download[uint32](t, d, b)
	for i, v := range got {
		if v != uint32(i) {
			t.Fatalf("x[%d] is %d", i, v)
		}
	}
	assert.Zero(t, count(t, r, "dram__bytes_read.sum"))
	written := count(t, r, "dram__bytes_write.sum")
	assert.Equal(t, float64(4*n-d.cfg.L2.Bytes), written)
}

func TestBankConflicts(t *testing.T) {
	for _, c := range []struct {
		stride int64 // elements between lanes
		elem   ir.Kind
		want   float64 // additional passes of a load
		ways   float64 // passes
	}{
		{1, ir.U32, 0, 1}, {0, ir.U32, 0, 1}, {2, ir.U32, 1, 2}, {4, ir.U32, 3, 4}, {3, ir.U32, 0, 1},
		{32, ir.U32, 31, 32}, {33, ir.U32, 0, 1}, {1, ir.U64, 0, 2}, {2, ir.U64, 2, 4}, {0, ir.U64, 0, 1}, {1, ir.U8, 0, 1},
	} {
		d := open(t, "tiny")
		a := newAsm("banks", 4, 0)
		x, xr := a.shared("s", c.elem, 33*32)
		a.special(0, ir.LaneID)
		a.lea(1, x, 0, c.stride*int64(c.elem.Bytes()))
		a.mem(ir.OpLoad, c.elem, 2, xr, 1)
		a.op(ir.OpExit, ir.Void, -1)
		r := launch(t, d, a.kernel(t), 1, 32)
		assert.Equal(t, c.want, count(t, r, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"), "%+v", c)
		assert.Equal(t, c.ways, count(t, r, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"), "%+v", c)
	}
}

// stale runs a reader and a writer. The reader loads x[0] (which brings its line into L1), waits until flag is set,
// and stores the value that x[0] then has to out; the writer, another block on another SM, changes x[0] and then sets
// flag.
func stale(t *testing.T, after func(a *asm), order ir.Order, l1 bool) uint32 {
	d := open(t, "tiny", "l1.global", map[bool]string{true: "true", false: "false"}[l1])
	a := newAsm("stale", 8, 2)
	x, _, xr := a.slice("x", ir.U32)
	flag, _, fr := a.slice("flag", ir.U32)
	out, _, or := a.slice("out", ir.U32)
	one := a.konst(ir.U32, 1)
	a.special(0, ir.CTAID)
	a.op(ir.OpMov, ir.U64, 1, x)
	a.op(ir.OpMov, ir.U64, 2, flag)
	a.op(ir.OpMov, ir.U64, 3, out)
	a.cmp(ir.OpEq, ir.U32, 0, 0, one)
	a.bra(0, "writer", "end")
	a.mem(ir.OpLoad, ir.U32, 4, xr, 1)
	a.op(ir.OpAdd, ir.U32, 5, 4, 4) // wait for its arrival
	a.mem(ir.OpStore, ir.U32, -1, or, 3, one)
	a.label("spin")
	in := a.mem(ir.OpLoad, ir.U32, 6, fr, 2)
	in.Mem.Order, in.Mem.Scope = order, ir.ScopeDevice
	a.cmp(ir.OpEq, ir.U32, 1, 6, a.konst(ir.U32, 0))
	a.bra(1, "spin", "seen")
	a.label("seen")
	after(a)
	a.mem(ir.OpLoad, ir.U32, 7, xr, 1)
	a.mem(ir.OpStore, ir.U32, -1, or, 3, 7)
	a.jmp("end")
	a.label("writer")
	a.op(ir.OpSleep, ir.Void, -1, a.konst(ir.U32, 5000)) // the reader has loaded x[0] by now
	a.mem(ir.OpStore, ir.U32, -1, xr, 1, a.konst(ir.U32, 42))
	in = a.mem(ir.OpStore, ir.U32, -1, fr, 2, one)
	in.Mem.Order, in.Mem.Scope = ir.Release, ir.ScopeDevice
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	bx, bf, bo := upload(t, d, "x", device.U32, []uint32{7}), upload(t, d, "flag", device.U32, []uint32{0}), upload(t, d, "out", device.U32, []uint32{0})
	launch(t, d, a.kernel(t), 2, 1, bx, bf, bo)
	return download[uint32](t, d, bo)[0]
}

// TestStaleL1 checks that L1 is not coherent: a plain load after a relaxed flag reads the old value; an acquire, a
// fence, or no L1 gives the new one.
func TestStaleL1(t *testing.T) {
	nothing := func(*asm) {}
	fence := func(a *asm) {
		in := a.op(ir.OpFence, ir.Void, -1)
		in.Mem = ir.Mem{Order: ir.AcqRel, Scope: ir.ScopeDevice}
	}
	assert.Equal(t, uint32(7), stale(t, nothing, ir.Relaxed, true), "relaxed")
	assert.Equal(t, uint32(42), stale(t, nothing, ir.Acquire, true), "acquire")
	assert.Equal(t, uint32(42), stale(t, fence, ir.Relaxed, true), "fence")
	assert.Equal(t, uint32(42), stale(t, nothing, ir.Relaxed, false), "no L1")
}

// TestOwnStoresAreSeen checks that a thread sees its own stores and atomics immediately, whatever L1 holds or has in
// flight.
func TestOwnStoresAreSeen(t *testing.T) {
	for _, preset := range presetsOf() {
		d := open(t, preset)
		a := newAsm("own", 12, 0)
		x, _, xr := a.slice("x", ir.U32)
		a.global(0)
		a.lea(1, x, 0, 4)
		a.mem(ir.OpLoad, ir.U32, 2, xr, 1) // a miss in flight
		a.mem(ir.OpStore, ir.U32, -1, xr, 1, a.konst(ir.U32, 10))
		a.mem(ir.OpLoad, ir.U32, 3, xr, 1)
		a.op(ir.OpAdd, ir.U32, 4, 3, 2)
		a.mem(ir.OpLoad, ir.U32, 5, xr, 1) // maybe a hit
		a.mem(ir.OpStore, ir.U32, -1, xr, 1, a.konst(ir.U32, 100))
		a.mem(ir.OpLoad, ir.U32, 6, xr, 1)
		a.op(ir.OpAdd, ir.U32, 4, 4, 5)
		a.op(ir.OpAdd, ir.U32, 4, 4, 6)
		a.mem(ir.OpAtomAdd, ir.U32, -1, xr, 1, a.konst(ir.U32, 1000))
		a.mem(ir.OpLoad, ir.U32, 7, xr, 1)
		a.op(ir.OpAdd, ir.U32, 4, 4, 7)
		a.mem(ir.OpStore, ir.U32, -1, xr, 1, 4)
		a.op(ir.OpExit, ir.Void, -1)
		n := 4 * 256
		init := make([]uint32, n)
		for i := range init {
			init[i] = uint32(i) << 16
		}
		b := upload(t, d, "x", device.U32, init)
		launch(t, d, a.kernel(t), 4, 256, b)
		for i, v := range download[uint32](t, d, b) {
			assert.Equal(t, uint32(i)<<16+10+10+100+1100, v, "%s thread %d", preset, i)
		}
	}
}
