package function

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// copies are the asynchronous copies of a block that have not landed, in the order in which they were issued, and arrivals at
// mbarriers behind them. PTX says when a copy has landed at the latest; until then it is pending here, so that a kernel which does
// not wait finds what was in memory before.
type copies struct {
	list   []pendingCopy
	groups [][simt.Lanes]uint32 // by warp: how many groups each lane has committed
	// claims counts for each word of shared memory the pending copies that will write it.
	claims []uint8
}

// pendingCopy is a copy of some lanes of a warp, or their arrival at mbarriers when their copies before it have landed.
type pendingCopy struct {
	w       *simt.Warp
	pc      int32
	left    uint32 // lanes for which it is pending
	arrives bool
	in      *ir.Inst
	group   [simt.Lanes]uint32 // of each lane
	from    simt.Row           // the source; of an arrival, the mbarrier
	dst     simt.Row
	reads   simt.Row // bytes
	known   uint32   // of an arrival, and of a copy in bulk: what package race says of the copies before it
	bulk    bool     // it completes on an mbarrier of its own, and belongs to no group
	barrier simt.Row // of a copy in bulk
}

// reset prepares c for a block.
func (c *copies) reset(warps, bytes int) {
	c.list = c.list[:0]
	if cap(c.groups) < warps {
		c.groups = make([][simt.Lanes]uint32, warps)
	}
	c.groups = c.groups[:warps]
	clear(c.groups)
	if n := (bytes + 3) / 4; cap(c.claims) < n {
		c.claims = make([]uint8, n)
	} else {
		c.claims = c.claims[:n]
		clear(c.claims)
	}
}

// claim changes the claims of a copy of a lane by one.
func (p *pendingCopy) claim(c *copies, lane, by int) {
	first := p.dst[lane] &^ ir.SharedWindow / 4
	for i := range (p.size(lane) + 3) / 4 {
		c.claims[first+i] += uint8(by)
	}
}

// size returns how many bytes a lane writes.
func (p *pendingCopy) size(lane int) uint64 {
	if p.bulk {
		return p.reads[lane]
	}
	return uint64(p.in.Mem.Bytes())
}

// copyAsync issues a copy of the lanes of mask.
func (r *run) copyAsync(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) (changed bool, fault *device.Fault) {
	p := pendingCopy{w: w, pc: w.PC, left: mask, in: in, group: s.copies.groups[w.Index], dst: *w.Row(in.Src[1]), reads: *w.Row(in.Src[2])}
	to := simt.Destination(in)
	w.Addresses(in, mask, &p.from)
	if in.Op == ir.OpBulkCopy {
		return r.copyBulk(s, &p, &to)
	}
	if fault := w.CheckCopy(in, &to, mask, &p.from, &p.dst); fault != nil {
		return false, fault
	}
	whole := mask
	for left := mask; left != 0; left &= left - 1 {
		if lane := bits.TrailingZeros32(left) & 31; p.reads[lane] != uint64(in.Mem.Bytes()) {
			whole &^= 1 << lane
		}
	}
	if f := w.Defined(in, &p.from, 0, whole); f != nil && !r.mayRace(f) {
		return false, f
	}
	s.written.Define(&to, &p.dst, 0, mask)
	if r.race != nil {
		s.race.Copy(w.Index, w.PC, mask, whole, &p.from, &p.dst)
	} else if f := r.awaited(s, w, &to, &p.dst, mask); f != nil {
		return false, f
	} else if f := r.awaited(s, w, simt.Origin(in), &p.from, whole); f != nil {
		return false, f
	}
	if r.touch != nil {
		r.touch(s.ID, w, in, whole)
	}
	if in.Root < 0 && r.d.remote != nil {
		r.d.remote.anywhere(r, w, in, ir.ActCopy, whole)
	}
	// Two copies to the same bytes end in any order. The earlier one lands first.
	for i := 0; i < len(s.copies.list); i++ {
		if q := &s.copies.list[i]; !q.arrives && s.copies.overlap(q, &p) {
			changed = r.land(s, q, q.left) || changed
		}
	}
	for left := mask; left != 0; left &= left - 1 {
		p.claim(&s.copies, bits.TrailingZeros32(left)&31, 1)
	}
	if mask != 0 {
		s.copies.list = append(s.copies.list, p)
	}
	return changed, nil
}

