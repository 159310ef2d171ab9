package ir

import (
	"iter"
	"math/bits"
)

// Rows is a set of registers and, after them, of predicates of a program.
type Rows []uint64

// Has reports whether a row is in the set.
func (r Rows) Has(i int) bool { return r[i>>6]>>(i&63)&1 != 0 }

// All yields the rows in ascending order.
func (r Rows) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for g, word := range r {
			for ; word != 0; word &= word - 1 {
				if !yield(g<<6 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

func (r Rows) add(i int)    { r[i>>6] |= 1 << (i & 63) }
func (r Rows) remove(i int) { r[i>>6] &^= 1 << (i & 63) }

// Liveness returns, for a lane that is about to execute an instruction, which
// registers and predicates decide what it does from then on; the last set is
// for a lane that has ended. An instruction whose result decides nothing does
// not make its operands decide anything, so that a counter that only counts is
// not live.
func (p *Program) Liveness() []Rows {
	words := (p.NumRegs + p.NumPreds + 63) / 64
	live := make([]Rows, len(p.Code)+1)
	all := make(Rows, words*len(live))
	for i := range live {
		live[i] = all[i*words : (i+1)*words]
	}
	before := make(Rows, words)
	for again := true; again; {
		again = false
		// Backwards, so that straight-line code settles in one round; further
		// rounds are for loops.
		for pc := len(p.Code) - 1; pc >= 0; pc-- {
			in := &p.Code[pc]
			clear(before)
			if falls(in) {
				copy(before, live[pc+1])
			}
			if in.Op == OpBra || in.Op == OpJmp {
				for i, word := range live[in.Target] {
					before[i] |= word
				}
			}
			p.transfer(in, before)
			for i, word := range before {
				if word != live[pc][i] {
					live[pc][i], again = word, true
				}
			}
		}
	}
	return live
}

// falls reports whether the next instruction may follow.
func falls(in *Inst) bool {
	switch in.Op {
	case OpJmp:
		return false
	case OpExit, OpTrap:
		return in.Guard != NoGuard
	}
	return true
}

// transfer turns what is live after an instruction into what is live before it.
func (p *Program) transfer(in *Inst, live Rows) {
	// What others see, what may fault and what may end the launch is needed whatever becomes of its result. A sleep is not: how
	// long a lane waits decides nothing that it computes.
	needed := in.Op.Effect() && in.Op.Action() != ActSleep || in.Op.Addressed() || in.Op.Action() == ActALU && Ops[in.Op].Faults
	for _, dst := range in.Dst[:in.NDst] {
		row := int(dst)
		if in.K == Pred {
			row += p.NumRegs
		}
		if dst >= 0 && live.Has(row) {
			needed = true
			// Under a guard the old value may survive.
			if in.Guard == NoGuard {
				live.remove(row)
			}
		}
	}
	if !needed {
		return
	}
	for j := range int(in.NSrc) {
		if operand := in.Src[j]; operand >= 0 {
			row := int(operand)
			if in.SrcPred(j) {
				row += p.NumRegs
			}
			live.add(row)
		}
	}
	if in.Guard >= 0 {
		live.add(p.NumRegs + int(in.Guard))
	}
}
