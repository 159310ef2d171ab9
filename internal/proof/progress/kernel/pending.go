package kernel

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/async"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/proof/progress"
)

// Threads begin copies and products that go on by themselves. PTX orders them by nothing but what waits for them, so that one ends at any
// time after it began. Two kinds of end differ:
//
// What others can learn of, by an mbarrier or because it writes global memory, is a step of its own, by a unit of the machine to which
// every model is fair: a copy ends sooner or later whether its thread goes on or not.
//
// What only the thread that began it can wait for, its groups of copies to shared memory or of products, ends when the thread waits for it:
// that it has ended before is seen by nobody, unless by an access that PTX leaves undefined, which is a fault.

// kind says what is pending.
type kind uint8

const (
	toShared kind = iota // cp.async: it belongs to a group of its thread
	arrival              // of the copies of that kind that a thread began before, at an mbarrier
	inBulk               // to shared memory: it completes on an mbarrier
	toGlobal             // in bulk, or a reduction: it belongs to a group of its thread, and writes what others see
	product              // of a warpgroup
)

// transfer is something that lanes of a warp begin. All of what it does is known then, so that equal ones are kept once.
type transfer struct {
	async.Copy // of a copy to global memory, its addresses
	kind       kind
	number     uint32
	rank       int // of the block of the cluster in whose shared memory it lands
	place      int // see System.place
	matrices   []simt.Matrix
	values     [][16]byte // of lanes that send values
}

// pending is a transfer of a block that has not ended.
type pending struct {
	*transfer
	lanes uint32 // for which it is pending
	age   uint8  // groups that its thread has committed since, counted up to System.ages
	unit  int    // of its block, whose step ends it; none: its thread waits for it
	// held is 1 more than the number of the component with what a copy to global memory has read; 0: it has not.
	held uint32
}

// none is the unit of what no step of its own ends.
const none = 0xFF

// pendingBytes is the size of what is pending in the component of a block.
const pendingBytes = 4 + 4 + 4 + 1 + 1

// begun adds a transfer of lanes to what is pending in a block. It ends by a step of its own if others learn of it.
func (s *System) begun(b *block, t *transfer) error {
	t = s.transfer(b, t)
	p := pending{transfer: t, lanes: t.Left, unit: none}
	if t.kind != toShared && t.kind != product {
		var taken progress.Set
		for i := range b.pending {
			if unit := b.pending[i].unit; unit != none {
				taken |= 1 << unit
			}
		}
		if taken == progress.All(s.ends) {
			return s.unsupported("more than %d asynchronous copies of a block are pending at once; use fewer blocks or warps, or smaller ones", s.ends)
		}
		// A copy to the same place gets the same unit wherever it can, so that states do not differ in that.
		for p.unit = t.place % s.ends; taken.Has(p.unit); p.unit = (p.unit + 1) % s.ends {
		}
	}
	b.pending = append(b.pending, p)
	return nil
}

// transfer returns the transfer that is equal to t and kept.
func (s *System) transfer(b *block, t *transfer) *transfer {
	at := fmt.Appendf(nil, "%d %d %d %d %d %x", b.ID, t.W.Index, t.PC, t.kind, t.rank, t.Left)
	key := at
	for left := t.Left; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left)
		near := t.To[lane] // in shared memory
		switch t.kind {
		case arrival:
			near = t.Barrier[lane]
		case toGlobal:
			near = t.From[lane]
		}
		at = fmt.Appendf(at, " %x", near)
		key = fmt.Appendf(key, " %x %x %x %x", t.From[lane], t.To[lane], t.Reads[lane], t.Barrier[lane])
	}
	for _, v := range t.values {
		key = fmt.Appendf(key, " %x", v)
	}
	if t.Box != nil {
		key = fmt.Appendf(key, " %v %v", *t.Box.Map, t.Box.At)
	}
	for _, m := range t.matrices {
		key = fmt.Appendf(key, " %v", m)
	}
	if known, ok := s.transferOf[string(key)]; ok {
		return known
	}
	place, ok := s.places[string(at)]
	if !ok {
		place = s.perBlock[b.ID]
		s.perBlock[b.ID]++
		s.places[string(at)] = place
	}
	t.number, t.place = uint32(len(s.transfers)), place
	s.transferOf[string(key)], s.transfers = t, append(s.transfers, t)
	s.bytes += transferBytes
	return t
}

// transferBytes is about what a transfer needs, most of it for rows of addresses.
const transferBytes = 5 * simt.Lanes * 8

