package sim

import "github.com/weft-gpu/weft/internal/compiler/ir"

// narrowResults says of each instruction whether its result, an integer of 64 bits, serves as an address in shared memory alone. Addresses have 64
// bits in a Program, in every space; the hardware's instructions take 32 for shared memory, so that ptxas computes these with 32.
func narrowResults(p *ir.Program) []bool {
	narrow := make([]bool, len(p.Code))
	// wide has, for the point in front of an instruction, the registers of which something else may be done with the upper half.
	wide := make([][]bool, len(p.Code)+1)
	for i := range wide {
		wide[i] = make([]bool, p.NumRegs)
	}
	before := make([]bool, p.NumRegs)
	for again := true; again; {
		again = false
		// Backwards, so that straight-line code settles in one round.
		for pc := len(p.Code) - 1; pc >= 0; pc-- {
			in := &p.Code[pc]
			clear(before)
			if in.Op != ir.OpJmp && (in.Op != ir.OpExit || in.Guard != ir.NoGuard) {
				copy(before, wide[pc+1])
			}
			if in.Op == ir.OpBra || in.Op == ir.OpJmp {
				for row, is := range wide[in.Target] {
					before[row] = before[row] || is
				}
			}
			narrow[pc] = narrowTransfer(in, before)
			for row, is := range before {
				if is && !wide[pc][row] {
					wide[pc][row], again = true, true
				}
			}
		}
	}
	return narrow
}

// narrowTransfer turns what is wide behind an instruction into what is wide in front of it, and reports whether its result is narrow.
func narrowTransfer(in *ir.Inst, wide []bool) bool {
	narrow := in.K.Int() && in.K.Bytes() == 8 && in.NDst == 1
	switch in.Op {
	case ir.OpLea, ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpMad, ir.OpMulWide, ir.OpShl, ir.OpMov, ir.OpSelect, ir.OpCvt, ir.OpBitcast:
	default:
		narrow = false
	}
	if in.K != ir.Pred {
		for _, dst := range in.Dst[:in.NDst] {
			if dst < 0 {
				continue
			}
			narrow = narrow && !wide[dst]
			if in.Guard == ir.NoGuard {
				wide[dst] = false
			}
		}
	}
	for j, operand := range in.Src[:in.NSrc] {
		address := j == 0 && in.Op.Addressed() && in.Mem.Space == ir.Shared
		if operand >= 0 && !in.SrcPred(j) && !address && !narrow {
			wide[operand] = true
		}
	}
	return narrow
}
