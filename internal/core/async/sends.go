package async

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// A copy in bulk to shared memory of another block of the cluster is pending there, since threads of that block learn of it, from its mbarrier. The block
// whose shared memory it reads, if it does not read global memory, knows it as a Send.

// Send is a lane's copy in bulk from shared memory of its block to that of a block of the cluster.
type Send struct {
	w           *simt.Warp
	in          *ir.Inst
	lane        int
	from, bytes uint64
	done        bool // it has landed, as far as PTX says
}

// reads reports whether a send may still read one of the n bytes at an address.
func (s *Send) reads(at, n uint64) bool { return !s.done && s.from < at+n && at < s.from+s.bytes }

// Sends notes a copy of one lane from shared memory of the block, which IssueTo makes pending in the block to which it goes.
func (p *Pending) Sends(c *Copy, lane int) {
	kept := p.sends[:0]
	for _, s := range p.sends {
		if !s.done {
			kept = append(kept, s)
		}
	}
	c.send = &Send{w: c.W, in: c.In, lane: lane, from: c.From[lane], bytes: c.Reads[lane]}
	p.sends = append(kept, c.send)
}

// IssueTo adds a copy of one lane of a block of the cluster, which may be another one: the destination and the mbarrier are as the block of p has them.
func (p *Pending) IssueTo(c Copy, lane int, away bool) {
	c.Away, c.By = away, c.W.Place(lane)
	p.Issue(c)
}

// SendFrom returns the fault of a lane's copy of n bytes from shared memory of the block that a pending one makes undefined, or that does not see what
// it reads. from is simt.Origin of in.
func (p *Pending) SendFrom(w *simt.Warp, in, from *ir.Inst, lane int, src, n uint64) *device.Fault {
	if f := p.written(w, from, lane, src, n); f != nil {
		return f
	}
	return p.fences.unseen(w, in, from, lane, src, n)
}

// SendTo returns the fault of a lane's copy of n bytes to shared memory of the block, at an address as that has it, that a pending one makes undefined.
// to is simt.Destination of the copy.
func (p *Pending) SendTo(w *simt.Warp, to *ir.Inst, lane int, dst, n uint64) *device.Fault {
	if f := p.stored(w, to, lane, dst, n); f != nil {
		return f
	}
	return p.written(w, to, lane, dst, n)
}

// unfinished returns the fault of a block that ends while copies of its cluster may still read or write its shared memory; nil if none may.
func (p *Pending) unfinished(block *simt.Block) *device.Fault {
	for _, s := range p.sends {
		if !s.done {
			return s.w.UnsentFault(s.in, s.lane, s.from)
		}
	}
	for i := range p.copies {
		if c := &p.copies[i]; c.Away {
			return block.Warps[0].LeftFault(c.In, c.By, c.To[c.By.Thread%simt.Lanes])
		}
	}
	return nil
}
