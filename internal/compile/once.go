package compile

import "golang.org/x/tools/go/ssa"

// writtenOnce reports whether a is a local variable that is assigned once,
// before all uses: a parameter or short variable that a closure captures, as a
// rule. Its value needs no phis, and what is constant about it stays so in
// loops.
func (c *Compiler) writtenOnce(a *ssa.Alloc) bool {
	once, ok := c.once[a]
	if !ok {
		once = onlyStore(a)
		c.once[a] = once
	}
	return once
}

// onlyStore looks for the one store: in the block of the variable, before
// all other uses there, all of which read.
func onlyStore(a *ssa.Alloc) bool {
	var store *ssa.Store
	for _, r := range *a.Referrers() {
		if st, ok := r.(*ssa.Store); ok {
			if store != nil || st.Addr != a || st.Val == a {
				return false
			}
			store = st
		} else if !reads(r, a) {
			return false
		}
	}
	if store == nil || store.Block() != a.Block() {
		return false
	}
	for _, in := range a.Block().Instrs {
		if in == store {
			return true
		}
		for _, op := range in.Operands(nil) {
			if *op == a {
				return false
			}
		}
	}
	return false
}

// reads reports whether an instruction does nothing to the variable at address
// x but read it, here or in a function that captures it.
func reads(in ssa.Instruction, x ssa.Value) bool {
	all := func(v ssa.Value) bool {
		for _, r := range *v.Referrers() {
			if !reads(r, v) {
				return false
			}
		}
		return true
	}
	switch in := in.(type) {
	case *ssa.UnOp, *ssa.DebugRef:
		return true
	case *ssa.FieldAddr:
		return all(in)
	case *ssa.MakeClosure:
		fn := in.Fn.(*ssa.Function)
		for i, b := range in.Bindings {
			if b == x && !all(fn.FreeVars[i]) {
				return false
			}
		}
		return true
	}
	return false
}
