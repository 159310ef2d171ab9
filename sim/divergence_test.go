package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

const (
	branches    = "smsp__sass_branch_targets.sum"
	divergent   = "smsp__sass_branch_targets_threads_divergent.sum"
	warpInsts   = "smsp__inst_executed.sum"
	threadInsts = "smsp__thread_inst_executed.sum"
	predOn      = "smsp__thread_inst_executed_pred_on.sum"
)

// adds appends n additions to row 5.
func (a *asm) adds(n int) {
	for range n {
		a.op(ir.OpAdd, ir.U32, 5, 5, a.konst(ir.U32, 1))
	}
}

// more returns how much counters grow when a kernel has n additions at a place instead of none: the rest of the kernel
// cancels out.
func more(t *testing.T, d *Device, warps int, kernel func(n int) *asm, n int, counters ...string) (grown []float64) {
	with, without := launch(t, d, kernel(n).kernel(t), 1, 32*warps), launch(t, d, kernel(0).kernel(t), 1, 32*warps)
	for _, c := range counters {
		grown = append(grown, count(t, with, c)-count(t, without, c))
	}
	return grown
}

// TestDivergenceOfABranch makes those of the 32 lanes of each of 2 warps whose number is below a limit take a branch.
// Each side has 10 additions, which are executed only for its own lanes: a warp that has lanes on both sides issues
// both.
func TestDivergenceOfABranch(t *testing.T) {
	for _, model := range []string{"stack", "its"} {
		d := open(t, "tiny", "sm.divergence", model)
		for _, c := range []struct {
			taken                 uint64
			divergent             float64
			taking, falling, both float64 // thread instructions of the 10 additions; warp instructions of both sides
		}{
			{0, 0, 0, 2 * 32 * 10, 2 * 10},
			{8, 2, 2 * 8 * 10, 2 * 24 * 10, 2 * 20},
			{31, 2, 2 * 31 * 10, 2 * 1 * 10, 2 * 20},
			{32, 0, 2 * 32 * 10, 0, 2 * 10},
		} {
			kernel := func(taking, falling int) *asm {
				a := newAsm("branch", 6, 1)
				a.special(0, ir.LaneID)
				a.cmp(ir.OpLt, ir.U32, 0, 0, a.konst(ir.U32, c.taken))
				a.bra(0, "then", "end")
				a.adds(falling)
				a.jmp("end")
				a.label("then")
				a.adds(taking)
				a.label("end")
				a.op(ir.OpExit, ir.Void, -1)
				return a
			}
			r := launch(t, d, kernel(10, 10).kernel(t), 1, 64)
			assert.Equal(t, 2.0, count(t, r, branches), "one a warp; the jump is none: %s %+v", model, c)
			assert.Equal(t, c.divergent, count(t, r, divergent), "%s %+v", model, c)
			assert.Equal(t, []float64{c.taking}, more(t, d, 2, func(n int) *asm { return kernel(n, 10) }, 10, threadInsts), "%s %+v", model, c)
			assert.Equal(t, []float64{c.falling}, more(t, d, 2, func(n int) *asm { return kernel(10, n) }, 10, threadInsts), "%s %+v", model, c)
			assert.Equal(t, []float64{c.both}, more(t, d, 2, func(n int) *asm { return kernel(n, n) }, 10, warpInsts), "%s %+v", model, c)
		}
	}
}

// TestDivergenceOfALoop makes lane l execute l%4+1 iterations, so that 32, 24, 16 and 8 lanes are active in the four
// iterations of a warp: 80 thread instructions for each instruction of the body. The backward branch is executed four
// times and diverges in all iterations but the last, which no lane repeats.
func TestDivergenceOfALoop(t *testing.T) {
	d := open(t, "tiny")
	kernel := func(n int) *asm {
		a := newAsm("loop", 6, 1)
		one := a.konst(ir.U32, 1)
		a.special(0, ir.LaneID)
		a.op(ir.OpAnd, ir.U32, 0, 0, a.konst(ir.U32, 3))
		a.op(ir.OpAdd, ir.U32, 0, 0, one)
		a.op(ir.OpMov, ir.U32, 1, a.konst(ir.U32, 0))
		a.label("round")
		a.op(ir.OpAdd, ir.U32, 1, 1, one)
		a.adds(n)
		a.cmp(ir.OpLt, ir.U32, 0, 1, 0)
		a.bra(0, "round", "end")
		a.label("end")
		a.op(ir.OpExit, ir.Void, -1)
		return a
	}
	r := launch(t, d, kernel(1).kernel(t), 1, 96)
	assert.Equal(t, 3*4.0, count(t, r, branches), "4 rounds of 3 warps")
	assert.Equal(t, 3*3.0, count(t, r, divergent))
	assert.Equal(t, []float64{3 * 4 * 5, 3 * 80 * 5}, more(t, d, 3, kernel, 5, warpInsts, threadInsts))
}