// overlap reports whether a copy that is about to be issued writes what a pending one will write.
func (c *copies) overlap(q, p *pendingCopy) bool {
	size := uint64(p.in.Mem.Bytes())
	for left := p.left; left != 0; left &= left - 1 {
		at := p.dst[bits.TrailingZeros32(left)&31]
		if !c.claimed(at&^ir.SharedWindow, size) {
			continue
		}
		if q.writes(at, size) >= 0 {
			return true
		}
	}
	return false
}

// claimed reports whether a pending copy will write one of the n bytes at an offset of shared memory.
func (c *copies) claimed(off, n uint64) bool {
	for i := off / 4; i <= (off+n-1)/4 && i < uint64(len(c.claims)); i++ {
		if c.claims[i] != 0 {
			return true
		}
	}
	return false
}

// writes returns a lane of a pending copy that will write one of the n bytes at an address, or -1.
func (p *pendingCopy) writes(at, n uint64) int { return p.meets(&p.dst, at, n) }

// meets returns a pending lane one of whose bytes from an address of row is among the n bytes at another, or -1.
func (p *pendingCopy) meets(row *simt.Row, at, n uint64) int {
	for left := p.left; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		size := p.size(lane)
		if row == &p.from {
			size = p.reads[lane]
		}
		if row[lane] < at+n && at < row[lane]+size {
			return lane
		}
	}
	return -1
}

// land completes the lanes of mask of a pending copy, and reports whether memory changed.
func (r *run) land(s *slot, p *pendingCopy, mask uint32) (changed bool) {
	mask &= p.left
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		p.claim(&s.copies, lane, -1)
		data, off, _ := p.w.Resolve(lane, p.from[lane])
		n := int(p.reads[lane])
		if n == 0 {
			data, off = nil, 0
		}
		if r.c.bulk {
			s.bulk.landed(p, lane)
		}
		if p.bulk {
			changed = p.w.LandBytes(p.dst[lane], data[off:off+n]) || changed
			continue
		}
		changed = p.w.LandCopy(p.in, p.dst[lane], data[off:off+n]) || changed
	}
	p.left &^= mask
	return changed
}

// arrive counts the arrivals of the lanes of mask.
func (r *run) arrive(s *slot, p *pendingCopy, mask uint32) *device.Fault {
	mask &= p.left
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		old, now, fault := p.w.ArriveCopied(p.in, lane, p.from[lane])
		if fault != nil {
			return fault
		}
		if r.history != nil {
			r.history.Landed(p.w, p.pc, lane, p.from[lane], old, now)
		}
		if r.race != nil {
			s.race.Copied(p.w.Index, lane, p.from[lane], p.known, false)
		}
	}
	p.left &^= mask
	return nil
}

// landUntil completes for a lane of a warp, in order, what is pending in the first n entries and of groups below limit.
func (r *run) landUntil(s *slot, w *simt.Warp, lane, n int, limit uint32) (changed bool, fault *device.Fault) {
	for i := range s.copies.list[:n] {
		p := &s.copies.list[i]
		if p.w != w || p.bulk || p.left>>lane&1 == 0 || p.group[lane] >= limit {
			continue
		}
		if !p.arrives {
			changed = r.land(s, p, 1<<lane) || changed
			continue
		}
		if fault := r.arrive(s, p, 1<<lane); fault != nil {
			return changed, fault
		}
		changed = true
	}
	return changed, nil
}

// tidy removes entries of which nothing is pending any more.
func (c *copies) tidy() {
	kept := 0
	for i := range c.list {
		if c.list[i].left == 0 {
			continue
		}
		if kept != i {
			c.list[kept] = c.list[i]
		}
		kept++
	}
	c.list = c.list[:kept]
}

// awaitCopies executes what makes a group of copies, or waits for groups.
func (r *run) awaitCopies(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) (changed bool, fault *device.Fault) {
	groups := &s.copies.groups[w.Index]
	if r.race != nil && in.Op == ir.OpCopyWait {
		s.race.WaitCopies(w.Index, mask, uint32(in.Imm))
	} else if r.race != nil {
		s.race.CommitCopies(w.Index, mask)
	}
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		if in.Op == ir.OpCopyCommit {
			groups[lane]++
		} else if n := uint32(in.Imm); groups[lane] > n {
			c, f := r.landUntil(s, w, lane, len(s.copies.list), groups[lane]-n)
			if changed = changed || c; f != nil {
				return changed, f
			}
		}
	}
	s.copies.tidy()
	return changed, nil
}

