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
	for _, b := range c.f.Blocks {
		for _, v := range b.Ins {
			// Optimistic: only effects and branches are live by themselves.
			// Phis that only feed each other around a loop are not reached and
			// disappear.
			if mustKeep(v) {
				use(v)
			}
		}
		if b.Cond != nil {
			use(b.Cond)
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, arg := range v.Args {
			use(arg)
		}
		if v.Guard != nil {
			use(v.Guard)
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
		eachOperand(c.f, func(v *ir.Value) {
			if v.Op != op || seen[v] {
				return
			}
			seen[v] = true
			if number[v.Imm] < 0 {
				number[v.Imm] = 0
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
	for _, b := range f.Blocks {
		for _, list := range [][]*ir.Value{b.Phis, b.Ins} {
			for _, v := range list {
				for _, arg := range v.Args {
					do(arg)
				}
				if v.Guard != nil {
					do(v.Guard)
				}
			}
		}
		if b.Cond != nil {
			do(b.Cond)
		}
	}
}
