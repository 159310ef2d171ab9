package async

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/mbarrier"
)

// arrival says what has become of the arrival at an mbarrier of each lane of a copy.
type arrival struct {
	counted  uint32 // it has come
	odd      uint32 // in a phase of parity 1
	complete uint32 // that phase is complete
}

// Due finishes what the mbarriers wait for at which the lanes of mask look, where the phase that a lane asks for is not complete without
// that. It is for an executor that lets copies land as late as it may.
func (p *Pending) Due(w *simt.Warp, in *ir.Inst, mask uint32, done Done) *device.Fault {
	var at simt.Row
	w.Addresses(in, mask, &at)
	for left := mask; left != 0; left &= left - 1 {
		asks := bits.TrailingZeros32(left) & 31
		if w.PhaseComplete(in, asks, at[asks]) {
			continue
		}
		for i := range p.copies {
			c := &p.copies[i]
			for lanes := c.at(at[asks]); lanes != 0; lanes &= lanes - 1 {
				if fault := p.arrived(i, bits.TrailingZeros32(lanes)&31, done); fault != nil {
					return fault
				}
			}
		}
	}
	p.tidy()
	return nil
}

// at returns the pending lanes that arrive at an mbarrier.
func (c *Copy) at(barrier uint64) (lanes uint32) {
	for left := c.Left; left != 0 && (c.Arrives || c.Bulk); left &= left - 1 {
		if lane := bits.TrailingZeros32(left) & 31; c.Barrier[lane] == barrier {
			lanes |= 1 << lane
		}
	}
	return lanes
}

// Owed returns how many bytes pending copies in bulk bring to an mbarrier.
func (p *Pending) Owed(barrier uint64) (bytes uint64) {
	for i := range p.copies {
		c := &p.copies[i]
		for lanes := c.at(barrier); lanes != 0 && c.Bulk; lanes &= lanes - 1 {
			bytes += c.Reads[bits.TrailingZeros32(lanes)&31]
		}
	}
	return bytes
}

// arrived finishes what a lane's arrival stands for, which is number n in the list: its copies before, or its copy in bulk.
func (p *Pending) arrived(n, lane int, done Done) *device.Fault {
	if c := &p.copies[n]; c.Bulk {
		return p.finish(c, lane, done)
	}
	return p.until(p.copies[n].W, lane, n+1, ^uint32(0), done)
}

// Counted records that the arrival of a lane's copy, of a number of its warp, has come to its mbarrier, which was old before. This and the
// functions below are for an executor that lets copies land when it will: there a copy is pending until a thread has looked at a phase
// that is complete because of it.
func (p *Pending) Counted(w *simt.Warp, number int32, lane int, old uint64) {
	for i := range p.copies {
		if c := &p.copies[i]; (c.Arrives || c.Bulk) && c.W == w && c.Number == number && c.Left>>lane&1 != 0 {
			p.Phase(c.Barrier[lane], old)
			c.counted |= 1 << lane
			c.odd |= mbarrier.State(old).Parity() << lane
		}
	}
}

// Phase records what an mbarrier is before an operation: arrivals that came in a phase of the other parity are of one that is complete. If it
// is told of each operation, no phase is missed.
func (p *Pending) Phase(barrier, state uint64) {
	for i := range p.copies {
		c := &p.copies[i]
		for lanes := c.at(barrier) & c.counted &^ c.complete; lanes != 0; lanes &= lanes - 1 {
			if lane := bits.TrailingZeros32(lanes) & 31; c.odd>>lane&1 != mbarrier.State(state).Parity() {
				c.complete |= 1 << lane
			}
		}
	}
}

// Looked records that lanes look at mbarriers. Those that find their phase complete know of the copies that have arrived in it.
func (p *Pending) Looked(w *simt.Warp, in *ir.Inst, mask uint32, at *simt.Row) {
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		if !w.PhaseComplete(in, lane, at[lane]) {
			continue
		}
		data, off, _ := w.Resolve(lane, at[lane])
		p.Phase(at[lane], simt.Load(data, off, ir.U64))
		for i := range p.copies {
			for lanes := p.copies[i].at(at[lane]) & p.copies[i].complete; lanes != 0; lanes &= lanes - 1 {
				p.arrived(i, bits.TrailingZeros32(lanes)&31, nil)
			}
		}
	}
	p.tidy()
}
