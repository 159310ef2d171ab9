package sim

import (
	"cmp"
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/config"
)

// An operation of a Program is not always one machine instruction: adding a 64-bit address takes two, a division
// twenty, and a branch at which warps may diverge is enclosed in a pair of instructions that makes them reconverge.
// This file gives the number of issue slots of each operation if issue.lowering is sass. The numbers are counted in
// the code that ptxas 13.0 generates from our kernels for sm_90; see RATIONALE.

// lowering holds the properties of a program that determine the number of instructions.
type lowering struct {
	p *ir.Program
	// inner marks the instructions in innermost loops: there ptxas keeps parameters in registers, elsewhere it reads
	// them at each use.
	inner []bool
	// meets maps each reconvergence point to the first branch that uses it, which pays for the pair of instructions.
	meets map[int32]int
	// narrow marks the instructions that compute addresses in shared memory with 32 bits.
	narrow []bool
	// locks: shared atomics are a loop whose tries the machine simulates one by one.
	locks bool
	// packs: the machine converts two numbers to 16 bits with one instruction.
	packs bool
}

func newLowering(p *ir.Program, cfg *config.GPU) *lowering {
	l := &lowering{p: p, locks: cfg.Shared.Locks > 0, packs: cfg.Capability() == 0 || cfg.Capability() >= 80, inner: make([]bool, len(p.Code)), narrow: narrowResults(p), meets: map[int32]int{}}
	type loop struct{ from, to int }
	var loops []loop
	for i := range p.Code {
		in := &p.Code[i]
		if in.Op != ir.OpBra && in.Op != ir.OpJmp {
			continue
		}
		if int(in.Target) <= i {
			loops = append(loops, loop{int(in.Target), i})
		} else if in.Op == ir.OpBra && in.Recon >= 0 {
			if _, ok := l.meets[in.Recon]; !ok {
				l.meets[in.Recon] = i
			}
		}
	}
	// Loops that begin last come first, and among these the shorter ones: a loop contains an earlier one in this order
	// if that does not end after it.
	slices.SortStableFunc(loops, func(a, b loop) int { return cmp.Or(b.from-a.from, a.to-b.to) })
	ends := len(p.Code)
	for _, a := range loops {
		if a.to < ends {
			for k := a.from; k <= a.to; k++ {
				l.inner[k] = true
			}
		}
		ends = min(ends, a.to)
	}
	return l
}

// count returns the number of machine instructions of instruction i.
func (l *lowering) count(i int) int {
	in := &l.p.Code[i]
	n := l.base(i, in)
	if !l.inner[i] && l.readsParameter(in) {
		n++ // the read from the constant bank
	}
	return n
}

func (l *lowering) base(i int, in *ir.Inst) int {
	wide := in.K.Bytes() == 8 && !in.K.Float() && !l.narrow[i]
	wideArg := in.ArgK.Bytes() == 8 && !in.ArgK.Float()
	switch in.Op {
	case ir.OpLea: // see also folded
		if l.narrow[i] || l.sharedWindow(in.Src[0]) {
			return 1
		}
		if l.sharesIndex(i, in) {
			return 4 // the index is scaled once (two), and each base is added in two
		}
		return 2
	case ir.OpAdd, ir.OpSub, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpNot, ir.OpNeg, ir.OpSelect, ir.OpMov, ir.OpBitcast:
		if wide {
			return 2
		}
	case ir.OpShl, ir.OpShr:
		if wide {
			return 3
		}
	case ir.OpMin, ir.OpMax:
		if wide {
			return 4
		}
	case ir.OpMul, ir.OpMad, ir.OpMulHi:
		if wide {
			return 4
		}
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
		if wideArg {
			return 2
		}
	case ir.OpCvt:
		if wide && in.ArgK.Bytes() == 4 && !in.ArgK.Float() && in.ArgK == ir.U32 {
			return 1 // the upper half is the zero register
		}
	case ir.OpPopc, ir.OpClz, ir.OpBrev:
		if wideArg {
			return 3
		}
	case ir.OpDiv, ir.OpRem:
		return divideCount(in)
	case ir.OpSqrt:
		if in.K == ir.F64 {
			return 18
		}
		return 10 // MUFU.RSQ, the range test, two products, two Newton steps, the pair of the branch
	case ir.OpApproxSin, ir.OpApproxCos:
		return 2 // a product with 1/(2 pi), MUFU
	case ir.OpApproxExp2, ir.OpApproxLog2, ir.OpApproxSqrt, ir.OpApproxRsqrt, ir.OpApproxRcp:
		return 4 // the test for subnormal numbers, a product for them, MUFU, a product or sum for them
	case ir.OpCalc2:
		if _, _, ok := ir.PackOf(in.Imm); ok && !l.packs {
			return 3 // two conversions, PRMT
		}
	case ir.OpBra:
		if m, ok := l.meets[in.Recon]; ok && m == i {
			return 3 // BSSY, BRA, BSYNC
		}
	case ir.OpFence:
		if in.Mem.Scope > ir.ScopeBlock {
			return 4 // MEMBAR, ERRBAR, CGAERRBAR, CCTL.IVALL
		}
	case ir.OpLoad:
		if in.Mem.Order == ir.Acquire && in.Mem.Scope > ir.ScopeBlock {
			return 2
		}
	}
	if in.Op.IsAtomic() && l.aggregates(in) {
		if in.NDst == 0 {
			return 7 // REDUX or POPC of the active lanes, then one lane acts
		}
		return 12 // and all lanes get the old value plus their rank
	}
	return 1
}

