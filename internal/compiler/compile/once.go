package compile

import "golang.org/x/tools/go/ssa"

// writtenOnce reports whether a is a local variable that is assigned once,
// before all uses. Usually it is a parameter or a short variable that a closure
// captures. Its value needs no phis, and compile-time values stay known in
// loops.
func (c *Compiler) writtenOnce(a *ssa.Alloc) bool {
	once, ok := c.once[a]
	if !ok {
		once = onlyStore(a)
		c.once[a] = once
	}
	return once
}

// onlyStore returns the single store to a variable; nil if there are several.
// The store must be in the variable's block, before all other uses there, and
// these must be reads.
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
	// In another block the store may not have run when the variable is read, as in a loop that sets it at its end.
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

// reads reports whether an instruction only reads the variable at address x,
// here and in functions that capture it.
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
