package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// TestSharedByKind distinguishes loads, stores and atomics on shared memory.
func TestSharedByKind(t *testing.T) {
	d := open(t, "tiny")
	a := newAsm("kinds", 4, 0)
	x, root := a.shared("s", ir.U32, 64)
	a.special(0, ir.LaneID)
	a.lea(1, x, 0, 8)
	a.mem(ir.OpStore, ir.U32, -1, root, 1, 0)
	a.mem(ir.OpLoad, ir.U32, 2, root, 1)
	a.mem(ir.OpLoad, ir.U32, 2, root, x)
	a.mem(ir.OpAtomAdd, ir.U32, 2, root, x, a.konst(ir.U32, 1))
	a.op(ir.OpExit, ir.Void, -1)
	r := launch(t, d, a.kernel(t), 1, 64)
	for name, want := range map[string]float64{
		"smsp__inst_executed_op_shared_ld.sum": 4, "smsp__inst_executed_op_shared_st.sum": 2, "smsp__inst_executed_op_shared_atom.sum": 2,
		"smsp__inst_executed_op_shared.sum":                        8,
		"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": 2, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": 2,
		"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": 2 * (2 + 2 + 1 + 32), "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum": 64,
		"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum": 62, "lts__d_atomic_input_cycles_active.sum": 0,
	} {
		assert.Equal(t, want, count(t, r, name), name)
	}
}

// TestAtomicUnitBusy runs two warps of 32 lanes on one address.
func TestAtomicUnitBusy(t *testing.T) {
	d := open(t, "tiny")
	x := upload(t, d, "x", device.U32, make([]uint32, 64))
	r := launch(t, d, adder(t, false, 5), 1, 64, x)
	c := &d.cfg.Atomic
	// The second warp finds the unit at its line.
	assert.InDelta(t, 32*(2*c.Step+c.Result), count(t, r, "lts__d_atomic_input_cycles_active.sum"), 1)
	assert.EqualValues(t, 64, count(t, r, "lts__atomic_steps.sum"))
}

