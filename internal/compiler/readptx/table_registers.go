package readptx

import (
	"math"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// buildRegisters builds a change of the registers of a warp. The kernel begins with as many as its directives allow, without which PTX leaves the
// instruction without effect (PTX ISA, "setmaxnreg").
func buildRegisters(b *builder, s *inst) {
	n := b.immediate(s.args[0], "the number of registers of setmaxnreg", ir.MostRegisters)
	if !ir.ValidRegisters(n) {
		b.fail("setmaxnreg of %d registers; want a multiple of %d from %d to %d", n, ir.RegisterUnit, ir.LeastRegisters, ir.MostRegisters)
	}
	const most = 255
	if b.f.LaunchRegisters = b.entry.registers(most) / ir.RegisterUnit * ir.RegisterUnit; b.entry.registers(math.MaxInt) == math.MaxInt {
		b.fail("setmaxnreg in a kernel whose number of registers is not fixed, by .maxnreg or by the largest block (.maxntid, .reqntid)")
	}
	op := ir.OpRegistersTake
	if s.has(".dec") {
		op = ir.OpRegistersGive
	}
	b.ins(op, ir.Void, b.allLanes()).Imm = n
}
