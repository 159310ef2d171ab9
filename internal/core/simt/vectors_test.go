//go:build amd64 && !purego

package simt

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// plainly calls f without vector instructions.
func plainly(f func()) {
	defer func(before bool) { vectors = before }(vectors)
	vectors = false
	f()
}

// TestVectorAddresses compares addresses, merges and special registers of some lanes or all by vector instructions with
// loops over lanes.
func TestVectorAddresses(t *testing.T) {
	if !vectors {
		t.Skip("this host has no AVX2")
	}
	w := testWarp(t, &ir.Program{NumRegs: 1, Code: []ir.Inst{{Op: ir.OpExit}}}, 32)
	w.Index = 3
	in := &ir.Inst{Op: ir.OpLoad, Imm: -4}
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 1000 {
		mask := r.Uint32()
		switch round % 4 {
		case 0:
			mask = Full
		case 1:
			mask &= r.Uint32() & r.Uint32() & r.Uint32()
		}
		var first Row
		for lane := range Lanes {
			w.Regs[0][lane], first[lane] = r.Uint64(), r.Uint64()
		}
		special := &ir.Inst{Op: ir.OpSpecial, Imm: int64([]ir.Special{ir.TID, ir.LaneID, ir.Clock64}[round%3])}
		results := func() (rows [3]Row) {
			rows = [3]Row{first, first, w.Regs[0]}
			w.Addresses(in, mask, &rows[0])
			merge(&rows[1], &w.Regs[0], mask)
			w.Special(special, mask, 77, 0)
			rows[2], w.Regs[0] = w.Regs[0], rows[2]
			return rows
		}
		var plain [3]Row
		plainly(func() { plain = results() })
		require.Equal(t, plain, results(), "mask %08x", mask)
	}
}
