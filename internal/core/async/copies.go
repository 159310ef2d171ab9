package async

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/tensormap"
)

// Pending are the asynchronous copies of a block that are pending, each kind in the order in which they were issued.
type Pending struct {
	copies []Copy
	groups [][simt.Lanes]uint32 // by warp: how many groups of copies each lane has committed
	// claims counts for each word of shared memory the pending copies that will write it.
	claims []uint32

	stores     []Store
	bulkGroups [][simt.Lanes]uint32 // of stores
	fences     fences

	products products
	sends    []*Send
}

// Copy is a copy to shared memory of some lanes of a warp, or their arrival at mbarriers when their copies before it have landed.
type Copy struct {
	W       *simt.Warp
	PC      int32
	Left    uint32 // lanes for which it is pending
	Arrives bool   // an arrival
	Bulk    bool   // it completes on an mbarrier of its own, and belongs to no group
	In      *ir.Inst
	From    simt.Row // the source
	To      simt.Row
	Reads   simt.Row // bytes
	Barrier simt.Row // of an arrival, and of a copy in bulk
	Known   uint32   // of these: what package race says of the copies before
	Number  int32    // by which the executor knows it
	// Box is what a copy of one lane brings of a tensor, whose first byte is at From; nil for other copies.
	Box *tensormap.Box
	// Away says that W is of another block of the cluster than that whose copies these are, and By which thread that is.
	Away bool
	By   simt.Place
	// Value is what it writes, or updates memory with, if it sends values.
	Value [16]byte

	send  *Send              // if it reads shared memory
	group [simt.Lanes]uint32 // of each lane
	arrival
}

// Done is what an executor does when a copy of a lane is done, or its arrival is due. A nil Done does nothing.
type Done func(c *Copy, lane int) *device.Fault

// Of reports whether a program has asynchronous copies, groups of them or waits for them, or products of warpgroups, and whether some copies
// are in bulk from shared memory or there are such products, which read it as those do.
func Of(p *ir.Program) (copies, stores bool) {
	for i := range p.Code {
		op := p.Code[i].Op
		act := op.Action()
		stores = stores || act == ir.ActBulk || op.OfSums() || op == ir.OpBulkSend
		copies = copies || stores || act == ir.ActCopy || act == ir.ActCopies || op.AwaitsCopies()
	}
	return copies, stores
}

// Reset prepares p for a block. stores is the second result of Of.
func (p *Pending) Reset(warps, bytes int, stores bool) {
	p.copies, p.stores, p.sends = p.copies[:0], p.stores[:0], p.sends[:0]
	p.groups, p.claims = cleared(p.groups, warps), cleared(p.claims, (bytes+3)/4)
	if !stores {
		bytes = 0
	}
	p.bulkGroups = cleared(p.bulkGroups, warps)
	p.fences.reset(warps, bytes)
	p.products.reset(warps)
}

// Forget prepares p for a block that has no asynchronous copies.
func (p *Pending) Forget() {
	p.copies, p.stores, p.products.list, p.sends = p.copies[:0], p.stores[:0], p.products.list[:0], p.sends[:0]
}

// cleared returns n zeros, in the place of list if it has that many.
func cleared[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// Any reports whether anything is pending.
func (p *Pending) Any() bool {
	return len(p.copies) > 0 || len(p.stores) > 0 || len(p.products.list) > 0 || len(p.sends) > 0
}

// Issue adds a copy, or an arrival.
func (p *Pending) Issue(c Copy) {
	if c.Left == 0 {
		return
	}
	if !c.Bulk {
		c.group = p.groups[c.W.Index]
	}
	for left := c.Left; left != 0 && !c.Arrives; left &= left - 1 {
		p.claim(&c, bits.TrailingZeros32(left)&31, 1)
	}
	p.copies = append(p.copies, c)
}

// claim changes the claims of a copy of a lane by one.
func (p *Pending) claim(c *Copy, lane, by int) {
	first := c.To[lane] &^ ir.SharedWindow / 4
	for i := range (c.size(lane) + 3) / 4 {
		p.claims[first+i] += uint32(by)
	}
}

// size returns how many bytes a lane writes.
func (c *Copy) size(lane int) uint64 {
	if c.Bulk {
		return c.Reads[lane]
	}
	return uint64(c.In.Mem.Bytes())
}

// finish lets a copy of a lane be done.
func (p *Pending) finish(c *Copy, lane int, done Done) *device.Fault {
	if done != nil {
		if fault := done(c, lane); fault != nil {
			return fault
		}
	}
	if c.send != nil {
		c.send.done = true
	}
	if c.Left &^= 1 << lane; !c.Arrives {
		p.claim(c, lane, -1)
		p.fences.landed(c, lane)
	}
	return nil
}

// until finishes for a lane of a warp, in order, what is pending in the first n copies and of groups below limit.
func (p *Pending) until(w *simt.Warp, lane, n int, limit uint32, done Done) *device.Fault {
	for i := range p.copies[:n] {
		c := &p.copies[i]
		if c.W != w || c.Bulk || c.Left>>lane&1 == 0 || c.group[lane] >= limit {
			continue
		}
		if fault := p.finish(c, lane, done); fault != nil {
			return fault
		}
	}
	return nil
}

// Group executes what makes a group of copies, or waits for groups.
func (p *Pending) Group(w *simt.Warp, in *ir.Inst, mask uint32, done Done) *device.Fault {
	groups := &p.groups[w.Index]
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		if in.Op == ir.OpCopyCommit {
			groups[lane]++
		} else if n := uint32(in.Imm); groups[lane] > n {
			if fault := p.until(w, lane, len(p.copies), groups[lane]-n, done); fault != nil {
				return fault
			}
		}
	}
	p.tidy()
	return nil
}

