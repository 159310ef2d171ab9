package ir

import "github.com/weft-gpu/weft/internal/mma"

// Capability returns the compute capability that an instruction needs, times 10; 0 if every machine has it (PTX ISA, "Target ISA Notes" of
// each instruction). Of mbarriers, expected bytes, counts other than 1 and try_wait are of 9.0.
func (p *Program) Capability(in *Inst) int {
	switch act := in.Op.Action(); {
	case in.Op == OpFragment:
		return mma.Fragments[in.Imm].Capability()
	case in.Wmma && in.Op == OpMMA:
		return MMA(in.Imm).Variant().A.Wmma()
	case in.Wmma: // the fragment that is loaded or stored says it
		return 0
	case in.Op.IsStoreMatrix(), in.Op.SetsRegisters(), in.Op.Completes(), act == ActBulk, in.Op.OfBulk(), in.Op.ExpectsBytes(), in.Op == OpMBarTry, in.Op == OpMBarTryParity, (in.Op == OpMBarArrive || in.Op == OpMBarDrop) && !p.isOne(in.Src[1]),
		act == ActCluster, in.Op.OfSums(), in.Op == OpMapShared, in.Op == OpSpecial && Special(in.Imm).OfCluster():
		return 90
	case (in.Op == OpCalc1 || in.Op == OpCalc2) && convertsTo(in.Imm, NumberBFloat, NumberTF32):
		return 80
	case in.Op == OpMMA:
		return MMA(in.Imm).Variant().Capability()
	case in.Op.IsMBarrier(), act == ActCopy, act == ActCopies:
		return 80
	case in.Op.Aligned():
		return 75
	case in.Op == OpAtomAdd && in.Mem.Kind == F64:
		return 60
	}
	return 0
}

// isOne reports whether an operand is known to be 1.
func (p *Program) isOne(o Operand) bool {
	return o < 0 && p.Uniforms[^o].Leaf < 0 && p.Uniforms[^o].Bits == 1
}
