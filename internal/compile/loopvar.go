package compile

import "golang.org/x/tools/go/ssa"

// A variable of a three-clause loop is made anew in each iteration, which
// go/ssa spells out where a function literal captures it:
//
//	loop: i = phi [outer, next]
//	post: t = *i; next = new; *next = t; *next = *next + 1; goto loop
//
// Nothing that is known at compile time, such as the literal, lives on in the
// next iteration under a name that means the former one. So all iterations can
// share one variable unless the address itself is used as a value.

// earlier returns the variable that next, made at the end of an iteration, may
// share a place with; nil if next is none such.
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

// contained reports whether the address x serves to load and store only, here
// or in functions that capture it; through says which phi may use it, too.
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
