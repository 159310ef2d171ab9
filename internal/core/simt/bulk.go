package simt

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/mbarrier"
)

// bulkAlign is what the addresses and the size of a copy in bulk are multiples of, in bytes (PTX ISA, "cp.async.bulk").
const bulkAlign = 16

// CheckBulk checks the addresses and the size of a lane's copy of n bytes in bulk, and returns its fault; nil if it is valid. to is
// Destination of in.
func (w *Warp) CheckBulk(in, to *ir.Inst, lane int, from, dst, n, barrier uint64) *device.Fault {
	switch {
	case n%bulkAlign != 0:
		return w.Grid.BulkSizeFault(in, w.Place(lane), n)
	case notOwn(dst) != "":
		return w.Fault(in, lane, "a copy in bulk to address %#x, %s", dst, notOwn(dst))
	}
	if fault := w.CheckBarrier(in, lane, barrier); fault != nil || n == 0 {
		return fault
	}
	if in.Op.Multicasts() {
		if fault := w.CheckRanks(in, lane); fault != nil {
			return fault
		}
	}
	if fault := w.checkRange(in, lane, from, n); fault != nil {
		return fault
	}
	if SpaceOf(from) != ir.Global {
		return w.Fault(in, lane, "a copy in bulk from address %#x, which is not in global memory", from)
	}
	return w.checkRange(to, lane, dst, n)
}

// BulkSizeFault returns the fault of a copy in bulk of n bytes, which no GPU makes.
func (g *Grid) BulkSizeFault(in *ir.Inst, place Place, n uint64) *device.Fault {
	return g.Fault(in, place, "a copy in bulk of %d bytes; want a multiple of %d", n, bulkAlign)
}

// checkRange returns the fault of a lane that accesses n bytes from an address on; nil if they are in one object. in is an access of
// bulkAlign bytes.
func (w *Warp) checkRange(in *ir.Inst, lane int, addr, n uint64) *device.Fault {
	if fault := w.AccessFault(in, lane, addr); fault != nil {
		return fault
	}
	if r, ok := w.rangeAt(in, addr); ok && addr-r.Lo+n > r.Bytes {
		return w.Grid.RangeFault(in, w.Place(lane), addr-r.Lo+n-bulkAlign, &r)
	}
	return nil
}

// DefinedBytes returns the fault of a lane that reads n bytes of global memory, of which some have not been written; nil if all have.
func (w *Warp) DefinedBytes(in *ir.Inst, lane int, addr, n uint64) *device.Fault {
	buffer, off := w.Grid.Mem.Lookup(addr)
	if buffer == nil || buffer.Unwritten() == nil {
		return nil
	}
	if at, ok := buffer.Unwritten().First(off, int(n)); ok {
		return w.unwrittenFault(in, lane, buffer, at)
	}
	return nil
}

// DefineBytes marks n bytes of shared memory that will be written.
func (s Written) DefineBytes(addr, n uint64) {
	if off, ok := s.offset(addr, n); ok {
		for i := off; i < off+n; i++ {
			s[i] = 1
		}
	}
}

// LandBytes writes bytes to shared memory, and reports whether one changed.
func (w *Warp) LandBytes(dst uint64, source []byte) (changed bool) {
	owner, own := w.sharedOf(dst)
	data := owner.Shared[own&^ir.SharedWindow:]
	for i, b := range source {
		changed = changed || data[i] != b
		data[i] = b
	}
	return changed
}

// CompleteBulk counts the n bytes of a lane's copy at the mbarrier at addr, and returns the object before and after. The error is a fault
// if PTX leaves undefined what it does.
func (w *Warp) CompleteBulk(in *ir.Inst, lane int, addr, n uint64) (old, now uint64, fault *device.Fault) {
	return w.afterCopies(in, lane, addr, func(s mbarrier.State) (mbarrier.State, string) { return s.Complete(n) })
}

// afterCopies changes an mbarrier by what copies do when they have landed.
func (w *Warp) afterCopies(in *ir.Inst, lane int, addr uint64, step func(mbarrier.State) (mbarrier.State, string)) (old, now uint64, fault *device.Fault) {
	data, off, _ := w.Resolve(lane, addr)
	old = Load(data, off, ir.U64)
	next, why := step(mbarrier.State(old))
	if why != "" {
		return old, old, w.Fault(in, lane, "the arrival of asynchronous copies: %s", why)
	}
	Store(data, off, ir.U64, uint64(next))
	return old, uint64(next), nil
}
