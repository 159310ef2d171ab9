package simt

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// undefined stands for a value that PTX leaves undefined.
const undefined = 1 << 40

// oneLane returns the result of a collective in lane l by definition, if the
// lanes of mask have converged.
func oneLane(w *Warp, in *ir.Inst, mask uint32, l int) uint64 {
	named := uint32(w.Row(in.Src[0])[l]) & mask
	from := func(lane int) uint64 {
		switch {
		case lane < 0 || lane >= Lanes:
			lane = l
		case named>>lane&1 == 0:
			return undefined
		}
		return w.Row(in.Src[1])[lane]
	}
	switch in.Op {
	case ir.OpBallot:
		return uint64(named & w.Pred(in.Src[1]))
	case ir.OpVoteAny:
		return uint64(min(1, bits.OnesCount32(named&w.Pred(in.Src[1]))))
	case ir.OpVoteAll:
		if named&^w.Pred(in.Src[1]) == 0 {
			return 1
		}
		return 0
	case ir.OpMatch:
		var same uint32
		for i, v := range w.Row(in.Src[1]) {
			if v == w.Row(in.Src[1])[l] {
				same |= 1 << i
			}
		}
		return uint64(same & named)
	}
	if in.Op == ir.OpRedux { // each reduction by its definition
		sum, first := uint64(0), true
		for i, v := range w.Row(in.Src[1]) {
			if named>>i&1 == 0 {
				continue
			}
			switch r := ir.Reduction(in.Imm); {
			case first:
				sum, first = v, false
			case r == ir.ReduceAdd:
				sum += v
			case r == ir.ReduceMin:
				sum = min(sum, v)
			case r == ir.ReduceMax:
				sum = max(sum, v)
			case r == ir.ReduceAnd:
				sum &= v
			case r == ir.ReduceOr:
				sum |= v
			default:
				sum ^= v
			}
		}
		return sum
	}
	z := w.Row(in.Src[2])[l]
	switch in.Op {
	case ir.OpShfl:
		return from(int(z % 32))
	case ir.OpShflXor:
		return from(l ^ int(z%32))
	case ir.OpShflUp:
		return from(l - int(min(z, 99)))
	case ir.OpShflDown:
		return from(l + int(min(z, 99)))
	}
	panic("a collective without a definition: " + in.Op.String())
}

func TestCollectivesAgreeWithTheirDefinition(t *testing.T) {
	w := testWarp(t, exits(1), 32)
	r := rand.New(rand.NewPCG(5, 6))
	for op := range ir.NumOps {
		if op.Action() != ir.ActWarp || ir.Ops[op].Result == 0 || !op.Masked() || op.Aligned() { // package mma computes those of all lanes
			continue
		}
		in := ir.Inst{Op: op, K: ir.U32, NSrc: uint8(op.NArgs()), NDst: 1, Dst: [4]int32{3}, Src: [ir.MaxOperands]ir.Operand{0, 1, 2}}
		if !ir.Ops[op].Result.Has(ir.U32) {
			in.K = ir.Pred
		}
		for round := range 50 {
			if op == ir.OpRedux {
				in.Imm = int64(round) % int64(ir.NumReductions)
			}
			mask := r.Uint32() | 1
			group := r.Uint32()
			for l := range Lanes {
				// Two groups of lanes, or all.
				w.Regs[0][l] = uint64(Full)
				if round%2 == 0 {
					w.Regs[0][l] = uint64(group)
					if group>>l&1 == 0 {
						w.Regs[0][l] = uint64(^group)
					}
				}
				w.Regs[1][l] = uint64(r.IntN(4))
				w.Regs[2][l] = uint64(r.IntN(40))
			}
			w.Preds[1] = r.Uint32() | r.Uint32()
			if round%3 == 0 { // destination and source are the same row
				in.Dst[0] = 1
			} else {
				in.Dst[0] = 3
			}
			var want Row
			for l := range Lanes {
				want[l] = oneLane(w, &in, mask, l)
			}
			before, beforeP := w.Regs[in.Dst[0]], w.Preds[in.Dst[0]]
			w.Collective(&in, mask)
			for l := range Lanes {
				got, keep := w.Regs[in.Dst[0]][l], before[l]
				if in.K == ir.Pred {
					got, keep = uint64(w.Preds[in.Dst[0]]>>l&1), uint64(beforeP>>l&1)
				}
				if mask>>l&1 == 0 {
					want[l] = keep
				}
				if mask>>l&1 != 0 && want[l] == undefined {
					require.EqualValues(t, 0x7FE, got>>20, "poison")
					continue
				}
				require.Equal(t, want[l], got, "%s lane %d of %08x", op, l, mask)
			}
		}
	}
	w.Collective(&ir.Inst{Op: ir.OpActiveMask, NDst: 1, Dst: [4]int32{3}}, 0xF0)
	assert.Equal(t, uint64(0xF0), w.Regs[3][5])
}

func TestMaskMisuse(t *testing.T) {
	w := testWarp(t, exits(1), 32)
	in := ir.Inst{Op: ir.OpBallot, Src: [ir.MaxOperands]ir.Operand{0, ir.PredTrue}}
	set := func(m uint32) { spread(&w.Regs[0], uint64(m)) }
	ok := func(mask uint32) bool {
		_, _, ok := w.MaskMisuse(&in, mask)
		return ok
	}
	set(Full)
	assert.True(t, ok(Full))
	assert.False(t, ok(0xFFFF), "names live lanes that are elsewhere")
	set(0xFFFF)
	assert.True(t, ok(0xFFFF))
	lane, named, good := w.MaskMisuse(&in, Full)
	assert.False(t, good, "lane 16 does not name itself")
	assert.Equal(t, []any{16, uint32(0xFFFF)}, []any{lane, named})
	w.Exited = 0xFF000000
	set(Full)
	assert.True(t, ok(0x00FFFFFF), "exited lanes need not be here")
	w.Exited = 0
	for l := range Lanes { // even and odd lanes as two groups
		w.Regs[0][l] = 0x55555555 << (l & 1)
	}
	assert.True(t, ok(Full))
	w.Regs[0][6] = uint64(Full)
	assert.False(t, ok(Full), "lane 6 names lanes that give another mask")
}
