package function

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/async"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// Copies in bulk to global memory, and reductions, read their sources and write as late as PTX allows: when their thread waits for that, or
// at the end of the block.

// storeBulk issues a copy of each lane of mask.
func (r *run) storeBulk(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) *device.Fault {
	from := simt.Source(in)
	var to simt.Row
	w.Addresses(in, mask, &to)
	src, size := w.Row(in.Src[1]), w.Row(in.Src[2])
	issued := uint32(0)
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		if in.Op.TensorDims() > 0 {
			if fault := r.storeBox(s, w, in, &from, lane, to[lane], src[lane]); fault != nil {
				return fault
			}
			continue
		}
		n := size[lane]
		if fault := w.CheckBulkStore(in, &from, lane, to[lane], src[lane], n); fault != nil {
			return fault
		}
		if n == 0 {
			continue
		}
		if !r.d.opts.AllowUnwritten {
			if f := s.written.DefinedBytes(w, &from, lane, src[lane], n); f != nil && !r.mayRace(f) {
				return f
			}
		}
		if in.Op.Updates() != ir.OpInvalid {
			if f := w.DefinedBytes(in, lane, to[lane], n); f != nil && !r.mayRace(f) {
				return f
			}
		}
		if r.judges() {
			if f := s.async.BulkStore(w, in, &from, lane, to[lane], src[lane], n); f != nil {
				return f
			}
		}
		w.DefineBytes(to[lane], n)
		s.async.IssueStore(async.Store{W: w, In: in, PC: w.PC, Lane: lane, From: src[lane], To: to[lane], Bytes: n})
		issued |= 1 << lane
	}
	if r.race != nil && issued != 0 {
		s.race.StoreBulk(w.Index, w.PC, issued, &to, src, size)
	}
	return nil
}

// awaitBulk executes what makes a group of copies, waits for groups, or is a fence for them.
func (r *run) awaitBulk(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) (changed bool, fault *device.Fault) {
	if r.race != nil {
		s.race.Bulk(w.Index, in, mask)
	}
	s.async.BulkGroup(w, in, mask, r.stored(&changed))
	return changed, nil
}

// stored returns what is done when a copy has read at the latest, and when it has written. It sets changed if memory changes.
func (r *run) stored(changed *bool) async.Stored {
	return func(p *async.Store, written bool) {
		if !written {
			p.Read()
			return
		}
		var wrote func(addr, old, now uint64)
		if r.history != nil {
			wrote = func(addr, old, now uint64) { r.history.Wrote(p.W, p.PC, p.Lane, addr, old, now) }
		}
		*changed = p.Write(wrote) || *changed
	}
}
