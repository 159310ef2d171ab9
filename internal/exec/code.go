package exec

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
)

// action is what the interpreter does with an instruction.
type action uint8

const (
	doALU action = iota
	doBranch
	doJump
	doExit
	doLoad
	doStore
	doAtomic
	doFence
	doBarrier
	doCollective
	doSpecial
	doSleep
	doTrap
)

// step is a decoded instruction.
type step struct {
	act     action
	guarded bool
	shared  bool // may access shared memory
	global  bool // may access global memory
	alu     *simt.ALUOp
}

// code is a decoded program.
type code struct {
	prog  *ir.Program
	steps []step
}

// decode prepares a program, and refuses one that could leave its code.
func decode(p *ir.Program) (*code, error) {
	c := &code{prog: p, steps: make([]step, len(p.Code))}
	if len(p.Code) == 0 {
		return nil, fmt.Errorf("the program has no code")
	}
	for i := range p.Code {
		in := &p.Code[i]
		if in.Op == ir.OpBra || in.Op == ir.OpJmp {
			if in.Target < 0 || int(in.Target) >= len(p.Code) {
				return nil, fmt.Errorf("instruction %d jumps to %d, outside the program", i, in.Target)
			}
		}
		act, err := actionOf(in.Op)
		if err != nil {
			return nil, fmt.Errorf("instruction %d: %w", i, err)
		}
		s := step{act: act, guarded: in.Guard != ir.NoGuard}
		if act == doALU {
			s.alu = simt.DecodeALU(in)
		}
		if in.Op.Addressed() {
			s.shared = in.Root < 0 && in.Mem.Space != ir.Global && in.Mem.Space != ir.Local
			s.global = in.Root < 0 && in.Mem.Space != ir.Shared && in.Mem.Space != ir.Local
			if in.Root >= 0 {
				s.shared = p.Roots[in.Root].Space == ir.Shared
				s.global = p.Roots[in.Root].Space == ir.Global
			}
		}
		c.steps[i] = s
	}
	switch last := &p.Code[len(p.Code)-1]; {
	case last.Op == ir.OpJmp:
	case last.Op == ir.OpExit && last.Guard == ir.NoGuard:
	case last.Op == ir.OpTrap && last.Guard == ir.NoGuard:
	default:
		return nil, fmt.Errorf("the program does not end in an exit")
	}
	return c, nil
}

func actionOf(op ir.Op) (action, error) {
	switch op {
	case ir.OpBra:
		return doBranch, nil
	case ir.OpJmp:
		return doJump, nil
	case ir.OpExit:
		return doExit, nil
	case ir.OpLoad:
		return doLoad, nil
	case ir.OpStore:
		return doStore, nil
	case ir.OpFence:
		return doFence, nil
	case ir.OpSpecial, ir.OpReadSpecial:
		return doSpecial, nil
	case ir.OpSleep:
		return doSleep, nil
	case ir.OpTrap:
		return doTrap, nil
	case ir.OpInvalid, ir.OpParam, ir.OpShared, ir.OpLocal, ir.OpPhi, ir.OpElem:
		return 0, fmt.Errorf("op %s does not belong in a program", op)
	}
	switch {
	case op.IsAtomic():
		return doAtomic, nil
	case op.IsBlockBarrier():
		return doBarrier, nil
	case ir.Ops[op].Collect:
		return doCollective, nil
	}
	return doALU, nil
}
