package async

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/tensormap"
)

// Store is a lane's copy in bulk from shared to global memory, or its reduction.
type Store struct {
	W        *simt.Warp
	In       *ir.Inst
	PC       int32
	Lane     int
	From, To uint64
	Bytes    uint64
	Held     []byte // what it has read, if the executor keeps that
	// Box is what is stored to of a tensor, which begins at To; nil for other stores.
	Box *tensormap.Box

	group uint32
	read  bool // it has been waited for as far as its source
}

// Stored is what an executor does when a store has to have read its source, and after that, when it has to have written. A nil Stored does
// nothing.
type Stored func(s *Store, written bool)

// finish lets a store have read its source, and unless that is all, have written.
func (s *Store) finish(readOnly bool, stored Stored) {
	if !s.read && stored != nil {
		stored(s, false)
	}
	if s.read = true; !readOnly && stored != nil {
		stored(s, true)
	}
}

// IssueStore adds a store.
func (p *Pending) IssueStore(s Store) {
	s.group = p.bulkGroups[s.W.Index][s.Lane]
	p.stores = append(p.stores, s)
}

// BulkStore returns the fault of a lane's store of n bytes if a pending copy makes it undefined, or if it does not see what it reads. from is
// simt.Source of in.
func (p *Pending) BulkStore(w *simt.Warp, in, from *ir.Inst, lane int, to, src, n uint64) *device.Fault {
	if f := p.stored(w, in, lane, to, n); f != nil {
		return f
	}
	if f := p.written(w, from, lane, src, n); f != nil {
		return f
	}
	if f := p.read(w, in, lane, to, n); f != nil {
		return f
	}
	return p.fences.unseen(w, in, from, lane, src, n)
}

// BoxStore is BulkStore of a box of the tensor that begins at to.
func (p *Pending) BoxStore(w *simt.Warp, in, from *ir.Inst, lane int, box *tensormap.Box, to, src uint64) *device.Fault {
	for run := range box.Runs {
		if !run.Inside {
			continue
		}
		if f := p.stored(w, in, lane, to+run.From, run.Bytes); f != nil {
			return f
		}
		if f := p.read(w, in, lane, to+run.From, run.Bytes); f != nil {
			return f
		}
	}
	if f := p.written(w, from, lane, src, box.Bytes()); f != nil {
		return f
	}
	return p.fences.unseen(w, in, from, lane, src, box.Bytes())
}

// stored returns the fault of a lane's access to n bytes at an address that a pending store makes undefined: a write of what it may still
// read, or an access to what it may still write. Updates beside a reduction, each of which is one access, are defined.
func (p *Pending) stored(w *simt.Warp, in *ir.Inst, lane int, at, n uint64) *device.Fault {
	space, loads := simt.SpaceOf(at), in.Op.Action() == ir.ActLoad
	if space == ir.Shared && !loads {
		if f := p.products.reads(w, in, lane, at, n); f != nil {
			return f
		}
	}
	for _, s := range p.sends {
		if space == ir.Shared && !loads && s.reads(at, n) {
			return w.PendingFault(in, lane, max(at, s.from), s.in, s.w.Place(s.lane), false)
		}
	}
	for i := range p.stores {
		s := &p.stores[i]
		updates := s.In.Op.Updates() != ir.OpInvalid && (in.Op.IsAtomic() || in.Op.Updates() != ir.OpInvalid)
		switch {
		case space == ir.Shared && !loads && !s.read && s.From < at+n && at < s.From+s.Bytes:
			return w.PendingFault(in, lane, max(at, s.From), s.In, s.W.Place(s.Lane), false)
		case space == ir.Global && !updates && Accesses(s.Box, s.To, s.Bytes, at, n):
			return w.PendingFault(in, lane, max(at, s.To), s.In, s.W.Place(s.Lane), true)
		}
	}
	return nil
}

