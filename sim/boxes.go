package sim

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/tensormap"
)

// A box of a tensor passes the load-store unit in parts, as other copies in bulk do. A part has up to 32 pieces of it, each of which is
// consecutive in the tensor: of 16 bytes, and of 8 or 4 where rows of the tensor end at no multiple of them. What is
// outside of the tensor takes no part: nobody has to be asked for zeros.

// zeros is a piece outside of a tensor.
var zeros [bulkWord]byte

// part lists the next pieces of a box that are inside of its tensor, which begins at base, in chip.addrs, u.dst and u.reads, where the
// box is at an address of shared memory. sent is how far the box has been listed. It calls outside for each piece outside of the tensor, if
// that is not nil, and returns how many pieces are inside.
func (u *copyUnit) part(box *tensormap.Box, base, at uint64, sent *uint64, outside func(addr, unit uint64)) (n int) {
	unit := box.Unit()
	for bytes := box.Bytes(); *sent < bytes; *sent += unit {
		from, to, inside := box.Piece(*sent/unit, unit)
		switch {
		case !inside && outside != nil:
			outside(at+to, unit)
		case !inside:
		case n == simt.Lanes:
			return n
		default:
			u.sm.addrs[n], u.dst[n], u.reads[n] = base+from, at+to, unit
			n++
		}
	}
	return n
}

// parts returns how many parts of a box pass the load-store unit.
func parts(box *tensormap.Box) int32 {
	return int32((box.InsideBytes()/box.Unit() + simt.Lanes - 1) / simt.Lanes)
}

// copyPart issues the next part of a lane's copy of a box.
func (u *copyUnit) copyPart(wp *warp, d *decoded, lane int, base, dst uint64) {
	box, w := wp.w.Box(d.in, lane), wp.w
	outside := func(addr, unit uint64) {
		if w.LandBytes(addr, zeros[:unit]) {
			u.sm.progress()
		}
	}
	if d.in.Op.Multicasts() {
		outside = func(addr, unit uint64) {
			wp.block.eachTarget(wp.copies.ranks(wp.copies.number), func(rank int, _ *block) {
				if w.LandBytes(w.InBlock(addr, rank), zeros[:unit]) {
					u.sm.progress()
				}
			})
		}
	}
	n := u.part(&box, base, dst, &wp.copies.sent, outside)
	if n > 0 {
		lanes := uint32(1<<n - 1)
		u.sm.lsu.enqueue(wp, d, lanes, lanes, u.sm.now)
	}
	if wp.copies.sent == box.Bytes() && box.InsideBytes() == 0 { // nothing of it is on the way
		u.done(wp, wp.copies.number, u.sm.now+1)
	}
}

// checkBox returns the fault of a lane's copy of a box of the tensor that begins at base; nil if it has none.
func (u *copyUnit) checkBox(wp *warp, in *ir.Inst, lane int, base, dst, _, barrier uint64) *device.Fault {
	to, box, w := simt.Destination(in), wp.w.Box(in, lane), wp.w
	if fault := w.CheckBox(in, &to, lane, &box, dst); fault != nil {
		return fault
	}
	if fault := w.CheckBarrier(in, lane, barrier); fault != nil || !u.sm.strict {
		return fault
	}
	for run := range box.Runs {
		if !run.Inside {
			continue
		}
		if fault := w.DefinedBytes(in, lane, base+run.From, run.Bytes); fault != nil {
			return fault
		}
	}
	if in.Op.Multicasts() {
		return u.checkMulticast(wp, in, &to, lane, &box, base, dst, box.Bytes())
	}
	wp.block.written.DefineBytes(dst, box.Bytes())
	if wp.block.pending == nil {
		return nil
	}
	return wp.block.pending.BoxCopy(w, in, &to, lane, &box, base, dst)
}

// storePart is storeLine for a box of the tensor that begins at base.
func (u *copyUnit) storePart(wp *warp, d *decoded, lane int, box *tensormap.Box, base, src uint64) (read uint64) {
	w := wp.w
	n := u.part(box, base, src, &wp.copies.sent, nil)
	if n == 0 {
		return u.sm.now
	}
	kind := d.in.Mem.Kind
	data, off, _ := w.Resolve(lane, src)
	for i := range n { // of bulkWord bytes: see Map.Unstorable
		for word := range int(d.in.Mem.Vec) {
			u.values[word][i] = simt.Load(data, off+int(u.dst[i]-src)+word*kind.Bytes(), kind)
		}
	}
	return u.send(wp, d, n, bulkWord)
}

// checkStoreBox returns the fault of a lane's store to a box of the tensor that begins at base; nil if it has none.
func (u *copyUnit) checkStoreBox(wp *warp, in, source *ir.Inst, lane int, base, src, _ uint64) *device.Fault {
	w, box := wp.w, wp.w.Box(in, lane)
	if fault := w.CheckBox(in, source, lane, &box, src); fault != nil || !u.sm.strict {
		return fault
	}
	if fault := wp.block.written.DefinedBytes(w, source, lane, src, box.Bytes()); fault != nil {
		return fault
	}
	for run := range box.Runs {
		if run.Inside {
			w.DefineBytes(base+run.From, run.Bytes)
		}
	}
	if wp.block.pending == nil {
		return nil
	}
	return wp.block.pendStoreBox(w, in, source, lane, &box, base, src)
}
