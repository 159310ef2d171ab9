package simt

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Collective executes a warp collective (OpWarpBar to OpMovMatrix) in the
// lanes of mask, which are the converged ones. Lanes that a mask operand names
// but that are not in mask take no part; MaskMisuse reports them.
func (w *Warp) Collective(in *ir.Inst, mask uint32) {
	switch in.Op {
	case ir.OpWarpBar, ir.OpFragment:
	case ir.OpActiveMask:
		dst := &w.Regs[in.Dst[0]]
		for left := mask; left != 0; left &= left - 1 {
			dst[bits.TrailingZeros32(left)] = uint64(mask)
		}
	case ir.OpBallot, ir.OpVoteAny, ir.OpVoteAll:
		w.vote(in, mask)
	case ir.OpShfl, ir.OpShflUp, ir.OpShflDown, ir.OpShflXor:
		w.shuffle(in, mask)
	case ir.OpMatch:
		w.match(in, mask)
	case ir.OpRedux:
		w.reduce(in, mask)
	case ir.OpMMA:
		w.multiply(in)
	case ir.OpGroupMMA, ir.OpGroupMMAFrom:
		w.addProduct(in)
	case ir.OpMovMatrix:
		w.transpose(in)
	}
}

// MaskMisuse finds the lowest lane of mask that misuses its collective: its
// mask operand lacks the lane itself, or names a live lane that is not in mask
// (not converged at this instruction) or that has a different mask operand.
func (w *Warp) MaskMisuse(in *ir.Inst, mask uint32) (lane int, named uint32, ok bool) {
	if !in.Op.Masked() {
		return 0, 0, true
	}
	masks, live := w.Row(in.Src[0]), w.Live()
	// PTX makes it undefined if the executing thread is not in membermask, and
	// makes the lanes that it names wait for each other with the same mask (PTX
	// ISA, shfl.sync, vote.sync, match.sync).
	if in.Src[0] < 0 { // the same mask in all lanes
		named := uint32(masks[0])
		if left := mask &^ named; left != 0 {
			return bits.TrailingZeros32(left), named, false
		}
		return bits.TrailingZeros32(mask), named, named&live&^mask == 0
	}
	for rest := mask; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest)
		named := uint32(masks[i])
		// Lanes that have exited do not count: PTX waits for all non-exited
		// threads of the mask.
		if named>>i&1 == 0 || named&live&^mask != 0 {
			return i, named, false
		}
		if i == bits.TrailingZeros32(named&mask) { // once per group
			for others := named & mask; others != 0; others &= others - 1 {
				if uint32(masks[bits.TrailingZeros32(others)]) != named {
					return i, named, false
				}
			}
		} else if uint32(masks[bits.TrailingZeros32(named&mask)]) != named {
			return i, named, false
		}
	}
	return 0, 0, true
}

// Missing returns the live lanes that are not in mask but are named by the mask
// operands of lanes in mask.
func (w *Warp) Missing(in *ir.Inst, mask uint32) uint32 {
	away := w.Live() &^ mask
	// The common case: the warp is not divergent.
	if away == 0 || !in.Op.Masked() {
		return 0
	}
	masks := w.Row(in.Src[0])
	named := uint32(0)
	for left := mask; left != 0; left &= left - 1 {
		named |= uint32(masks[bits.TrailingZeros32(left)&31])
	}
	return named & away
}

func (w *Warp) vote(in *ir.Inst, mask uint32) {
	masks, votes := w.Row(in.Src[0]), w.Pred(in.Src[1])&mask
	var out uint32
	for left := mask; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left)
		named := uint32(masks[i]) & mask
		switch in.Op {
		case ir.OpBallot:
			w.Regs[in.Dst[0]][i] = uint64(votes & named)
		case ir.OpVoteAny:
			if votes&named != 0 {
				out |= 1 << i
			}
		default:
			// Of the lanes that take part, all must vote so; the others do not
			// count as votes against.
			if votes&named == named {
				out |= 1 << i
			}
		}
	}
	if in.Op != ir.OpBallot {
		w.SetPred(in.Dst[0], out, mask)
	}
}

func (w *Warp) shuffle(in *ir.Inst, mask uint32) {
	// Copy the source, because the destination may be the same row.
	masks, values, by := w.Row(in.Src[0]), *w.Row(in.Src[1]), w.Row(in.Src[2])
	dst := &w.Regs[in.Dst[0]]
	for left := mask; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left)
		named, from := uint32(masks[i])&mask, source(in.Op, i, uint32(by[i]))
		if named>>from&1 == 0 {
			dst[i] = w.poison(in.K, i)
			continue
		}
		dst[i] = values[from]
	}
}

func (w *Warp) match(in *ir.Inst, mask uint32) {
	masks, values := w.Row(in.Src[0]), w.Row(in.Src[1])
	var out Row
	for left := mask; left != 0; {
		// All lanes that agree with the lowest remaining one get their result
		// together.
		i := bits.TrailingZeros32(left)
		var same uint32
		for agree := left; agree != 0; agree &= agree - 1 {
			if j := bits.TrailingZeros32(agree); values[j] == values[i] {
				same |= 1 << j
			}
		}
		for agree := same; agree != 0; agree &= agree - 1 {
			j := bits.TrailingZeros32(agree)
			out[j] = uint64(uint32(masks[j]) & mask & same)
		}
		left &^= same
	}
	// Into a row of its own first: the destination may be the row of the masks
	// or values.
	merge(&w.Regs[in.Dst[0]], &out, mask)
}

// reduce combines the values of the lanes of each mask.
func (w *Warp) reduce(in *ir.Inst, mask uint32) {
	masks, values := w.Row(in.Src[0]), w.Row(in.Src[1])
	op := ir.Reduction(in.Imm).Op()
	var out Row
	for left := mask; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left)
		named := uint32(masks[i]) & mask
		sum := values[i]
		for others := named &^ (1 << i); others != 0; others &= others - 1 {
			sum, _ = ir.Eval(op, in.K, in.K, 0, sum, values[bits.TrailingZeros32(others)], 0)
		}
		out[i] = sum
	}
	merge(&w.Regs[in.Dst[0]], &out, mask)
}

// merge copies the lanes of mask from one row to another.
func merge(to, from *Row, mask uint32) {
	if manyLanes(mask) {
		vectorMerge(to, from, mask)
		return
	}
	for left := mask; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		to[i] = from[i]
	}
}
