package function

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// A launch hangs if nothing that it waits for can happen. This is proved, not
// guessed: a warp that returns to a loop head in the state that it had there
// before, while no value in memory has changed, will do so forever; see
// repeat.Loop. If every warp that has not ended does so or waits at a barrier,
// none can release another.

// loopWatch is what is known about one warp since the last change.
type loopWatch struct {
	repeat.Loop
	generation int // of changes; anything found under an older one is invalid
	same       int // how often its state has recurred
	// pollPC and pollAddr describe the last ordered load or atomic.
	polls    bool
	pollPC   int32
	pollAddr uint64
}

// looping reports whether the warp repeats itself. States are compared by hashes
// of 64 bits; a state that recurs by chance does not do so twice.
func (l *loopWatch) looping() bool { return l.same >= 2 }

// changed invalidates all that was found.
func (r *run) changed() { r.generation++ }

// stalled is called once per round. It ends the launch when a hang has been
// proved.
func (r *run) stalled() error {
	if !r.standing() {
		return nil
	}
	kind, what := device.Hang, "every thread waits for another"
	if r.idle() {
		kind = device.Stuck
		if !r.unmet() {
			what = simt.MixedBarriers
		}
	}
	if n := r.g.Blocks - r.next; n > 0 {
		what += fmt.Sprintf("; %d of %d blocks have not started, since only %d fit at once", n, r.g.Blocks, len(r.slots))
	}
	return r.hang(kind, what)
}

// standing reports whether no block can make progress by itself. It may split warps, and then they can.
func (r *run) standing() bool {
	if r.live == 0 {
		return false
	}
	for _, s := range r.slots {
		if s.running && !r.stuck(s) {
			return false
		}
	}
	if r.splitDiverged() {
		r.changed()
		return false
	}
	return true
}

// stuck reports whether nothing in the block can make progress by itself.
func (r *run) stuck(s *slot) bool {
	for i, w := range s.Warps {
		st := &s.warps[i]
		if w.Done() || st.waits(w) {
			continue
		}
		if st.split == nil {
			if !r.loops(&st.loop) {
				return false
			}
			continue
		}
		for _, part := range st.split {
			if !part.waits() && !r.loops(&part.loop) {
				return false
			}
		}
	}
	return true
}

func (r *run) loops(l *loopWatch) bool { return l.looping() && l.generation == r.generation }

// idle reports whether every thread waits at a barrier and none can open,
// because the barriers are of different kinds.
func (r *run) idle() bool {
	for _, s := range r.slots {
		if !s.running {
			continue
		}
		for i, w := range s.Warps {
			if !w.Done() && !s.warps[i].waits(w) {
				return false
			}
		}
	}
	return true
}

// unmet reports whether a thread waits at a named barrier.
func (r *run) unmet() bool {
	for _, s := range r.slots {
		for i := range s.warps {
			if s.running && (s.warps[i].named != 0 || s.warps[i].clustered) {
				return true
			}
		}
	}
	return false
}

// watched returns the watch of the warp, or of the part of it that is in place.
func (s *slot) watched(w *simt.Warp) *loopWatch {
	if st := &s.warps[w.Index]; st.cur != nil {
		return &st.cur.loop
	}
	return &s.warps[w.Index].loop
}

// atLoop looks at the state of the warp, which has just jumped backwards and
// has changed nothing since its turn began. It reports whether the warp repeats
// itself, so that it may as well end its turn.
func (r *run) atLoop(s *slot, w *simt.Warp) bool {
	l := s.watched(w)
	if l.generation != r.generation {
		l.Reset()
		l.generation, l.same = r.generation, 0
	}
	if !l.looping() {
		r.at.w = w
		switch same, kept := l.Visit(r.c.flow, &r.at); {
		case kept:
			l.same = 0
		case same:
			l.same++
		}
	}
	return l.looping()
}

// warpAt is a warp as package repeat sees it.
type warpAt struct{ w *simt.Warp }

var hashSeed = maphash.MakeSeed()

// Row implements repeat.State.
func (a *warpAt) Row(i int) (hash uint64, ok bool) {
	if n := len(a.w.Regs); i >= n {
		return uint64(a.w.Preds[i-n]) + 1, true
	}
	return maphash.Bytes(hashSeed, simt.RowBytes(&a.w.Regs[i])), true
}

// Position implements repeat.State. Local memory is part of it, since a store to
// it does not count as a change.
func (a *warpAt) Position() uint64 {
	w := a.w
	var x maphash.Hash
	x.SetSeed(hashSeed)
	maphash.WriteComparable(&x, w.Path)
	maphash.WriteComparable(&x, w.Exited)
	for _, p := range w.Stack {
		maphash.WriteComparable(&x, p)
	}
	x.Write(w.Local)
	return x.Sum64()
}

// AppendPlaces implements repeat.State.
func (a *warpAt) AppendPlaces(to []int32) []int32 {
	to = append(to, a.w.PC)
	for i := range a.w.Stack {
		to = append(to, a.w.Stack[i].PC)
	}
	return to
}

// notePoll records what a warp reads, to report what it waits for.
func (r *run) notePoll(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) {
	if mask == 0 {
		return
	}
	l := s.watched(w)
	l.polls, l.pollPC = true, w.PC
	l.pollAddr = w.Row(in.Src[0])[bits.TrailingZeros32(mask)] + uint64(in.Imm)
}

