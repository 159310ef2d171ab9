package simt

import "github.com/weft-gpu/weft/internal/ir"

// Next moves the active lanes to the following instruction.
func (w *Warp) Next() {
	w.PC++
	if w.PC == w.Recon {
		w.pop()
	}
}

// Jump moves the active lanes to pc.
func (w *Warp) Jump(pc int32) {
	w.PC = pc
	if pc == w.Recon {
		w.pop()
	}
}

// Branch executes an OpBra: the active lanes in taken go to its target, the
// others fall through. Where both happen, the lanes that fall through go first, the
// others wait on the stack, and both meet at in.Recon.
//
// An entry for the meeting point is pushed only where it differs from the one
// that the active lanes are already heading for, so that a loop which lanes
// leave one by one takes one entry and not one an iteration.
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
	if recon < 0 {
		recon = w.Recon
	}
	if recon != w.Recon {
		w.Stack = append(w.Stack, Path{PC: recon, Recon: w.Recon, Mask: w.Mask})
		w.Recon = recon
	}
	next := w.PC + 1
	switch recon {
	case in.Target: // those who take the branch already wait there
		w.PC, w.Mask = next, rest
	case next:
		w.PC, w.Mask = in.Target, taken
	default:
		w.Stack = append(w.Stack, Path{PC: in.Target, Recon: recon, Mask: taken})
		w.PC, w.Mask = next, rest
	}
}

// Exit ends the threads in mask, which must be active. Lanes that stay active
// (a guarded exit) go on at the next instruction.
func (w *Warp) Exit(mask uint32) {
	w.Exited |= mask
	w.Mask &^= mask
	if w.Mask != 0 {
		w.Next()
		return
	}
	w.pop()
}

// Detach takes the active lanes out of the warp and returns where they are; w
// goes on with the lanes that wait on its stack (none where Mask is 0 then).
// The two parts no longer meet by themselves. It is for executors in which
// diverged lanes make progress independently.
func (w *Warp) Detach() Path {
	p := w.Path
	p.Recon = -1
	for i := range w.Stack {
		w.Stack[i].Mask &^= p.Mask
	}
	w.Mask = 0
	w.pop()
	return p
}

// pop goes on with the lanes on top of the stack, leaving out those that have
// exited, until some are found that are not at their own meeting point.
func (w *Warp) pop() {
	for len(w.Stack) > 0 {
		top := w.Stack[len(w.Stack)-1]
		w.Stack = w.Stack[:len(w.Stack)-1]
		top.Mask &^= w.Exited
		if top.Mask == 0 || top.PC == top.Recon {
			continue
		}
		w.Path = top
		return
	}
	if w.Mask == 0 {
		w.PC = int32(len(w.Grid.Prog.Code))
	} else {
		w.Recon = -1 // no one to meet: these lanes go on alone
	}
}
