package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/profile"
)

// TestWaitsBySector makes four warps of an SM load one word, bypassing L1. Their requests leave the SM at one per
// cycle, and the slice takes 8 cycles for a sector: the second waits 7 cycles, the third 14, the fourth 21. Then each
// warp loads a different sector in a different slice, where none waits.
func TestWaitsBySector(t *testing.T) {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	for path, value := range map[string]string{"l2.sector": "8", "l2.hash": "modulo", "l2.interleave": "128"} {
		require.NoError(t, cfg.Set(path, value))
	}
	prof := profile.New(0)
	d, err := New(cfg, Options{Seed: 1, Profile: prof})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	words := make([]uint32, 256)
	words[0] = 1
	x := upload(t, d, "x", device.U32, words)
	a := newAsm("waits", 4, 0)
	base, _, root := a.slice("x", ir.U32)
	relaxed := func(dst int32, at ir.Operand) *ir.Inst {
		in := a.mem(ir.OpLoad, ir.U32, dst, root, at)
		in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeDevice
		return in
	}
	a.special(0, ir.TID)
	a.op(ir.OpDiv, ir.U32, 0, 0, a.konst(ir.U32, 32))
	a.lea(1, base, a.konst(ir.U32, 40), 4) // element 40, in the sector of 40 to 47
	relaxed(2, 1)
	shared := len(a.p.Code) - 1
	a.op(ir.OpAdd, ir.U32, 2, 2, 2) // has arrived
	a.op(ir.OpBar, ir.Void, -1)
	a.lea(1, base, 0, 128)
	relaxed(3, 1)
	a.op(ir.OpExit, ir.Void, -1)
	launch(t, d, a.kernel(t), 1, 128, x)

	sectors := prof.Sectors(0)
	require.Len(t, sectors, 1)
	s := sectors[0]
	assert.Equal(t, "x", s.Buffer)
	assert.Equal(t, 40, s.Index)
	assert.EqualValues(t, 3, s.Ops)
	assert.EqualValues(t, 3, s.Queue, "the fourth meets two in line")
	assert.EqualValues(t, (7+14+21)*profile.TicksPerCycle, s.Waited)
	assert.EqualValues(t, 3*8*profile.TicksPerCycle, s.Serial)
	assert.Equal(t, "waits", prof.Kernels[s.Kernel].Name)
	assert.Equal(t, shared, s.PC)
	assert.Empty(t, prof.Addresses(0), "no atomics")
}
