package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// pairsOf returns a kernel of steps pairs of an integer and a float addition: independent ones that write rows in
// turn, or each dependent on the previous one through the integer's row.
func pairsOf(t *testing.T, second ir.Op, k ir.Kind, dependent bool) func(int) *device.Kernel {
	return func(steps int) *device.Kernel {
		a := newAsm("pairs", 24, 0)
		a.op(ir.OpMov, ir.U32, 22, a.konst(ir.U32, 1))
		a.op(ir.OpMov, k, 23, a.konst(k, 1))
		for i := range steps {
			a.op(ir.OpAdd, ir.U32, int32(i%10), 22, 22)
			x := ir.Operand(23)
			if dependent {
				x = ir.Operand(i % 10)
			}
			a.op(second, k, int32(10+i%10), x, x)
		}
		a.op(ir.OpExit, ir.Void, -1)
		return a.kernel(t)
	}
}

// TestDualDispatch checks that a Kepler scheduler issues two independent operations on two pipes in one cycle, but not
// two on one pipe, not if the second needs the first, and not with one dispatch unit.
func TestDualDispatch(t *testing.T) {
	for _, c := range []struct {
		name      string
		dual      string
		second    ir.Op
		kind      ir.Kind
		dependent bool
		want      float64 // cycles per pair
	}{
		{"two pipes", "true", ir.OpAdd, ir.F32, false, 1},
		{"one dispatch unit", "false", ir.OpAdd, ir.F32, false, 2},
		{"one pipe", "true", ir.OpXor, ir.U32, false, 2},
	} {
		d := open(t, "k40", "issue.dual", c.dual, "issue.lowering", "ir")
		assert.InDelta(t, c.want, perStep(t, d, pairsOf(t, c.second, c.kind, c.dependent), 1, 32), 0.05, c.name)
	}
	d := open(t, "k40", "issue.lowering", "ir")
	latency := float64(d.cfg.Latency.ALU)
	assert.InDelta(t, latency+1, perStep(t, d, pairsOf(t, ir.OpXor, ir.U32, true), 1, 32), 1, "dependent")
	c := d.m.snapshot()
	assert.Zero(t, c.Dual)
	launch(t, d, pairsOf(t, ir.OpAdd, ir.F32, false)(64), 1, 32)
	c = d.m.snapshot()
	assert.InDelta(t, 64, float64(c.Dual), 2)
}

// TestSumsOfKepler checks that without fast multiply-adds, all additions use one pipe, whatever class they are counted
// in.
func TestSumsOfKepler(t *testing.T) {
	sums := func(steps int) *device.Kernel {
		a := newAsm("sums", 24, 0)
		a.op(ir.OpMov, ir.U32, 22, a.konst(ir.U32, 1))
		for i := range steps {
			a.op(ir.OpAdd, ir.U32, int32(i%20), 22, 22)
		}
		a.op(ir.OpExit, ir.Void, -1)
		return a.kernel(t)
	}
	for _, lowering := range []string{"sass", "ir"} {
		d := open(t, "k40", "issue.lowering", lowering)
		assert.InDelta(t, float64(d.cfg.Cadence.ALU), perStep(t, d, sums, 1, 32), 0.05, lowering)
	}
}
