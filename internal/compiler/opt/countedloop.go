package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Limits of the counted loops that are unrolled, without the counter and its
// test: maxBody instructions, of which maxWork are not loads. maxStep bounds
// the step, so that a few steps are small compared with the range of the
// counter's kind.
//
// These limits and the kinds of instructions that shortBody accepts follow what
// NVIDIA's assembler (ptxas 13.0 for sm_90) was observed to unroll by four.
const (
	maxBody = 32
	maxWork = 16
	maxStep = 1 << 20
)

// counted is a single-block loop that repeats while its counter i, after the
// step, has not reached a loop-invariant bound.
type counted struct {
	h, pre, out *ir.Block
	from        int // index of the back edge in h.Preds
	at          int // index in h.Phis of i, the counter's phi
	step        int64
	op          ir.Op // the loop repeats while i+step op bound
	k           ir.Kind
	bound       *ir.Value
}

// count returns a description of loop if it is a counted loop to unroll, else nil.
func (c *context) count(loop *ir.Loop) *counted {
	header := loop.Header
	if header.Rolled || len(loop.Blocks) != 1 || len(header.Preds) != 2 || header.Cond == nil || !header.Cond.Op.IsCompare() || header.Succs[0] == header.Succs[1] {
		return nil
	}
	shape := &counted{h: header, pre: loop.Entry(), from: slices.Index(header.Preds, header), op: header.Cond.Op, k: header.Cond.ArgK, out: header.Succs[0]}
	if !shape.k.Int() || shape.pre == nil {
		return nil
	}
	if shape.out == header {
		shape.out = header.Succs[1]
	} else {
		shape.op = inverse[shape.op]
	}
	if !shortBody(header.Ins) {
		return nil
	}
	x, y := header.Cond.Args[0], header.Cond.Args[1]
	// The counter may be on either side of the comparison.
	if !shape.counter(x, y) {
		shape.op = flipped[shape.op]
		if !shape.counter(y, x) {
			return nil
		}
	}
	return shape
}

// shortBody reports whether it pays to execute several iterations of a loop
// with these instructions together: there are few, none of them becomes a loop
// or a branch on hardware, and none prevents the loads of an iteration from
// moving above the previous iteration. Atomics and collectives do, and stores
// that the loads may alias.
func shortBody(ins []*ir.Value) bool {
	loads := 0
	var loaded, stored [ir.Local + 1]bool
	for _, value := range ins {
		switch {
		case value.Op.Collective(), value.Op.IsStoreMatrix(), value.Op.IsAtomic(), ir.Ops[value.Op].Long, ir.Ops[value.Op].Fixed:
			return false
		case value.Op == ir.OpLoad:
			loads++
			loaded[value.Mem.Space] = true
		case value.Op == ir.OpStore:
			stored[value.Mem.Space] = true
		}
	}
	for space := range loaded {
		if loaded[space] && (stored[space] || stored[ir.Generic]) || loaded[ir.Generic] && stored[space] {
			return false
		}
	}
	// Two: the step of the counter and its test.
	work := len(ins) - 2 - loads
	return work <= maxWork && work+loads <= maxBody
}

// counter tries next as the counter after its step and bound as its bound.
func (n *counted) counter(next, bound *ir.Value) bool {
	if next.Op != ir.OpAdd || next.Block != n.h || next.Args[1].Op != ir.OpConst || bound.Block == n.h {
		return false
	}
	n.at = slices.Index(n.h.Phis, next.Args[0])
	if n.at < 0 || n.h.Phis[n.at].Args[n.from] != next {
		return false
	}
	n.bound, n.step = bound, signedBits(n.k, next.Args[1].Bits())
	switch n.op {
	// The step must lead towards the bound, or the loop ends by wrapping
	// around.
	case ir.OpLt, ir.OpLe:
		return n.step > 0 && n.step <= maxStep
	case ir.OpGt, ir.OpGe:
		return n.step < 0 && n.step >= -maxStep
	// A larger step might jump over the bound.
	case ir.OpNe:
		return n.step == 1 || n.step == -1
	}
	return false
}

// guarded reports whether the block is reached only if the counter starts below the
// bound (above it, for a loop that counts down).
func (c *context) guarded(shape *counted, block *ir.Block) bool {
	start := shape.h.Phis[shape.at].Args[1-shape.from]
	for ; block != nil; block = block.Idom {
		// What a branch says holds in a block only if the block has no other
		// way in.
		if len(block.Preds) != 1 {
			continue
		}
		pred := block.Preds[0]
		if pred.Cond == nil || !pred.Cond.Op.IsCompare() || pred.Succs[0] == pred.Succs[1] {
			continue
		}
		op := pred.Cond.Op
		if pred.Succs[0] != block {
			op = inverse[op]
		}
		x, y, k := pred.Cond.Args[0], pred.Cond.Args[1], pred.Cond.ArgK
		if c.implied(shape, op, k, x, y, start) || c.implied(shape, flipped[op], k, y, x, start) {
			return true
		}
	}
	return false
}

// implied reports whether x op y implies that start has not reached the bound.
func (c *context) implied(shape *counted, op ir.Op, kind ir.Kind, x, y, start *ir.Value) bool {
	if x == start && y == shape.bound && op == shape.op && kind == shape.k {
		return true
	}
	// 0 < n, for an unsigned n or a length whose lower half is n.
	if start.Op != ir.OpConst || start.Bits() != 0 || shape.op != ir.OpLt || x.Op == ir.OpConst || y.Op != ir.OpConst || y.Bits() != 0 {
		return false
	}
	// For an unsigned number != 0 says the same as > 0.
	if op != ir.OpGt && (op != ir.OpNe || shape.k.Signed()) {
		return false
	}
	if x == shape.bound {
		return kind == shape.k
	}
	return shape.k == ir.U32 && shape.bound.Op == ir.OpCvt && shape.bound.Args[0] == x && x.Op == ir.OpParam && c.f.Leaves[x.Imm].Role == ir.Length
}

// limits returns the smallest and the largest value of an integer kind, as
// bits.
func limits(k ir.Kind) (lowest, highest int64) {
	switch k {
	case ir.U32:
		return 0, 1<<32 - 1
	case ir.S32:
		return -1 << 31, 1<<31 - 1
	case ir.S64:
		return -1 << 63, 1<<63 - 1
	}
	return 0, -1
}
