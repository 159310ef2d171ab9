package sim

import (
	"fmt"
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// Independent thread scheduling: see simt.Part for when the lanes of a warp are split. A warp switches from one part
// to another only if the active part waits for lanes of its own warp, spins, or has executed many loop iterations
// while others wait. A wait for memory does not cause a switch, so that code that does not need switching runs as with
// a stack.
//
// The warp has one scoreboard: a part also waits for registers that another part of its warp has in flight. An
// instruction may therefore issue later than on hardware, but the result is correct (at most one write to a row is in
// flight) and cannot deadlock, because everything that the scoreboard waits for arrives without further instructions.

// spin describes the most recent polls by a warp's diverged lanes.
type spin struct {
	pc    int32
	mask  uint32
	addr  uint64
	same  int32 // consecutive polls of the same address by the same lanes
	other int32 // polls at other places since then
	backs int32 // backward branches while other lanes wait
}

// polls reports whether an instruction may be the one with which a spinning loop reads memory.
func polls(in *ir.Inst) bool {
	switch in.Op {
	case ir.OpLoad:
		return in.Mem.Order != ir.Weak
	case ir.OpAtomCAS, ir.OpAtomExch:
		return true
	}
	return false
}

// polled records that the lanes of mask read memory while others wait.
func (s *spin) polled(pc int32, mask uint32, addr uint64) {
	switch {
	case s.pc != pc:
		// A loop may poll at several places; one of them is tracked.
		if s.other++; s.other > 4 {
			*s = spin{pc: pc, mask: mask, addr: addr, backs: s.backs}
		}
	case s.mask != mask || s.addr != addr:
		*s = spin{pc: pc, mask: mask, addr: addr, backs: s.backs}
	default:
		s.same++
		s.other = 0
	}
}

// branchedBack is called when a warp has taken a backward branch. Lanes that spin, or that have made others wait for
// many iterations, yield. It reports whether they did.
func (s *sm) branchedBack(wp *warp) bool {
	w, spin := wp.w, &wp.spin
	if !w.Diverged() {
		spin.backs = 0
		return false
	}
	spin.backs++
	if int(spin.same) < s.cfg.Issue.Yield && int(spin.backs) < s.cfg.Issue.Patience {
		return false
	}
	w.Split(simt.Runs)
	s.switchPart(wp)
	return true
}

// switchPart continues the active lanes or, if there are none, the first part that can run. A warp without such a part
// waits for its block or forever.
func (s *sm) switchPart(wp *warp) {
	w := wp.w
	wp.spin = spin{pc: -1}
	if w.Mask == 0 {
		for i := range w.Parts {
			if mayGo(w, &w.Parts[i]) {
				w.Take(i)
				break
			}
		}
	}
	if w.Mask != 0 {
		s.follow(wp, s.now+uint64(s.cfg.Issue.Branch), counter.StallBranch)
		return
	}
	for i := range w.Parts {
		if w.Parts[i].Wait == simt.AtBar {
			s.pause(wp, warpBarrier, counter.StallBarrier)
			return
		}
	}
	s.pause(wp, warpParted, counter.StallBranch)
}

// mayGo reports whether what a part waits for has happened.
func mayGo(w *simt.Warp, p *simt.Part) bool {
	switch p.Wait {
	case simt.AtBar, simt.AtStep:
		return false
	case simt.AtMask:
		return missing(w, &w.Grid.Prog.Code[p.PC], p.Mask) == 0
	}
	return true
}

// missing returns the live lanes that the mask of a collective, executed by the lanes of mask, names and that have not
// reached it. Warp barriers need not be the same instruction.
func missing(w *simt.Warp, in *ir.Inst, mask uint32) uint32 {
	away := w.Missing(in, mask)
	if away == 0 || in.Op != ir.OpWarpBar {
		return away
	}
	for i := range w.Parts {
		if part := &w.Parts[i]; part.Wait == simt.AtMask && w.Grid.Prog.Code[part.PC].Op == ir.OpWarpBar {
			away &^= part.Mask
		}
	}
	return away
}

// gather makes the active lanes wait at a collective for the lanes that its mask names. It returns false if they wait
// and other lanes of the warp continue.
func (s *sm) gather(wp *warp, in *ir.Inst) bool {
	w := wp.w
	named := w.Missing(in, w.Mask)
	if named == 0 {
		return true
	}
	if missing(w, in, w.Mask) != 0 {
		w.Split(simt.AtMask)
		s.switchPart(wp)
		return false
	}
	for i := range w.Parts { // those at other warp barriers, which open now
		if part := &w.Parts[i]; part.Wait == simt.AtMask && part.Mask&named != 0 {
			part.Wait = simt.Runs
			part.PC++
		}
	}
	return true
}

// lowest returns the address of the first lane of mask.
func lowest(addrs *simt.Row, mask uint32) uint64 { return addrs[bits.TrailingZeros32(mask)&31] }

// parts describes the parts of a warp that are not active.
func (d *diagnosis) parts(wp *warp) (out []device.Wait) {
	grid := wp.w.Grid
	for i := range wp.w.Parts {
		part := &wp.w.Parts[i]
		in := &grid.Prog.Code[part.PC]
		wait := device.Wait{At: grid.At(in), Block: wp.block.ID, Warp: wp.w.Index, Threads: part.Mask, Shape: grid.Shape}
		switch {
		case part.Wait == simt.AtBar:
			wait.Why = atBarrier(wp.block, in)
		case part.Wait == simt.AtMask:
			wait.Why = fmt.Sprintf("wait at %s for lanes %08x, which its mask names", in.Op, missing(wp.w, in, part.Mask))
		case part.Wait == simt.AtStep:
			wait.Why = d.hooks.schedule().heldBack()
		case d.repeats(wp):
			wait.Why = "spins, in turn with other lanes of its warp"
		default:
			wait.Why = "runs, in turn with other lanes of its warp"
		}
		out = append(out, wait)
	}
	return out
}

func atBarrier(b *block, in *ir.Inst) string {
	if b.mixed {
		return fmt.Sprintf("waits at %s; others of the block wait at another kind of barrier", simt.BarrierName(in))
	}
	return fmt.Sprintf("waits at a barrier that %d of the block's %d remaining threads have reached", b.arrived, b.live)
}
