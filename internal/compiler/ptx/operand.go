package ptx

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// row returns the register of a row that holds a value of kind k.
func (w *printer) row(r int32, k ir.Kind) string {
	if k.Bits() == 64 {
		return fmt.Sprintf("%%rd%d", r)
	}
	return fmt.Sprintf("%%r%d", r)
}

// dst returns the register of result i; an unused result goes to a scratch register.
func (w *printer) dst(in *ir.Inst, i int) string {
	if in.K == ir.Pred {
		if i >= int(in.NDst) {
			return "%q0"
		}
		return fmt.Sprintf("%%p%d", in.Dst[i])
	}
	if i >= int(in.NDst) {
		if in.K.Bits() == 64 {
			return "%td0"
		}
		return "%t0"
	}
	return w.row(in.Dst[i], in.K)
}

func (w *printer) uniformReg(i int) string {
	k := w.p.Uniforms[i].K
	if k.Bits() == 64 {
		return fmt.Sprintf("%%ud%d", i)
	}
	return fmt.Sprintf("%%u%d", i)
}

// src returns operand i of in as read by an instruction on kind k: a register, a parameter's register or an immediate.
func (w *printer) src(in *ir.Inst, i int, k ir.Kind) string {
	o := in.Src[i]
	if k == ir.Pred {
		return w.pred(o)
	}
	if o >= 0 {
		return w.row(int32(o), k)
	}
	u := w.p.Uniforms[^o]
	if u.Leaf >= 0 || u.Space != ir.Generic {
		w.usedU[^o] = true
		return w.uniformReg(int(^o))
	}
	return immediate(k, u.Bits)
}

func immediate(k ir.Kind, bits uint64) string {
	switch k {
	case ir.F32:
		return fmt.Sprintf("0f%08X", uint32(bits))
	case ir.F64:
		return fmt.Sprintf("0d%016X", bits)
	case ir.S32, ir.S8, ir.S16:
		return fmt.Sprint(int32(bits))
	case ir.S64:
		return fmt.Sprint(int64(bits))
	case ir.U64:
		return fmt.Sprint(bits)
	}
	return fmt.Sprint(uint32(bits))
}

// pred returns a predicate operand. Constant predicates are registers that the function's head sets.
func (w *printer) pred(o ir.Operand) string {
	switch o {
	case ir.PredTrue:
		w.constPred = true
		return "%ptrue"
	case ir.PredFalse:
		w.constPred = true
		return "%pfalse"
	}
	return fmt.Sprintf("%%p%d", o)
}

// address returns the address operand of a memory access.
func (w *printer) address(in *ir.Inst) string {
	a := w.src(in, 0, ir.U64)
	if in.Imm != 0 {
		return fmt.Sprintf("[%s+%d]", a, in.Imm)
	}
	return "[" + a + "]"
}

// space returns the state space suffix of an access.
func (w *printer) space(in *ir.Inst) string {
	switch in.Mem.Space {
	case ir.Global:
		return ".global"
	case ir.Shared:
		if !w.generic {
			return ".shared"
		}
	case ir.Local:
		if !w.generic {
			return ".local"
		}
	}
	return ""
}

// bits returns the untyped PTX type of a kind.
func bits(k ir.Kind) string { return fmt.Sprintf("b%d", k.Bits()) }
