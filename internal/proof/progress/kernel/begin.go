package kernel

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/async"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// begin begins the asynchronous copies of the lanes of a mask.
func (s *System) begin(b *block, w *simt.Warp, in *ir.Inst, mask uint32) error {
	if mask == 0 {
		return nil
	}
	c := async.Copy{W: w, PC: w.PC, Left: mask, In: in, To: *w.Row(in.Src[1]), Reads: *w.Row(in.Src[2])}
	w.Addresses(in, mask, &c.From)
	one := s.beginBulk
	switch {
	case in.Op.Action() == ir.ActBulk:
		c.From, c.To = c.To, c.From
		one = s.beginStore
	case in.Op.Completes():
		c.Barrier = *w.Row(in.Src[3])
	default:
		return s.beginCopy(b, &c)
	}
	c.Bulk = true
	if in.Op.SendsValue() {
		return s.beginValues(b, &c)
	}
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left)
		own := async.Copy{W: w, PC: w.PC, Left: 1 << lane, In: in, Bulk: true}
		own.From[lane], own.To[lane], own.Reads[lane], own.Barrier[lane] = c.From[lane], c.To[lane], c.Reads[lane], c.Barrier[lane]
		if in.Op.TensorDims() > 0 {
			box := w.Box(in, lane)
			own.Box = &box
		}
		if err := one(b, &own, lane); err != nil {
			return err
		}
	}
	return nil
}

// beginCopy begins a copy of a warp to shared memory that belongs to the groups of its threads.
func (s *System) beginCopy(b *block, c *async.Copy) error {
	to := simt.Destination(c.In)
	if f := c.W.CheckCopy(c.In, &to, c.Left, &c.From, &c.To); f != nil {
		return f
	}
	for left := c.Left; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left)
		if f := s.disturbed(c.W, &to, lane, c.To[lane], uint64(c.In.Mem.Bytes())); f != nil {
			return f
		}
		if f := s.disturbed(c.W, simt.Origin(c.In), lane, c.From[lane], c.Reads[lane]); f != nil {
			return f
		}
	}
	return s.begun(b, &transfer{Copy: *c, kind: toShared})
}

// beginBulk begins a lane's copy in bulk to shared memory: of each of the blocks of the cluster to which it goes, at whose mbarriers it completes.
func (s *System) beginBulk(b *block, c *async.Copy, lane int) error {
	w, in, to := c.W, c.In, simt.Destination(c.In)
	if f := checkBulk(c, &to, lane); f != nil {
		return f
	}
	n := c.Reads[lane]
	if n == 0 {
		return nil
	}
	if f := s.readsDisturbed(c, lane); f != nil {
		return f
	}
	ranks := uint32(1) << w.Block.Rank
	if in.Op.ToCluster() {
		ranks = w.Ranks(in, lane)
	}
	for ; ranks != 0; ranks &= ranks - 1 {
		t := &transfer{Copy: *c, kind: inBulk, rank: bits.TrailingZeros32(ranks)}
		t.To[lane], t.Barrier[lane] = w.InBlock(c.To[lane], t.rank), w.InBlock(c.Barrier[lane], t.rank)
		if f := s.disturbed(w, &to, lane, t.To[lane], n); f != nil {
			return f
		}
		if err := s.begun(b, t); err != nil {
			return err
		}
	}
	return nil
}

// beginValues begins what lanes of a warp send to blocks of the cluster. What goes to one mbarrier ends in one step: others learn of it from the phase alone,
// as of a copy in bulk.
func (s *System) beginValues(b *block, c *async.Copy) error {
	w, in, to := c.W, c.In, simt.Destination(c.In)
	for left := c.Left; left != 0; {
		first := bits.TrailingZeros32(left)
		t := &transfer{Copy: *c, kind: inBulk, values: make([][16]byte, simt.Lanes)}
		t.Left = 0
		for o := left; o != 0; o &= o - 1 {
			lane := bits.TrailingZeros32(o)
			if c.Barrier[lane] != c.Barrier[first] {
				continue
			}
			if f := w.CheckSendValue(in, &to, lane, c.To[lane], c.Barrier[lane]); f != nil {
				return f
			}
			t.rank = w.RankOf(c.To[lane])
			t.To[lane], t.Barrier[lane] = w.InBlock(c.To[lane], t.rank), w.InBlock(c.Barrier[lane], t.rank)
			if f := s.disturbed(w, &to, lane, t.To[lane], c.Reads[lane]); f != nil {
				return f
			}
			t.Left |= 1 << lane
			t.values[lane] = w.Sent(in, lane)
		}
		left &^= t.Left
		if err := s.begun(b, t); err != nil {
			return err
		}
	}
	return nil
}

