package exec

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
)

// A launch hangs when nothing it waits for can come. This is decided, not
// guessed: once no value in memory has changed for a while, each warp's state
// is remembered at the head of a loop. A warp that comes back to exactly the
// same state with memory unchanged will do so for ever, since what it does
// depends on nothing else. When every warp that has not ended does so or waits
// at a barrier, none can free another.

// quietWindow is after how many instructions a warp, with nothing changed,
// states are compared.
const quietWindow = 2048

// watch is the search for a hang.
type watch struct {
	on         bool
	generation int // counts changes: what was found before one is void
}

// loopWatch is what is known of one warp since the last change.
type loopWatch struct {
	generation int
	looping    bool // its state has come back
	kept       bool
	steps      uint64 // loop heads since the state was kept
	limit      uint64 // when to keep a newer one (Brent's cycle search)
	at         simt.Path
	exited     uint32
	stack      []simt.Path
	regs       []simt.Row
	preds      []uint32
	local      []byte
	// pollPC and pollAddr are the last ordered load or atomic.
	polls    bool
	pollPC   int32
	pollAddr uint64
}

// changed voids all that was found.
func (r *run) changed() {
	r.quiet = 0
	if r.watch.on {
		r.watch.on = false
		r.watch.generation++
	}
}

// stalled is called once a round: it starts the search, and ends the launch
// when the search, or patience, has come to its end.
func (r *run) stalled() error {
	if r.live == 0 {
		return nil
	}
	if !r.watch.on {
		warps := uint64(r.live * r.g.Warps)
		r.watch.on = r.quiet > quietWindow*warps || r.idle()
		return nil
	}
	if r.quiet > r.d.opts.Patience {
		return r.hang(fmt.Sprintf("no value in memory has changed for %d warp-instructions", r.quiet), nil)
	}
	for _, s := range r.slots {
		if !s.running {
			continue
		}
		for i, w := range s.Warps {
			if l := &s.warps[i].loop; !w.Done() && !s.warps[i].atBarrier && !(l.looping && l.generation == r.watch.generation) {
				return nil
			}
		}
	}
	what := "every thread waits for another"
	if n := r.g.Blocks - r.next; n > 0 {
		what += fmt.Sprintf("; %d of %d blocks have not started, since only %d fit at once", n, r.g.Blocks, len(r.slots))
	}
	return r.hang(what, nil)
}

// idle reports that no warp can run at all: every block waits at a barrier
// that some of its warps, which wait elsewhere, never reach.
func (r *run) idle() bool {
	for _, s := range r.slots {
		if s.running && s.waiting+s.done < len(s.Warps) {
			return false
		}
	}
	return true
}

// atLoop compares the warp, which has just jumped back, with what was kept.
func (r *run) atLoop(s *slot, w *simt.Warp) {
	l := &s.warps[w.Index].loop
	if l.generation != r.watch.generation {
		l.generation, l.looping, l.kept, l.steps, l.limit = r.watch.generation, false, false, 0, 1
	}
	if l.looping {
		return
	}
	if l.kept && l.same(w) {
		l.looping = true
		return
	}
	if l.steps++; !l.kept || l.steps >= l.limit {
		l.keep(w)
		l.steps, l.limit = 0, 2*l.limit
	}
}

func (l *loopWatch) same(w *simt.Warp) bool {
	return l.at == w.Path && l.exited == w.Exited && slices.Equal(l.stack, w.Stack) && slices.Equal(l.preds, w.Preds) &&
		slices.Equal(l.regs, w.Regs) && slices.Equal(l.local, w.Local)
}

func (l *loopWatch) keep(w *simt.Warp) {
	l.kept, l.at, l.exited = true, w.Path, w.Exited
	l.stack = append(l.stack[:0], w.Stack...)
	l.preds = append(l.preds[:0], w.Preds...)
	l.regs = append(l.regs[:0], w.Regs...)
	l.local = append(l.local[:0], w.Local...)
}

// notePoll remembers what a warp reads, to say what it waits for.
func (r *run) notePoll(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) {
	if mask == 0 {
		return
	}
	l := &s.warps[w.Index].loop
	l.polls, l.pollPC = true, w.PC
	l.pollAddr = w.Row(in.Src[0])[bits.TrailingZeros32(mask)] + uint64(in.Imm)
}

// hang is the error of a launch that cannot end; only, if not nil, is the one
// block it is about.
func (r *run) hang(what string, only *slot) error {
	h := &device.HangError{Kernel: r.g.Kernel.Name, What: what}
	order := slices.Clone(r.slots)
	slices.SortFunc(order, func(a, b *slot) int { return a.ID - b.ID })
	for _, s := range order {
		if !s.running || only != nil && s != only {
			continue
		}
		for i, w := range s.Warps {
			if !w.Done() {
				r.waits(h, s, i)
			}
		}
	}
	return h
}

func (r *run) waits(h *device.HangError, s *slot, i int) {
	w, st := s.Warps[i], &s.warps[i]
	add := func(pc int32, why string, lanes uint32) {
		if len(h.Waiting) == device.MaxWaits {
			h.More++
			return
		}
		h.Waiting = append(h.Waiting, device.Wait{
			At: r.g.At(&r.c.prog.Code[pc]), Why: why, Block: s.ID, Warp: w.Index, Threads: lanes,
		})
	}
	switch {
	case st.atBarrier:
		add(w.PC, "waits at a barrier", w.Mask)
	case st.loop.polls:
		add(st.loop.pollPC, "spins on "+r.name(w, st.loop.pollAddr), w.Mask)
	default:
		add(w.PC, "has not arrived", w.Mask)
	}
	left := w.Live() &^ w.Mask
	for j := len(w.Stack) - 1; j >= 0 && left != 0; j-- {
		if lanes := w.Stack[j].Mask & left; lanes != 0 {
			add(w.Stack[j].PC, fmt.Sprintf("has left the path of lanes %08x of its warp and goes on only after them", w.Mask), lanes)
			left &^= lanes
		}
	}
}

// name is an address as the host knows it: "done[3]".
func (r *run) name(w *simt.Warp, addr uint64) string {
	switch simt.SpaceOf(addr) {
	case ir.Shared:
		for i := range r.g.Prog.Shared {
			v := &r.g.Prog.Shared[i]
			if at := int(addr&^ir.SharedWindow) - v.Off; at >= 0 && at < v.Size {
				return fmt.Sprintf("%s[%d] in shared memory", v.Name, at/max(v.ElemSize, 1))
			}
		}
		return "shared memory"
	case ir.Local:
		return "local memory"
	}
	a, off := r.g.Mem.Lookup(addr)
	if a == nil {
		return fmt.Sprintf("address %#x", addr)
	}
	return fmt.Sprintf("%s[%d]", a.Name, off/a.Elem.Bytes())
}

// divergent is the error of a barrier that only some threads of a warp reach:
// the others wait, by the reconvergence stack, for those to go on.
func (r *run) divergent(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) error {
	h := &device.HangError{
		Kernel: r.g.Kernel.Name,
		What:   fmt.Sprintf("a barrier that not all threads of block %d reach: lanes %08x of warp %d are elsewhere", s.ID, w.Live()&^mask, w.Index),
	}
	s.warps[w.Index].atBarrier = true
	r.waits(h, s, w.Index)
	for i, o := range s.Warps {
		if o != w && !o.Done() {
			r.waits(h, s, i)
		}
	}
	return h
}
