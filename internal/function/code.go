package function

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/async"
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// step is a decoded instruction.
type step struct {
	act     ir.Action
	guarded bool
	shared  bool  // may access shared memory
	global  bool  // may access global memory
	more    uint8 // by which it counts as more than one instruction, for a part
	alu     *simt.ALUOp
}

// code is a decoded program.
type code struct {
	prog  *ir.Program
	steps []step
	flow  *repeat.Flow
	// clusters: it has instructions for clusters.
	clusters bool
	// copies says that there are asynchronous copies, or waits for them, and stores that there are some to global memory.
	copies, stores bool
}

// decode decodes a program. It rejects a program that could run past the end of
// its code.
func decode(p *ir.Program) (*code, error) {
	c := &code{prog: p, steps: make([]step, len(p.Code)), flow: repeat.NewFlow(p), clusters: p.UsesCluster()}
	c.copies, c.stores = async.Of(p)
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
		act := in.Op.Action()
		if act < ir.ActALU {
			return nil, fmt.Errorf("instruction %d: op %s does not belong in a program", i, in.Op)
		}
		s := step{act: act, guarded: in.Guard != ir.NoGuard}
		if act == ir.ActALU {
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
