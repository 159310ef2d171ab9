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
	// A lock is polled by the atomic that takes it.
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
	threads, spin := wp.w, &wp.spin
	if !threads.Diverged() {
		spin.backs = 0
		return false
	}
	spin.backs++
	if int(spin.same) < s.cfg.Issue.Yield && int(spin.backs) < s.cfg.Issue.Patience {
		return false
	}
	// Every lane makes progress from Volta on, also if it is one for which lanes of its own warp spin (CUDA C++ Programming Guide,
	// "Independent Thread Scheduling").
	threads.Split(simt.Runs)
	s.switchPart(wp)
	return true
}

// switchPart continues the active lanes or, if there are none, the first part that can run. A warp without such a part
// waits for its block or forever.
func (s *sm) switchPart(wp *warp) {
	threads := wp.w
	s.split = true
	// What one part polled says nothing of the next.
	wp.spin = spin{pc: -1}
	if threads.Mask == 0 {
		for i := range threads.Parts {
			if mayGo(threads, &threads.Parts[i]) {
				threads.Take(i)
				break
			}
		}
	}
	if threads.Mask != 0 {
		s.follow(wp, s.now+uint64(s.cfg.Issue.Branch), counter.StallBranch)
		return
	}
	for i := range threads.Parts {
		// The barrier of the block opens for all parts of the warp together; see barrierUnit.open.
		if threads.Parts[i].Wait == simt.AtBar {
			s.pause(wp, warpBarrier, counter.StallBarrier)
			return
		}
	}
	s.pause(wp, warpParted, counter.StallBranch)
}

// mayGo reports whether what a part waits for has happened.
func mayGo(threads *simt.Warp, part *simt.Part) bool {
	switch part.Wait {
	case simt.AtBar, simt.AtStep:
		return false
	case simt.AtMask:
		return missing(threads, &threads.Grid.Prog.Code[part.PC], part.Mask) == 0
	}
	return true
}

// missing returns the live lanes that the mask of a collective, executed by the lanes of mask, names and that have not
// reached it. Warp barriers need not be the same instruction.
func missing(threads *simt.Warp, in *ir.Inst, mask uint32) uint32 {
	away := threads.Missing(in, mask)
	if away == 0 || in.Op != ir.OpWarpBar {
		return away
	}
	for i := range threads.Parts {
		if part := &threads.Parts[i]; part.Wait == simt.AtMask && threads.Grid.Prog.Code[part.PC].Op == ir.OpWarpBar {
			away &^= part.Mask
		}
	}
	return away
}

// gather makes the active lanes wait at a collective for the lanes that its mask names. It returns false if they wait
// and other lanes of the warp continue.
func (s *sm) gather(wp *warp, in *ir.Inst) bool {
	threads := wp.w
	if in.Op.Aligned() {
		s.fault(threads.Unaligned(in, threads.Mask))
		return false
	}
	named := threads.Missing(in, threads.Mask)
	if named == 0 {
		return true
	}
	if missing(threads, in, threads.Mask) != 0 {
		threads.Split(simt.AtMask)
		s.switchPart(wp)
		return false
	}
	for i := range threads.Parts { // those at other warp barriers, which open now
		if part := &threads.Parts[i]; part.Wait == simt.AtMask && part.Mask&named != 0 {
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

func atBarrier(block *block, in *ir.Inst) string {
	if block.mixed {
		return fmt.Sprintf("waits at %s; others of the block wait at another kind of barrier", simt.BarrierName(in))
	}
	return fmt.Sprintf("waits at a barrier that %d of the block's %d remaining threads have reached", block.arrived, block.live)
}