// hang returns the error for a launch that cannot end.
func (r *run) hang(kind device.HangKind, what string) error {
	return r.hangs(kind, what, kind == device.Hang || kind == device.Stuck)
}

// hangs is hang; decided says that nothing that the threads read can change any
// more.
func (r *run) hangs(kind device.HangKind, what string, decided bool) error {
	h := &device.HangError{Kernel: r.g.Kernel.Name, Kind: kind, What: what}
	h.Waiting, h.More = r.waits()
	r.recurred = kind == device.Livelock
	h.Graph = r.graph(decided, false)
	return h
}

// undecided returns the error for a launch that has used up its budget, or
// looks like a livelock.
func (r *run) undecided() *device.UndecidedError {
	u := &device.UndecidedError{Kernel: r.g.Kernel.Name, Why: r.unrepeatable()}
	if most := r.d.opts.Budget; most > 0 {
		u.Budget = fmt.Sprintf("%d warp instructions", most)
	}
	u.Waiting, u.More = r.waits()
	u.Graph = r.graph(false, false)
	return u
}

// patience is how long a launch must have run so that its end by the caller is
// explained.
const patience = time.Second

// interrupted returns the error of a launch that the caller ends: with what its
// threads do if it has run for long.
func (r *run) interrupted(ctx context.Context) error {
	cause := ctx.Err()
	if !errors.Is(cause, context.Canceled) || errors.Is(context.Cause(ctx), device.ErrEnough) || time.Since(r.since) < patience {
		return cause
	}
	i := &device.InterruptedError{Kernel: r.g.Kernel.Name, Ran: format.Thousands(r.insts) + " warp instructions", Cause: cause}
	i.Waiting, i.More = r.waits()
	i.Graph = r.graph(false, true)
	return i
}

// waiting implements Progress.Waiting.
func (r *run) waiting() (waiting, resident int) {
	for _, s := range r.slots {
		if !s.running {
			continue
		}
		for i, w := range s.Warps {
			if w.Done() {
				continue
			}
			resident++
			st := &s.warps[i]
			repeats := st.loop.generation == r.generation && st.loop.looping()
			for _, part := range st.split {
				repeats = part.waits() || part.loop.generation == r.generation && part.loop.looping()
				if !repeats {
					break
				}
			}
			if st.waits(w) || repeats {
				waiting++
			}
		}
	}
	return waiting, resident
}

// waits lists the threads that wait and where, at most device.MaxWaits; more is
// the number of omitted ones.
func (r *run) waits() (list []device.Wait, more int) {
	add := func(s *slot, w *simt.Warp, part *strand) {
		for _, x := range r.waitsOf(s, w, part) {
			if len(list) == device.MaxWaits {
				more++
			} else {
				list = append(list, x)
			}
		}
	}
	order := slices.Clone(r.slots)
	slices.SortFunc(order, func(a, b *slot) int { return a.ID - b.ID })
	for _, s := range order {
		if !s.running {
			continue
		}
		for i, w := range s.Warps {
			st := &s.warps[i]
			if st.split == nil && !w.Done() {
				add(s, w, &strand{path: w.Path, stack: w.Stack, parked: st.arrived != 0, loop: st.loop})
			}
			for _, part := range st.split {
				add(s, w, part)
			}
		}
	}
	return list, more
}

// waitsOf describes what a part of a warp does, and which lanes of the warp
// wait for it.
func (r *run) waitsOf(s *slot, w *simt.Warp, part *strand) (list []device.Wait) {
	var on *int
	if r.d.remote != nil {
		gpu := r.d.mem.GPU()
		on = &gpu
	}
	add := func(pc int32, why string, lanes uint32) {
		list = append(list, device.Wait{
			At: r.g.At(&r.c.prog.Code[pc]), Why: why, Block: s.ID, Warp: w.Index, Threads: lanes, Shape: r.g.Shape, GPU: on,
		})
	}
	left := uint32(0)
	for _, p := range part.stack {
		left |= p.Mask
	}
	left &^= w.Exited | part.path.Mask
	switch pc := part.path.PC; {
	case s.warps[w.Index].clustered:
		add(pc, s.Cluster.Waits(), part.path.Mask)
	case s.warps[w.Index].named != 0:
		add(pc, s.named.Waits(s.warps[w.Index].named, w, &r.c.prog.Code[pc]), part.path.Mask)
	case part.gathering:
		in := &r.c.prog.Code[pc]
		add(pc, fmt.Sprintf("waits at %s for lanes %08x, which its mask names", in.Op, w.Missing(in, part.path.Mask)), part.path.Mask)
	case part.parked:
		add(pc, "waits at a barrier ("+simt.BarrierName(&r.c.prog.Code[pc])+")", part.path.Mask)
	case part.loop.polls:
		add(part.loop.pollPC, "spins on "+r.g.Element(part.loop.pollAddr), part.path.Mask)
	default:
		add(pc, "goes round in a loop", part.path.Mask)
	}
	for j := len(part.stack) - 1; j >= 0 && left != 0; j-- {
		if lanes := part.stack[j].Mask & left; lanes != 0 {
			add(part.stack[j].PC, fmt.Sprintf("waits to reconverge with lanes %08x of its warp", part.path.Mask), lanes)
			left &^= lanes
		}
	}
	return list
}
