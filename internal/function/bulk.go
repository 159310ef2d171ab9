package function

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// copyBulk issues a copy in bulk of some lanes, each of its own bytes. It lands when a thread looks at the mbarrier that it completes
// on, or at the end of the block.
func (r *run) copyBulk(s *slot, p *pendingCopy, to *ir.Inst) (changed bool, fault *device.Fault) {
	w, in := p.w, p.in
	p.bulk, p.barrier = true, *w.Row(in.Src[3])
	for left := p.left; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		if fault := w.CheckBulk(in, to, lane, p.from[lane], p.dst[lane], p.reads[lane], p.barrier[lane]); fault != nil {
			return false, fault
		}
		if p.reads[lane] == 0 {
			p.left &^= 1 << lane
			continue
		}
		if f := w.DefinedBytes(in, lane, p.from[lane], p.reads[lane]); f != nil && !r.mayRace(f) {
			return false, f
		}
		s.written.DefineBytes(p.dst[lane], p.reads[lane])
		if r.race == nil && !r.d.opts.Lax {
			if f := s.bulk.disturbed(w, to, lane, p.dst[lane], p.reads[lane]); f != nil {
				return false, f
			}
			if f := s.bulk.disturbed(w, simt.Origin(in), lane, p.from[lane], p.reads[lane]); f != nil {
				return false, f
			}
		}
		for i := range s.copies.list {
			q := &s.copies.list[i]
			if q.arrives || q.writes(p.dst[lane], p.reads[lane]) < 0 {
				continue
			}
			if r.race == nil && !r.d.opts.Lax {
				return false, w.PendingFault(to, lane, p.dst[lane], q.in, q.w.Place(q.writes(p.dst[lane], p.reads[lane])), true)
			}
		}
	}
	if p.left == 0 {
		return false, nil
	}
	if r.race != nil {
		s.race.CopyBulk(w.Index, p.pc, p.left, &p.from, &p.dst, &p.reads)
		p.known = s.race.Announce(w.Index)
	}
	for left := p.left; left != 0; left &= left - 1 {
		p.claim(&s.copies, bits.TrailingZeros32(left)&31, 1)
	}
	s.copies.list = append(s.copies.list, *p)
	return false, nil
}

// complete lands a lane's copy in bulk, and counts its bytes at its mbarrier.
func (r *run) complete(s *slot, p *pendingCopy, lane int) *device.Fault {
	bytes, at := p.reads[lane], p.barrier[lane]
	r.land(s, p, 1<<lane)
	old, now, fault := p.w.CompleteBulk(p.in, lane, at, bytes)
	if fault != nil {
		return fault
	}
	if r.history != nil {
		r.history.Landed(p.w, p.pc, lane, at, old, now)
	}
	if r.race != nil {
		s.race.Copied(p.w.Index, lane, at, p.known, true)
	}
	return nil
}
