package exec

import (
	"errors"
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
)

// This file executes memory accesses. It rejects reads of memory that has not
// been written.

func (r *run) load(s *slot, w *simt.Warp, in *ir.Inst, st *step, mask uint32) *device.Fault {
	if in.Mem.Order != ir.Weak {
		r.notePoll(s, w, in, mask)
	}
	if f := r.defined(s, w, in, st, mask); f != nil && !r.mayRace(f) {
		return f
	}
	if r.watched {
		r.shown(s, w, in, ir.ActLoad, mask)
	}
	return w.LoadAll(in, mask)
}

func (r *run) store(s *slot, w *simt.Warp, in *ir.Inst, st *step, mask uint32) (bool, *device.Fault) {
	r.define(s, w, in, st, mask)
	if r.watched {
		r.shown(s, w, in, ir.ActStore, mask)
	}
	return w.StoreAll(in, mask)
}

func (r *run) atomic(s *slot, w *simt.Warp, in *ir.Inst, st *step, mask uint32) (bool, *device.Fault) {
	r.notePoll(s, w, in, mask)
	// An exchange needs no previous value: it may initialise the variable.
	if in.Op == ir.OpAtomExch {
		r.define(s, w, in, st, mask)
	} else if f := r.defined(s, w, in, st, mask); f != nil && !r.mayRace(f) {
		return false, f
	}
	if r.watched {
		r.shown(s, w, in, ir.ActAtomic, mask)
	}
	return w.AtomicAll(in, mask)
}

// shown shows an access, before it takes effect, to those that watch accesses:
// the race detector, the record that explains a hang, and a group if only the
// address says on which GPU it is.
func (r *run) shown(s *slot, w *simt.Warp, in *ir.Inst, act ir.Action, mask uint32) {
	if r.race != nil {
		s.race.Access(w.Index, w.PC, in, mask, w.Row(in.Src[0]), uint64(in.Imm), true)
	}
	if r.history != nil {
		r.history.Accesses(w, in, mask, w.Row(in.Src[0]))
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
	if st.shared {
		s.define(w, in, mask)
	}
	if !st.global {
		return
	}
	r.eachUnwritten(w, in, mask, func(_ int, a *simt.Allocation, off int) bool {
		a.Wrote(off, in.Mem.Bytes())
		return true
	})
}

// defined checks that the bytes that the lanes of mask read have been written.
// Like define, it ignores invalid accesses.
func (r *run) defined(s *slot, w *simt.Warp, in *ir.Inst, st *step, mask uint32) (f *device.Fault) {
	if st.shared && !r.d.opts.AllowUnwritten {
		if f := s.defined(w, in, mask); f != nil {
			return f
		}
	}
	if !st.global {
		return nil
	}
	r.eachUnwritten(w, in, mask, func(lane int, a *simt.Allocation, off int) bool {
		at, _ := a.Unwritten().First(off, in.Mem.Bytes())
		f = r.unwrittenFault(w, in, lane, a, at)
		return false
	})
	return f
}

// eachUnwritten calls f for the lanes of mask that access a byte of global
// memory that has not been written, until f returns false. For nearly every
// access a quick check shows that its buffer has no such byte.
func (r *run) eachUnwritten(w *simt.Warp, in *ir.Inst, mask uint32, f func(lane int, a *simt.Allocation, off int) bool) {
	row, imm, n := w.Row(in.Src[0]), uint64(in.Imm), uint64(in.Mem.Bytes())
	if in.Root < 0 {
		if !r.g.Mem.Track {
			return
		}
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & 31
			addr := row[lane] + imm
			if simt.SpaceOf(addr) != ir.Global {
				continue
			}
			if a, off := r.g.Mem.Lookup(addr); a != nil && a.Unwritten().Meets(uint64(off), n) && !f(lane, a, off) {
				return
			}
		}
		return
	}
	a := r.g.Roots[in.Root].Alloc
	if a == nil {
		return
	}
	lo := a.Base() - imm
	for m := mask; m != 0; m &= m - 1 {
		u := a.Unwritten()
		if u == nil {
			return
		}
		lane := bits.TrailingZeros32(m) & 31
		if off := row[lane] - lo; u.Meets(off, n) && !f(lane, a, int(off)) {
			return
		}
	}
}

// unwrittenFault returns the fault for reading the unwritten byte at of a
// buffer.
func (r *run) unwrittenFault(w *simt.Warp, in *ir.Inst, lane int, a *simt.Allocation, at int) *device.Fault {
	name, lo, size, length := a.Name, 0, a.Elem.Bytes(), a.Len
	if in.Root >= 0 { // the kernel's name for it
		g := &r.g.Roots[in.Root]
		name, lo, size, length = g.Name, int(g.Lo-a.Base()), int(g.Size), int(g.Bytes/g.Size)
	}
	i := int64((at - lo) / size)
	f := w.Fault(in, lane, "element %d of %s is read, but neither the host nor a thread has written it", i, name)
	f.Buffer, f.Index, f.Length = a.Name, i, int64(length)
	return f
}

// define marks the bytes of shared memory that the lanes of mask will write.
func (s *slot) define(w *simt.Warp, in *ir.Inst, mask uint32) {
	a, imm, n := w.Row(in.Src[0]), uint64(in.Imm), uint64(in.Mem.Bytes())
	for m := mask; m != 0; m &= m - 1 {
		if off, ok := s.sharedOffset(a[bits.TrailingZeros32(m)&31]+imm, n); ok {
			for i := off; i < off+n; i++ {
				s.written[i] = 1
			}
		}
	}
}

// sharedOffset returns the offset of an access of n bytes in the block's shared
// memory.
func (s *slot) sharedOffset(addr, n uint64) (off uint64, ok bool) {
	off = addr &^ ir.SharedWindow
	return off, simt.SpaceOf(addr) == ir.Shared && off < uint64(len(s.written)) && off+n <= uint64(len(s.written))
}

// defined checks that the bytes of shared memory that the lanes of mask read
// have been written by this block.
func (s *slot) defined(w *simt.Warp, in *ir.Inst, mask uint32) *device.Fault {
	a, imm, n := w.Row(in.Src[0]), uint64(in.Imm), uint64(in.Mem.Bytes())
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		off, ok := s.sharedOffset(a[lane]+imm, n)
		if !ok {
			continue
		}
		for i := off; i < off+n; i++ {
			if s.written[i] == 0 {
				return undefined(w, in, lane, off)
			}
		}
	}
	return nil
}

func undefined(w *simt.Warp, in *ir.Inst, lane int, off uint64) *device.Fault {
	vars := w.Grid.Shared
	for i := range vars {
		v := &vars[i]
		if at := int64(off) - int64(v.Off); at >= 0 && at < int64(v.Size) {
			size := int64(max(v.ElemSize, 1))
			f := w.Fault(in, lane, "element %d of shared %s is read, but no thread of the block has written it", at/size, v.Name)
			f.Buffer, f.Index, f.Length = v.Name, at/size, int64(v.Size)/size
			return f
		}
	}
	return w.Fault(in, lane, "byte %d of shared memory is read, but no thread of the block has written it", off)
}
