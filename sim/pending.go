package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/async"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/tensormap"
)

// A strict machine ends a launch at an access that comes too early for an asynchronous copy, as the functional device does, also where
// the data has come in time: whether it has is a matter of this machine, and not of PTX. What is pending by the rules of PTX is therefore kept
// beside what is in flight. If races are looked for, such an access is one, and the launch goes on.

// follows prepares a block for its copies. It keeps nothing of those of a program that has none, or of a machine that is not strict.
func (b *block) follows(c *chip) {
	if b.pending = nil; !c.strict || !b.job.copies || c.hooks.races() != nil {
		return
	}
	b.pending = &async.Pending{}
	b.pending.Reset(b.job.grid.Warps, b.job.grid.SharedBytes, b.job.stores)
}

// undisturbed returns the fault of an access that a pending copy makes undefined, and notes what it says of copies. The addresses are in
// chip.addrs.
func (u *copyUnit) undisturbed(wp *warp, in *ir.Inst, mask uint32) *device.Fault {
	p, addrs := wp.block.pending, &u.sm.addrs
	if wp.block.cluster != nil && in.Root < 0 {
		if fault := u.elsewhere(wp, in, mask); fault != nil {
			return fault
		}
	}
	if p.Any() {
		if fault := p.Access(wp.w, in, addrs, mask); fault != nil {
			return fault
		}
		if in.Op.IsMBarrierWait() {
			p.Looked(wp.w, in, mask, addrs)
		}
	}
	if in.Op == ir.OpStore || in.Op.IsAtomic() {
		p.Wrote(wp.w, in, mask)
	}
	return nil
}

// elsewhere is undisturbed for lanes that access the shared memory of other blocks of the cluster, whose copies may be pending there.
func (u *copyUnit) elsewhere(wp *warp, in *ir.Inst, mask uint32) *device.Fault {
	for left := wp.w.Remote(mask, &u.sm.addrs); left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		owner, at := wp.block.owner(u.sm.addrs[lane])
		if owner.pending == nil || !owner.pending.Any() {
			continue
		}
		var row simt.Row
		row[lane] = at
		if fault := owner.pending.Access(wp.w, in, &row, 1<<lane); fault != nil {
			return fault
		}
	}
	return nil
}

// arrives tells the block whose mbarrier a lane is about to change, which may be another one of the cluster. The address is in chip.addrs.
func (u *copyUnit) arrives(wp *warp, lane int) {
	at := u.sm.addrs[lane]
	owner, addr := wp.block.owner(at)
	if p := owner.pending; p != nil && p.Any() {
		data, off, _ := wp.w.Resolve(lane, at)
		p.Phase(addr, simt.Load(data, off, ir.U64))
	}
}

// pendCopy returns the fault of a copy that a pending one makes undefined; if it has none, it is pending. whole are the lanes that read all
// of the source, whose addresses are in chip.addrs.
func (u *copyUnit) pendCopy(wp *warp, in, to *ir.Inst, mask, whole uint32, dst *simt.Row) *device.Fault {
	p := wp.block.pending
	if fault := p.Access(wp.w, to, dst, mask); fault != nil {
		return fault
	}
	if fault := p.Access(wp.w, simt.Origin(in), &u.sm.addrs, whole); fault != nil {
		return fault
	}
	p.Issue(async.Copy{W: wp.w, PC: wp.w.PC, Left: mask, In: in, From: u.sm.addrs, To: *dst, Reads: *wp.w.Row(in.Src[2])})
	return nil
}

// pendBulk lets a lane's copy in bulk to shared memory be pending, which has a number.
func (b *block) pendBulk(w *simt.Warp, in *ir.Inst, lane int, number int32) {
	if b.pending != nil {
		c := async.Copy{W: w, PC: w.PC, Left: 1 << lane, In: in, Bulk: true, To: *w.Row(in.Src[1]), Reads: *w.Row(in.Src[2]), Barrier: *w.Row(in.Src[3]), Number: number}
		w.Addresses(in, 1<<lane, &c.From)
		if in.Op.TensorDims() > 0 {
			box := w.Box(in, lane)
			c.Box = &box
		}
		if in.Op.ToCluster() {
			b.pendTo(c, lane, w.Ranks(in, lane))
			return
		}
		b.pending.Issue(c)
	}
}

// pendStore returns the fault of a lane's copy in bulk to global memory that a pending one makes undefined; if it has none, it is pending.
func (b *block) pendStore(w *simt.Warp, in, source *ir.Inst, lane int, to, from, bytes uint64) *device.Fault {
	if fault := b.pending.BulkStore(w, in, source, lane, to, from, bytes); fault != nil {
		return fault
	}
	b.pending.IssueStore(async.Store{W: w, In: in, PC: w.PC, Lane: lane, From: from, To: to, Bytes: bytes})
	return nil
}

// pendStoreBox is pendStore of a box of the tensor that begins at to.
func (b *block) pendStoreBox(w *simt.Warp, in, source *ir.Inst, lane int, box *tensormap.Box, to, from uint64) *device.Fault {
	if fault := b.pending.BoxStore(w, in, source, lane, box, to, from); fault != nil {
		return fault
	}
	b.pending.IssueStore(async.Store{W: w, In: in, PC: w.PC, Lane: lane, From: from, To: to, Bytes: box.Bytes(), Box: box})
	return nil
}

// pendArrival lets arrivals of the lanes of mask at the mbarriers in chip.addrs be pending, which have a number.
func (u *copyUnit) pendArrival(wp *warp, in *ir.Inst, mask uint32, number int32) {
	if p := wp.block.pending; p != nil {
		p.Issue(async.Copy{W: wp.w, PC: wp.w.PC, Left: mask, In: in, Arrives: true, Barrier: u.sm.addrs, Number: number})
	}
}

// pendGroup executes for what is pending what makes a group of copies, has waited for groups, or is a fence.
func (b *block) pendGroup(w *simt.Warp, in *ir.Inst, mask uint32) {
	switch {
	case b.pending == nil:
	case in.Op.OfBulk():
		b.pending.BulkGroup(w, in, mask, nil)
	default:
		b.pending.Group(w, in, mask, nil)
	}
}

// read returns the fault of a block that ends while a copy may still read its shared memory.
func (b *block) read() *device.Fault {
	if b.pending == nil {
		return nil
	}
	return b.pending.End(&b.Block, false, nil, nil)
}