// TestL1HitsOfGlobalLoads loads a line twice.
func TestL1HitsOfGlobalLoads(t *testing.T) {
	d := open(t, "tiny", "l1.global", "true")
	x := upload(t, d, "x", device.U32, make([]uint32, 64))
	a := newAsm("twice", 4, 0)
	b, _, root := a.slice("x", ir.U32)
	a.special(0, ir.LaneID)
	a.lea(1, b, 0, 4)
	a.mem(ir.OpLoad, ir.U32, 2, root, 1)
	a.op(ir.OpAdd, ir.U32, 2, 2, 2) // waits for the line
	a.mem(ir.OpLoad, ir.U32, 3, root, 1)
	a.op(ir.OpExit, ir.Void, -1)
	r := launch(t, d, a.kernel(t), 1, 32, x)
	assert.EqualValues(t, 4, count(t, r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"))
	assert.EqualValues(t, 4, count(t, r, "l1tex__t_sectors_pipe_lsu_lookup_hit.sum"))
}

// TestL1HitsUnderWay checks that a load of a line that another load has requested is a hit, as in Nsight Compute,
// whether the line has arrived (TestL1HitsOfGlobalLoads) or is in flight. Four loads of one line of four sectors miss
// once.
func TestL1HitsUnderWay(t *testing.T) {
	d, p, _ := observed(t, "tiny", "l1.global", "true")
	x := upload(t, d, "x", device.U32, make([]uint32, 64))
	a := newAsm("crowd", 6, 0)
	b, _, root := a.slice("x", ir.U32)
	a.special(0, ir.LaneID)
	a.lea(1, b, 0, 4)
	for i := range int32(4) {
		a.mem(ir.OpLoad, ir.U32, 2+i, root, 1)
	}
	a.op(ir.OpExit, ir.Void, -1)
	r := launch(t, d, a.kernel(t), 1, 32, x)
	for name, want := range map[string]float64{
		"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum":            16,
		"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum": 12,
		"l1tex__t_sectors_pipe_lsu_lookup_hit.sum":                  12,
		"l1tex__t_sectors_pipe_lsu_lookup_pending.sum":              12,
		"lts__t_sectors_op_read.sum":                                4,
		"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum":           4,
	} {
		assert.Equal(t, want, count(t, r, name), name)
	}
	total := p.Kernels[0].Total()
	assert.EqualValues(t, 12, total.L1Hits)
	assert.EqualValues(t, 4, total.Requests)
}

// TestRequestsByKind checks that an instruction is one request, however many lines it needs, and none if no lane takes
// part.
func TestRequestsByKind(t *testing.T) {
	d := open(t, "tiny")
	x := upload(t, d, "x", device.U32, make([]uint32, 33*32))
	a := newAsm("kinds", 5, 1)
	b, _, root := a.slice("x", ir.U32)
	one := a.konst(ir.U32, 1)
	a.special(0, ir.LaneID)
	a.op(ir.OpMul, ir.U32, 3, 0, a.konst(ir.U32, 32)) // a line for each lane
	a.lea(1, b, 3, 4)
	a.mem(ir.OpStore, ir.U32, -1, root, 1, 0)
	a.mem(ir.OpAtomAdd, ir.U32, 2, root, 1, one)
	a.mem(ir.OpAtomAdd, ir.U32, -1, root, 1, one)
	a.op(ir.OpExit, ir.Void, -1)
	r := launch(t, d, a.kernel(t), 1, 64, x)
	for _, kind := range []string{"st", "atom", "red"} {
		assert.EqualValues(t, 2, count(t, r, "l1tex__t_requests_pipe_lsu_mem_global_op_"+kind+".sum"), kind)
		assert.EqualValues(t, 64, count(t, r, "l1tex__t_set_accesses_pipe_lsu_mem_global_op_atom.sum"), kind)
		assert.EqualValues(t, 64, count(t, r, "l1tex__t_sectors_pipe_lsu_mem_global_op_"+kind+".sum"), kind)
		assert.EqualValues(t, 2, count(t, r, "smsp__inst_executed_op_global_"+kind+".sum"), kind)
	}
	assert.Zero(t, count(t, r, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"))
}

// TestAggregatedSharedAtomics checks that one lane adds for the whole warp if ptxas generates such code, that is, if
// all lanes add the same value to an address that is known to be the same. A warp then makes one pass, otherwise 32.
func TestAggregatedSharedAtomics(t *testing.T) {
	for lowering, passes := range map[string]float64{"sass": 1, "ir": 32} {
		d, p, _ := observed(t, "tiny", "issue.lowering", lowering)
		a := newAsm("one", 4, 1)
		x, root := a.shared("s", ir.U32, 64)
		out, _, outRoot := a.slice("x", ir.U32)
		a.mem(ir.OpAtomAdd, ir.U32, 2, root, x, a.konst(ir.U32, 3))
		a.special(0, ir.LaneID)
		a.lea(1, out, 0, 4)
		a.mem(ir.OpStore, ir.U32, -1, outRoot, 1, 2)
		a.op(ir.OpExit, ir.Void, -1)
		b := upload(t, d, "x", device.U32, make([]uint32, 32))
		r := launch(t, d, a.kernel(t), 1, 32, b)
		assert.Equal(t, passes, count(t, r, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"), lowering)
		assert.Equal(t, passes-1, count(t, r, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"), lowering)
		assert.EqualValues(t, 1, count(t, r, "smsp__inst_executed_op_shared_atom.sum"), lowering)
		assert.EqualValues(t, passes, inst(t, d, p, ir.OpAtomAdd).Degree, lowering)
		got := make([]uint32, 32)
		assert.NoError(t, d.Read(b, got))
		for lane := range uint32(32) {
			assert.Equal(t, 3*lane, got[lane]-got[0], "each lane has its own old value: %s", lowering)
		}
	}
}

// TestSectorsFromSMs checks that the sectors requested by SMs do not depend on the organization of the L2; sectors
// that pass both halves count twice in the slices.
func TestSectorsFromSMs(t *testing.T) {
	for _, halves := range []string{"1", "2"} {
		d := open(t, "tiny", "l2.partitions", halves, "l2.far", "10", "l2.page", "4096", "l2.slices", "4")
		b := upload(t, d, "x", device.U32, make([]uint32, 64*1024))
		a := newAsm("kinds", 5, 1)
		x, _, root := a.slice("x", ir.U32)
		one := a.konst(ir.U32, 1)
		a.special(0, ir.TID)
		a.op(ir.OpMul, ir.U32, 3, 0, a.konst(ir.U32, 256)) // 1 KiB apart: over all pages and slices
		a.lea(1, x, 3, 4)
		a.mem(ir.OpStore, ir.U32, -1, root, 1, 0)
		a.mem(ir.OpAtomAdd, ir.U32, 2, root, 1, one)
		a.mem(ir.OpAtomAdd, ir.U32, -1, root, 1, one)
		a.mem(ir.OpLoad, ir.U32, 4, root, 1)
		a.op(ir.OpExit, ir.Void, -1)
		r := launch(t, d, a.kernel(t), 1, 256, b)
		for _, kind := range []string{"read", "write", "atom", "red"} {
			asked, passed := count(t, r, "lts__t_sectors_srcunit_tex_op_"+kind+".sum"), count(t, r, "lts__t_sectors_op_"+kind+".sum")
			assert.EqualValues(t, 256, asked, "%s, %s halves", kind, halves)
			if halves == "1" {
				assert.Equal(t, asked, passed, kind)
			} else {
				assert.Greater(t, passed, asked, kind)
				assert.LessOrEqual(t, passed, 2*asked, kind)
			}
		}
	}
}

// TestAtomicSectors checks that a sector counts once for each lane on its most contended address. The numbers are
// those that Nsight Compute reported on an H200 for an instruction of internal/kernels/micro.AtomicGlobal, whose lanes are
// assigned to addresses in turn: 32/per adjacent words, with per lanes on each.
func TestAtomicSectors(t *testing.T) {
	for shift, want := range []float64{4, 4, 4, 8, 16, 32} {
		d, p, _ := observed(t, "tiny")
		x := upload(t, d, "x", device.U32, make([]uint32, 64))
		r := launch(t, d, adder(t, false, uint64(shift)), 1, 32, x)
		for _, name := range []string{"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "lts__t_sectors_srcunit_tex_op_atom.sum", "lts__t_sectors_op_atom.sum"} {
			assert.Equal(t, want, count(t, r, name), "%d lanes an address: %s", 1<<shift, name)
		}
		assert.EqualValues(t, want, inst(t, d, p, ir.OpAtomAdd).Sectors)
		assert.EqualValues(t, 1, count(t, r, "l1tex__t_set_accesses_pipe_lsu_mem_global_op_atom.sum"))
	}
}
