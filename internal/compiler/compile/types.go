package compile

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// maxLeaves is how many registers a value may take.
const maxLeaves = 256

// leafType is one leaf of a flattened type.
type leafType struct {
	k   ir.Kind // of the register; Void if the leaf exists only at compile time
	m   ir.Kind // of the element in memory; Pred for a bool
	off int64   // byte offset from the start of the value
}

// narrow reports whether l is an 8- or 16-bit integer: its register must be
// kept canonical.
func (l leafType) narrow() bool { return l.m >= ir.U8 && l.m <= ir.S16 }

// layout says how a type is flattened into leaves.
type layout struct {
	leaves []leafType
	fields []int  // struct, tuple: index of each field's first leaf, followed by the number of leaves
	bad    string // why the type cannot be used; if set, the other fields are not
}

// layoutOf flattens t, and caches the result.
func (c *Compiler) layoutOf(t types.Type) *layout {
	if l := c.layouts[t]; l != nil {
		return l
	}
	l := &layout{bad: c.tooBig(t)}
	if l.bad == "" {
		c.flatten(l, t)
	}
	c.layouts[t] = l
	return l
}

func (c *Compiler) flatten(l *layout, t types.Type) {
	if isThread(t) {
		return
	}
	add := func(k, m ir.Kind, off int64) { l.leaves = append(l.leaves, leafType{k, m, off}) }
	switch under := t.Underlying().(type) {
	case *types.Basic:
		switch m := basicKind(under); {
		case m != ir.Void:
			add(m.Register(), m, 0)
		case under.Info()&types.IsString != 0:
			add(ir.Void, ir.Void, 0)
		case under.Info()&types.IsComplex != 0:
			l.bad = "complex numbers are not supported in device code; use a struct of two floats"
		case under.Kind() == types.UntypedNil:
			add(ir.Void, ir.Void, 0)
		default:
			l.bad = fmt.Sprintf("type %s is not supported in device code; use indices in place of pointer arithmetic", t)
		}
	case *types.Pointer:
		add(ir.U64, ir.U64, 0)
	case *types.Slice:
		add(ir.U64, ir.U64, 0)
		add(ir.S64, ir.S64, 8)
	case *types.Signature, *types.Interface:
		add(ir.Void, ir.Void, 0)
	case *types.Struct:
		vars := structFields(under)
		offs := c.sizes.Offsetsof(vars)
		for i, v := range vars {
			l.fields = append(l.fields, len(l.leaves))
			c.part(l, v.Type(), offs[i])
		}
		l.fields = append(l.fields, len(l.leaves))
	case *types.Tuple:
		for i := range under.Len() {
			l.fields = append(l.fields, len(l.leaves))
			c.part(l, under.At(i).Type(), 0)
		}
		l.fields = append(l.fields, len(l.leaves))
	case *types.Array:
		size := c.sizes.Sizeof(under.Elem())
		e := c.layoutOf(under.Elem())
		if e.bad != "" {
			l.bad = e.bad
			return
		}
		n := int64(len(e.leaves))
		// Before the leaves are made: an array may have more elements than there is memory.
		if timesCapped(n, under.Len()) > maxLeaves {
			l.bad = fmt.Sprintf("a value of type %s is too large to be copied; use its elements through a pointer", c.typeName(t))
			return
		}
		for i := range min(n, 1) * under.Len() { // an array of empty structs has no leaves
			c.part(l, under.Elem(), i*size)
		}
	case *types.Map:
		l.bad = "maps are not supported in device code; use a slice indexed by the key"
	case *types.Chan:
		l.bad = "channels are not supported in device code; use a buffer and atomics"
	default:
		l.bad = fmt.Sprintf("type %s is not supported in device code", t)
	}
	if len(l.leaves) > maxLeaves && l.bad == "" {
		l.bad = fmt.Sprintf("a value of type %s is too large to be copied; use its elements through a pointer", c.typeName(t))
	}
}

// part appends the leaves of a component at byte offset off.
func (c *Compiler) part(l *layout, t types.Type, off int64) {
	p := c.layoutOf(t)
	if p.bad != "" && l.bad == "" {
		l.bad = p.bad
	}
	for _, x := range p.leaves {
		x.off += off
		l.leaves = append(l.leaves, x)
	}
}

func structFields(s *types.Struct) []*types.Var {
	vars := make([]*types.Var, s.NumFields())
	for i := range vars {
		vars[i] = s.Field(i)
	}
	return vars
}

// basicKind returns the kind of a basic type in memory (Pred for bool); Void if
// it is not a number.
func basicKind(b *types.Basic) ir.Kind {
	switch b.Kind() {
	case types.Bool, types.UntypedBool:
		return ir.Pred
	case types.Uint8:
		return ir.U8
	case types.Int8:
		return ir.S8
	case types.Uint16:
		return ir.U16
	case types.Int16:
		return ir.S16
	case types.Uint32:
		return ir.U32
	case types.Int32, types.UntypedRune:
		return ir.S32
	case types.Uint64, types.Uint:
		return ir.U64
	case types.Int64, types.Int, types.UntypedInt:
		return ir.S64
	case types.Float32:
		return ir.F32
	case types.Float64, types.UntypedFloat:
		return ir.F64
	}
	return ir.Void
}

// isThread reports whether t is gpu.Thread.
func isThread(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Thread" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == gpuPath
}

func deref(t types.Type) types.Type { return t.Underlying().(*types.Pointer).Elem() }

// element returns the kind of the innermost array element of t (Void for a
// struct), as declarations of variables and parameters need it. Bools are
// bytes.
func element(t types.Type) ir.Kind {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return element(u.Elem())
	case *types.Basic:
		if k := basicKind(u); k != ir.Pred {
			return k
		}
		return ir.U8
	}
	return ir.Void
}

// plain checks whether t can be placed in memory that the host or other threads
// see: numbers, bools, and structs and arrays of them. If it cannot, why is the
// reason.
func plain(t types.Type) (why string) {
	switch under := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case basicKind(under) != ir.Void:
			return ""
		case under.Info()&types.IsString != 0:
			return "a string"
		case under.Info()&types.IsComplex != 0:
			return "a complex number"
		}
		return "an untyped pointer"
	case *types.Struct:
		for i := range under.NumFields() {
			if why := plain(under.Field(i).Type()); why != "" {
				return why
			}
		}
		return ""
	case *types.Array:
		return plain(under.Elem())
	case *types.Pointer:
		return "a pointer"
	case *types.Slice:
		return "a slice"
	case *types.Map:
		return "a map"
	case *types.Chan:
		return "a channel"
	case *types.Signature:
		return "a function"
	case *types.Interface:
		return "an interface"
	}
	return "a value of type " + t.String()
}

// typeName returns a type as a user would write it.
func (c *Compiler) typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// layoutAt is layoutOf for a use at pos; it rejects an unsupported type.
func (lo *lowerer) layoutAt(t types.Type, pos token.Pos) *layout {
	l := lo.c.layoutOf(t)
	if l.bad != "" {
		lo.fail(pos, "%s", l.bad)
	}
	return l
}
