package sim

import (
	"fmt"
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/counter"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
)

// Independent thread scheduling: see simt.Part for when lanes go their own
// way. A warp changes from one part to another only where the part in place
// waits for lanes of its own warp, spins, or has gone round loops for long while
// others wait; a wait for memory is no reason, so that code that does not need
// the change runs as with a stack.
//
// The scoreboard is the warp's: a part also waits for registers that another
// part of its warp has under way. That is later than hardware might issue, but
// right (one write to a row is under way at most) and cannot deadlock, since
// everything that the scoreboard waits for comes by itself.

// spin is what a warp's diverged lanes polled last.
type spin struct {
	pc    int32
	mask  uint32
	addr  uint64
	same  int32 // times in a row that the same lanes polled the same address
	other int32 // polls elsewhere since
	backs int32 // branches back while lanes wait for their turn
}

// polls reports whether an instruction may be what a spinning loop looks at
// memory with.
func polls(in *ir.Inst) bool {
	switch in.Op {
	case ir.OpLoad:
		return in.Mem.Order != ir.Weak
	case ir.OpAtomCAS, ir.OpAtomExch:
		return true
	}
	return false
}

// polled notes that the lanes of mask look at memory while others wait.
func (s *spin) polled(pc int32, mask uint32, addr uint64) {
	switch {
	case s.pc != pc:
		// A loop may poll at several places; one of them is followed.
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

// branchedBack is called when a warp took a branch back. Lanes that spin, or
// have kept others waiting for many rounds, give way. It reports whether they did.
func (m *machine) branchedBack(wp *warp) bool {
	w, s := wp.w, &wp.spin
	if !w.Diverged() {
		s.backs = 0
		return false
	}
	s.backs++
	if int(s.same) < m.cfg.Issue.Yield && int(s.backs) < m.cfg.Issue.Patience {
		return false
	}
	w.Split(simt.Runs)
	m.switchPart(wp)
	return true
}

// switchPart lets the lanes in place go on, or where none are, the first part that
// can. A warp without one waits for its block or for ever.
func (m *machine) switchPart(wp *warp) {
	w := wp.w
	wp.spin = spin{pc: -1}
	if w.Mask == 0 {
		for i := range w.Parts {
			if m.mayGo(w, &w.Parts[i]) {
				w.Take(i)
				break
			}
		}
	}
	if w.Mask != 0 {
		m.follow(wp, m.now+uint64(m.cfg.Issue.Branch), counter.StallBranch)
		return
	}
	for i := range w.Parts {
		if w.Parts[i].Wait == simt.AtBar {
			m.pause(wp, warpBarrier, counter.StallBarrier)
			return
		}
	}
	m.pause(wp, warpParted, counter.StallBranch)
}

// mayGo reports whether a part has what it waits for.
func (m *machine) mayGo(w *simt.Warp, p *simt.Part) bool {
	switch p.Wait {
	case simt.AtBar:
		return false
	case simt.AtMask:
		return m.missing(w, &w.Grid.Prog.Code[p.PC], p.Mask) == 0
	}
	return true
}

// missing are the live lanes that a collective names in the lanes of mask and
// that have not come to it. Warp barriers need not be the same instruction.
func (m *machine) missing(w *simt.Warp, in *ir.Inst, mask uint32) uint32 {
	away := w.Missing(in, mask)
	if away == 0 || in.Op != ir.OpWarpBar {
		return away
	}
	for i := range w.Parts {
		if p := &w.Parts[i]; p.Wait == simt.AtMask && w.Grid.Prog.Code[p.PC].Op == ir.OpWarpBar {
			away &^= p.Mask
		}
	}
	return away
}

// gather lets the lanes in place wait at a collective for those that its mask
// names; false: they wait, and others of the warp go on.
func (m *machine) gather(wp *warp, in *ir.Inst) bool {
	w := wp.w
	named := w.Missing(in, w.Mask)
	if named == 0 {
		return true
	}
	if m.missing(w, in, w.Mask) != 0 {
		w.Split(simt.AtMask)
		m.switchPart(wp)
		return false
	}
	for i := range w.Parts { // at other warp barriers, which open now
		if p := &w.Parts[i]; p.Wait == simt.AtMask && p.Mask&named != 0 {
			p.Wait = simt.Runs
			p.PC++
		}
	}
	return true
}

// lowest is the address of the first lane of mask.
func (m *machine) lowest(mask uint32) uint64 { return m.addrs[bits.TrailingZeros32(mask)&31] }

// parts are the lanes of a warp that go their own way.
func (m *machine) parts(wp *warp) (out []device.Wait) {
	g := wp.w.Grid
	for i := range wp.w.Parts {
		p := &wp.w.Parts[i]
		in := &g.Prog.Code[p.PC]
		wait := device.Wait{At: g.At(in), Block: wp.block.ID, Warp: wp.w.Index, Threads: p.Mask, Shape: g.Shape}
		switch {
		case p.Wait == simt.AtBar:
			wait.Why = atBarrier(wp.block, in.Op)
		case p.Wait == simt.AtMask:
			wait.Why = fmt.Sprintf("wait at %s for lanes %08x, which its mask names", in.Op, m.missing(wp.w, in, p.Mask))
		case wp.watch.repeats:
			wait.Why = "spins, in turn with other lanes of its warp"
		default:
			wait.Why = "runs, in turn with other lanes of its warp"
		}
		out = append(out, wait)
	}
	return out
}

func atBarrier(b *block, op ir.Op) string {
	if b.mixed {
		return fmt.Sprintf("waits at %s; others of the block wait at another kind of barrier", simt.BarrierName(op))
	}
	return fmt.Sprintf("waits at a barrier that %d of the block's %d threads have reached", b.arrived, b.live)
}
