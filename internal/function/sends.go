package function

import (
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/async"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// Copies in bulk to other blocks of a cluster are pending in the blocks to which they go: threads there wait for them.

// sendBulk issues a copy of each lane of c from shared memory to that of a block of the cluster.
func (r *run) sendBulk(s *slot, c *async.Copy, to *ir.Inst) *device.Fault {
	w, in, from := c.W, c.In, simt.Origin(c.In)
	c.Bulk, c.Barrier = true, *w.Row(in.Src[3])
	for left := c.Left; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		src, dst, n := c.From[lane], c.To[lane], c.Reads[lane]
		if fault := w.CheckSend(in, to, lane, src, dst, n, c.Barrier[lane]); fault != nil {
			return fault
		}
		if n == 0 {
			continue
		}
		if !r.d.opts.AllowUnwritten {
			if f := s.written.DefinedBytes(w, from, lane, src, n); f != nil && !r.mayRace(f) {
				return f
			}
		}
		if r.judges() {
			if f := s.async.SendFrom(w, in, from, lane, src, n); f != nil {
				return f
			}
		}
		one := *c
		one.Left = 1 << lane
		if r.race != nil {
			s.race.ToCluster(w.Index, c.PC, lane, nil, src, dst, n, 0)
			one.Known = s.race.Announce(w.Index)
		}
		s.async.Sends(&one, lane)
		if f := r.issueTo(s, &one, to, lane, w.Ranks(in, lane)); f != nil {
			return f
		}
	}
	return nil
}

// sendValues issues what each lane of c sends to shared memory of a block of the cluster.
func (r *run) sendValues(s *slot, c *async.Copy, to *ir.Inst) *device.Fault {
	w, in := c.W, c.In
	c.Bulk, c.Barrier = true, *w.Row(in.Src[3])
	for left := c.Left; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		if fault := w.CheckSendValue(in, to, lane, c.To[lane], c.Barrier[lane]); fault != nil {
			return fault
		}
		one := *c
		one.Left, one.Value = 1<<lane, w.Sent(in, lane)
		if r.race != nil {
			s.race.ToCluster(w.Index, c.PC, lane, nil, 0, c.To[lane], c.Reads[lane], 0)
			one.Known = s.race.Announce(w.Index)
		}
		if f := r.issueTo(s, &one, to, lane, 1<<w.RankOf(c.To[lane])); f != nil {
			return f
		}
	}
	return nil
}

// issueTo makes a copy of a lane pending in each of some blocks of the cluster of a slot.
func (r *run) issueTo(s *slot, c *async.Copy, to *ir.Inst, lane int, ranks uint32) *device.Fault {
	for ; ranks != 0; ranks &= ranks - 1 {
		owner, one := s.group[bits.TrailingZeros32(ranks)], *c
		one.To[lane], one.Barrier[lane] = simt.Own(c.To[lane]), simt.Own(c.Barrier[lane])
		n := c.Reads[lane]
		if c.In.Op.Updates() != ir.OpInvalid && !r.d.opts.AllowUnwritten {
			if f := owner.written.DefinedBytes(c.W, to, lane, one.To[lane], n); f != nil && !r.mayRace(f) {
				return f
			}
		}
		owner.written.DefineBytes(one.To[lane], n)
		if r.judges() {
			if f := owner.async.SendTo(c.W, to, lane, one.To[lane], n); f != nil {
				return f
			}
		}
		owner.async.IssueTo(one, lane, owner != s)
	}
	return nil
}

// pends reports whether anything is pending that an access may disturb: in the block, or, if it may be to other blocks of the cluster, in one of these.
func (s *slot) pends(in *ir.Inst) bool {
	if s.async.Any() || s.Cluster == nil || in.Root >= 0 {
		return s.async.Any()
	}
	return slices.ContainsFunc(s.group, func(o *slot) bool { return o.async.Any() })
}

// addresses returns the destination and the mbarrier of a lane's copy as its warp has them, of which the block of s has own ones.
func (s *slot) addresses(c *async.Copy, lane int) (to, barrier uint64) {
	if !c.Away {
		return c.To[lane], c.Barrier[lane]
	}
	return c.W.InBlock(c.To[lane], s.Rank), c.W.InBlock(c.Barrier[lane], s.Rank)
}

// issuer returns the slot of the block that has issued a copy that is pending in s.
func (s *slot) issuer(c *async.Copy) *slot {
	if c.Away {
		return s.group[c.W.Block.Rank]
	}
	return s
}

// multicast issues a lane's copy from global memory to several blocks of the cluster.
func (r *run) multicast(s *slot, c *async.Copy, to *ir.Inst, lane int) *device.Fault {
	w, one := c.W, *c
	one.Left = 1 << lane
	ranks := w.Ranks(c.In, lane)
	if r.judges() {
		if f := s.async.ReadsBulk(w, c.In, lane, c.Box, c.From[lane], c.Reads[lane]); f != nil {
			return f
		}
	}
	if r.race != nil {
		s.race.ToCluster(w.Index, c.PC, lane, c.Box, c.From[lane], c.To[lane], c.Reads[lane], ranks)
		one.Known = s.race.Announce(w.Index)
	}
	return r.issueTo(s, &one, to, lane, ranks)
}