// Replaced finishes the copies that write bytes which another one is about to write as well: PTX does not say which ends first, and here the
// earlier one does.
func (p *Pending) Replaced(by *Copy, done Done) *device.Fault {
	for i := range p.copies {
		c := &p.copies[i]
		if c.Arrives || !p.overlap(c, by) {
			continue
		}
		for left := c.Left; left != 0; left &= left - 1 {
			if fault := p.finish(c, bits.TrailingZeros32(left)&31, done); fault != nil {
				return fault
			}
		}
	}
	p.tidy()
	return nil
}

// overlap reports whether a copy that is about to be issued writes what a pending one will write.
func (p *Pending) overlap(c, by *Copy) bool {
	for left := by.Left; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		if at, size := by.To[lane], by.size(lane); p.claimed(at&^ir.SharedWindow, size) && c.writes(at, size) >= 0 {
			return true
		}
	}
	return false
}

// claimed reports whether a pending copy will write one of the n bytes at an offset of shared memory.
func (p *Pending) claimed(off, n uint64) bool {
	for i := off / 4; i <= (off+n-1)/4 && i < uint64(len(p.claims)); i++ {
		if p.claims[i] != 0 {
			return true
		}
	}
	return false
}

// writes returns a pending lane that will write one of the n bytes at an address, or -1. An arrival writes none.
func (c *Copy) writes(at, n uint64) int {
	for left := c.Left; left != 0 && !c.Arrives; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		if c.To[lane] < at+n && at < c.To[lane]+c.size(lane) {
			return lane
		}
	}
	return -1
}

// readsOne returns a pending lane that may read one of the n bytes at an address, or -1.
func (c *Copy) readsOne(at, n uint64) int {
	for left := c.Left; left != 0 && !c.Arrives; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		if Accesses(c.Box, c.From[lane], c.Reads[lane], at, n) {
			return lane
		}
	}
	return -1
}

// Accesses reports whether a copy accesses one of the n bytes of global memory at an address: it accesses so many bytes from first on, or
// those of a box of the tensor that begins there.
func Accesses(box *tensormap.Box, first, bytes, at, n uint64) bool {
	if box == nil {
		return first < at+n && at < first+bytes
	}
	for run := range box.Runs {
		if run.Inside && first+run.From < at+n && at < first+run.From+run.Bytes {
			return true
		}
	}
	return false
}

// Access returns the fault of an access that a pending copy makes undefined: of memory that the copy will write, or a write of memory that
// it may still read. in is as it accesses the addresses of row, without an offset.
func (p *Pending) Access(w *simt.Warp, in *ir.Inst, row *simt.Row, mask uint32) *device.Fault {
	n := uint64(in.Mem.Bytes())
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		at := row[lane]
		if f := p.stored(w, in, lane, at, n); f != nil {
			return f
		}
		switch space := simt.SpaceOf(at); {
		case space == ir.Shared && p.claimed(at&^ir.SharedWindow, n):
			if f := p.written(w, in, lane, at, n); f != nil {
				return f
			}
		case space == ir.Global && in.Op != ir.OpLoad:
			if f := p.read(w, in, lane, at, n); f != nil {
				return f
			}
		}
	}
	return nil
}

