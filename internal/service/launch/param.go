package launch

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/service/option"
)

// Param is a parameter of a kernel after gpu.Thread.
type Param struct {
	Name string // "n"
	Type string // as Go writes it: "[]uint32"

	typ    types.Type
	leaves []*leaf // the parts that get values, in the order in which a launch takes them
}

// leaf is a parameter or a part of one that gets a value from an argument: a
// scalar, a slice or a pointer.
type leaf struct {
	name  string // "n", "p.x", "p[0]"
	typ   string // as Go writes it
	form  form
	elem  element // of a slice or pointer; a scalar is its only field
	param *Param
}

type form uint8

const (
	scalar form = iota
	slice
	pointer
)

// String returns "scalar", "slice" or "pointer".
func (f form) String() string { return [...]string{"scalar", "slice", "pointer"}[f] }

// element is the layout of a slice's elements or of a pointer's target.
// Elements that are arrays are split into units.
type element struct {
	units  int     // units per element; 1 if it is not an array
	size   int     // bytes per unit
	fields []field // scalars of a unit, by offset; a single one without a name if the unit is a scalar
}

// field is a scalar in a unit.
type field struct {
	name string // "", ".x", ".at[1]"
	kind kind
	off  int
}

// buffer returns the kind of a device buffer with such elements: bytes for
// structs.
func (e element) buffer() kind {
	if len(e.fields) == 1 && e.fields[0].name == "" {
		return e.fields[0].kind
	}
	return kinds[types.Uint8]
}

// maxParts limits the number of parts of a parameter, or of scalars of a
// struct, for which arguments are accepted.
const maxParts = 4096

// sizes are the sizes of types in the device's memory.
var sizes = types.SizesFor("gc", "amd64")

// Params returns the parameters of a kernel of this type, without those that no
// argument can set, which the compiler rejects.
func Params(sig *types.Signature) (params []*Param) {
	for i := 1; i < sig.Params().Len(); i++ {
		v := sig.Params().At(i)
		p := &Param{Name: v.Name(), Type: typeName(v.Type()), typ: v.Type()}
		if p.Name == "" || p.Name == "_" {
			p.Name = fmt.Sprintf("p%d", i)
		}
		p.add(p.Name, v.Type())
		params = append(params, p)
	}
	return params
}

func typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// add adds the leaves of a part of the parameter.
func (p *Param) add(name string, t types.Type) {
	l := &leaf{name: name, typ: typeName(t), param: p}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if f := u.Field(i); f.Name() != "_" {
				p.add(name+"."+f.Name(), f.Type())
			}
		}
		return
	case *types.Array:
		for i := range min(u.Len(), maxParts+1) {
			p.add(fmt.Sprintf("%s[%d]", name, i), u.Elem())
		}
		return
	case *types.Slice:
		l.form, l.elem = slice, elementOf(u.Elem())
	case *types.Pointer:
		l.form, l.elem = pointer, elementOf(u.Elem())
	default:
		l.form, l.elem = scalar, elementOf(t)
	}
	if len(p.leaves) <= maxParts {
		p.leaves = append(p.leaves, l)
	}
}

func elementOf(t types.Type) element {
	e := element{units: 1}
	for {
		a, ok := t.Underlying().(*types.Array)
		if !ok {
			break
		}
		e.units *= int(a.Len())
		t = a.Elem()
	}
	if _, generic := t.(*types.TypeParam); !generic {
		e.size = int(sizes.Sizeof(t))
		e.add("", t, 0)
	}
	return e
}

// add adds the scalars of a part of a unit.
func (e *element) add(name string, t types.Type, off int) {
	if len(e.fields) > maxParts {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if k, ok := kinds[u.Kind()]; ok {
			e.fields = append(e.fields, field{name, k, off})
		}
	case *types.Array:
		for i := range min(u.Len(), maxParts+1) {
			e.add(fmt.Sprintf("%s[%d]", name, i), u.Elem(), off+int(i*sizes.Sizeof(u.Elem())))
		}
	case *types.Struct:
		var fields []*types.Var
		for f := range u.Fields() {
			fields = append(fields, f)
		}
		for i, at := range sizes.Offsetsof(fields) {
			if fields[i].Name() != "_" {
				e.add(name+"."+fields[i].Name(), fields[i].Type(), off+int(at))
			}
		}
	}
}

// kind returns the kind of a scalar leaf.
func (l *leaf) kind() kind { return l.elem.fields[0].kind }

// example returns a possible value of the leaf.
func (l *leaf) example() string {
	switch {
	case l.form == slice:
		return "zeros:1024"
	case l.form == pointer:
		return "zeros"
	case len(l.elem.fields) == 0: // of a type parameter
		return "1"
	case l.kind().isBool():
		return "true"
	case l.kind().isFloat():
		return "0.5"
	case l.kind().bits() == 8:
		return "100"
	}
	return "1024"
}

// Examples returns an example flag for each value that the parameters need:
// "--arg n=1024".
func Examples(params []*Param) (flags []string) {
	for _, p := range params {
		for _, l := range p.leaves {
			flags = append(flags, option.Arg.With(l.name+"="+l.example()).String())
		}
	}
	return flags
}

// Line returns a command line that launches the kernel, with an example for
// each argument.
func Line(kernel string, params []*Param) string {
	return strings.Join(append([]string{"weft launch", format.Word(kernel), option.Grid.With("64").String(), option.Block.With("256").String()}, Examples(params)...), " ")
}

// Declared returns the Go type of a kernel that a package declares; for a
// generic one it contains type parameters. It returns nil if name is not a
// kernel there.
func Declared(p *types.Package, name string) *types.Signature {
	object := p.Scope().Lookup(name)
	if object == nil || !object.Exported() {
		return nil
	}
	if _, typ := object.(*types.TypeName); typ {
		return nil
	}
	sig, ok := object.Type().(*types.Signature)
	if !ok || sig.Params().Len() == 0 || sig.Results().Len() > 0 || typeName(sig.Params().At(0).Type()) != "gpu.Thread" {
		return nil
	}
	return sig
}

// goType returns a type for binding a constant of type t. It includes fields
// named "_".
func goType(t types.Type) (reflect.Type, bool) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		k, ok := kinds[u.Kind()]
		return k.typ, ok
	case *types.Array:
		e, ok := goType(u.Elem())
		if !ok {
			return nil, false
		}
		return reflect.ArrayOf(int(u.Len()), e), true
	case *types.Struct:
		var fields []reflect.StructField
		for i := range u.NumFields() {
			e, ok := goType(u.Field(i).Type())
			if !ok {
				return nil, false
			}
			fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: e})
		}
		return reflect.StructOf(fields), true
	}
	return nil, false
}
