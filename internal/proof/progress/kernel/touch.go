package kernel

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/async"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// undisturbed returns the fault of an access of the lanes of a mask that something pending makes undefined.
func (s *System) undisturbed(w *simt.Warp, in *ir.Inst, mask uint32) *device.Fault {
	if !s.asynchronous {
		return nil
	}
	var at simt.Row
	w.Addresses(in, mask, &at)
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros32(mask)
		if f := s.disturbed(w, in, lane, at[lane], uint64(in.Mem.Bytes())); f != nil {
			return f
		}
	}
	return nil
}

// disturbed returns the fault of a lane's access to n bytes at an address that something pending makes undefined. The rules are those of package
// async: nobody may access what it will write, nor write what it may still read. As there, global memory is looked after within a block alone.
func (s *System) disturbed(w *simt.Warp, in *ir.Inst, lane int, at, n uint64) *device.Fault {
	x := touch{in: in, at: at, n: n, shared: simt.SpaceOf(at) == ir.Shared, owner: w.Block.ID, loads: in.Op.Action() == ir.ActLoad}
	if rank, own, named := ir.SharedOf(at); x.shared && named {
		x.owner, x.at = w.Block.ID-w.Block.Rank+rank, own
	}
	for _, b := range s.gangOf(w.Block.ID).blocks {
		for i := range b.pending {
			p := &b.pending[i]
			if !x.shared && p.W.Block != w.Block {
				continue
			}
			for left := p.lanes; left != 0; left &= left - 1 {
				of := bits.TrailingZeros32(left)
				switch writes := p.writes(of, &x); {
				case !writes && !p.reads(of, &x):
				case p.kind == product:
					return w.ReadByProductFault(in, lane, x.at, p.In, p.W)
				default:
					return w.PendingFault(in, lane, x.at, p.In, p.W.Place(of), writes)
				}
			}
		}
	}
	return nil
}

// touch is an access to n bytes at an address: in shared memory of a block, as that has it, or in global memory.
type touch struct {
	in            *ir.Inst
	at, n         uint64
	owner         int
	shared, loads bool
}

// writes reports whether what is pending for a lane will write what is accessed. Updates beside a reduction, each of which is one access, are
// defined.
func (p *pending) writes(lane int, x *touch) bool {
	switch {
	case p.kind == toShared && x.shared:
		return p.W.Block.ID == x.owner && async.Accesses(nil, p.To[lane], uint64(p.In.Mem.Bytes()), x.at, x.n)
	case p.kind == inBulk && x.shared:
		if updates(p, x) {
			return false
		}
		return p.W.Block.ID-p.W.Block.Rank+p.rank == x.owner && async.Accesses(nil, simt.Own(p.To[lane]), p.Reads[lane], x.at, x.n)
	case p.kind == toGlobal && !x.shared:
		return !updates(p, x) && async.Accesses(p.Box, p.To[lane], p.Reads[lane], x.at, x.n)
	}
	return false
}

// updates reports whether what is pending and an access update memory, each at once.
func updates(p *pending, x *touch) bool {
	return p.In.Op.Updates() != ir.OpInvalid && (x.in.Op.IsAtomic() || x.in.Op.Updates() != ir.OpInvalid)
}

// reads reports whether what is pending for a lane may still read what is written.
func (p *pending) reads(lane int, x *touch) bool {
	switch send := p.In.Op == ir.OpBulkSend; {
	case x.loads:
	case p.kind == product:
		for i := range p.matrices {
			if x.shared && p.W.Block.ID == x.owner && p.matrices[i].Touches(x.at, x.n) {
				return true
			}
		}
	case p.kind == toGlobal && p.held == 0 || p.kind == inBulk && send:
		return x.shared && p.W.Block.ID == x.owner && async.Accesses(nil, p.From[lane], p.Reads[lane], x.at, x.n)
	case p.kind == toShared || p.kind == inBulk:
		return !x.shared && async.Accesses(p.Box, p.From[lane], p.Reads[lane], x.at, x.n)
	}
	return false
}

// accessSums reads or sets a word of the sums of lanes, to which no product may be pending.
func (s *System) accessSums(b *block, w *simt.Warp, in *ir.Inst, mask uint32) *device.Fault {
	sums := ir.SumsOf(in.Imm)
	for i := range b.pending {
		p := &b.pending[i]
		if p.kind != product || p.W != w || in.PTX { // a program that was read from PTX copies sums around each product
			continue
		}
		if other := ir.SumsOf(p.In.Imm); other.First < sums.First+sums.Words && sums.First < other.First+other.Words {
			return w.BusySumsFault(in, bits.TrailingZeros32(mask), p.In)
		}
	}
	return w.AccessSums(in, mask)
}