func divideCount(in *ir.Inst) int {
	switch in.K {
	case ir.F32:
		return 10
	case ir.F64:
		return 20
	case ir.U64:
		return 70
	case ir.S64:
		return 80
	case ir.S32:
		return 22
	}
	return 17
}

// readsParameter reports whether in reads a parameter that must be moved from the constant bank first.
func (l *lowering) readsParameter(in *ir.Inst) bool {
	if in.Op == ir.OpSpecial || in.Op == ir.OpBra {
		return false
	}
	for _, o := range in.Src[:in.NSrc] {
		if o < 0 && l.isParameter(o) {
			return true
		}
	}
	return false
}

func (l *lowering) isParameter(o ir.Operand) bool {
	i := int(^o)
	return o < 0 && i < len(l.p.Uniforms) && l.p.Uniforms[i].Leaf >= 0
}

// sharedWindow reports whether o is a shared memory address known at compile time.
func (l *lowering) sharedWindow(o ir.Operand) bool {
	i := int(^o)
	if o >= 0 || i >= len(l.p.Uniforms) {
		return false
	}
	u := &l.p.Uniforms[i]
	return u.Space == ir.Shared || u.Leaf < 0 && u.K == ir.U64 && u.Bits == ir.SharedWindow
}

// folded reports whether in only says that an offset is one in shared memory: instructions that access shared memory take the offset.
func (l *lowering) folded(in *ir.Inst) bool {
	return in.Op == ir.OpLea && in.Imm == 1 && l.sharedWindow(in.Src[0])
}

// sharesIndex reports whether a later address, of 64 bits, is computed from the same index.
func (l *lowering) sharesIndex(i int, in *ir.Inst) bool {
	if in.Src[1] < 0 || in.ArgK.Bytes() == 8 {
		return false
	}
	row := int32(in.Src[1])
	for k := i; k < len(l.p.Code); k++ {
		n := &l.p.Code[k]
		if k > i && n.Op == ir.OpLea && n.Src[1] == in.Src[1] && n.Imm == in.Imm && !l.narrow[k] && !l.sharedWindow(n.Src[0]) {
			return true
		}
		// Beyond a backward branch or the end of the program, another iteration or nothing follows.
		if (n.Op == ir.OpBra || n.Op == ir.OpJmp) && int(n.Target) <= k || n.Op == ir.OpExit && n.Guard == ir.NoGuard {
			return false
		}
		for _, d := range n.Dst[:n.NDst] {
			if n.K != ir.Pred && d == row {
				return false
			}
		}
	}
	return false
}

// aggregates reports whether in is an atomic on global or shared memory with one address for all lanes of which ptxas makes one
// lane act for the warp. ptxas does so if the address is a parameter or a constant, and if the warp has an instruction that
// combines the operands of its lanes: REDUX, of 32 bits, or a population count where all lanes add the same number
// (results/hw/ptxas).
func (l *lowering) aggregates(in *ir.Inst) bool {
	shared := in.Mem.Space == ir.Shared && !l.locks
	if in.Mem.Space != ir.Global && !shared || in.Src[0] >= 0 || in.K.Float() {
		return false
	}
	redux := in.NDst == 0 && in.K.Bytes() == 4
	switch in.Op {
	case ir.OpAtomAdd:
		return in.Src[1] < 0 || redux
	case ir.OpAtomMin, ir.OpAtomMax, ir.OpAtomAnd, ir.OpAtomOr, ir.OpAtomXor:
		return redux
	}
	return false
}
