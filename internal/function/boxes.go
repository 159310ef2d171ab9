package function

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/async"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// Copies of boxes of tensors are copies in bulk: what differs is which bytes of the buffer they read or write.

// copyBoxes issues a copy of a box by each lane of c.
func (r *run) copyBoxes(s *slot, c *async.Copy, to *ir.Inst) *device.Fault {
	w, in := c.W, c.In
	c.Bulk, c.Barrier = true, *w.Row(in.Src[3])
	for left := c.Left; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		box := w.Box(in, lane)
		from, dst := c.From[lane], c.To[lane]
		if fault := w.CheckBox(in, to, lane, &box, dst); fault != nil {
			return fault
		}
		if fault := w.CheckBarrier(in, lane, c.Barrier[lane]); fault != nil {
			return fault
		}
		for run := range box.Runs {
			if !run.Inside {
				continue
			}
			if f := w.DefinedBytes(in, lane, from+run.From, run.Bytes); f != nil && !r.mayRace(f) {
				return f
			}
		}
		own := *c
		own.Left, own.Box = 1<<lane, &box
		if in.Op.Multicasts() {
			if f := r.multicast(s, &own, to, lane); f != nil {
				return f
			}
			continue
		}
		s.written.DefineBytes(dst, box.Bytes())
		if r.judges() {
			if f := s.async.BoxCopy(w, in, to, lane, &box, from, dst); f != nil {
				return f
			}
		}
		if r.race != nil {
			s.race.Box(w.Index, c.PC, lane, &box, from, dst)
			own.Known = s.race.Announce(w.Index)
		}
		s.async.Issue(own)
	}
	return nil
}

// storeBox issues a lane's copy of a box to the tensor that begins at to.
func (r *run) storeBox(s *slot, w *simt.Warp, in, from *ir.Inst, lane int, to, src uint64) *device.Fault {
	box := w.Box(in, lane)
	if fault := w.CheckBox(in, from, lane, &box, src); fault != nil {
		return fault
	}
	if !r.d.opts.AllowUnwritten {
		if f := s.written.DefinedBytes(w, from, lane, src, box.Bytes()); f != nil && !r.mayRace(f) {
			return f
		}
	}
	if r.judges() {
		if f := s.async.BoxStore(w, in, from, lane, &box, to, src); f != nil {
			return f
		}
	}
	for run := range box.Runs {
		if run.Inside {
			w.DefineBytes(to+run.From, run.Bytes)
		}
	}
	s.async.IssueStore(async.Store{W: w, In: in, PC: w.PC, Lane: lane, From: src, To: to, Bytes: box.Bytes(), Box: &box})
	if r.race != nil {
		s.race.Box(w.Index, w.PC, lane, &box, to, src)
	}
	return nil
}
