package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

const sectorsFromSMs = "lts__t_sectors_srcunit_tex_op_read.sum"

// readers is a kernel in which lane i of each block loads x[block*apart+i], after the block has slept late ns for each
// block before it.
func readers(t *testing.T, late, apart uint64) *device.Kernel {
	a := newAsm("readers", 6, 0)
	x, _, xr := a.slice("x", ir.U32)
	a.special(0, ir.CTAID)
	a.special(1, ir.LaneID)
	a.op(ir.OpMul, ir.U32, 2, 0, a.konst(ir.U32, late))
	a.op(ir.OpMul, ir.U32, 0, 0, a.konst(ir.U32, apart))
	a.op(ir.OpAdd, ir.U32, 1, 0, 1)
	a.lea(3, x, 1, 4)
	a.op(ir.OpSleep, ir.Void, -1, 2)
	a.mem(ir.OpLoad, ir.U32, 4, xr, 3)
	a.op(ir.OpAdd, ir.U32, 5, 4, 4)
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// TestReadsOfNeighboursAreMerged counts the sectors that two SMs read from the L2.
func TestReadsOfNeighboursAreMerged(t *testing.T) {
	for _, c := range []struct {
		name        string
		set         []string
		late, apart uint64
		sectors     float64
	}{
		{"merged", []string{"xbar.groups", "1"}, 0, 0, 4},
		{"not modelled", nil, 0, 0, 8},
		{"in different groups", []string{"xbar.groups", "2", "sm.count", "4"}, 0, 0, 8}, // blocks 0 and 1, 2 and 3
		{"one read at most", []string{"xbar.groups", "1", "xbar.merged", "1"}, 0, 0, 8},
		{"while device memory is read", []string{"xbar.groups", "1"}, 100, 0, 4},
		{"later", []string{"xbar.groups", "1"}, 2000, 0, 8},
		{"other sectors of the line", []string{"xbar.groups", "1"}, 0, 8, 8},
		{"other lines", []string{"xbar.groups", "1"}, 0, 32, 8},
	} {
		d := open(t, "tiny", c.set...)
		b := upload(t, d, "x", device.U32, make([]uint32, 256))
		grid := d.cfg.SM.Count
		r := launch(t, d, readers(t, c.late, c.apart), grid, 32, b)
		assert.Equal(t, c.sectors, count(t, r, sectorsFromSMs), c.name)
		assert.Equal(t, float64(4*grid), count(t, r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), c.name)
	}
}

// TestAllReadOneLine lets all SMs of an H200 load one line: of its 66 TPCs, 9 are in each of two GPCs and 8 in the
// others, and up to four reads are merged. (An H200 whose GPCs had 14 to 18 SMs did 36.8 reads per line.)
func TestAllReadOneLine(t *testing.T) {
	d := open(t, "h200")
	b := upload(t, d, "x", device.U32, make([]uint32, 32))
	r := launch(t, d, readers(t, 0, 0), 132, 32, b)
	assert.Equal(t, float64(4*(2*5+6*4)), count(t, r, sectorsFromSMs))
}

// TestOneAnswer lets a second SM load a line up to 50 ns after a first one: its read is merged, and the launch takes as
// long as if both had loaded at the same time. (Of the loads of two SMs of an H200 that were some 50 cycles apart, the
// later ones took 316 cycles if they were not merged and 50 less if they were; results/hw/h200/caches/answers.txt.)
func TestOneAnswer(t *testing.T) {
	took := func(late uint64, set ...string) (cycles, sectors float64) {
		d := open(t, "tiny", set...)
		b := upload(t, d, "x", device.U32, make([]uint32, 256))
		launch(t, d, readers(t, late, 0), 2, 32, b) // the L2 has the line from here on
		r := launch(t, d, readers(t, late, 0), 2, 32, b)
		return float64(r.Cycles), count(t, r, sectorsFromSMs)
	}
	together, sectors := took(0, "xbar.groups", "1")
	assert.Equal(t, 4.0, sectors)
	for _, late := range []uint64{20, 50} {
		merged, sectors := took(late, "xbar.groups", "1")
		assert.Equal(t, 4.0, sectors, late)
		alone, sectors := took(late)
		assert.Equal(t, 8.0, sectors, late)
		assert.InDelta(t, together, merged, 4, "both have the answer to the first read, %d ns late", late)
		assert.Greater(t, alone, merged+10, late)
	}
}

// TestGroupShares counts by hand how long reads wait for the ways to their group: half a cycle for the data of a line, an eighth for each answer.
func TestGroupShares(t *testing.T) {
	g := newMerger(&config.Xbar{Groups: 2, Merged: 4, Window: 60, GroupLine: 0.5, GroupAnswer: 0.125, GroupReads: 16}, 8)
	for i := range uint64(40) { // lines of their own: the 17th and later ones wait for more than sixteen others
		merges, goes := g.wait(int32(i%4), 100)
		assert.Equal(t, 100+i/2, goes, i)
		assert.Equal(t, 100+max(i/2, 8)-8, merges, i)
		g.pass(int32(i%4), sectorsPerLine)
	}
	_, goes := g.wait(4, 100)
	assert.Equal(t, uint64(100), goes, "the other group")
	_, goes = g.wait(0, 200)
	assert.Equal(t, uint64(200), goes, "the ways are free again")
	for range 4 { // a sector is a quarter of a line
		g.pass(0, 1)
	}
	_, goes = g.wait(0, 200)
	assert.Equal(t, uint64(200), goes, "half a cycle for the sectors, and as much for the answers")
	for range 12 {
		g.pass(0, 0)
	}
	_, goes = g.wait(0, 200)
	assert.Equal(t, uint64(202), goes, "16 answers in two cycles, merged or not")
}

// TestReadsOfOneSM lets reads join others: by another SM, whose answer is the same one, and by the same SM, which is sent it again.
func TestReadsOfOneSM(t *testing.T) {
	g := newMerger(&config.Xbar{Groups: 1, Merged: 4, Window: 60}, 8)
	read := func(sm int32, line uint64, sectors uint8, far bool) *packet {
		return &packet{sm: sm, phys: line * lineBytes, sectors: sectors, far: far}
	}
	first := read(0, 7, 15, false)
	g.begin(g.of(first), readOf(first), 500)
	for _, c := range []struct {
		name      string
		pk        *packet
		now       uint64
		other, ok bool
	}{
		{"other sectors", read(1, 7, 7, false), 400, false, false},
		{"another way", read(1, 7, 15, true), 400, false, false},
		{"another line", read(1, 8, 15, false), 400, false, false},
		{"too late", read(1, 7, 15, false), 561, false, false},
		{"the same SM", read(0, 7, 15, false), 400, false, true},
		{"another SM, at the last moment", read(1, 7, 15, false), 560, true, true},
		{"the first SM, behind another one", read(0, 7, 15, false), 400, true, true},
		{"the fifth", read(2, 7, 15, false), 400, false, false},
	} {
		ready, other, ok := g.join(g.of(c.pk), readOf(c.pk), c.now)
		assert.Equal(t, c.ok, ok, c.name)
		if ok {
			assert.Equal(t, uint64(500), ready, c.name)
			assert.Equal(t, c.other, other, c.name)
		}
	}
	// Of more reads than a set has places, the one is forgotten that can be joined no longer than the others.
	kept := new(reads)
	for i := range uint64(5) {
		g.begin(kept, readOf(read(0, 10+i, 15, false)), 600-i%4)
	}
	for i, want := range []bool{true, true, true, false, true} {
		_, _, ok := g.join(kept, readOf(read(1, uint64(10+i), 15, false)), 600)
		assert.Equal(t, want, ok, i)
	}
}

// TestLoadsAtASlice counts by hand for how long a load takes the port of a slice.
func TestLoadsAtASlice(t *testing.T) {
	for _, c := range []struct {
		load    string
		sectors uint8
		joined  bool
		want    float64
	}{
		{"0", 15, false, 4}, {"0", 15, true, 4}, {"0", 1, false, 1},
		{"0.5", 15, false, 2}, {"0.5", 15, true, 1}, {"0.5", 1, false, 1}, {"0.5", 7, false, 1.5},
	} {
		l := open(t, "tiny", "l2.load", c.load).m.l2
		l.reading(nil, &packet{sectors: c.sectors}, 0, c.joined)
		assert.Equal(t, timing.Ticks(c.want), l.slices[0].busy, "%+v", c)
	}
}