// announce notes that mbarriers wait for the copies of the lanes of mask.
func (r *run) announce(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) {
	p := pendingCopy{w: w, pc: w.PC, left: mask, in: in, arrives: true, group: s.copies.groups[w.Index]}
	w.Addresses(in, mask, &p.from)
	if r.race != nil {
		p.known = s.race.Announce(w.Index)
	}
	s.copies.list = append(s.copies.list, p)
}

// landFor completes what the mbarriers wait for at which the lanes of mask look, where the phase that a lane asks for is not complete
// without that.
func (r *run) landFor(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) (changed bool, fault *device.Fault) {
	var at simt.Row
	w.Addresses(in, mask, &at)
	for left := mask; left != 0; left &= left - 1 {
		asks := bits.TrailingZeros32(left) & 31
		addr := at[asks]
		if w.PhaseComplete(in, asks, addr) {
			continue
		}
		for i := range s.copies.list {
			p := &s.copies.list[i]
			for lanes := p.left; lanes != 0; lanes &= lanes - 1 {
				lane := bits.TrailingZeros32(lanes) & 31
				if p.bulk && p.barrier[lane] == addr {
					changed = true
					if f := r.complete(s, p, lane); f != nil {
						return changed, f
					}
				}
				if !p.arrives || p.from[lane] != addr {
					continue
				}
				c, f := r.landUntil(s, p.w, lane, i+1, ^uint32(0))
				if changed = changed || c; f != nil {
					return changed, f
				}
			}
		}
	}
	s.copies.tidy()
	return changed, nil
}

// landAll completes what is pending at the end of a block.
func (r *run) landAll(s *slot) *device.Fault {
	for i := range s.copies.list {
		p := &s.copies.list[i]
		if p.bulk {
			for left := p.left; left != 0; left &= left - 1 {
				if fault := r.complete(s, p, bits.TrailingZeros32(left)&31); fault != nil {
					return fault
				}
			}
		} else if !p.arrives {
			r.land(s, p, p.left)
		} else if fault := r.arrive(s, p, p.left); fault != nil {
			return fault
		}
	}
	s.copies.list = s.copies.list[:0]
	return nil
}

// awaited returns the fault of an access that a pending copy makes undefined: of memory that the copy will write, or a write of
// memory that it may still read. in is as it accesses row, without an offset.
func (r *run) awaited(s *slot, w *simt.Warp, in *ir.Inst, row *simt.Row, mask uint32) *device.Fault {
	if !s.copying() || r.d.opts.Lax {
		return nil
	}
	n := uint64(in.Mem.Bytes())
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		at := row[lane]
		if f := s.bulk.disturbed(w, in, lane, at, n); f != nil {
			return f
		}
		switch space := simt.SpaceOf(at); {
		case space == ir.Shared && s.copies.claimed(at&^ir.SharedWindow, n):
			for i := range s.copies.list {
				if p := &s.copies.list[i]; !p.arrives && p.writes(at, n) >= 0 {
					return w.PendingFault(in, lane, at, p.in, p.w.Place(p.writes(at, n)), true)
				}
			}
		case space == ir.Global && in.Op != ir.OpLoad:
			for i := range s.copies.list {
				p := &s.copies.list[i]
				if p.arrives {
					continue
				}
				if source := p.meets(&p.from, at, n); source >= 0 {
					return w.PendingFault(in, lane, at, p.in, p.w.Place(source), false)
				}
			}
		}
	}
	return nil
}

// encode adds what is pending to the state of a launch.
func (c *copies) encode(rec *repeat.Record) {
	rec.Int(len(c.list))
	for i := range c.list {
		p := &c.list[i]
		rec.Word(uint64(p.w.Index)<<32 | uint64(p.pc))
		rec.Word(uint64(p.left))
		for left := p.left; left != 0; left &= left - 1 {
			lane := bits.TrailingZeros32(left) & 31
			rec.Word(p.from[lane])
			rec.Word(p.dst[lane])
			rec.Word(p.reads[lane])
			rec.Word(p.barrier[lane])
			rec.Word(uint64(c.groups[p.w.Index][lane] - p.group[lane]))
		}
	}
}

// undisturbed is awaited for the access of an instruction.
func (r *run) undisturbed(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) *device.Fault {
	if r.race != nil || r.d.opts.Lax {
		return nil
	}
	w.Addresses(in, mask, s.Scratch)
	return r.awaited(s, w, in, s.Scratch, mask)
}
