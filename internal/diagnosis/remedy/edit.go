package remedy

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Edit collects changes of a program. Instructions are named by their numbers in the original program, whatever has been
// inserted. The first mistake is kept and returned by Program.
type Edit struct {
	p       ir.Program // with own Code and Uniforms
	before  map[int32][]ir.Inst
	after   map[int32][]ir.Inst
	deleted map[int32]bool
	err     error
}

// NewEdit begins a change of a program, which stays as it is.
func NewEdit(p *ir.Program) *Edit {
	e := &Edit{p: *p, before: map[int32][]ir.Inst{}, after: map[int32][]ir.Inst{}, deleted: map[int32]bool{}}
	e.p.Code, e.p.Uniforms = slices.Clone(p.Code), slices.Clone(p.Uniforms)
	return e
}

// inst returns an instruction that may be changed; nil after a mistake.
func (e *Edit) inst(pc int32) *ir.Inst {
	if pc < 0 || int(pc) >= len(e.p.Code) {
		e.fail("there is no instruction %d", pc)
		return nil
	}
	return &e.p.Code[pc]
}

func (e *Edit) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

// Scope gives an access or a fence another scope. A plain access becomes a relaxed one.
func (e *Edit) Scope(pc int32, s ir.Scope) *Edit {
	switch in := e.inst(pc); {
	case in == nil:
	case !in.Op.Addressed() && in.Op != ir.OpFence:
		e.fail("instruction %d (%v) has no scope", pc, in.Op)
	default:
		if in.Mem.Order == ir.Weak {
			in.Mem.Order, in.Mem.Cache = ir.Relaxed, ir.CacheDefault
		}
		in.Mem.Scope = s
	}
	return e
}

// Order gives an access another order; a plain one gets device scope.
func (e *Edit) Order(pc int32, o ir.Order) *Edit {
	switch in := e.inst(pc); {
	case in == nil:
	case !in.Op.Addressed() && in.Op != ir.OpFence:
		e.fail("instruction %d (%v) has no order", pc, in.Op)
	default:
		if in.Mem.Order == ir.Weak {
			in.Mem.Scope, in.Mem.Cache = ir.ScopeDevice, ir.CacheDefault
		}
		in.Mem.Order = o
	}
	return e
}

// Before inserts instructions before one; a jump to it comes to them first.
func (e *Edit) Before(pc int32, add ...ir.Inst) *Edit {
	if e.inst(pc) != nil {
		e.before[pc] = append(e.before[pc], add...)
	}
	return e
}

// After inserts instructions after one; a jump to the next one does not come to them.
func (e *Edit) After(pc int32, add ...ir.Inst) *Edit {
	if in := e.inst(pc); in != nil {
		if in.Op == ir.OpJmp || in.Op == ir.OpExit && in.Guard == ir.NoGuard {
			e.fail("nothing comes after instruction %d (%v)", pc, in.Op)
		}
		e.after[pc] = append(e.after[pc], add...)
	}
	return e
}

// Replace puts another instruction in the place of one.
func (e *Edit) Replace(pc int32, in ir.Inst) *Edit {
	if at := e.inst(pc); at != nil {
		*at = in
	}
	return e
}

// Delete removes an instruction whose result nobody uses, such as a store.
func (e *Edit) Delete(pc int32) *Edit {
	if e.inst(pc) != nil {
		e.deleted[pc] = true
	}
	return e
}

// Source gives an instruction another operand.
func (e *Edit) Source(pc int32, i int, o ir.Operand) *Edit {
	if in := e.inst(pc); in != nil {
		if i < 0 || i >= int(in.NSrc) {
			e.fail("instruction %d (%v) has no operand %d", pc, in.Op, i)
			return e
		}
		in.Src[i] = o
	}
	return e
}

// Address lets an access go to another address, in the memory object root.
func (e *Edit) Address(pc int32, o ir.Operand, root int32) *Edit {
	if in := e.inst(pc); in != nil {
		if !in.Op.Addressed() {
			e.fail("instruction %d (%v) has no address", pc, in.Op)
			return e
		}
		in.Src[0], in.Imm, in.Root = o, 0, root
	}
	return e
}

// Constant returns an operand with a constant value.
func (e *Edit) Constant(k ir.Kind, bits uint64) ir.Operand {
	e.p.Uniforms = append(e.p.Uniforms, ir.Uniform{K: k, Leaf: -1, Bits: bits})
	return ^ir.Operand(len(e.p.Uniforms) - 1)
}

// Register returns a register that nothing else uses.
func (e *Edit) Register() int32 {
	e.p.NumRegs++
	return int32(e.p.NumRegs - 1)
}

// Predicate returns a predicate that nothing else uses.
func (e *Edit) Predicate() int32 {
	e.p.NumPreds++
	return int32(e.p.NumPreds - 1)
}

// After is the Recon of an inserted branch whose sides meet behind it. Target of an inserted jump is the number of an
// instruction of the original program or, if it is negative, a distance back.
const After = -2

// Program returns the changed program.
func (e *Edit) Program() (*ir.Program, error) {
	if e.err != nil {
		return nil, e.err
	}
	p := e.p
	start := make([]int32, len(p.Code)+1)
	var code []ir.Inst
	for pc := range p.Code {
		start[pc] = int32(len(code))
		code = append(code, e.before[int32(pc)]...)
		if !e.deleted[int32(pc)] {
			code = append(code, p.Code[pc])
		}
		code = append(code, e.after[int32(pc)]...)
	}
	start[len(p.Code)] = int32(len(code))
	for i := range code {
		in := &code[i]
		if in.Op != ir.OpBra && in.Op != ir.OpJmp {
			continue
		}
		if in.Target >= 0 {
			in.Target = start[in.Target]
		} else {
			in.Target += int32(i)
		}
		switch {
		case in.Op == ir.OpJmp:
		case in.Recon >= 0:
			in.Recon = start[in.Recon]
		case in.Recon == After:
			in.Recon = int32(i) + 1
		}
	}
	p.Code = code
	return &p, nil
}