// checkBulk returns the fault of a lane's copy in bulk to shared memory; nil if it is valid.
func checkBulk(c *async.Copy, to *ir.Inst, lane int) *device.Fault {
	from, dst, n, barrier := c.From[lane], c.To[lane], c.Reads[lane], c.Barrier[lane]
	switch {
	case c.In.Op == ir.OpBulkSend:
		return c.W.CheckSend(c.In, to, lane, from, dst, n, barrier)
	case c.Box == nil:
		return c.W.CheckBulk(c.In, to, lane, from, dst, n, barrier)
	}
	if f := c.W.CheckBox(c.In, to, lane, c.Box, dst); f != nil {
		return f
	}
	return c.W.CheckBarrier(c.In, lane, barrier)
}

// readsDisturbed returns the fault of a lane's copy in bulk whose source something pending may still write.
func (s *System) readsDisturbed(c *async.Copy, lane int) *device.Fault {
	from := simt.Origin(c.In)
	if c.Box == nil {
		return s.disturbed(c.W, from, lane, c.From[lane], c.Reads[lane])
	}
	for run := range c.Box.Runs {
		if !run.Inside {
			continue
		}
		if f := s.disturbed(c.W, from, lane, c.From[lane]+run.From, run.Bytes); f != nil {
			return f
		}
	}
	return nil
}

// beginStore begins a lane's copy in bulk to global memory, or its reduction.
func (s *System) beginStore(b *block, c *async.Copy, lane int) error {
	w, in, from := c.W, c.In, simt.Source(c.In)
	src, dst := c.From[lane], c.To[lane]
	if c.Box == nil {
		if f := w.CheckBulkStore(in, &from, lane, dst, src, c.Reads[lane]); f != nil {
			return f
		}
		if c.Reads[lane] == 0 {
			return nil
		}
		if f := s.disturbed(w, in, lane, dst, c.Reads[lane]); f != nil {
			return f
		}
	} else {
		if f := w.CheckBox(in, &from, lane, c.Box, src); f != nil {
			return f
		}
		c.Reads[lane] = c.Box.Bytes()
		for run := range c.Box.Runs {
			if !run.Inside {
				continue
			}
			if f := s.disturbed(w, in, lane, dst+run.From, run.Bytes); f != nil {
				return f
			}
		}
	}
	if f := s.disturbed(w, &from, lane, src, c.Reads[lane]); f != nil {
		return f
	}
	return s.begun(b, &transfer{Copy: *c, kind: toGlobal})
}

// announce notes that mbarriers, at the addresses of a row, wait for the copies that the lanes of a mask have begun. Those of an
// instruction that arrive at the same one do so together, as the lanes of a warp that stand together arrive by themselves.
func (s *System) announce(b *block, w *simt.Warp, in *ir.Inst, mask uint32, at *simt.Row) error {
	for left := mask; left != 0; {
		same, first := uint32(0), bits.TrailingZeros32(left)
		for o := left; o != 0; o &= o - 1 {
			if lane := bits.TrailingZeros32(o); at[lane] == at[first] {
				same |= 1 << lane
			}
		}
		left &^= same
		if err := s.begun(b, &transfer{Copy: async.Copy{W: w, PC: w.PC, Left: same, In: in, Arrives: true, Barrier: *at}, kind: arrival}); err != nil {
			return err
		}
	}
	return nil
}

// beginProduct begins a product of a warp.
func (s *System) beginProduct(b *block, w *simt.Warp, in *ir.Inst) error {
	if f := w.CheckProduct(in); f != nil {
		return f
	}
	list, n := w.Matrices(in)
	for i := range list[:n] {
		from := simt.MatrixLoad(in, list[i].Root)
		for at := range list[i].Pieces {
			if f := s.disturbed(w, &from, 0, at, 16); f != nil {
				return f
			}
		}
	}
	return s.begun(b, &transfer{Copy: async.Copy{W: w, PC: w.PC, Left: simt.Full, In: in}, kind: product, matrices: list[:n]})
}
