package compile

import "golang.org/x/tools/go/ssa"

// Go makes a new variable of a three-clause loop in each iteration. go/ssa
// spells this out if a function literal captures it:
//
//	loop: i = phi [outer, next]
//	post: t = *i; next = new; *next = t; *next = *next + 1; goto loop
//
// No compile-time value, such as the literal, survives into the next iteration
// under a name that refers to the previous one. All iterations can therefore
// share one variable unless its address itself is used as a value.

// earlier returns the variable with which next, made at the end of an
// iteration, can share its place; nil if there is none.
func earlier(next *ssa.Alloc) *ssa.Alloc {
	var loop *ssa.Phi
	for _, r := range *next.Referrers() {
		if phi, ok := r.(*ssa.Phi); ok {
			if loop != nil {
				return nil
			}
			loop = phi
		}
	}
	if loop == nil || loop.Comment != next.Comment || loop.Pos() != next.Pos() || len(loop.Edges) < 2 {
		return nil
	}
	var outer *ssa.Alloc
	for _, e := range loop.Edges {
		a, ok := e.(*ssa.Alloc)
		if !ok || a.Pos() != next.Pos() {
			return nil
		}
		if a != next {
			if outer != nil && outer != a {
				return nil
			}
			outer = a
		}
	}
	if outer == nil || !outer.Block().Dominates(loop.Block()) || !contained(outer, loop) || !contained(next, loop) || !contained(loop, nil) {
		return nil
	}
	return outer
}

// contained reports whether the address x is used only to load and store, here
// and in functions that capture it. The phi through may use it too.
func contained(x ssa.Value, through *ssa.Phi) bool {
	for _, r := range *x.Referrers() {
		ok := false
		switch in := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
			ok = true
		case *ssa.Store:
			ok = in.Val != x
		case *ssa.FieldAddr:
			ok = contained(in, nil)
		case *ssa.IndexAddr:
			ok = contained(in, nil)
		case *ssa.Phi:
			ok = in == through
		case *ssa.MakeClosure:
			ok = true
			for i, b := range in.Bindings {
				ok = ok && (b != x || contained(in.Fn.(*ssa.Function).FreeVars[i], nil))
			}
		}
		if !ok {
			return false
		}
	}
	return true
}
