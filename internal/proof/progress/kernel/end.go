package kernel

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// groups executes what makes a group of what the lanes of a mask have begun, or waits for groups. A wait for what a step of its own ends is over: see
// awaits.
func (s *System) groups(b *block, w *simt.Warp, in *ir.Inst, mask uint32) {
	of, ended := toShared, (func(*pending) bool)(nil)
	older := func(do func(*pending)) func(*pending) bool {
		return func(p *pending) bool {
			ended := int64(p.age) > in.Imm
			if ended && do != nil {
				do(p)
			}
			return ended
		}
	}
	grows := func(p *pending) bool { p.age = min(p.age+1, s.ages); return false }
	switch in.Op {
	case ir.OpCopyCommit:
		ended = grows
	case ir.OpCopyWait:
		ended = older(func(p *pending) { land(p, p.lanes) })
	case ir.OpBulkCommit:
		of, ended = toGlobal, grows
	case ir.OpBulkWaitRead:
		read := older(s.readNow)
		of, ended = toGlobal, func(p *pending) bool { read(p); return false }
	case ir.OpGroupMMACommit:
		of, ended = product, grows
	case ir.OpGroupMMAWait:
		of, ended = product, older(nil)
	default:
		return
	}
	b.part(w, of, mask, ended)
}

// land completes a copy of lanes to shared memory.
func land(p *pending, lanes uint32) {
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes)
		p.Land(lane, p.To[lane])
	}
}

// awaits reports whether something is pending for which the lanes of a mask wait.
func (s *System) awaits(b *block, w *simt.Warp, in *ir.Inst, mask uint32) bool {
	for i := range b.pending {
		p := &b.pending[i]
		if p.W != w || p.lanes&mask == 0 || int64(p.age) <= in.Imm {
			continue
		}
		switch in.Op {
		case ir.OpCopyWait:
			if p.kind == toShared {
				return true
			}
		case ir.OpBulkWait:
			if p.kind == toGlobal {
				return true
			}
		case ir.OpBulkWaitRead:
			if p.kind == toGlobal && p.held == 0 {
				return true
			}
		}
	}
	return false
}

// over reports whether a strand waits for copies that have ended.
func (s *System) over(b *block, w *simt.Warp, x *strand) bool {
	in := &s.g.Prog.Code[x.pc]
	if !x.arrived || in.Op != ir.OpBulkWait {
		return false
	}
	place(w, x)
	return !s.awaits(b, w, in, w.Guarded(in))
}

// end takes the step of a unit of a block that ends what is pending.
func (s *System) end(b *block, unit int) *device.Fault {
	for i := range b.pending {
		p := b.pending[i]
		if p.unit != unit {
			continue
		}
		b.pending = append(b.pending[:i:i], b.pending[i+1:]...)
		switch p.kind {
		case arrival:
			return s.arriveCopied(b, &p, i)
		case inBulk:
			return p.complete()
		default:
			s.readNow(&p)
			s.store(&p).Write(nil)
			return nil
		}
	}
	return nil
}

// complete lets a copy in bulk to shared memory, or values that are sent, take effect, and counts their bytes.
func (p *pending) complete() *device.Fault {
	c := p.Copy
	for left := p.lanes; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left)
		if p.values != nil {
			c.Value = p.values[lane]
		}
		c.Land(lane, p.To[lane])
		if _, _, f := p.W.CompleteBulk(p.In, lane, p.Barrier[lane], p.Reads[lane]); f != nil {
			return f
		}
	}
	return nil
}

// arriveCopied counts the arrival of the copies that lanes have begun before it, which is the first i of what is pending.
func (s *System) arriveCopied(b *block, p *pending, i int) *device.Fault {
	after := append([]pending{}, b.pending[i:]...)
	b.pending = b.pending[:i]
	b.part(p.W, toShared, p.lanes, func(c *pending) bool { land(c, c.lanes); return true })
	b.pending = append(b.pending, after...)
	for left := p.lanes; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left)
		if _, _, f := p.W.ArriveCopied(p.In, lane, p.Barrier[lane]); f != nil {
			return f
		}
	}
	return nil
}

// leaves drops what ends with the shared memory of blocks of a gang that have ended, and returns the fault of one that ended too early.
func (s *System) leaves(g *gang) *device.Fault {
	for _, b := range g.blocks {
		if !b.done() {
			continue
		}
		for _, from := range g.blocks {
			for i := range from.pending {
				p := &from.pending[i]
				lane := bits.TrailingZeros32(p.lanes)
				switch here := p.W.Block == &b.Block; {
				case here && p.In.Op == ir.OpBulkSend:
					return p.W.UnsentFault(p.In, lane, p.From[lane])
				case here && p.kind == toGlobal && p.held == 0:
					return p.W.UnreadFault(p.In, lane, p.From[lane])
				case !here && p.kind == inBulk && p.rank == b.Rank:
					return b.Warps[0].LeftFault(p.In, p.W.Place(lane), simt.Own(p.To[lane]))
				}
			}
		}
		kept := b.pending[:0]
		for _, p := range b.pending {
			if p.kind == toGlobal || p.kind == inBulk && p.rank != b.Rank {
				kept = append(kept, p)
			}
		}
		b.pending = kept
	}
	return nil
}
