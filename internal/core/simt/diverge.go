package simt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// Next advances the active lanes to the next instruction.
func (w *Warp) Next() {
	w.PC++
	if w.PC == w.Recon {
		w.pop()
	}
}

// Jump makes the active lanes continue at pc.
func (w *Warp) Jump(pc int32) {
	w.PC = pc
	if pc == w.Recon {
		w.pop()
	}
}

// Branch executes an OpBra: the active lanes in taken continue at its target,
// the others fall through. If there are both, the lanes that fall through
// execute first, the others wait on the stack, and both reconverge at in.Recon.
//
// Branch pushes an entry for the reconvergence point only if it differs from
// the one of the active lanes. A loop that lanes leave one by one therefore
// takes one entry and not one per iteration.
func (w *Warp) Branch(in *ir.Inst, taken uint32) {
	taken &= w.Mask
	rest := w.Mask &^ taken
	if rest == 0 {
		w.Jump(in.Target)
		return
	}
	if taken == 0 {
		w.Next()
		return
	}
	recon := in.Recon
	// Only the exit joins the sides; then what waits below in the stack is
	// next.
	if recon < 0 {
		recon = w.Recon
	}
	// This entry keeps the whole mask: when its turn comes, all lanes that have
	// not exited are at PC again.
	if recon != w.Recon {
		w.Stack = append(w.Stack, Path{PC: recon, Recon: w.Recon, Mask: w.Mask})
		w.Recon = recon
	}
	next := w.PC + 1
	// A side that begins at the reconvergence point has nothing to execute
	// before it, so it needs no entry of its own.
	switch recon {
	case in.Target: // the lanes that take the branch already wait there
		w.PC, w.Mask = next, rest
	case next:
		w.PC, w.Mask = in.Target, taken
	default:
		w.Stack = append(w.Stack, Path{PC: in.Target, Recon: recon, Mask: taken})
		w.PC, w.Mask = next, rest
	}
}

// Exit ends the threads in mask, which must be active. Lanes that remain active
// (after a guarded exit) continue at the next instruction.
func (w *Warp) Exit(mask uint32) {
	w.Exited |= mask
	w.Mask &^= mask
	if w.Mask != 0 {
		w.Next()
		return
	}
	w.pop()
}

// Detach removes the active lanes from the warp and returns their path. w
// continues with the lanes on top of its stack; Mask is 0 if there are none.
// The two parts no longer reconverge by themselves. Detach is for executors in
// which diverged lanes make progress independently.
func (w *Warp) Detach() Path {
	p := w.Path
	// They no longer wait for the lanes that they leave behind.
	p.Recon = -1
	for i := range w.Stack {
		// The lanes must not be revived by an entry that waits for them at a
		// reconvergence point.
		w.Stack[i].Mask &^= p.Mask
	}
	w.Mask = 0
	w.pop()
	return p
}

// pop continues with the lanes on top of the stack, without those that have
// exited. It skips entries whose lanes have all exited or are already at their
// reconvergence point.
func (w *Warp) pop() {
	for len(w.Stack) > 0 {
		top := w.Stack[len(w.Stack)-1]
		w.Stack = w.Stack[:len(w.Stack)-1]
		top.Mask &^= w.Exited
		// Lanes already at their reconvergence point are part of the entry
		// below, which has their bits too.
		if top.Mask == 0 || top.PC == top.Recon {
			continue
		}
		w.Path = top
		return
	}
	if w.Mask == 0 {
		// No lane is left in place; a PC behind the code meets no part and no
		// instruction.
		w.PC = int32(len(w.Grid.Prog.Code))
	} else {
		w.Recon = -1 // nothing left to reconverge with
	}
}
