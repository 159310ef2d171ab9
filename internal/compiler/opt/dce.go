package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// dce removes instructions that have no effect and whose results are not used
// by an instruction with an effect.
func dce(c *context) {
	// Without unreachable blocks, whose instructions would keep others alive.
	c.f.Renumber()
	live := make([]bool, c.f.NumValues())
	work := make([]*ir.Value, 0, 64)
	use := func(v *ir.Value) {
		if !live[v.ID] {
			live[v.ID] = true
			work = append(work, v)
		}
	}
	for _, block := range c.f.Blocks {
		for _, value := range block.Ins {
			// Optimistic: only effects and branches are live by themselves.
			// Phis that only feed each other around a loop are not reached and
			// disappear.
			if mustKeep(value) {
				use(value)
			}
		}
		if block.Cond != nil {
			use(block.Cond)
		}
	}
	for len(work) > 0 {
		value := work[len(work)-1]
		work = work[:len(work)-1]
		for _, arg := range value.Args {
			use(arg)
		}
		if value.Guard != nil {
			use(value.Guard)
		}
	}
	keep := func(list []*ir.Value) []*ir.Value {
		kept := list[:0]
		for _, v := range list {
			if live[v.ID] {
				kept = append(kept, v)
			}
		}
		clear(list[len(kept):])
		return kept
	}
	for _, b := range c.f.Blocks {
		b.Phis, b.Ins = keep(b.Phis), keep(b.Ins)
	}
}

// dropVars removes shared and local variables that no instruction uses.
func dropVars(c *context) {
	drop := func(op ir.Op, vars []ir.Var) []ir.Var {
		number := index(len(vars))
		var keep []ir.Var
		seen := map[*ir.Value]bool{}
		eachOperand(c.f, func(value *ir.Value) {
			if value.Op != op || seen[value] {
				return
			}
			seen[value] = true
			if number[value.Imm] < 0 {
				number[value.Imm] = 0
			}
		})
		for i := range vars {
			// Sizes count per block and per thread, so that an unused variable
			// would cost resident blocks.
			if number[i] == 0 {
				number[i] = int32(len(keep))
				keep = append(keep, vars[i])
			}
		}
		// After the numbers are complete; each address is one value, so it is
		// renumbered once.
		for v := range seen {
			v.Imm = int64(number[v.Imm])
		}
		return keep
	}
	if len(c.f.Shared)+len(c.f.Local) > 0 {
		c.f.Shared = drop(ir.OpShared, c.f.Shared)
		c.f.Local = drop(ir.OpLocal, c.f.Local)
	}
}

// eachOperand calls do with every operand, guard and condition.
func eachOperand(f *ir.Func, do func(v *ir.Value)) {
	for _, block := range f.Blocks {
		for _, list := range [][]*ir.Value{block.Phis, block.Ins} {
			for _, value := range list {
				for _, arg := range value.Args {
					do(arg)
				}
				if value.Guard != nil {
					do(value.Guard)
				}
			}
		}
		if block.Cond != nil {
			do(block.Cond)
		}
	}
}
