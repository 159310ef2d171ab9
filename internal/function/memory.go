package function

import (
	"errors"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// This file executes memory accesses. It rejects reads of memory that has not
// been written.

func (r *run) load(s *slot, w *simt.Warp, in *ir.Inst, st *step, mask uint32) *device.Fault {
	if in.Mem.Order != ir.Weak {
		r.notePoll(s, w, in, mask)
	}
	if in.Op != ir.OpLoad { // of matrices
		if mask != simt.Full {
			return w.Unaligned(in, mask)
		}
		mask = in.Op.Rows()
	}
	if f := r.defined(s, w, in, st, mask); f != nil && !r.mayRace(f) {
		return f
	}
	if s.pends(in) {
		if f := r.undisturbed(s, w, in, mask); f != nil {
			return f
		}
	}
	if r.watched {
		r.shown(s, w, in, ir.ActLoad, mask)
	}
	return w.LoadAll(in, mask)
}

func (r *run) store(s *slot, w *simt.Warp, in *ir.Inst, st *step, mask uint32) (bool, *device.Fault) {
	if in.Op.IsStoreMatrix() {
		if mask != simt.Full {
			return false, w.Unaligned(in, mask)
		}
		mask = in.Op.Rows()
	}
	r.define(s, w, in, st, mask)
	if s.pends(in) {
		if f := r.undisturbed(s, w, in, mask); f != nil {
			return false, f
		}
	}
	if r.watched {
		r.shown(s, w, in, ir.ActStore, mask)
	}
	if r.c.stores && st.shared {
		s.async.Wrote(w, in, mask)
	}
	return w.StoreAll(in, mask)
}

func (r *run) atomic(s *slot, w *simt.Warp, in *ir.Inst, st *step, mask uint32) (bool, *device.Fault) {
	r.notePoll(s, w, in, mask)
	// An exchange needs no previous value: it may initialise the variable.
	if in.Op == ir.OpAtomExch || in.Op == ir.OpMBarInit {
		r.define(s, w, in, st, mask)
	} else if f := r.defined(s, w, in, st, mask); f != nil && !r.mayRace(f) {
		return false, f
	}
	landed := false
	if r.c.stores && st.shared {
		s.async.Wrote(w, in, mask)
	}
	if s.pends(in) {
		if f := r.undisturbed(s, w, in, mask); f != nil {
			return false, f
		}
		if in.Op.IsMBarrierWait() {
			var f *device.Fault
			if landed, f = r.landFor(s, w, in, mask); f != nil {
				return landed, f
			}
		}
	}
	if r.watched {
		r.shown(s, w, in, ir.ActAtomic, mask)
	}
	changed, f := w.AtomicAll(in, mask)
	if f == nil && mask != 0 && in.Op.AwaitsCopies() {
		r.announce(s, w, in, mask)
	}
	return changed || landed, f
}

// shown shows an access, before it takes effect, to those that watch accesses:
// the race detector, the record that explains a hang, whoever keeps caches warm,
// and a group if only the address says on which GPU it is.
func (r *run) shown(s *slot, w *simt.Warp, in *ir.Inst, act ir.Action, mask uint32) {
	if r.race != nil {
		s.race.Access(w.Index, w.PC, in, mask, w.Row(in.Src[0]), uint64(in.Imm), true)
	}
	if r.history != nil {
		r.history.Accesses(w, in, mask, w.Row(in.Src[0]))
	}
	if r.touch != nil {
		r.touch(s.ID, w, in, mask)
	}
	if in.Root < 0 && r.d.remote != nil {
		r.d.remote.anywhere(r, w, in, act, mask)
	}
}

// mayRace keeps the first read of unwritten memory for the end of the launch, if
// races are looked for.
func (r *run) mayRace(f *device.Fault) bool {
	if r.race == nil {
		return false
	}
	if r.unwritten == nil {
		r.unwritten = f
	}
	return true
}

// outcome returns the error of a launch that ended with err, if races are looked
// for. A read of unwritten memory is an error of its own unless there was a race; it
// explains most errors that follow.
func (r *run) outcome(err error, raced bool) error {
	var fault *device.Fault
	if r.unwritten != nil && (err == nil && !raced || errors.As(err, &fault)) {
		return r.unwritten
	}
	return err
}

// define marks the bytes that the lanes of mask will write. It ignores invalid
// accesses, which the access itself reports.
func (r *run) define(s *slot, w *simt.Warp, in *ir.Inst, st *step, mask uint32) {
	row, imm := w.Row(in.Src[0]), uint64(in.Imm)
	if st.shared {
		s.written.Define(in, row, imm, mask)
		if s.Cluster != nil && in.Root < 0 {
			s.elsewhere(row, imm, mask, func(lane int, owner *slot) {
				owner.written.Define(in, s.Scratch, 0, 1<<lane)
			})
		}
	}
	if st.global {
		w.Define(in, row, imm, mask)
	}
}

// defined checks that the bytes that the lanes of mask read have been written.
// Like define, it ignores invalid accesses.
func (r *run) defined(s *slot, w *simt.Warp, in *ir.Inst, st *step, mask uint32) *device.Fault {
	row, imm := w.Row(in.Src[0]), uint64(in.Imm)
	if st.shared && !r.d.opts.AllowUnwritten {
		if f := s.written.Defined(w, in, row, imm, mask); f != nil {
			return f
		}
		if s.Cluster != nil && in.Root < 0 {
			var f *device.Fault
			s.elsewhere(row, imm, mask, func(lane int, owner *slot) {
				if f == nil {
					f = owner.written.Defined(w, in, s.Scratch, 0, 1<<lane)
				}
			})
			if f != nil {
				return f
			}
		}
	}
	if !st.global {
		return nil
	}
	return w.Defined(in, row, imm, mask)
}
