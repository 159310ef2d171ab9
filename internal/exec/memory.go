package exec

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
)

func (r *run) load(s *slot, w *simt.Warp, in *ir.Inst, st *step, mask uint32) *device.Fault {
	if r.watch.on && in.Mem.Order != ir.Weak {
		r.notePoll(s, w, in, mask)
	}
	if st.shared {
		if f := s.defined(w, in, mask); f != nil {
			return f
		}
	}
	return w.LoadAll(in, mask)
}

func (r *run) store(s *slot, w *simt.Warp, in *ir.Inst, st *step, mask uint32) (bool, *device.Fault) {
	if st.shared {
		s.define(w, in, mask)
	}
	return w.StoreAll(in, mask)
}

func (r *run) atomic(s *slot, w *simt.Warp, in *ir.Inst, st *step, mask uint32) (bool, *device.Fault) {
	if r.watch.on {
		r.notePoll(s, w, in, mask)
	}
	if st.shared {
		// An exchange needs no value before: it may be how the variable starts.
		if in.Op == ir.OpAtomExch {
			s.define(w, in, mask)
		} else if f := s.defined(w, in, mask); f != nil {
			return false, f
		}
	}
	return w.AtomicAll(in, mask)
}

// define marks what the lanes of mask are about to write in shared memory. An
// access that is wrong altogether is left for the access itself to report.
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

// sharedOffset is where an access of n bytes is in the block's shared memory.
func (s *slot) sharedOffset(addr, n uint64) (off uint64, ok bool) {
	off = addr &^ ir.SharedWindow
	return off, simt.SpaceOf(addr) == ir.Shared && off < uint64(len(s.written)) && off+n <= uint64(len(s.written))
}

// defined checks that what the lanes of mask read of shared memory has been
// written by this block; define says of wrong accesses.
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
	vars := w.Grid.Prog.Shared
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
