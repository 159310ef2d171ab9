package sim

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// The expected values in this file are counted by hand from the addresses: a sector has 32 bytes, a line 128, a bank
// is 4 bytes wide, and there are 32 banks.

// lanesBelow makes guard 0 of the following instructions true for lanes below n.
func (a *asm) lanesBelow(n int) {
	a.special(0, ir.LaneID)
	a.cmp(ir.OpLt, ir.U32, 0, 0, a.konst(ir.U32, uint64(n)))
}

// TestSectorsByHand makes one access with n lanes, lane l at byte first + l*stride.
func TestSectorsByHand(t *testing.T) {
	type access struct {
		n, first, stride int
		bytes            int // per lane
		sectors          float64
	}
	for _, c := range []access{
		{32, 0, 4, 4, 4},     // one line
		{32, 4, 4, 4, 5},     // bytes 4 to 131: the line and a sector of the next
		{32, 28, 4, 4, 5},    // bytes 28 to 155
		{8, 0, 4, 4, 1},      // 32 bytes
		{9, 0, 4, 4, 2},      // 36 bytes
		{1, 124, 4, 4, 1},    //
		{32, 0, 8, 4, 8},     // every other word of 256 bytes
		{32, 0, 12, 4, 12},   // every third of 384
		{32, 0, 32, 4, 32},   // one sector each
		{32, 0, 64, 4, 32},   // one sector each, every other sector
		{16, 0, 36, 4, 16},   // 36 apart: bytes 0, 36, 72, ... 540, no two in one sector
		{32, 0, 2, 2, 2},     // 64 bytes
		{32, 0, 1, 1, 1},     // 32 bytes
		{32, 31, 1, 1, 2},    // bytes 31 to 62
		{32, 0, 8, 8, 8},     // 256 bytes
		{32, 0, 16, 16, 16},  // 512 bytes
		{32, 16, 16, 16, 17}, // bytes 16 to 527
		{32, 0, 0, 4, 1},     // one word
		{32, 124, -4, 4, 4},  // one line, backwards
	} {
		kinds := map[int]ir.Kind{1: ir.U8, 2: ir.U16, 4: ir.U32, 8: ir.U64, 16: ir.U32}
		k, vec := kinds[c.bytes], uint8(1)
		if c.bytes == 16 {
			vec = 4
		}
		do := func(op ir.Op) *device.Report {
			d := open(t, "tiny")
			b, err := d.Alloc("x", device.U8, 2048)
			assert.NoError(t, err)
			a := newAsm("sectors", 8, 1)
			x, _, root := a.slice("x", ir.U8)
			a.lanesBelow(c.n)
			a.op(ir.OpMad, ir.S32, 1, 0, a.konst(ir.S32, uint64(uint32(int32(c.stride)))), a.konst(ir.S32, uint64(c.first)))
			a.lea(2, x, 1, 1)
			var in *ir.Inst
			switch {
			case op == ir.OpLoad:
				in = a.mem(op, k, 4, root, 2)
				in.Dst, in.NDst = [4]int32{4, 5, 6, 7}, vec
			case op == ir.OpStore && vec == 4:
				in = a.mem(op, k, -1, root, 2, 4, 5, 6, 7)
			default:
				in = a.mem(op, k, -1, root, 2, 4)
			}
			in.Mem.Vec, in.Guard = vec, 0
			a.op(ir.OpExit, ir.Void, -1)
			return launch(t, d, a.kernel(t), 1, 32, b)
		}
		r := do(ir.OpLoad)
		assert.Equal(t, c.sectors, count(t, r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), "load %+v", c)
		assert.Equal(t, c.sectors, count(t, r, "lts__t_sectors_op_read.sum"), "load %+v", c)
		r = do(ir.OpStore)
		assert.Equal(t, c.sectors, count(t, r, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"), "store %+v", c)
		assert.Equal(t, c.sectors, count(t, r, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"), "store %+v", c)
		assert.Equal(t, c.sectors, count(t, r, "lts__t_sectors_op_write.sum"), "store %+v", c)
		if c.bytes == 4 {
			want := c.sectors
			if c.stride == 0 {
				want = float64(c.n) // the sector is accessed again for each lane on its word
			}
			r = do(ir.OpAtomAdd)
			assert.Equal(t, want, count(t, r, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"), "atomic %+v", c)
			assert.Equal(t, want, count(t, r, "lts__t_sectors_op_red.sum"), "atomic %+v", c)
		}
	}
}

// TestBanksByHand makes one access to shared memory, in which lane l accesses word row*32+column given by a function
// of l; the number of passes is the largest number of rows in one column.
func TestBanksByHand(t *testing.T) {
	type place struct{ and, mul, add, lanes int } // word (l & and) * mul + add, for lanes below lanes
	for _, c := range []struct {
		name    string
		at      place
		further float64
	}{
		{"a row", place{31, 1, 0, 32}, 0},
		{"a row, one further", place{31, 1, 1, 32}, 0}, // words 1 to 32: bank 0 has only word 32
		{"a column", place{31, 32, 0, 32}, 31},         // 32 rows of bank 0
		{"a column of half a warp", place{31, 32, 0, 16}, 15},
		{"a column, padded", place{31, 33, 0, 32}, 0}, // row l, column l
		{"every other word", place{31, 2, 0, 32}, 1},  // banks 0, 2, ... 30, twice each
		{"every other word, half a warp", place{31, 2, 0, 16}, 0},
		{"every sixth word", place{31, 6, 0, 32}, 1},     // gcd(6, 32) is 2
		{"every eighth word", place{31, 8, 0, 32}, 7},    // banks 0, 8, 16, 24, 8 times each
		{"one word", place{0, 0, 5, 32}, 0},              // broadcast
		{"four words of a bank", place{3, 32, 0, 32}, 3}, // the 8 lanes on each word are served together
		{"two words of a row", place{1, 1, 0, 32}, 0},
		{"one lane", place{31, 32, 0, 1}, 0},
	} {
		do := func(op ir.Op) *device.Report {
			d := open(t, "tiny")
			a := newAsm("banks", 4, 1)
			x, root := a.shared("s", ir.U32, 33*32)
			a.lanesBelow(c.at.lanes)
			a.op(ir.OpAnd, ir.U32, 1, 0, a.konst(ir.U32, uint64(c.at.and)))
			a.op(ir.OpMad, ir.U32, 1, 1, a.konst(ir.U32, uint64(c.at.mul)), a.konst(ir.U32, uint64(c.at.add)))
			a.lea(2, x, 1, 4)
			if op == ir.OpLoad {
				a.mem(op, ir.U32, 3, root, 2).Guard = 0
			} else {
				a.mem(op, ir.U32, -1, root, 2, 0).Guard = 0
			}
			a.op(ir.OpExit, ir.Void, -1)
			return launch(t, d, a.kernel(t), 1, 96)
		}
		// Three warps execute the same access.
		assert.Equal(t, 3*c.further, count(t, do(ir.OpLoad), "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"), "load of %s", c.name)
		r := do(ir.OpStore)
		assert.Equal(t, 3*c.further, count(t, r, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"), "store of %s", c.name)
		assert.Equal(t, 3*(c.further+1), count(t, r, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"), "store of %s", c.name)
	}
}

// walk is a kernel in which one thread loads (or first stores) one word of each of lines lines, for a number of
// rounds; each load waits for the previous one. order is the memory order of the loads, whose scope is the device.
func walk(t *testing.T, lines, rounds int, order ir.Order, store bool) *device.Kernel {
	return walkBy(t, lineBytes, lines, rounds, order, store)
}

// walkBy is walk with words that are stride bytes apart.
func walkBy(t *testing.T, stride int64, lines, rounds int, order ir.Order, store bool) *device.Kernel {
	a := newAsm("walk", 6, 1)
	x, _, root := a.slice("x", ir.U32)
	zero, one := a.konst(ir.U32, 0), a.konst(ir.U32, 1)
	a.op(ir.OpMov, ir.U32, 4, zero)
	if store {
		a.op(ir.OpMov, ir.U32, 0, zero)
		a.label("store")
		a.lea(1, x, 0, stride)
		a.mem(ir.OpStore, ir.U32, -1, root, 1, zero)
		a.op(ir.OpAdd, ir.U32, 0, 0, one)
		a.cmp(ir.OpLt, ir.U32, 0, 0, a.konst(ir.U32, uint64(lines)))
		a.bra(0, "store", "stored")
		a.label("stored")
		a.op(ir.OpFence, ir.Void, -1).Mem = ir.Mem{Order: ir.AcqRel, Scope: ir.ScopeDevice}
	}
	a.op(ir.OpMov, ir.U32, 5, zero)
	a.label("round")
	a.op(ir.OpMov, ir.U32, 0, zero)
	a.label("line")
	a.op(ir.OpAdd, ir.U32, 3, 0, 4) // row 4 is the 0 that was loaded
	a.lea(1, x, 3, stride)
	in := a.mem(ir.OpLoad, ir.U32, 4, root, 1)
	if in.Mem.Order = order; order != ir.Weak {
		in.Mem.Scope = ir.ScopeDevice
	}
	a.op(ir.OpAdd, ir.U32, 0, 0, one)
	a.cmp(ir.OpLt, ir.U32, 0, 0, a.konst(ir.U32, uint64(lines)))
	a.bra(0, "line", "lined")
	a.label("lined")
	a.op(ir.OpAdd, ir.U32, 5, 5, one)
	a.cmp(ir.OpLt, ir.U32, 0, 5, a.konst(ir.U32, uint64(rounds)))
	a.bra(0, "round", "end")
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

const l1LoadHits = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"

// TestL1HitsByHand uses an L1 of 64 lines in one set. If the lines of a walk fit, every round but the first hits. With
// one line more, the line needed next is always the one just evicted, whether the policy evicts the least recently
// used or the oldest line.
func TestL1HitsByHand(t *testing.T) {
	for _, policy := range []string{"lru", "fifo"} {
		for _, c := range []struct {
			lines, rounds int
			hits          float64
		}{
			{1, 5, 4}, {63, 3, 2 * 63}, {64, 1, 0}, {64, 3, 2 * 64}, {65, 3, 0}, {130, 2, 0},
		} {
			d := open(t, "tiny", "l1.bytes", fmt.Sprint(64*lineBytes), "l1.ways", "64", "l1.replacement", policy)
			b := upload(t, d, "x", device.U32, make([]uint32, 130*32))
			r := launch(t, d, walk(t, c.lines, c.rounds, ir.Weak, false), 1, 1, b)
			assert.Equal(t, c.hits, count(t, r, l1LoadHits), "%s %+v", policy, c)
			assert.Equal(t, float64(c.lines*c.rounds), count(t, r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"))
			assert.Equal(t, float64(c.lines*c.rounds)-c.hits, count(t, r, "lts__t_sectors_op_read.sum"), "misses go to the L2: %s %+v", policy, c)
		}
	}
}

// TestL1HitsAfterStores checks that a store allocates no line, so that the loads after it miss once. A load of device
// scope bypasses L1. A launch begins with an empty L1.
func TestL1HitsAfterStores(t *testing.T) {
	d := open(t, "tiny", "l1.ways", "64")
	b := upload(t, d, "x", device.U32, make([]uint32, 16*32))
	for range 2 {
		r := launch(t, d, walk(t, 16, 3, ir.Weak, true), 1, 1, b)
		assert.Equal(t, 2*16.0, count(t, r, l1LoadHits))
		r = launch(t, d, walk(t, 16, 3, ir.Relaxed, true), 1, 1, b)
		assert.Zero(t, count(t, r, l1LoadHits))
		assert.Equal(t, 3*16.0, count(t, r, "lts__t_sectors_op_read.sum"))
	}
}

// TestL1Sectors checks that the four sectors of a line are filled separately: bytes 0, 32, 0, 64, 96, 32 of one line
// are two hits.
func TestL1Sectors(t *testing.T) {
	d := open(t, "tiny")
	b := upload(t, d, "x", device.U32, make([]uint32, 32))
	a := newAsm("line", 3, 0)
	x, _, root := a.slice("x", ir.U32)
	a.op(ir.OpMov, ir.U32, 2, a.konst(ir.U32, 0))
	for _, at := range []uint64{0, 8, 0, 16, 24, 8} {
		a.op(ir.OpAdd, ir.U32, 0, 2, a.konst(ir.U32, at)) // after the previous load
		a.lea(1, x, 0, 4)
		a.mem(ir.OpLoad, ir.U32, 2, root, 1)
	}
	a.op(ir.OpExit, ir.Void, -1)
	r := launch(t, d, a.kernel(t), 1, 1, b)
	assert.Equal(t, 2.0, count(t, r, l1LoadHits))
	assert.Equal(t, 4.0, count(t, r, "lts__t_sectors_op_read.sum"))
	assert.Equal(t, 2.0, count(t, r, "lts__t_sectors_lookup_miss.sum"), "the first and the third; each brings the next")
	assert.Equal(t, 2*64.0, count(t, r, "dram__bytes_read.sum"))
}

// TestL2HitsByHand uses an L2 of 64 lines in one set of one slice, which evicts the least recently used line. Stores
// allocate lines like loads. A store of a word reads nothing, but a load of its sector then reads the other words, and
// so does the eviction of the sector.
func TestL2HitsByHand(t *testing.T) {
	for _, c := range []struct {
		lines, rounds int
		store         bool
		hits, misses  float64
		bursts        float64 // read from DRAM, each of 64 bytes
	}{
		{1, 5, false, 4, 1, 1},
		{64, 3, false, 2 * 64, 64, 64},
		{65, 3, false, 0, 3 * 65, 3 * 65},
		{64, 2, true, 64, 2 * 64, 64},      // the stores miss, and so do the first loads
		{65, 1, true, 0, 65 + 65, 65 + 65}, // the first line has been evicted when it is loaded, and so on
	} {
		d := open(t, "tiny", "l2.slices", "1", "l2.ways", "64", "l2.bytes", fmt.Sprint(64*lineBytes))
		b := upload(t, d, "x", device.U32, make([]uint32, 130*32))
		r := launch(t, d, walk(t, c.lines, c.rounds, ir.Relaxed, c.store), 1, 1, b)
		assert.Equal(t, c.hits, count(t, r, "lts__t_sectors_lookup_hit.sum"), "%+v", c)
		assert.Equal(t, c.misses, count(t, r, "lts__t_sectors_lookup_miss.sum"), "%+v", c)
		assert.InDelta(t, 100*c.hits/(c.hits+c.misses), count(t, r, "lts__t_sector_hit_rate.pct"), 1e-9, "%+v", c)
		assert.Equal(t, 64*c.bursts, count(t, r, "dram__bytes_read.sum"), "%+v", c)
	}
}