// written returns the fault of a lane's access to n bytes, if a pending copy will write one of them.
func (p *Pending) written(w *simt.Warp, in *ir.Inst, lane int, at, n uint64) *device.Fault {
	for i := range p.copies {
		if c := &p.copies[i]; c.writes(at, n) >= 0 && !both(c.In, in) {
			return w.PendingFault(in, lane, at, c.In, c.place(c.writes(at, n)), true)
		}
	}
	return nil
}

// both reports whether a pending copy and an access update memory, each at once: in any order these are defined.
func both(pending, in *ir.Inst) bool {
	return pending.Op.Updates() != ir.OpInvalid && (in.Op.IsAtomic() || in.Op.Updates() != ir.OpInvalid)
}

// read returns the fault of a lane's write of n bytes, if a pending copy may still read one of them.
func (p *Pending) read(w *simt.Warp, in *ir.Inst, lane int, at, n uint64) *device.Fault {
	for i := range p.copies {
		if c := &p.copies[i]; c.readsOne(at, n) >= 0 {
			return w.PendingFault(in, lane, at, c.In, c.place(c.readsOne(at, n)), false)
		}
	}
	return nil
}

// place returns the place of the thread that has issued a lane's copy.
func (c *Copy) place(lane int) simt.Place {
	if c.Away { // its slot may be another block's by now
		return c.By
	}
	return c.W.Place(lane)
}

// tidy removes entries of which nothing is pending any more.
func (p *Pending) tidy() {
	kept := 0
	for i := range p.copies {
		if p.copies[i].Left == 0 {
			continue
		}
		if kept != i {
			p.copies[kept] = p.copies[i]
		}
		kept++
	}
	p.copies = p.copies[:kept]
}

// End finishes all that is pending when the block ends. Its shared memory is gone then, so that stores must have read it, unless lax is
// set.
func (p *Pending) End(block *simt.Block, lax bool, done Done, stored Stored) *device.Fault {
	if fault := p.unfinished(block); fault != nil && !lax {
		return fault
	}
	for i := range p.copies {
		c := &p.copies[i]
		for left := c.Left; left != 0; left &= left - 1 {
			if fault := p.finish(c, bits.TrailingZeros32(left)&31, done); fault != nil {
				return fault
			}
		}
	}
	p.copies = p.copies[:0]
	for i := range p.stores {
		s := &p.stores[i]
		if !s.read && !lax {
			return s.W.UnreadFault(s.In, s.Lane, s.From)
		}
		s.finish(false, stored)
	}
	p.stores = p.stores[:0]
	if lax || len(p.products.order) == 0 {
		return nil
	}
	return p.products.end(block)
}

// Encode adds what is pending to the state of a launch.
func (p *Pending) Encode(rec *repeat.Record) {
	rec.Int(len(p.copies))
	for i := range p.copies {
		c := &p.copies[i]
		rec.Word(uint64(c.W.Index)<<32 | uint64(c.PC))
		rec.Word(uint64(c.Left))
		if c.Away {
			rec.Int(c.By.Block)
		}
		for left := c.Left; left != 0; left &= left - 1 {
			lane := bits.TrailingZeros32(left) & 31
			rec.Word(c.From[lane])
			rec.Word(c.To[lane])
			rec.Word(c.Reads[lane])
			rec.Word(c.Barrier[lane])
			rec.Word(uint64(p.groups[c.W.Index][lane] - c.group[lane]))
		}
		encodeBox(rec, c.Box)
	}
	rec.Int(len(p.products.list))
	for i := range p.products.list {
		one := &p.products.list[i]
		rec.Word(uint64(one.w.Index)<<32 | uint64(one.in.Imm&0xFFFF))
		rec.Word(uint64(p.products.warps[one.w.Index].groups - one.group))
	}
	rec.Int(len(p.stores))
	for i := range p.stores {
		s := &p.stores[i]
		rec.Word(uint64(s.W.Index)<<32 | uint64(s.PC))
		rec.Word(uint64(s.Lane)<<32 | uint64(p.bulkGroups[s.W.Index][s.Lane]-s.group))
		rec.Word(s.From)
		rec.Word(s.To)
		rec.Word(s.Bytes)
		encodeBox(rec, s.Box)
		rec.Bool(s.read)
		rec.Bytes(s.Held)
	}
}

// encodeBox adds the coordinates of a box; nothing for nil.
func encodeBox(rec *repeat.Record, box *tensormap.Box) {
	if box != nil {
		for _, at := range box.At {
			rec.Word(uint64(at))
		}
	}
}
