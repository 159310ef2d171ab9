package function

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// bulkStores are the copies in bulk of a block to global memory, and its reductions, that are not complete, in the order in which they
// were issued. They read their sources, and write, as late as PTX allows: when their thread waits for that, or at the end of the block.
type bulkStores struct {
	list   []bulkStore
	groups [][simt.Lanes]uint32 // by warp: how many groups each lane has committed
	// last has for each byte of shared memory the last generic store. A copy sees it only if a fence of the asynchronous proxy came
	// behind, of the thread that stored or of the one that copies: their times are compared, in fences of the block.
	last   []genericStore
	clock  uint32
	fenced [][simt.Lanes]uint32 // by warp: the time of each lane's last fence, from 1 on
}

// genericStore is a store to a byte of shared memory that was no copy in bulk; of nobody if in is nil.
type genericStore struct {
	w    *simt.Warp
	in   *ir.Inst
	lane uint8
	at   uint32 // its time
}

// bulkStore is a lane's copy in bulk to global memory.
type bulkStore struct {
	w             *simt.Warp
	in            *ir.Inst
	pc            int32
	lane          int
	group         uint32
	from, to, len uint64
	read          []byte // what it has read; nil before
}

// reset prepares b for a block.
func (b *bulkStores) reset(warps, bytes int) {
	b.list, b.clock = b.list[:0], 1
	b.groups, b.fenced = cleared(b.groups, warps), cleared(b.fenced, warps)
	b.last = cleared(b.last, bytes)
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

// copying reports whether asynchronous copies of the block are pending.
func (s *slot) copying() bool { return len(s.copies.list) > 0 || len(s.bulk.list) > 0 }

// storeBulk issues a copy of each lane of mask.
func (r *run) storeBulk(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) *device.Fault {
	b, from := &s.bulk, simt.Source(in)
	var to simt.Row
	w.Addresses(in, mask, &to)
	src, size := w.Row(in.Src[1]), w.Row(in.Src[2])
	issued := uint32(0)
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		n := size[lane]
		if fault := w.CheckBulkStore(in, &from, lane, to[lane], src[lane], n); fault != nil {
			return fault
		}
		if n == 0 {
			continue
		}
		if !r.d.opts.AllowUnwritten {
			if f := s.written.DefinedBytes(w, &from, lane, src[lane], n); f != nil && !r.mayRace(f) {
				return f
			}
		}
		if in.Op.Updates() != ir.OpInvalid {
			if f := w.DefinedBytes(in, lane, to[lane], n); f != nil && !r.mayRace(f) {
				return f
			}
		}
		if r.race == nil && !r.d.opts.Lax {
			if f := r.alone(s, w, in, &from, lane, to[lane], src[lane], n); f != nil {
				return f
			}
		}
		w.DefineBytes(to[lane], n)
		b.list = append(b.list, bulkStore{w: w, in: in, pc: w.PC, lane: lane, group: b.groups[w.Index][lane], from: src[lane], to: to[lane], len: n})
		issued |= 1 << lane
	}
	if r.race != nil && issued != 0 {
		s.race.StoreBulk(w.Index, w.PC, issued, &to, src, size)
	}
	return nil
}

// alone returns the fault of a lane's copy if a pending one makes it undefined, or if it does not see what it reads.
func (r *run) alone(s *slot, w *simt.Warp, in, from *ir.Inst, lane int, to, src, n uint64) *device.Fault {
	if f := s.bulk.disturbed(w, in, lane, to, n); f != nil {
		return f
	}
	for i := range s.copies.list {
		p := &s.copies.list[i]
		if p.arrives {
			continue
		}
		if by := p.writes(src, n); by >= 0 {
			return w.PendingFault(from, lane, src, p.in, p.w.Place(by), true)
		}
		if by := p.meets(&p.from, to, n); by >= 0 {
			return w.PendingFault(in, lane, to, p.in, p.w.Place(by), false)
		}
	}
	return s.bulk.unfenced(w, from, lane, src, n)
}

// unfenced returns the fault of a lane's copy of n bytes of shared memory if a generic store to one has no fence behind it.
func (b *bulkStores) unfenced(w *simt.Warp, from *ir.Inst, lane int, src, n uint64) *device.Fault {
	for i := range n {
		last := &b.last[src&^ir.SharedWindow+i]
		if last.in != nil && b.fenced[last.w.Index][last.lane] <= last.at && b.fenced[w.Index][lane] <= last.at {
			return w.UnfencedFault(from, lane, src+i, last.in, last.w.Place(int(last.lane)))
		}
	}
	return nil
}

// wrote notes that lanes of a warp store to shared memory.
func (b *bulkStores) wrote(w *simt.Warp, in *ir.Inst, mask uint32) {
	row := w.Row(in.Src[0])
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		b.stores(row[lane]+uint64(in.Imm), uint64(in.Mem.Bytes()), genericStore{w: w, in: in, lane: uint8(lane), at: b.clock})
	}
}

