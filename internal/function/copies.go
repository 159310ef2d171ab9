package function

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/async"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// PTX says when an asynchronous copy has landed at the latest; until then it is pending here (package async), so that a kernel which does
// not wait finds what was in memory before.

// lands returns what is done when a copy has landed at the latest. It sets changed if memory changes.
func (r *run) lands(s *slot, changed *bool) async.Done {
	return func(c *async.Copy, lane int) *device.Fault {
		switch {
		case c.Arrives:
			*changed = true
			return r.arrive(s, c, lane)
		case c.Bulk:
			*changed = true
			return r.complete(s, c, lane)
		}
		*changed = c.Land(lane, c.To[lane]) || *changed
		return nil
	}
}

// arrive counts the arrival of a lane's copies.
func (r *run) arrive(s *slot, c *async.Copy, lane int) *device.Fault {
	old, now, fault := c.W.ArriveCopied(c.In, lane, c.Barrier[lane])
	if fault == nil {
		r.counted(s, c, lane, c.Barrier[lane], old, now)
	}
	return fault
}

// complete lands a lane's copy in bulk, and counts its bytes at its mbarrier.
func (r *run) complete(s *slot, c *async.Copy, lane int) *device.Fault {
	to, barrier := s.addresses(c, lane)
	c.Land(lane, to)
	old, now, fault := c.W.CompleteBulk(c.In, lane, barrier, c.Reads[lane])
	if fault == nil {
		r.counted(s, c, lane, barrier, old, now)
	}
	return fault
}

// counted shows an mbarrier, at an address as the warp of the copies has it, before and after they have arrived.
func (r *run) counted(s *slot, c *async.Copy, lane int, barrier, old, now uint64) {
	if r.history != nil {
		r.history.Landed(c.W, c.PC, lane, barrier, old, now)
	}
	if r.race != nil {
		s.issuer(c).race.Copied(c.W.Index, c.PC, lane, barrier, c.Known)
	}
}

// judges reports whether an access ends the launch that a pending copy makes undefined. If races are looked for, it is one.
func (r *run) judges() bool { return r.race == nil && !r.d.opts.Lax }

// undisturbed returns the fault of an access that a pending copy makes undefined.
func (r *run) undisturbed(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) *device.Fault {
	if !r.judges() {
		return nil
	}
	w.Addresses(in, mask, s.Scratch)
	f := s.async.Access(w, in, s.Scratch, mask)
	if f == nil && s.Cluster != nil && in.Root < 0 {
		s.elsewhere(w.Row(in.Src[0]), uint64(in.Imm), mask, func(lane int, owner *slot) {
			if f == nil {
				f = owner.async.Access(w, in, s.Scratch, 1<<lane)
			}
		})
	}
	return f
}

// copyAsync issues a copy of the lanes of mask.
func (r *run) copyAsync(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) (changed bool, fault *device.Fault) {
	c := async.Copy{W: w, PC: w.PC, Left: mask, In: in, To: *w.Row(in.Src[1]), Reads: *w.Row(in.Src[2])}
	to := simt.Destination(in)
	w.Addresses(in, mask, &c.From)
	switch {
	case in.Op.SendsValue():
		return false, r.sendValues(s, &c, &to)
	case in.Op == ir.OpBulkSend:
		return false, r.sendBulk(s, &c, &to)
	case in.Op == ir.OpBulkCopy, in.Op == ir.OpBulkMulticast:
		return false, r.copyBulk(s, &c, &to)
	case in.Op.BringsBulk():
		return false, r.copyBoxes(s, &c, &to)
	}
	if fault := w.CheckCopy(in, &to, mask, &c.From, &c.To); fault != nil {
		return false, fault
	}
	whole := mask
	for left := mask; left != 0; left &= left - 1 {
		if lane := bits.TrailingZeros32(left) & 31; c.Reads[lane] != uint64(in.Mem.Bytes()) {
			whole &^= 1 << lane
		}
	}
	if f := w.Defined(in, &c.From, 0, whole); f != nil && !r.mayRace(f) {
		return false, f
	}
	s.written.Define(&to, &c.To, 0, mask)
	if r.race != nil {
		s.race.Copy(w.Index, w.PC, mask, whole, &c.From, &c.To)
	} else if !r.d.opts.Lax {
		if f := s.async.Access(w, &to, &c.To, mask); f != nil {
			return false, f
		}
		if f := s.async.Access(w, simt.Origin(in), &c.From, whole); f != nil {
			return false, f
		}
	}
	if r.touch != nil {
		r.touch(s.ID, w, in, whole)
	}
	if in.Root < 0 && r.d.remote != nil {
		r.d.remote.anywhere(r, w, in, ir.ActCopy, whole)
	}
	fault = s.async.Replaced(&c, r.lands(s, &changed))
	s.async.Issue(c)
	return changed, fault
}