// TestDivergenceInside makes 16 of 32 lanes take the outer branch and 4 of these the inner one, so that the innermost
// side has 4 lanes. In the second warp, of 16 threads, all lanes take the outer branch, which therefore does not
// diverge.
func TestDivergenceInside(t *testing.T) {
	d := open(t, "tiny")
	kernel := func(n int) *asm {
		a := newAsm("inside", 6, 1)
		a.special(0, ir.LaneID)
		a.cmp(ir.OpLt, ir.U32, 0, 0, a.konst(ir.U32, 16))
		a.bra(0, "outer", "end")
		a.jmp("end")
		a.label("outer")
		a.cmp(ir.OpLt, ir.U32, 0, 0, a.konst(ir.U32, 4))
		a.bra(0, "inner", "end")
		a.jmp("end")
		a.label("inner")
		a.adds(n)
		a.label("end")
		a.op(ir.OpExit, ir.Void, -1)
		return a
	}
	r := launch(t, d, kernel(1).kernel(t), 1, 48)
	assert.Equal(t, 4.0, count(t, r, branches))
	assert.Equal(t, 3.0, count(t, r, divergent), "outer and inner of the first warp, inner of the second")
	assert.Equal(t, []float64{2 * 7, 2 * 4 * 7}, more(t, d, 2, kernel, 7, warpInsts, threadInsts))
}

// TestGuardsAreNoDivergence checks that an addition guarded for 5 of 32 lanes is issued once for all 32, with 5
// predicated on.
func TestGuardsAreNoDivergence(t *testing.T) {
	d := open(t, "tiny")
	kernel := func(n int) *asm {
		a := newAsm("guard", 6, 1)
		a.special(0, ir.LaneID)
		a.cmp(ir.OpLt, ir.U32, 0, 0, a.konst(ir.U32, 5))
		for range n {
			a.op(ir.OpAdd, ir.U32, 5, 5, 0).Guard = 0
		}
		a.op(ir.OpExit, ir.Void, -1)
		return a
	}
	assert.Equal(t, []float64{3, 3 * 32, 3 * 5, 0, 0}, more(t, d, 1, kernel, 3, warpInsts, threadInsts, predOn, branches, divergent))
}

// TestOccupancyReached runs blocks of 64 threads that sleep for 100,000 cycles, so that the time to place and end them
// is negligible. An SM of "tiny" holds 32 warps and 4 blocks.
func TestOccupancyReached(t *testing.T) {
	for _, c := range []struct {
		blocks, shared int
		percent        float64 // resident warps of 32, averaged over the SMs that have a block
		active         float64 // fraction of cycles in which an SM had a block, averaged over 2 SMs
	}{
		{1, 0, 100 * 2.0 / 32, 0.5}, // one SM has 2 warps, the other nothing
		{2, 0, 100 * 2.0 / 32, 1},
		{3, 0, 100 * 3.0 / 32, 1},     // 4 and 2
		{8, 0, 100 * 8.0 / 32, 1},     // 4 blocks each: full
		{12, 0, 100 * 6.0 / 32, 1},    // 4 each, then the other 4, 2 each
		{8, 16384, 100 * 4.0 / 32, 1}, // 32 KiB of shared memory hold two blocks: two rounds of 2 each
		{6, 32768, 100 * 2.0 / 32, 1}, // one at a time
	} {
		d := open(t, "tiny")
		a := newAsm("sleepers", 1, 0)
		if c.shared > 0 {
			a.shared("s", ir.U8, c.shared)
		}
		a.op(ir.OpSleep, ir.Void, -1, a.konst(ir.U32, 100_000)) // a cycle is a nanosecond
		a.op(ir.OpExit, ir.Void, -1)
		r := launch(t, d, a.kernel(t), c.blocks, 64)
		assert.InEpsilon(t, c.percent, count(t, r, "sm__warps_active.avg.pct_of_peak_sustained_active"), 0.01, "%+v", c)
		assert.InEpsilon(t, c.active, count(t, r, "sm__cycles_active.avg")/float64(r.Cycles), 0.01, "%+v", c)
	}
}
