package compile

import (
	"fmt"
	"go/types"
	"math"
	"reflect"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// params declares the kernel's parameters and returns them as the arguments of
// its function. Bound parameters become constants.
func (lo *lowerer) params(k *ir.Kernel, bind map[string]any) (args [][]leaf, err error) {
	fn := lo.entry.fn
	used := 0
	for i, p := range fn.Params {
		if i == 0 {
			args = append(args, nil) // gpu.Thread
			continue
		}
		name := p.Name()
		if name == "" || name == "_" {
			name = fmt.Sprintf("p%d", i)
		}
		param := ir.Param{Name: name, Type: lo.c.typeName(p.Type())}
		var leaves []leaf
		if v, ok := bind[p.Name()]; ok {
			used++
			param.Bound = true
			if leaves, err = lo.bound(p.Type(), reflect.ValueOf(v)); err != nil {
				return nil, fmt.Errorf("kernel %s: parameter %s %s: %w", lo.entry.name, p.Name(), param.Type, err)
			}
		} else if lo.try(func() { lo.paramType(p.Name(), p.Type(), p.Object()) }) {
			leaves = lo.param(&param, len(k.Params), name, p.Type())
		} else {
			leaves = poisoned
		}
		k.Params = append(k.Params, param)
		args = append(args, leaves)
	}
	if used < len(bind) {
		return nil, fmt.Errorf("kernel %s: no parameter %s; it has %s", lo.entry.name, missing(k, bind), paramNames(k))
	}
	return args, nil
}

func missing(k *ir.Kernel, bind map[string]any) string {
	for _, name := range sortedKeys(bind) {
		found := false
		for _, p := range k.Params {
			found = found || p.Name == name
		}
		if !found {
			return name
		}
	}
	return ""
}

func paramNames(k *ir.Kernel) string {
	var names []string
	for _, p := range k.Params {
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// paramType rejects types that cannot be passed to the device.
func (lo *lowerer) paramType(name string, t types.Type, at types.Object) {
	bad := func(why, instead string) {
		lo.fail(at.Pos(), "parameter %s has type %s: %s cannot be passed to the device; %s", name, lo.c.typeName(t), why, instead)
	}
	var check func(t types.Type)
	check = func(t types.Type) {
		if isThread(t) {
			bad("a second gpu.Thread", "use the first parameter")
		}
		lo.fits(t, at.Pos())
		switch u := t.Underlying().(type) {
		case *types.Slice:
			if why := plain(u.Elem()); why != "" {
				bad("a slice whose elements hold "+why, "pass slices of numbers, and indices into them")
			}
		case *types.Pointer:
			if why := plain(u.Elem()); why != "" {
				bad("a pointer to something that holds "+why, "pass the struct by value, or a slice")
			}
		case *types.Struct:
			for i := range u.NumFields() {
				check(u.Field(i).Type())
			}
		case *types.Array:
			check(u.Elem())
		case *types.Signature:
			bad("a function", "make it a method of a type parameter and instantiate the kernel")
		case *types.Interface:
			bad("an interface", "make it a type parameter and instantiate the kernel")
		case *types.Map:
			bad("a map", "pass a slice indexed by the key")
		case *types.Chan:
			bad("a channel", "pass a buffer and use atomics")
		default:
			if why := plain(t); why != "" {
				bad(why, "pass numbers, slices, and structs of these")
			}
		}
	}
	lo.fits(t, at.Pos())
	check(t)
	lo.layoutAt(t, at.Pos())
}

// param declares the leaves of a parameter, or of a part of one.
func (lo *lowerer) param(p *ir.Param, index int, name string, t types.Type) []leaf {
	add := func(l ir.Leaf) *ir.Value {
		l.Param = index
		n := len(lo.f.Leaves)
		lo.f.Leaves = append(lo.f.Leaves, l)
		p.Leaves = append(p.Leaves, n)
		return lo.floating(ir.OpParam, l.Kind, int64(n))
	}
	size := func(t types.Type) int { return int(lo.c.sizes.Sizeof(t)) }
	switch u := t.Underlying().(type) {
	case *types.Slice:
		base := add(ir.Leaf{Name: name, Kind: ir.U64, Role: ir.Base, Elem: element(u.Elem()), Size: size(u.Elem())})
		length := add(ir.Leaf{Name: name + ".len", Kind: ir.S64, Role: ir.Length})
		return []leaf{base, length}
	case *types.Pointer:
		return []leaf{add(ir.Leaf{Name: name, Kind: ir.U64, Role: ir.Pointer, Elem: element(u.Elem()), Size: size(u.Elem())})}
	case *types.Struct:
		var ls []leaf
		for i := range u.NumFields() {
			if u.Field(i).Name() == "_" { // an argument cannot set it
				ls = append(ls, lo.zeros(lo.c.layoutOf(u.Field(i).Type()))...)
				continue
			}
			ls = append(ls, lo.param(p, index, name+"."+u.Field(i).Name(), u.Field(i).Type())...)
		}
		return ls
	case *types.Array:
		var ls []leaf
		if len(lo.c.layoutOf(t).leaves) == 0 {
			return nil
		}
		for i := range u.Len() {
			ls = append(ls, lo.param(p, index, fmt.Sprintf("%s.%d", name, i), u.Elem())...)
		}
		return ls
	}
	declared := ir.Void
	if b, ok := t.Underlying().(*types.Basic); ok {
		declared = basicKind(b)
	}
	k := lo.c.layoutOf(t).leaves[0].k
	if k != ir.Pred {
		return []leaf{add(ir.Leaf{Name: name, Kind: k, Elem: declared})}
	}
	v := add(ir.Leaf{Name: name, Kind: ir.U32, Elem: declared})
	return []leaf{lo.pure(ir.OpNe, ir.Pred, ir.U32, v, lo.constant(ir.U32, 0))}
}

// bound converts a Go value to constants of type t.
func (lo *lowerer) bound(t types.Type, v reflect.Value) ([]leaf, error) {
	if !v.IsValid() {
		return nil, fmt.Errorf("nil cannot be bound")
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if v.Kind() != reflect.Struct || v.NumField() != u.NumFields() {
			return nil, fmt.Errorf("a %s cannot be bound", v.Type())
		}
		var ls []leaf
		for i := range u.NumFields() {
			l, err := lo.bound(u.Field(i).Type(), v.Field(i))
			if err != nil {
				return nil, fmt.Errorf("field %s: %w", u.Field(i).Name(), err)
			}
			ls = append(ls, l...)
		}
		return ls, nil
	case *types.Array:
		if v.Kind() != reflect.Array || int64(v.Len()) != u.Len() {
			return nil, fmt.Errorf("a %s cannot be bound", v.Type())
		}
		var ls []leaf
		for i := range v.Len() {
			l, err := lo.bound(u.Elem(), v.Index(i))
			if err != nil {
				return nil, fmt.Errorf("element %d: %w", i, err)
			}
			ls = append(ls, l...)
		}
		return ls, nil
	case *types.Basic:
		if m := basicKind(u); m != ir.Void {
			bits, ok := boundBits(m, v)
			if !ok {
				return nil, fmt.Errorf("%v (%s) does not fit", v, v.Type())
			}
			return []leaf{lo.constant(m.Register(), bits)}, nil
		}
	}
	return nil, fmt.Errorf("only numbers, bools, and structs and arrays of these can be bound")
}

// boundBits returns a Go number in the representation of kind m.
func boundBits(m ir.Kind, v reflect.Value) (bits uint64, ok bool) {
	switch {
	case m == ir.Pred:
		if v.Kind() != reflect.Bool {
			return 0, false
		}
		if v.Bool() {
			bits = 1
		}
		return bits, true
	case m.Float():
		f := 0.0
		switch {
		case v.CanFloat():
			f = v.Float()
		case v.CanInt():
			f = float64(v.Int())
		case v.CanUint():
			f = float64(v.Uint())
		default:
			return 0, false
		}
		if m == ir.F32 {
			return uint64(math.Float32bits(float32(f))), true
		}
		return math.Float64bits(f), true
	case v.CanInt():
		n := v.Int()
		if m.Signed() {
			lim := int64(1) << (m.Bits() - 1)
			return uint64(n), m.Bits() == 64 || n >= -lim && n < lim
		}
		return uint64(n), n >= 0 && (m.Bits() == 64 || n < 1<<m.Bits())
	case v.CanUint():
		n := v.Uint()
		width := m.Bits()
		if m.Signed() {
			width--
		}
		return n, width == 64 || n < 1<<width
	}
	return 0, false
}

// bindKey returns a string that identifies the bound values, as a key for the
// cache.
func bindKey(bind map[string]any) string {
	var s strings.Builder
	for _, name := range sortedKeys(bind) {
		fmt.Fprintf(&s, "\x00%s=%#v", name, bind[name])
	}
	return s.String()
}
