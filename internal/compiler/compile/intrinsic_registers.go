package compile

import "github.com/weft-gpu/weft/internal/compiler/ir"

// registers returns the number of registers that a call names.
func (c *icall) registers(most int64) int64 {
	n := c.arg(0)
	if bits := int64(n.Bits()); n.Op == ir.OpConst && ir.ValidRegisters(bits) && bits <= most {
		return bits
	}
	c.fail(c.at, "the number of registers of %s must be a constant, a multiple of %d from %d to %d", c.name, ir.RegisterUnit, ir.LeastRegisters, most)
	return 0
}

// launchRegisters fixes with how many registers a thread begins. A thread has at most 255 at launch.
func launchRegisters(c *icall) []leaf {
	n := int(c.registers(ir.MostRegisters - ir.RegisterUnit))
	if c.f.LaunchRegisters != 0 && c.f.LaunchRegisters != n {
		c.fail(c.at, "%s of %d registers in a kernel that begins with %d", c.name, n, c.f.LaunchRegisters)
	}
	c.f.LaunchRegisters = n
	return nil
}

// setRegisters lowers a change of the registers of a warp.
func setRegisters(op ir.Op) func(*icall) []leaf {
	return func(c *icall) []leaf {
		c.emit(op, ir.Void, c.allLanes()).Imm = c.registers(ir.MostRegisters)
		if c.setsRegisters == nil {
			c.setsRegisters = c.error(c.at, c.name+" in a kernel that does not say with how many registers it begins; call Thread.LaunchRegisters first")
		}
		return nil
	}
}

// checkRegisters reports a change of registers in a kernel that does not begin with a fixed number of them.
func (lo *lowerer) checkRegisters() {
	if lo.setsRegisters != nil && lo.f.LaunchRegisters == 0 {
		lo.report(lo.setsRegisters)
	}
}
