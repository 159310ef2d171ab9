package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// narrowCounters replaces 64-bit loop counters that cannot leave 0..2^32-1 by
// 32-bit ones: a phi that starts at a constant or a widened u32, grows by a
// positive step, and is continued only while it is below a bound that fits 32
// bits (a widened u32, a constant, or the length of a slice: a device holds
// fewer than 2^32 elements per buffer). `for i := range s` compiles to such a
// counter.
func narrowCounters(c *context) {
	c.f.Dominate()
	s := &simplifier{context: c}
	changed := false
	for _, loop := range c.f.Loops() {
		pre := loop.Entry()
		// One entry and one back edge: the phi has exactly a start and a next
		// value.
		if pre == nil || len(loop.Latches) != 1 || len(loop.Header.Preds) != 2 {
			continue
		}
		latch := loop.Latches[0]
		// A copy, since narrowCounter appends the new counter to the phis.
		for _, phi := range append([]*ir.Value(nil), loop.Header.Phis...) {
			if phi.K.Int() && phi.K.Bits() == 64 && s.narrowCounter(phi, pre, latch) {
				changed = true
			}
		}
	}
	if changed {
		c.resolve()
	}
}

// narrowCounter handles one phi. The loop is entered from pre.
func (s *simplifier) narrowCounter(phi *ir.Value, pre, latch *ir.Block) bool {
	header := phi.Block
	in, back := 0, 1
	if header.Preds[0] == latch {
		in, back = 1, 0
	}
	start, next := s.res(phi.Args[in]), s.res(phi.Args[back])
	first, ok := s.below32(start)
	if !ok || next.Op != ir.OpAdd || next.Args[0] != phi || next.Args[1].Op != ir.OpConst {
		return false
	}
	step := next.Args[1].Bits()
	// A small step bounds how far next may be above the bound.
	if step == 0 || step > 1<<20 || !s.bounded(next, latch, header) {
		return false
	}
	// After the first iteration the phi is below the bound, so that next is at
	// most 2^32-2 + step. In the first iteration the phi is the start value.
	if step != 1 && !s.roomAbove(next, latch, header, step) || !s.startsBelow(first, start, pre, header, step) {
		return false
	}
	small := s.context.value(header, ir.OpPhi, ir.U32, phi.Pos)
	grown := s.context.value(next.Block, ir.OpAdd, ir.U32, next.Pos, small, s.constant(ir.U32, step))
	wide := s.context.value(header, ir.OpCvt, phi.K, phi.Pos, small)
	wideNext := s.context.value(next.Block, ir.OpCvt, next.K, next.Pos, grown)
	wide.ArgK, wideNext.ArgK = ir.U32, ir.U32
	low := s.constant(ir.U32, first.Bits())
	if first.Op != ir.OpConst {
		low = first
	}
	small.Args = make([]*ir.Value, 2)
	small.Args[in], small.Args[back] = low, grown
	header.Phis = append(header.Phis, small)
	header.Ins = append([]*ir.Value{wide}, header.Ins...)
	// Where next stands, since the test at the latch reads it after that.
	insertBefore(next, grown, wideNext)
	s.replace(phi, wide)
	s.replace(next, wideNext)
	return true
}

// insertBefore inserts list in front of v in its block.
func insertBefore(v *ir.Value, list ...*ir.Value) {
	block := v.Block
	for i, o := range block.Ins {
		if o == v {
			block.Ins = append(block.Ins[:i:i], append(list, block.Ins[i:]...)...)
			return
		}
	}
}

// below32 returns the 32-bit value that value zero-extends, or value itself if it is a
// constant that fits 32 bits.
func (s *simplifier) below32(value *ir.Value) (*ir.Value, bool) {
	if value.Op == ir.OpConst {
		return value, value.Bits() <= 1<<32-1
	}
	x, k := s.widened(value)
	return x, x != nil && k == ir.U32
}

// bound returns the value that next must be below for the latch to jump back to
// header; nil if there is none.
func (s *simplifier) bound(next *ir.Value, latch, header *ir.Block) *ir.Value {
	cond := latch.Cond
	if cond == nil || !cond.Op.IsCompare() || cond.ArgK.Bits() != 64 {
		return nil
	}
	op := cond.Op
	if latch.Succs[0] != header {
		op = inverse[op]
	}
	x, y := s.res(cond.Args[0]), s.res(cond.Args[1])
	if y == next {
		x, y, op = y, x, flipped[op]
	}
	// Only "below": with <= the bound 2^32-1 would let the counter wrap around.
	if x != next || op != ir.OpLt {
		return nil
	}
	return y
}

// bounded reports whether the latch jumps back only while next is below a bound
// that fits 32 bits.
func (s *simplifier) bounded(next *ir.Value, latch, h *ir.Block) bool {
	b := s.bound(next, latch, h)
	if b == nil {
		return false
	}
	if s.isLength(b) {
		return true
	}
	_, ok := s.below32(b)
	return ok
}

// roomAbove reports whether bound+step stays below 2^32.
func (s *simplifier) roomAbove(next *ir.Value, latch, h *ir.Block, step uint64) bool {
	b := s.bound(next, latch, h)
	return b != nil && upperBound(b) <= 1<<32-1-step
}

// startsBelow reports whether start+step fits 32 bits: because start is
// constant, or because the loop is entered only if start is below a 32-bit
// value.
func (s *simplifier) startsBelow(first, start *ir.Value, pre, header *ir.Block, step uint64) bool {
	if first.Op == ir.OpConst {
		return first.Bits()+step <= 1<<32-1
	}
	// start < y, for y at most 2^32-1, leaves room for one step and no more.
	if step != 1 {
		return false
	}
	to := header
	// Rotation and licm leave an empty block between the test and the loop.
	if pre.Cond == nil && len(pre.Preds) == 1 {
		pre, to = pre.Preds[0], pre
	}
	cond := pre.Cond
	if cond == nil || !cond.Op.IsCompare() {
		return false
	}
	op := cond.Op
	if pre.Succs[0] != to {
		op = inverse[op]
	}
	x, y := s.res(cond.Args[0]), s.res(cond.Args[1])
	if y == first || y == start {
		x, y, op = y, x, flipped[op]
	}
	if op != ir.OpLt {
		return false
	}
	if x == first {
		return cond.ArgK == ir.U32
	}
	_, small := s.below32(y)
	return x == start && small
}
