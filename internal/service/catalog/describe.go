package catalog

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/scheduler"
)

// valueTypes are the possible types of a vertex's value.
var valueTypes = map[string]reflect.Type{
	"uint32": reflect.TypeFor[uint32](), "int32": reflect.TypeFor[int32](),
	"uint64": reflect.TypeFor[uint64](), "int64": reflect.TypeFor[int64](),
	"float32": reflect.TypeFor[float32](), "float64": reflect.TypeFor[float64](),
}

// scalarTypes are the possible types of an algorithm's fields.
var scalarTypes = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](),
	types.Int8: reflect.TypeFor[int8](), types.Uint8: reflect.TypeFor[uint8](),
	types.Int16: reflect.TypeFor[int16](), types.Uint16: reflect.TypeFor[uint16](),
	types.Int32: reflect.TypeFor[int32](), types.Uint32: reflect.TypeFor[uint32](),
	types.Int64: reflect.TypeFor[int64](), types.Uint64: reflect.TypeFor[uint64](),
	types.Int: reflect.TypeFor[int](), types.Uint: reflect.TypeFor[uint](),
	types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
}

// describe reads an algorithm type from the type-checked sources, in the same way for Weft's and users' types. value
// is the type of a vertex's value.
func (c *Catalog) describe(pkg, name string) (t scheduler.Type, value string, err error) {
	p, err := c.compiler.Types(pkg)
	if err != nil {
		return t, "", err
	}
	obj, ok := p.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return t, "", c.noType(p, name)
	}
	named, ok := obj.Type().(*types.Named)
	if !ok {
		return t, "", fmt.Errorf("%s is not a type of its own; an algorithm is a struct type with methods", name)
	}
	if named.TypeParams().Len() > 0 {
		return t, "", fmt.Errorf("%s is generic; declare a type for one instance, as in type Mine struct{ %s[uint32] }", name, name)
	}
	st, ok := named.Underlying().(*types.Struct)
	if !ok {
		return t, "", fmt.Errorf("%s is %s; an algorithm is a struct type", name, named.Underlying())
	}
	if value, err = c.valueOf(named); err != nil {
		return t, "", err
	}
	uses := c.compiler.Uses(named)
	t = scheduler.Type{Name: pkg + "." + name, Value: valueTypes[value], From: c.methodsOf(named),
		Source: uses.Fields["scheduler.Problem.Source"], Weighted: uses.Methods["scheduler.Edge.Weight"], Symmetric: uses.Bools[symmetric],
		Phased: uses.Bools["Phases"], Levels: uses.Bools["Phases"] && uses.Bools["Levels"], Unordered: uses.Bools[unordered], Spreads: uses.Bools[spreads], Triangles: uses.Bools[triangles],
		Reaches:   uses.Bools[reaches],
		Alike:     uses.Bools[alike],
		Strong:    uses.Bools[strong],
		Neighbors: uses.Methods["scheduler.Edge.Common"]}
	if t.Fields, err = fieldsOf(name, st); err != nil {
		return t, "", err
	}
	return t, value, mistaken(named, t, value)
}

// methodsOf maps each method of scheduler.Algorithm to the type from which t inherits it.
func (c *Catalog) methodsOf(t *types.Named) map[string]string {
	from := map[string]string{}
	set := types.NewMethodSet(t)
	for m := range set.Methods() {
		f, ok := m.Obj().(*types.Func)
		if !ok {
			continue
		}
		recv := f.Signature().Recv().Type()
		if p, ok := recv.(*types.Pointer); ok {
			recv = p.Elem()
		}
		if owner, ok := recv.(*types.Named); ok {
			from[f.Name()] = strings.TrimPrefix(owner.Obj().Pkg().Path(), compile.Module+"/") + "." + owner.Obj().Name()
		}
	}
	return from
}

// noType returns the error for a missing type, which lists the existing ones.
func (c *Catalog) noType(p *types.Package, name string) error {
	var have []string
	for _, n := range p.Scope().Names() {
		tn, ok := p.Scope().Lookup(n).(*types.TypeName)
		if !ok || !tn.Exported() {
			continue
		}
		if named, ok := tn.Type().(*types.Named); ok {
			if _, err := c.valueOf(named); err == nil {
				have = append(have, n)
			}
		}
	}
	if f, ok := p.Scope().Lookup(name).(*types.Func); ok && f.Exported() {
		return fmt.Errorf("%s.%s is a function, not an algorithm; weft launch launches kernels, and so does weft sweep with %s %s", p.Name(), name, option.Vary.With("grid=64"), option.Vary.With("block=256"))
	}
	if len(have) == 0 {
		return fmt.Errorf("package %s has no type %s, and none that is an algorithm", p.Name(), name)
	}
	return &UnknownError{What: "type", Name: name, Have: have}
}