// part calls do for what is pending of a kind for lanes of a warp, and drops it if that returns true. Where it is pending for others as
// well, it stays so for them.
func (b *block) part(w *simt.Warp, k kind, lanes uint32, do func(*pending) (ended bool)) {
	list := b.pending
	b.pending = nil
	for _, p := range list {
		if p.W != w || p.kind != k || p.lanes&lanes == 0 {
			b.pending = append(b.pending, p)
			continue
		}
		rest := p
		if rest.lanes &^= lanes; rest.lanes != 0 {
			b.pending = append(b.pending, rest)
		}
		if p.lanes &= lanes; !do(&p) {
			b.pending = append(b.pending, p)
		}
	}
}

// store returns what is pending as a copy to global memory.
func (s *System) store(p *pending) *async.Store {
	lane := bits.TrailingZeros32(p.lanes)
	st := &async.Store{W: p.W, In: p.In, PC: p.PC, Lane: lane, From: p.From[lane], To: p.To[lane], Bytes: p.Reads[lane], Box: p.Box}
	if p.held != 0 {
		st.Held = []byte(s.text[p.held-1])
	}
	return st
}

// readNow lets a copy to global memory read its source, unless it has.
func (s *System) readNow(p *pending) {
	if p.held == 0 {
		st := s.store(p)
		st.Read()
		p.held = s.number(st.Held) + 1
	}
}

// pendingAt returns the number of the component of a state that has what is pending in a block.
func (s *System) pendingAt(block int) int { return 1 + s.g.Blocks + s.g.Blocks*s.g.Warps + block }

// keepPending sets what is pending in a block in a state.
func (s *System) keepPending(state []byte, b *block) {
	if !s.asynchronous {
		return
	}
	var out []byte
	for i := 0; i < len(b.pending); i++ {
		p := b.pending[i]
		// The parts of one that was split may be as one again.
		for ; i+1 < len(b.pending) && p.unit == none && b.pending[i+1].transfer == p.transfer && b.pending[i+1].age == p.age; i++ {
			p.lanes |= b.pending[i+1].lanes
		}
		out = binary.LittleEndian.AppendUint32(out, p.number)
		out = binary.LittleEndian.AppendUint32(out, p.lanes)
		out = binary.LittleEndian.AppendUint32(out, p.held)
		out = append(out, p.age, byte(p.unit))
	}
	s.put(state, s.pendingAt(b.ID), out)
}

// restorePending restores what is pending in a block.
func (s *System) restorePending(state string, b *block) {
	b.pending = b.pending[:0]
	if !s.asynchronous {
		return
	}
	for text := []byte(s.text[s.word(state, s.pendingAt(b.ID))]); len(text) > 0; text = text[pendingBytes:] {
		b.pending = append(b.pending, pending{
			transfer: s.transfers[binary.LittleEndian.Uint32(text)], lanes: binary.LittleEndian.Uint32(text[4:]), held: binary.LittleEndian.Uint32(text[8:]),
			age: text[12], unit: int(text[13]),
		})
	}
}

// ending returns the units that can end in a state what is pending in a block.
func (s *System) ending(state string, block int) (units progress.Set) {
	if !s.asynchronous {
		return 0
	}
	for text := s.text[s.word(state, s.pendingAt(block))]; len(text) > 0; text = text[pendingBytes:] {
		if unit := text[pendingBytes-1]; unit != none {
			units |= 1 << (s.strandUnits() + block*s.ends + int(unit))
		}
	}
	return units
}

// strandUnits returns how many units the strands of all warps have. Those of what is pending follow.
func (s *System) strandUnits() int { return s.g.Blocks * s.g.Warps * s.slots }

// prepare finds what a program has of copies and products, and how many units are for it.
func (s *System) prepare() {
	s.transferOf, s.places, s.perBlock = map[string]*transfer{}, map[string]int{}, make([]int, s.g.Blocks)
	for i := range s.g.Prog.Code {
		in := &s.g.Prog.Code[i]
		op, act := in.Op, in.Op.Action()
		s.learned = s.learned || act == ir.ActBulk || op.Completes() || op.AwaitsCopies()
		s.asynchronous = s.asynchronous || s.learned || act == ir.ActCopy || op.OfSums()
		if act == ir.ActCopies || op == ir.OpGroupMMAWait {
			s.ages = max(s.ages, uint8(min(in.Imm+1, 1<<8-1)))
		}
	}
}
