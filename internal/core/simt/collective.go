package simt

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Collective executes a warp collective (OpWarpBar to OpActiveMask) in the
// lanes of mask, which are the converged ones. Lanes that a mask operand names
// but that are not in mask take no part; MaskMisuse reports them.
func (w *Warp) Collective(in *ir.Inst, mask uint32) {
	switch in.Op {
	case ir.OpWarpBar:
	case ir.OpActiveMask:
		d := &w.Regs[in.Dst[0]]
		for m := mask; m != 0; m &= m - 1 {
			d[bits.TrailingZeros32(m)] = uint64(mask)
		}
	case ir.OpBallot, ir.OpVoteAny, ir.OpVoteAll:
		w.vote(in, mask)
	case ir.OpShfl, ir.OpShflUp, ir.OpShflDown, ir.OpShflXor:
		w.shuffle(in, mask)
	case ir.OpMatch:
		w.match(in, mask)
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
	if away == 0 || !in.Op.Masked() {
		return 0
	}
	r := w.Row(in.Src[0])
	named := uint32(0)
	for m := mask; m != 0; m &= m - 1 {
		named |= uint32(r[bits.TrailingZeros32(m)&31])
	}
	return named & away
}

func (w *Warp) vote(in *ir.Inst, mask uint32) {
	r, p := w.Row(in.Src[0]), w.Pred(in.Src[1])&mask
	var out uint32
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		named := uint32(r[i]) & mask
		switch in.Op {
		case ir.OpBallot:
			w.Regs[in.Dst[0]][i] = uint64(p & named)
		case ir.OpVoteAny:
			if p&named != 0 {
				out |= 1 << i
			}
		default:
			if p&named == named {
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
	r, v, z := w.Row(in.Src[0]), *w.Row(in.Src[1]), w.Row(in.Src[2])
	d := &w.Regs[in.Dst[0]]
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		named, from := uint32(r[i])&mask, source(in.Op, i, uint32(z[i]))
		if named>>from&1 == 0 {
			d[i] = w.poison(in.K, i)
			continue
		}
		d[i] = v[from]
	}
}

func (w *Warp) match(in *ir.Inst, mask uint32) {
	r, v := w.Row(in.Src[0]), w.Row(in.Src[1])
	var out Row
	for m := mask; m != 0; {
		// All lanes that agree with the lowest remaining one get their result
		// together.
		i := bits.TrailingZeros32(m)
		var same uint32
		for n := m; n != 0; n &= n - 1 {
			if j := bits.TrailingZeros32(n); v[j] == v[i] {
				same |= 1 << j
			}
		}
		for n := same; n != 0; n &= n - 1 {
			j := bits.TrailingZeros32(n)
			out[j] = uint64(uint32(r[j]) & mask & same)
		}
		m &^= same
	}
	merge(&w.Regs[in.Dst[0]], &out, mask)
}

// merge copies the lanes of mask from one row to another.
func merge(d, from *Row, mask uint32) {
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = from[i]
	}
}
