package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// TestLoadPort receives answers to loads: a line takes as long as a sector, and more where an instruction accesses many.
func TestLoadPort(t *testing.T) {
	cycle := timing.Tick(timing.TicksPerCycle)
	for _, c := range []struct {
		line       float64
		sectors    int
		many, fill bool
		want       timing.Tick
	}{
		{0, 1, false, true, 10 * cycle}, {0, 4, true, true, 16 * cycle}, // a head, and a flit for each sector
		{4, 1, false, true, 4 * cycle}, {4, 4, false, true, 4 * cycle}, {4, 4, false, false, 4 * cycle},
		{4, 1, true, true, 12 * cycle}, {4, 2, true, true, 12 * cycle}, {4, 1, true, false, 9 * cycle},
	} {
		p := newPort(&config.Xbar{SendFlit: 1, RecvFlit: 2, RecvHead: 8, RecvLine: c.line})
		passed, took := p.load(100*cycle, c.sectors, c.many, c.fill)
		assert.Equal(t, c.want, took, "%+v", c)
		assert.Equal(t, 100*cycle+took, passed, "%+v", c)
		passed, _ = p.load(100*cycle, c.sectors, c.many, c.fill)
		assert.Equal(t, 100*cycle+2*took, passed, "behind the answer before it: %+v", c)
	}
}

// TestSentBytes says by hand what a lane sends to the load-store unit.
func TestSentBytes(t *testing.T) {
	words := func(op ir.Op, kind ir.Kind, vec uint8) *ir.Inst {
		return &ir.Inst{Op: op, Mem: ir.Mem{Kind: kind, Vec: vec, Space: ir.Global}}
	}
	for want, list := range map[int][]*ir.Inst{
		8:  {words(ir.OpLoad, ir.U32, 4), words(ir.OpLoad, ir.U8, 1)},
		12: {words(ir.OpStore, ir.U32, 1), words(ir.OpStore, ir.U8, 1), words(ir.OpAtomAdd, ir.U32, 1)},
		16: {words(ir.OpStore, ir.U32, 2), words(ir.OpAtomAdd, ir.U64, 1), words(ir.OpAtomCAS, ir.U32, 1)},
		24: {words(ir.OpStore, ir.U32, 4), words(ir.OpAtomCAS, ir.U64, 1)},
	} {
		for _, in := range list {
			assert.Equal(t, want, sentBytes(in), "%v", in)
		}
	}
	cfg, err := config.Load("h200")
	require.NoError(t, err)
	// One warp of an H200 stores 4, 8 and 16 bytes a lane every 6.2, 8.0 and 11.4 cycles (results/hw/ports/h200-ports.csv).
	for vec, cycles := range map[uint8]uint8{1: 6, 2: 8, 4: 12} {
		code := decode(&ir.Program{Code: []ir.Inst{*words(ir.OpStore, ir.U32, vec)}}, cfg)
		assert.Equal(t, cycles, code[0].sends)
	}
}

// TestStoreHead copies words, so that whole sectors are stored, and bytes apart, of which none is whole: a head takes time with the former alone where
// sectors written in part have one in any case.
func TestStoreHead(t *testing.T) {
	sent := func(head string, stride uint32) float64 {
		d := open(t, "h200", "xbar.send_head", head, "xbar.send_flit", "8") // so that the port is what takes longest
		k := testKernel(t, "StoreApart")
		out := upload(t, d, "out", device.U32, make([]uint32, 1<<14))
		return float64(launch(t, d, k, 1, 256, stride, out).Cycles)
	}
	const stores = 8 * 64 // of 8 warps
	assert.InDelta(t, 8*stores, sent("1", 1)-sent("0", 1), 100, "a line of each store")
	assert.InDelta(t, 0, sent("1", 2)-sent("0", 2), 20, "half of each sector is written")
}

// TestUnread decodes products of which some results are overwritten unread.
func TestUnread(t *testing.T) {
	p := &ir.Program{NumRegs: 8, Code: []ir.Inst{
		{Op: ir.OpAdd, K: ir.U32, NDst: 1, Dst: [4]int32{3}, NSrc: 2, Src: [ir.MaxOperands]ir.Operand{1, 2}, Guard: ir.NoGuard},
		{Op: ir.OpAdd, K: ir.U32, NDst: 1, Dst: [4]int32{4}, NSrc: 2, Src: [ir.MaxOperands]ir.Operand{1, 2}, Guard: ir.NoGuard},
		{Op: ir.OpAdd, K: ir.U32, NDst: 1, Dst: [4]int32{3}, NSrc: 2, Src: [ir.MaxOperands]ir.Operand{4, 2}, Guard: ir.NoGuard},
		{Op: ir.OpAdd, K: ir.U32, NDst: 1, Dst: [4]int32{4}, NSrc: 2, Src: [ir.MaxOperands]ir.Operand{1, 2}, Guard: 0},
		{Op: ir.OpBra, Guard: ir.NoGuard},
		{Op: ir.OpAdd, K: ir.U32, NDst: 1, Dst: [4]int32{3}, NSrc: 2, Src: [ir.MaxOperands]ir.Operand{4, 2}, Guard: ir.NoGuard},
	}}
	assert.True(t, unread(p, 0, 3), "the third instruction overwrites it")
	assert.False(t, unread(p, 1, 4), "the third instruction reads it")
	assert.False(t, unread(p, 2, 3), "who reads it follows a branch")
	assert.False(t, unread(p, 3, 4))
}