// stores notes a store to n bytes. It ignores invalid accesses, and those of other blocks of the cluster.
func (b *bulkStores) stores(addr, n uint64, by genericStore) {
	if off := addr &^ ir.SharedWindow; simt.SpaceOf(addr) == ir.Shared && off+n <= uint64(len(b.last)) {
		for i := range n {
			b.last[off+i] = by
		}
	}
}

// landed notes what a copy to shared memory has brought: of one in bulk no fence is needed.
func (b *bulkStores) landed(p *pendingCopy, lane int) {
	by := genericStore{w: p.w, in: p.in, lane: uint8(lane), at: b.clock}
	if p.bulk {
		by = genericStore{}
	}
	b.stores(p.dst[lane], p.size(lane), by)
}

// disturbed returns the fault of a lane's access to n bytes at an address that a pending copy makes undefined: a write of what it may
// still read, or an access to what it may still write. Updates beside a reduction, each of which is one access, are defined.
func (b *bulkStores) disturbed(w *simt.Warp, in *ir.Inst, lane int, at, n uint64) *device.Fault {
	space, loads := simt.SpaceOf(at), in.Op.Action() == ir.ActLoad
	for i := range b.list {
		p := &b.list[i]
		updates := p.in.Op.Updates() != ir.OpInvalid && (in.Op.IsAtomic() || in.Op.Updates() != ir.OpInvalid)
		switch {
		case space == ir.Shared && !loads && p.read == nil && p.from < at+n && at < p.from+p.len:
			return w.PendingFault(in, lane, max(at, p.from), p.in, p.w.Place(p.lane), false)
		case space == ir.Global && !updates && p.to < at+n && at < p.to+p.len:
			return w.PendingFault(in, lane, max(at, p.to), p.in, p.w.Place(p.lane), true)
		}
	}
	return nil
}

// awaitBulk executes what makes a group of copies, waits for groups, or is a fence for them.
func (r *run) awaitBulk(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) (changed bool, fault *device.Fault) {
	if r.race != nil {
		s.race.Bulk(w.Index, in, mask)
	}
	if !r.c.bulk {
		return false, nil
	}
	b := &s.bulk
	if in.Op == ir.OpFenceAsync {
		b.clock++
	}
	groups := &b.groups[w.Index]
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		switch n := uint32(in.Imm); {
		case in.Op == ir.OpFenceAsync:
			b.fenced[w.Index][lane] = b.clock
		case in.Op == ir.OpBulkCommit:
			groups[lane]++
		case groups[lane] > n:
			changed = r.storeUntil(s, w, lane, groups[lane]-n, in.Op == ir.OpBulkWaitRead) || changed
		}
	}
	return changed, nil
}

// storeUntil lets a lane's copies of groups below limit read their sources, and unless that is all, write.
func (r *run) storeUntil(s *slot, w *simt.Warp, lane int, limit uint32, read bool) (changed bool) {
	b, kept := &s.bulk, 0
	for i := range b.list {
		p := &b.list[i]
		done := p.w == w && p.lane == lane && p.group < limit
		if done {
			p.reads()
			if !read {
				changed = r.writes(p) || changed
			}
		}
		if !done || read {
			b.list[kept] = *p
			kept++
		}
	}
	clear(b.list[kept:])
	b.list = b.list[:kept]
	return changed
}

// reads lets a copy read its source, if it has not.
func (p *bulkStore) reads() {
	if p.read == nil {
		data, off, _ := p.w.Resolve(p.lane, p.from)
		p.read = append(make([]byte, 0, p.len), data[off:off+int(p.len)]...)
	}
}

// writes completes a copy that has read its source.
func (r *run) writes(p *bulkStore) (changed bool) {
	var wrote func(at int, old, now uint64)
	if r.history != nil {
		wrote = func(at int, old, now uint64) { r.history.Wrote(p.w, p.pc, p.lane, p.to+uint64(at), old, now) }
	}
	data, off, _ := p.w.Resolve(p.lane, p.to)
	return simt.WriteBulk(p.in, data, off, p.read, wrote)
}

// storeAll completes what is pending at the end of a block, whose shared memory is gone then: it must have been read.
func (r *run) storeAll(s *slot) *device.Fault {
	for i := range s.bulk.list {
		p := &s.bulk.list[i]
		if p.read == nil && !r.d.opts.Lax {
			return p.w.UnreadFault(p.in, p.lane, p.from)
		}
		p.reads()
		r.writes(p)
	}
	s.bulk.list = s.bulk.list[:0]
	return nil
}

// encode adds what is pending to the state of a launch.
func (b *bulkStores) encode(rec *repeat.Record) {
	rec.Int(len(b.list))
	for i := range b.list {
		p := &b.list[i]
		rec.Word(uint64(p.w.Index)<<32 | uint64(p.pc))
		rec.Word(uint64(p.lane)<<32 | uint64(b.groups[p.w.Index][p.lane]-p.group))
		rec.Word(p.from)
		rec.Word(p.to)
		rec.Word(p.len)
		rec.Bool(p.read != nil)
		rec.Bytes(p.read)
	}
}
