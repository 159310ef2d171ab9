package sim

import "github.com/weft-gpu/weft/internal/compiler/ir"

// constantOperand reports whether an instruction loads a word of constant memory (.const of PTX) from an address that is known when the kernel is
// compiled. The hardware has no instruction for that: arithmetic takes such a word from the constant bank as one of its operands, as it takes parameters.
func constantOperand(p *ir.Program, in *ir.Inst) bool {
	if in.Op != ir.OpLoad || in.Mem.Order != ir.Weak || in.Mem.Vec != 1 || in.Guard != ir.NoGuard || in.Src[0] >= 0 || in.Root < 0 {
		return false
	}
	leaf := p.Roots[in.Root].Leaf
	return leaf >= 0 && p.Leaves[leaf].Variable != nil && p.Leaves[leaf].Variable.Const
}

// takeConstants executes the loads of constant memory in front of which the warp stands; they belong to the instruction behind them and take no issue
// slot. One whose register waits for an earlier load stays, and takes a slot as a move does.
func (wp *warp) takeConstants(s *sm, from uint64) {
	w := wp.w
	for { // to the end of the kernel at most, which is an exit
		d := &wp.job.code[w.PC]
		if d.action != actConstant {
			return
		}
		if free, _ := wp.board.earliest(d, from, 0); free > from {
			return
		}
		if s.watching(wp) && wp.watch.loop.Searching() {
			wp.watch.loop.Executed(wp.job.flow, w.PC)
		}
		if fault := w.LoadAll(d.in, w.Mask); fault != nil {
			s.fault(fault)
			return
		}
		w.Next()
		// A part may stand behind each of them.
		if len(w.Parts) > 0 {
			w.Meet()
		}
	}
}
