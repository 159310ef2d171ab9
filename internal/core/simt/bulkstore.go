package simt

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Source returns a copy in bulk to global memory as the load from shared memory that it begins with.
func Source(in *ir.Inst) (out ir.Inst) {
	out = *in
	out.Op, out.Root, out.Imm, out.NSrc, out.Src[0] = ir.OpLoad, in.To, 0, 1, in.Src[1]
	out.Mem = ir.Mem{Kind: ir.U32, Vec: 4, Space: ir.Shared}
	return out
}

// CheckBulkStore checks the addresses and the size of a lane's copy of n bytes in bulk to global memory, and returns its fault; nil if it
// is valid. from is Source of in.
func (w *Warp) CheckBulkStore(in, from *ir.Inst, lane int, dst, src, n uint64) *device.Fault {
	switch {
	case n%bulkAlign != 0:
		return w.Grid.BulkSizeFault(in, w.Place(lane), n)
	case notOwn(src) != "":
		return w.Fault(in, lane, "a copy in bulk from address %#x, %s", src, notOwn(src))
	case n == 0:
		return nil
	}
	if fault := w.checkRange(in, lane, dst, n); fault != nil {
		return fault
	}
	if SpaceOf(dst) != ir.Global {
		return w.Fault(in, lane, "a copy in bulk to address %#x, which is not in global memory", dst)
	}
	return w.checkRange(from, lane, src, n)
}

// DefineBytes marks n bytes of global memory that will be written.
func (w *Warp) DefineBytes(addr, n uint64) {
	if buffer, off := w.Grid.Mem.Lookup(addr); buffer != nil {
		buffer.Wrote(off, int(n))
	}
}

// DefinedBytes returns the fault of a lane that reads n bytes of shared memory by in, which accesses 16 bytes, of which some have not
// been written; nil if all have.
func (s Written) DefinedBytes(warp *Warp, in *ir.Inst, lane int, addr, n uint64) *device.Fault {
	off, ok := s.offset(addr, n)
	for i := off; ok && i < off+n; i++ {
		if s[i] == 0 {
			return warp.unwrittenShared(in, lane, i)
		}
	}
	return nil
}

// WriteBulk copies bytes to the n bytes of global memory that data has from off on, or updates each element there, and reports whether
// memory changed. It calls wrote, if that is not nil, for each element with its offset from the first one.
func WriteBulk(in *ir.Inst, data []byte, off int, source []byte, wrote func(at int, old, now uint64)) (changed bool) {
	kind, update := in.Mem.Kind, in.Op.Updates()
	for at := 0; at < len(source); at += kind.Bytes() {
		old, now := Load(data, off+at, kind), Load(source, at, kind)
		if update != ir.OpInvalid {
			now = AtomicApply(update, kind, old, now, 0)
		}
		Store(data, off+at, kind, now)
		changed = changed || old != now
		if wrote != nil {
			wrote(at, old, now)
		}
	}
	return changed
}

// UnfencedFault returns the fault of a lane's copy in bulk, or of a product of a warpgroup, that reads an address which a thread has written by
// in, without a fence of the asynchronous proxy behind that. from is how reader reads it: Source, or MatrixLoad.
func (w *Warp) UnfencedFault(reader, from *ir.Inst, lane int, addr uint64, in *ir.Inst, by Place) *device.Fault {
	what, fence := "", "t.FenceAsync"
	if in.PTX {
		fence = "fence.proxy.async"
	}
	r, ok := w.rangeAt(from, addr)
	if ok && r.Size > 0 {
		what = w.Grid.element(&r, addr)
	}
	name, tells := "a copy in bulk", "it tells the thread that copies"
	if reader.Op.IsGroupMMA() {
		name, tells = reader.Name(), "the warps meet"
	}
	fault := w.Fault(from, lane, "missing fence of the asynchronous proxy: %s reads %s, which thread %d of the block has written%s; that thread must execute %s behind it, before %s",
		name, what, by.Thread, w.Grid.placeOf(in), fence, tells)
	if ok && r.Size > 0 {
		fault.Buffer, fault.Index, fault.Length = r.Name, int64((addr-r.Lo)/r.Size), int64(r.Bytes/r.Size)
	}
	return fault
}

// UnreadFault returns the fault of a lane whose copy in bulk may still read shared memory when its block ends.
func (w *Warp) UnreadFault(in *ir.Inst, lane int, addr uint64) *device.Fault {
	wait := "t.WaitBulkRead or t.WaitBulk"
	if in.PTX {
		wait = "cp.async.bulk.wait_group"
	}
	from, what := Source(in), ""
	if r, ok := w.rangeAt(&from, addr); ok && r.Size > 0 {
		what = w.Grid.element(&r, addr)
	}
	return w.Fault(in, lane, "the block ends while a copy in bulk of thread %d may still read %s; that thread must wait for its groups first (%s)", w.Place(lane).Thread, what, wait)
}