// BulkGroup executes what makes a group of stores, waits for groups, or is a fence for them.
func (p *Pending) BulkGroup(w *simt.Warp, in *ir.Inst, mask uint32, stored Stored) {
	if in.Op == ir.OpFenceAsync {
		p.fences.fence(w, mask)
		return
	}
	groups := &p.bulkGroups[w.Index]
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		if n := uint32(in.Imm); in.Op == ir.OpBulkCommit {
			groups[lane]++
		} else if groups[lane] > n {
			p.storedUntil(w, lane, groups[lane]-n, in.Op == ir.OpBulkWaitRead, stored)
		}
	}
}

// storedUntil finishes a lane's stores of groups below limit, or lets them have read their sources alone.
func (p *Pending) storedUntil(w *simt.Warp, lane int, limit uint32, readOnly bool, stored Stored) {
	kept := 0
	for i := range p.stores {
		s := &p.stores[i]
		done := s.W == w && s.Lane == lane && s.group < limit
		if done {
			s.finish(readOnly, stored)
		}
		if !done || readOnly {
			p.stores[kept] = *s
			kept++
		}
	}
	clear(p.stores[kept:])
	p.stores = p.stores[:kept]
}

// Wrote notes that lanes of a warp store to shared memory.
func (p *Pending) Wrote(w *simt.Warp, in *ir.Inst, mask uint32) {
	row := w.Row(in.Src[0])
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		p.fences.wrote(row[lane]+uint64(in.Imm), uint64(in.Mem.Bytes()), genericStore{w: w, in: in, lane: uint8(lane), at: p.fences.clock})
	}
}

// fences knows for each byte of shared memory the last generic store. A copy in bulk sees it only if a fence of the asynchronous proxy came
// behind, of the thread that stored or of the one that copies: their times are compared, in fences of the block.
type fences struct {
	last  []genericStore
	clock uint32
	of    [][simt.Lanes]uint32 // by warp: the time of each lane's last fence, from 1 on
}

// genericStore is a store to a byte of shared memory that was no copy in bulk; of nobody if in is nil.
type genericStore struct {
	w    *simt.Warp
	in   *ir.Inst
	lane uint8
	at   uint32 // its time
}

func (f *fences) reset(warps, bytes int) {
	f.last, f.clock, f.of = cleared(f.last, bytes), 1, cleared(f.of, warps)
}

// fence notes a fence of lanes.
func (f *fences) fence(w *simt.Warp, mask uint32) {
	f.clock++
	for left := mask; left != 0; left &= left - 1 {
		f.of[w.Index][bits.TrailingZeros32(left)&31] = f.clock
	}
}

// wrote notes a store to n bytes. It ignores invalid accesses, and those of other blocks of the cluster.
func (f *fences) wrote(addr, n uint64, by genericStore) {
	if off := addr &^ ir.SharedWindow; simt.SpaceOf(addr) == ir.Shared && off+n <= uint64(len(f.last)) {
		for i := range n {
			f.last[off+i] = by
		}
	}
}

// landed notes what a copy to shared memory has brought: of one in bulk no fence is needed.
func (f *fences) landed(c *Copy, lane int) {
	by := genericStore{w: c.W, in: c.In, lane: uint8(lane), at: f.clock}
	if c.Bulk {
		by = genericStore{}
	}
	f.wrote(c.To[lane], c.size(lane), by)
}

// unseen returns the fault of a lane's read of n bytes of shared memory, for a store or a product, if a generic store to one has no fence behind it.
func (f *fences) unseen(w *simt.Warp, reader, from *ir.Inst, lane int, src, n uint64) *device.Fault {
	for i := range n {
		last := &f.last[src&^ir.SharedWindow+i]
		if last.in != nil && f.of[last.w.Index][last.lane] <= last.at && f.of[w.Index][lane] <= last.at {
			return w.UnfencedFault(reader, from, lane, src+i, last.in, last.w.Place(int(last.lane)))
		}
	}
	return nil
}
