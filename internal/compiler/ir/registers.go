package ir

// The numbers of registers to which a warpgroup may set those of its threads (PTX ISA, "setmaxnreg").
const (
	RegisterUnit                  = 8
	LeastRegisters, MostRegisters = 24, 256
)

// ValidRegisters reports whether n is such a number.
func ValidRegisters(n int64) bool {
	return n >= LeastRegisters && n <= MostRegisters && n%RegisterUnit == 0
}

// SetsRegisters reports whether o changes how many registers the threads of a warp have.
func (o Op) SetsRegisters() bool { return o == OpRegistersGive || o == OpRegistersTake }

// SetsRegisters reports whether p has such an instruction.
func (p *Program) SetsRegisters() bool {
	for i := range p.Code {
		if p.Code[i].Op.SetsRegisters() {
			return true
		}
	}
	return false
}
