package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/mbarrier"
)

// suspended reports whether a try_wait of the lanes of mask has found a phase that is not complete, so that the hardware suspends the
// warp (PTX ISA, "mbarrier.try_wait": potentially blocking). Without that, warps that look again and again could keep others from
// the arrival that they wait for.
func suspended(w *simt.Warp, in *ir.Inst, mask uint32) bool {
	if in.Op != ir.OpMBarTry && in.Op != ir.OpMBarTryParity || in.NDst == 0 {
		return false
	}
	state, asked := w.Row(ir.Operand(in.Dst[0])), w.Row(in.Src[1])
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros32(mask)
		if (state[lane]^asked[lane])>>63 == 0 { // the phase that is asked for goes on
			return true
		}
	}
	return false
}

// phaseBits makes cheap what turns the word that a wait returns into a predicate, and a parity into the word that it takes: SYNCS.PHASECHK has a predicate as its result and
// takes a word of 32 bits, so that one shift is all that machine code has of these instructions.
func phaseBits(p *ir.Program, code []decoded) {
	for i := range p.Code {
		wait := &p.Code[i]
		if !wait.Op.IsMBarrierWait() {
			continue
		}
		parityBits(p, code, i)
		if wait.NDst == 0 {
			continue
		}
		word := ir.Operand(wait.Dst[0])
		for k := i + 1; k < len(p.Code); k++ {
			in := &p.Code[k]
			if in.Op == ir.OpBra || in.Op == ir.OpJmp || in.Op == ir.OpExit {
				break
			}
			if in.NSrc == 0 || in.Src[0] != word {
				continue
			}
			shifts := in.Op == ir.OpShr && in.K.Bits() == 64
			if in.Op != ir.OpXor && !shifts && in.K != ir.Pred {
				break
			}
			d := &code[k]
			d.issues, d.latency, d.interval = 1, 1, 1
			if in.K == ir.Pred {
				break
			}
			word = ir.Operand(in.Dst[0])
		}
	}
}

// parityBits makes cheap the conversion to 64 bits and the shift that make the word of a parity for the wait at i.
func parityBits(p *ir.Program, code []decoded, i int) {
	if !p.Code[i].Op.ByParity() {
		return
	}
	word, op := p.Code[i].Src[1], ir.OpShl
	for k := i - 1; k >= 0; k-- {
		in := &p.Code[k]
		if in.Op == ir.OpBra || in.Op == ir.OpJmp || in.Op == ir.OpExit {
			return
		}
		if in.NDst == 0 || ir.Operand(in.Dst[0]) != word {
			continue
		}
		if in.Op != op || in.K != ir.U64 {
			return
		}
		d := &code[k]
		d.issues, d.interval = 1, 1
		if op == ir.OpCvt { // no instruction of machine code: the result is a register that is there
			d.latency = 1
			return
		}
		word, op = in.Src[0], ir.OpCvt
	}
}

// phaseSettles is how long after the arrival that ends a phase a warp may know of it, in cycles: on an H200 a warp that arrives and waits for itself takes 133
// a round, and two warps in turn 130 each (results/hw/asynchronous).
const phaseSettles = 76

// arrivalTravels is the same of an arrival from another block of the cluster: on an H200 two blocks that arrive at each other's mbarriers without a release have
// their turns every 209 cycles (results/hw/asynchronous/arrivals.cu).
const arrivalTravels = 190

// copySettles is the same after the last bytes of a copy: on an H200 a copy in bulk of 16 bytes takes 440 to 490 cycles (the same).
const copySettles = 40

// knows returns from when a look of lanes, whose addresses are in chip.addrs, may return: not before the phase has settled that ended last in the block. Of
// other mbarriers, whose phases ended before it, looks return at once.
func (b *block) knows(mask uint32) uint64 {
	if b.knownAt != 0 && lowest(&b.sm.addrs, mask) == b.ended {
		return b.knownAt
	}
	return 0
}

// suspendLimit is for how many cycles a try_wait suspends a warp at most. An H200 takes 2,910 (results/hw/asynchronous/arrivals.cu); a shorter time shows
// sooner that a wait never ends: the search for hangs compares rounds of loops. The further looks take nothing of shared memory, since hardware does not make them.
const suspendLimit = 100

// suspend lets a warp wait, after a try_wait of the lanes of mask, whose addresses are in chip.addrs, until the phase is complete, but not for
// ever. Lanes that ask several mbarriers look again soon.
func (wp *warp) suspend(mask uint32) {
	s := wp.sub.sm
	wp.phase, wp.resume = lowest(&s.addrs, mask), s.now+suspendLimit
	for left := mask; left != 0; left &= left - 1 {
		if s.addrs[bits.TrailingZeros32(left)&31] != wp.phase {
			s.follow(wp, s.now+uint64(s.cfg.MBar.Suspend), counter.StallSleeping)
			return
		}
	}
	s.pause(wp, warpSuspended, counter.StallSleeping)
	s.at(wp.resume, evSuspended|event(wp.id))
}

// lookAgain lets a warp go on that has been suspended up to this cycle.
func (wp *warp) lookAgain() {
	s := wp.sub.sm
	if wp.state == warpSuspended && wp.resume == s.now {
		wp.woken = true
		s.release(wp, s.now)
	}
}

// owner returns the block of the cluster whose shared memory an address is of, and the address there.
func (b *block) owner(at uint64) (*block, uint64) {
	if rank, own, named := ir.SharedOf(at); named && b.cluster != nil {
		return b.cluster.blocks[rank], own
	}
	return b, at
}

// parity returns that of the phase of an mbarrier of a block; an address outside of its shared memory has none.
func (b *block) parity(at uint64) uint32 {
	off := at &^ ir.SharedWindow
	if off+8 > uint64(len(b.Shared)) {
		return 0
	}
	return mbarrier.State(simt.Load(b.Shared, int(off), ir.U64)).Parity()
}

// completed lets warps go on that are suspended for a phase of the mbarrier at an address, if its parity is not the one before any more.
func (b *block) completed(at uint64, before uint32, now, settles uint64) {
	if b.parity(at) == before {
		return
	}
	b.phases++
	b.ended, b.knownAt = at, now+settles
	for _, wp := range b.warps {
		if wp.block == b && wp.state == warpSuspended && wp.phase == at {
			wp.woken = true
			b.sm.release(wp, now+uint64(b.sm.cfg.MBar.Suspend))
		}
	}
}
