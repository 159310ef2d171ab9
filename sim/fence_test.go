package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/ir"
)

// TestBlockScopeWaitsForLoads: a fence of block scope, and what follows an
// acquire of block scope, wait for loads under way, which take about 200 cycles
// on a V100, and for no store.
func TestBlockScopeWaitsForLoads(t *testing.T) {
	d := open(t, "v100")
	b, err := d.Alloc("x", ir.U32, 1024)
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
			in.Dst[0] = int32(2 + len(a.p.Code)%4) // no register is waited for
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
