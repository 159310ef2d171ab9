package function

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// pollLimit is how many iterations of a loop that only polls memory a warp
// executes before it yields.
const pollLimit = 16

func count(mask uint32) int { return bits.OnesCount32(mask) }

// slice runs a warp, or the part of it that is in place, until it ends, waits
// at a barrier, polls without success or has used up its slice. left is the
// unused rest of the slice. changed reports whether a value in memory changed.
func (r *run) slice(s *slot, w *simt.Warp) (left int, changed bool, err error) {
	code, steps, tally := r.c.prog.Code, r.c.steps, r.tally
	polled, vain := false, 0
	searching := s.watched(w) // nil if no loop is
	if searching.generation != r.generation || !searching.Searching() {
		searching = nil
	}
	for left = r.budget; left > 0; left-- {
		pc := w.PC
		if searching != nil {
			searching.Executed(r.c.flow, pc)
		}
		in, st, t := &code[pc], &steps[pc], &tally[pc]
		mask := w.Mask
		t.warps++
		if st.more != 0 { // a sum of all weights would wait for itself in each instruction
			r.more += uint64(st.more)
		}
		t.lanes += uint64(count(mask))
		if st.guarded {
			mask = w.Guarded(in)
			t.acted += uint64(count(mask))
		}
		switch st.act {
		case ir.ActALU:
			if zero := st.alu.Do(w, in, mask); zero != 0 {
				return left, changed, w.DivideFault(in, bits.TrailingZeros32(zero))
			}
		case ir.ActBranch, ir.ActJump:
			if r.history != nil {
				r.history.Branched(w, w.Mask)
			}
			if st.act == ir.ActJump {
				w.Jump(in.Target)
			} else {
				w.Branch(in, mask)
			}
			if w.PC > pc {
				continue
			}
			if !changed {
				if r.atLoop(s, w) {
					r.idles = true
					left--
					return left, changed, nil
				}
				searching = s.watched(w)
			}
			if polled {
				polled = false
				if vain++; vain == pollLimit {
					left--
					return left, changed, nil
				}
			}
			continue
		case ir.ActLoad:
			if f := r.load(s, w, in, st, mask); f != nil {
				return left, changed, f
			}
			polled = polled || in.Mem.Order != ir.Weak
		case ir.ActStore:
			c, f := r.store(s, w, in, st, mask)
			if f != nil {
				return left, changed, f
			}
			if c {
				changed, polled, vain = true, false, 0
			}
			if r.race != nil && in.Mem.Order == ir.Release {
				// Other warps see each value of a flag, not only the last one.
				w.Next()
				left--
				return left, changed, nil
			}
		case ir.ActCopy:
			c, f := r.copyAsync(s, w, in, mask)
			if f != nil {
				return left, changed, f
			}
			changed = changed || c
		case ir.ActBulk:
			if f := r.storeBulk(s, w, in, mask); f != nil {
				return left, changed, f
			}
		case ir.ActCopies:
			wait := r.awaitCopies
			if in.Op.OfBulk() {
				wait = r.awaitBulk
			}
			c, f := wait(s, w, in, mask)
			if f != nil {
				return left, changed, f
			}
			if c {
				changed, polled, vain = true, false, 0
			}
		case ir.ActAtomic:
			c, f := r.atomic(s, w, in, st, mask)
			if f != nil {
				return left, changed, f
			}
			if c {
				changed, polled, vain = true, false, 0
			} else {
				polled = true
			}
		case ir.ActExit:
			if !r.d.opts.Lax {
				if f := s.meeting.End(w, in, mask); f != nil {
					return left, changed, f
				}
			}
			if r.history != nil {
				r.history.Left(w, mask)
			}
			w.Exit(mask)
			if w.Mask == 0 {
				left--
				return left, changed, nil
			}
			continue
		case ir.ActFence:
			if r.race != nil {
				s.race.Fence(w.Index, in.Mem, mask)
				s.race.Settle(w.Index)
			}
		case ir.ActWarp:
			if mask != 0 {
				if mask != simt.Full && in.Op.Aligned() {
					return left, changed, w.Unaligned(in, mask)
				}
				if s.warps[w.Index].gathers(w, in, mask) {
					left--
					return left, true, nil // others may wait for these lanes
				}
				if f := r.undefined(w, in, mask); f != nil {
					return left, changed, f
				}
				if in.Op.OfSums() {
					if f := r.product(s, w, in); f != nil {
						return left, changed, f
					}
				}
				w.Collective(in, mask)
				if r.race != nil && in.Op == ir.OpWarpBar {
					s.race.SyncWarp(w, in, mask)
				}
			}
		case ir.ActBarrier:
			if !r.d.opts.Lax {
				if f := s.meeting.Come(w, pc, w.Mask); f != nil {
					return left, changed, f
				}
			}
			s.warps[w.Index].arrive(w)
			left--
			return left, changed, nil
		case ir.ActNamed, ir.ActCluster:
			if s.warps[w.Index].gathers(w, in, mask) {
				left--
				return left, true, nil // others may wait for these lanes
			}
			if f := w.Misuse(in, mask); f != nil {
				return left, changed, f
			}
			meet := r.named
			if in.Op.Action() == ir.ActCluster {
				meet = r.atCluster
			}
			waits, f := meet(s, w, in, mask)
			if f != nil {
				return left, changed, f
			}
			changed, polled, vain = true, false, 0
			if waits {
				left--
				return left, changed, nil
			}
		case ir.ActSums:
			if !r.d.opts.Lax { // no other thread has part in it, so that it is no race
				if f := s.async.SumsAccess(w, in, mask); f != nil {
					return left, changed, f
				}
			}
			if f := w.AccessSums(in, mask); f != nil {
				return left, changed, f
			}
		case ir.ActSpecial, ir.ActClock:
			now := r.insts + uint64(r.budget-left)
			w.Special(in, mask, now, now)
			if in.Op == ir.OpReadSpecial {
				r.clocks++
			}
		case ir.ActSleep:
			w.Next()
			left--
			return left, changed, nil
		case ir.ActTrap:
			if mask != 0 {
				return left, changed, w.TrapFault(in, bits.TrailingZeros32(mask))
			}
		}
		w.Next()
	}
	return left, changed, nil
}

// undefined returns the fault of a collective that the lanes of mask execute and
// that PTX leaves undefined.
func (r *run) undefined(w *simt.Warp, in *ir.Inst, mask uint32) *device.Fault {
	if f := w.Misuse(in, mask); f != nil || r.d.opts.Lax {
		return f
	}
	return w.Undefined(in, mask)
}