// copyBulk issues a copy in bulk of some lanes, each of its own bytes.
func (r *run) copyBulk(s *slot, c *async.Copy, to *ir.Inst) *device.Fault {
	w, in := c.W, c.In
	c.Bulk, c.Barrier = true, *w.Row(in.Src[3])
	for left := c.Left; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		from, dst, n := c.From[lane], c.To[lane], c.Reads[lane]
		if fault := w.CheckBulk(in, to, lane, from, dst, n, c.Barrier[lane]); fault != nil {
			return fault
		}
		if n == 0 {
			c.Left &^= 1 << lane
			continue
		}
		if f := w.DefinedBytes(in, lane, from, n); f != nil && !r.mayRace(f) {
			return f
		}
		if in.Op.Multicasts() {
			if f := r.multicast(s, c, to, lane); f != nil {
				return f
			}
			continue
		}
		s.written.DefineBytes(dst, n)
		if r.judges() {
			if f := s.async.BulkCopy(w, in, to, lane, from, dst, n); f != nil {
				return f
			}
		}
	}
	if in.Op.Multicasts() {
		return nil
	}
	if r.race != nil && c.Left != 0 {
		s.race.CopyBulk(w.Index, c.PC, c.Left, &c.From, &c.To, &c.Reads)
		c.Known = s.race.Announce(w.Index)
	}
	s.async.Issue(*c)
	return nil
}

// announce notes that mbarriers wait for the copies of the lanes of mask.
func (r *run) announce(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) {
	c := async.Copy{W: w, PC: w.PC, Left: mask, In: in, Arrives: true}
	w.Addresses(in, mask, &c.Barrier)
	if r.race != nil {
		c.Known = s.race.Announce(w.Index)
	}
	s.async.Issue(c)
}

// awaitCopies executes what makes a group of copies, or waits for groups.
func (r *run) awaitCopies(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) (changed bool, fault *device.Fault) {
	if r.race != nil && in.Op == ir.OpCopyWait {
		s.race.WaitCopies(w.Index, mask, uint32(in.Imm))
	} else if r.race != nil {
		s.race.CommitCopies(w.Index, mask)
	}
	fault = s.async.Group(w, in, mask, r.lands(s, &changed))
	return changed, fault
}

// landFor completes what the mbarriers wait for at which the lanes of mask look.
func (r *run) landFor(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) (changed bool, fault *device.Fault) {
	fault = s.async.Due(w, in, mask, r.lands(s, &changed))
	return changed, fault
}

// owed returns how many bytes copies that are pending will bring to an mbarrier of a block.
func (r *run) owed(block int, barrier uint64) uint64 {
	for _, s := range r.slots {
		if s.running && s.ID == block {
			return s.async.Owed(barrier)
		}
	}
	return 0
}

// endCopies completes what is pending at the end of a block.
func (r *run) endCopies(s *slot) *device.Fault {
	var changed bool
	return s.async.End(&s.Block, r.d.opts.Lax, r.lands(s, &changed), r.stored(&changed))
}
