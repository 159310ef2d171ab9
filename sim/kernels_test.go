package sim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// saxpy computes y[i] = 3*x[i] + y[i] with a grid that covers the slice.
func saxpy(t testing.TB) *device.Kernel {
	a := newAsm("saxpy", 6, 1)
	x, n, xr := a.slice("x", ir.U32)
	y, _, yr := a.slice("y", ir.U32)
	a.global(0)
	a.op(ir.OpCvt, ir.U64, 1, 0).ArgK = ir.U32
	a.cmp(ir.OpGe, ir.U64, 0, 1, n)
	a.bra(0, "end", "end")
	a.lea(2, x, 0, 4)
	a.mem(ir.OpLoad, ir.U32, 3, xr, 2)
	a.lea(4, y, 0, 4)
	a.mem(ir.OpLoad, ir.U32, 5, yr, 4)
	a.op(ir.OpMad, ir.U32, 5, 3, a.konst(ir.U32, 3), 5)
	a.mem(ir.OpStore, ir.U32, -1, yr, 4, 5)
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// global sets row dst to the thread's index in the grid; it uses row 1.
func (a *asm) global(dst int32) {
	a.special(0, ir.CTAID)
	a.special(1, ir.NTID)
	a.special(2, ir.TID)
	a.op(ir.OpMad, ir.U32, dst, 0, 1, 2)
}

func TestSaxpyOnEveryPreset(t *testing.T) {
	for _, preset := range presetsOf() {
		d := open(t, preset, "issue.lowering", "ir", "l2.partitions", "1")
		const n = 10_000
		x, y := make([]uint32, n), make([]uint32, n)
		for i := range x {
			x[i], y[i] = uint32(i), uint32(7*i)
		}
		bx, by := upload(t, d, "x", device.U32, x), upload(t, d, "y", device.U32, y)
		r := launch(t, d, saxpy(t), (n+255)/256, 256, bx, by)
		for i, v := range download[uint32](t, d, by) {
			require.Equal(t, uint32(10*i), v)
		}
		warps := float64((n+255)/256) * 8
		full := float64(n / 32)
		assert.Equal(t, warps, count(t, r, "smsp__warps_launched.sum"))
		// A warp entirely beyond the end executes 8 instructions, others 14.
		assert.Equal(t, 8*warps+6*(full+1), count(t, r, "smsp__inst_executed.sum"))
		assert.Equal(t, 2*(full*4+2), count(t, r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"))
		assert.Equal(t, full*4+2, count(t, r, "lts__t_sectors_op_write.sum"))
		assert.Positive(t, r.Cycles)
	}
}

func TestOutOfRange(t *testing.T) {
	d := open(t, "tiny")
	x, y := upload(t, d, "x", device.U32, make([]uint32, 100)), upload(t, d, "y", device.U32, make([]uint32, 50))
	_, err := d.Launch(context.Background(), device.Launch{Kernel: saxpy(t), Grid: 2, Block: 64, Args: []any{x, y}})
	var f *device.Fault
	require.ErrorAs(t, err, &f)
	assert.Equal(t, "y", f.Buffer)
	assert.Equal(t, int64(50), f.Index)
	assert.Equal(t, int64(50), f.Length)
	assert.Equal(t, 0, f.Block)
	assert.Equal(t, 50, f.Thread)
	// The device remains usable after a fault.
	y = upload(t, d, "y", device.U32, make([]uint32, 100))
	launch(t, d, saxpy(t), 2, 64, x, y)
}
