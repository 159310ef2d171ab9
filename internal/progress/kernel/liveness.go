package kernel

import "github.com/weft-gpu/weft/internal/ir"

// rows is a set of registers and, after them, of predicates.
type rows []uint64

func (r rows) has(i int) bool { return r[i>>6]>>(i&63)&1 != 0 }
func (r rows) add(i int)      { r[i>>6] |= 1 << (i & 63) }
func (r rows) remove(i int)   { r[i>>6] &^= 1 << (i & 63) }

// liveness returns for each instruction which registers and predicates decide
// what happens from it on. An instruction whose result decides nothing does not
// make its operands decide anything, so that a counter that only counts is not
// live.
func liveness(p *ir.Program) []rows {
	n := p.NumRegs + p.NumPreds
	live := make([]rows, len(p.Code)+1)
	for i := range live {
		live[i] = make(rows, (n+63)/64)
	}
	before := make(rows, (n+63)/64)
	for again := true; again; {
		again = false
		for pc := len(p.Code) - 1; pc >= 0; pc-- {
			in := &p.Code[pc]
			clear(before)
			if falls(in) {
				copy(before, live[pc+1])
			}
			if in.Op == ir.OpBra || in.Op == ir.OpJmp {
				for i, w := range live[in.Target] {
					before[i] |= w
				}
			}
			transfer(p, in, before)
			for i, w := range before {
				if w != live[pc][i] {
					live[pc][i], again = w, true
				}
			}
		}
	}
	return live
}

// falls reports whether the next instruction may follow.
func falls(in *ir.Inst) bool {
	switch in.Op {
	case ir.OpJmp:
		return false
	case ir.OpExit, ir.OpTrap:
		return in.Guard != ir.NoGuard
	}
	return true
}

// transfer turns what is live after an instruction into what is live before it.
func transfer(p *ir.Program, in *ir.Inst, live rows) {
	needed := in.Op.Effect() && in.Op.Action() != ir.ActSleep || in.Op.Addressed() || in.Op.Action() == ir.ActALU && ir.Ops[in.Op].Faults
	for _, d := range in.Dst[:in.NDst] {
		row := int(d)
		if in.K == ir.Pred {
			row += p.NumRegs
		}
		if d >= 0 && live.has(row) {
			needed = true
			if in.Guard == ir.NoGuard {
				live.remove(row)
			}
		}
	}
	if !needed {
		return
	}
	for j := range int(in.NSrc) {
		if o := in.Src[j]; o >= 0 {
			row := int(o)
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
