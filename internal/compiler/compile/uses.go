package compile

import (
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Uses lists what the methods of a type use, directly or by calls.
type Uses struct {
	Fields  map[string]bool // fields of structs, as "scheduler.Problem.Source"
	Methods map[string]bool // methods called, as "scheduler.Edge.Weight"
	// Bools has the results of the methods without parameters that return a
	// constant bool.
	Bools map[string]bool
}

// Uses finds what the methods of a type of a loaded package use. Code that
// never runs counts, too.
func (c *Compiler) Uses(t *types.Named) Uses {
	c.lock()
	defer c.unlock()
	uses := Uses{Fields: map[string]bool{}, Methods: map[string]bool{}, Bools: map[string]bool{}}
	seen := map[*ssa.Function]bool{}
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) {
		if fn == nil || seen[fn] {
			return
		}
		seen[fn] = true
		if recv := fn.Signature.Recv(); recv != nil {
			uses.Methods[c.typeKey(recv.Type())+"."+fn.Name()] = true
		}
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				c.usesOf(in, uses.Fields)
				for _, op := range in.Operands(nil) {
					if called, ok := (*op).(*ssa.Function); ok {
						visit(called)
					}
				}
			}
		}
	}
	for sel := range types.NewMethodSet(t).Methods() {
		fn := c.prog.MethodValue(sel)
		visit(fn)
		if v, ok := constantBool(fn); ok {
			uses.Bools[sel.Obj().Name()] = v
		}
	}
	return uses
}

// usesOf records the fields that an instruction reads. A struct that is
// converted to another type may be read by that type's fields.
func (c *Compiler) usesOf(in ssa.Instruction, fields map[string]bool) {
	note := func(t types.Type, only int) {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return
		}
		for i := range st.NumFields() {
			if only < 0 || i == only {
				fields[c.typeKey(t)+"."+st.Field(i).Name()] = true
			}
		}
	}
	switch in := in.(type) {
	case *ssa.Field:
		note(in.X.Type(), in.Field)
	case *ssa.FieldAddr:
		note(in.X.Type(), in.Field)
	case *ssa.ChangeType:
		note(in.X.Type(), -1)
	}
}

// typeKey returns the name of a type, or of the type that it points to:
// "scheduler.Edge".
func (c *Compiler) typeKey(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return t.String()
	}
	return c.display(named.Obj().Pkg().Path()) + "." + named.Obj().Name()
}

// constantBool returns the result of a method without parameters if it is a
// constant bool. A method of an embedded type is called through a wrapper.
func constantBool(fn *ssa.Function) (value, ok bool) {
	for range 8 { // wrappers of wrappers
		if fn == nil || len(fn.Blocks) != 1 {
			return false, false
		}
		block := fn.Blocks[0].Instrs
		ret, isReturn := block[len(block)-1].(*ssa.Return)
		if !isReturn || len(ret.Results) != 1 {
			return false, false
		}
		switch x := ret.Results[0].(type) {
		case *ssa.Const:
			if x.Value == nil || x.Value.Kind() != constant.Bool {
				return false, false
			}
			return constant.BoolVal(x.Value), true
		case *ssa.Call:
			fn = x.Call.StaticCallee()
		default:
			return false, false
		}
	}
	return false, false
}