// valueOf returns the V for which t is a scheduler.Algorithm[V].
func (c *Catalog) valueOf(t *types.Named) (string, error) {
	sched, err := c.compiler.Types("scheduler")
	if err != nil {
		return "", err
	}
	generic := sched.Scope().Lookup("Algorithm").Type()
	want := "uint32"
	if m, _, _ := types.LookupFieldOrMethod(t, true, t.Obj().Pkg(), "Init"); m != nil {
		if sig, ok := m.Type().(*types.Signature); ok && sig.Results().Len() == 1 {
			want = sig.Results().At(0).Type().String()
		}
	}
	if valueTypes[want] == nil {
		return "", fmt.Errorf("%s.Init returns %s; the value of a vertex is uint32, int32, uint64, int64, float32 or float64", t.Obj().Name(), want)
	}
	basic := types.Universe.Lookup(want).Type()
	inst, err := types.Instantiate(nil, generic, []types.Type{basic}, true)
	if err != nil {
		return "", err
	}
	iface := inst.Underlying().(*types.Interface)
	if types.Implements(t, iface) {
		return want, nil
	}
	return "", notAlgorithm(t, iface, want)
}

// notAlgorithm lists what t lacks to be an algorithm.
func notAlgorithm(t *types.Named, iface *types.Interface, value string) error {
	local := types.RelativeTo(t.Obj().Pkg())
	short := func(p *types.Package) string {
		if local(p) == "" {
			return ""
		}
		return p.Name()
	}
	var wrong []string
	missing := 0
	for m := range iface.Methods() {
		want := strings.TrimPrefix(types.TypeString(m.Type(), short), "func")
		have, _, _ := types.LookupFieldOrMethod(t, true, t.Obj().Pkg(), m.Name())
		f, ok := have.(*types.Func)
		switch {
		case !ok:
			missing++
			wrong = append(wrong, fmt.Sprintf("it has no method %s%s", m.Name(), want))
		case !types.Identical(f.Type(), m.Type()):
			wrong = append(wrong, fmt.Sprintf("%s must be %s%s, not %s", m.Name(), m.Name(), want, strings.TrimPrefix(types.TypeString(f.Type(), short), "func")))
		case pointerReceiver(f) && types.NewMethodSet(t).Lookup(f.Pkg(), f.Name()) == nil:
			wrong = append(wrong, fmt.Sprintf("%s has a pointer receiver; write func (a %s) %s", m.Name(), t.Obj().Name(), m.Name()))
		}
	}
	hint := ""
	if missing > 3 {
		hint = fmt.Sprintf("\n\tembed scheduler.Min[%s], scheduler.Max[%s] or scheduler.Add[%s] for all but Init, Start and Compute", value, value, value)
	}
	return fmt.Errorf("%s is not a scheduler.Algorithm[%s]:\n\t%s%s", t.Obj().Name(), value, strings.Join(wrong, "\n\t"), hint)
}

func pointerReceiver(f *types.Func) bool {
	recv := f.Signature().Recv()
	if recv == nil {
		return false
	}
	_, ok := recv.Type().(*types.Pointer)
	return ok
}

// fieldsOf returns the fields that hold data: parameters and arrays. Fields of an embedded algorithm are included.
func fieldsOf(name string, st *types.Struct) ([]scheduler.Field, error) {
	var fields []scheduler.Field
	for i := range st.NumFields() {
		f := st.Field(i)
		if inner, ok := f.Type().Underlying().(*types.Struct); ok && f.Embedded() {
			more, err := fieldsOf(name, inner)
			if err != nil {
				return nil, err
			}
			fields = append(fields, more...)
			continue
		}
		if empty(f.Type()) {
			continue
		}
		elem, array := f.Type().Underlying(), false
		if s, ok := elem.(*types.Slice); ok {
			elem, array = s.Elem().Underlying(), true
		}
		basic, ok := elem.(*types.Basic)
		if !ok || scalarTypes[basic.Kind()] == nil {
			return nil, fmt.Errorf("field %s.%s is %s; a field of an algorithm is a number or bool (a parameter) or a slice of such (an array with one element per vertex)", name, f.Name(), f.Type())
		}
		if !f.Exported() {
			return nil, fmt.Errorf("field %s.%s: the host sets fields; start the name with a capital letter", name, f.Name())
		}
		fields = append(fields, scheduler.Field{Name: f.Name(), Elem: scalarTypes[basic.Kind()], Array: array,
			Default: reflect.StructTag(st.Tag(i)).Get("default")})
	}
	for i, f := range fields {
		for _, g := range fields[:i] {
			if strings.EqualFold(f.Name, g.Name) {
				return nil, fmt.Errorf("fields %s and %s of %s are the same parameter to the host, which ignores case in names; rename one", g.Name, f.Name, name)
			}
		}
	}
	return fields, nil
}

// empty reports whether a type has no data, such as scheduler.Min[uint32].
func empty(t types.Type) bool {
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if !empty(f.Type()) {
			return false
		}
	}
	return true
}
