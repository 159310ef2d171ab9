package readptx

import (
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Argument is what is known of a parameter of a kernel beyond its size. The names of
// C++ functions have the types of their parameters; otherwise the accesses of the kernel
// say what is an address.
type Argument struct {
	Name    string  // "p0", "p1", ... for kernels of a compiler
	Pointer bool    // an address in global memory
	Kind    ir.Kind // of the number, or of what the address is of; Void for a structure
	Size    int
	Align   int
}

// Arguments returns what is known of the parameters of a kernel that was built.
func (m *Module) Arguments(k *ir.Kernel) (list []Argument) {
	kinds := mangledTypes(k.Source.Entry)
	if len(kinds) != len(k.Params) {
		kinds = nil
	}
	accessed := accessedThrough(k.Func)
	for i, p := range k.Params {
		a := Argument{Name: argumentName(k.Source.Entry, p.Name), Size: p.Bytes, Align: p.Align}
		through, used := accessed[i]
		switch {
		case kinds != nil && kinds[i].known && kinds[i].size() == p.Bytes:
			a.Pointer, a.Kind = kinds[i].pointer, kinds[i].kind
			if a.Pointer && a.Kind == ir.Void { // of a structure, or void: as the kernel accesses it
				a.Kind = through
			}
		case used && p.Bytes == 8:
			a.Pointer, a.Kind = true, through
		default:
			a.Kind = numberKind(p)
		}
		if a.Pointer && (a.Kind == ir.Void || a.Kind == ir.Pred) {
			a.Kind = ir.U32
		}
		list = append(list, a)
	}
	return list
}

func argumentName(kernel, param string) string {
	if rest, ok := strings.CutPrefix(param, kernel+"_param_"); ok {
		return "p" + rest
	}
	return param
}

// numberKind returns the kind of a parameter from its type in PTX; Void if it has several
// parts.
func numberKind(p ir.Param) ir.Kind {
	t, ok := types[p.Type]
	switch {
	case !ok || t.bits > 64:
		return ir.Void
	case t.real():
		return t.reg()
	case t.letter == 's':
		return t.mem()
	}
	return typ{'u', t.bits, false}.mem()
}

// accessedThrough returns the parameters that are addresses of accesses, with the kind of
// the first.
func accessedThrough(f *ir.Func) map[int]ir.Kind {
	found := map[int]ir.Kind{}
	for _, b := range f.Blocks {
		for _, v := range b.Ins {
			if !v.Op.Addressed() {
				continue
			}
			if leaf := baseOf(f, v.Args[0], 16); leaf != nil && leaf.Param >= 0 && leaf.Off == 0 && leaf.Kind.Bits() == 64 {
				if _, known := found[leaf.Param]; !known {
					found[leaf.Param] = v.Mem.Kind
				}
			}
		}
	}
	return found
}

// baseOf returns the parameter from which an address is computed; nil if it is not known.
func baseOf(f *ir.Func, v *ir.Value, depth int) *ir.Leaf {
	switch {
	case depth == 0:
	case v.Op == ir.OpParam:
		return &f.Leaves[v.Imm]
	case v.Op == ir.OpLea, v.Op == ir.OpSub:
		return baseOf(f, v.Args[0], depth-1)
	case v.Op == ir.OpAdd, v.Op == ir.OpPhi:
		for _, arg := range v.Args {
			if leaf := baseOf(f, arg, depth/2); leaf != nil {
				return leaf
			}
		}
	case v.Op == ir.OpSelect:
		return baseOf(f, v.Args[1], depth-1)
	}
	return nil
}

// cType is a type in the name of a C++ function.
type cType struct {
	pointer bool
	kind    ir.Kind
	known   bool
}

func (t cType) size() int {
	if t.pointer {
		return 8
	}
	return t.kind.Bytes()
}

var cTypes = map[byte]ir.Kind{
	'v': ir.Void, 'b': ir.U8, 'c': ir.S8, 'a': ir.S8, 'h': ir.U8, 's': ir.S16, 't': ir.U16, 'i': ir.S32, 'j': ir.U32,
	'l': ir.S64, 'm': ir.U64, 'x': ir.S64, 'y': ir.U64, 'f': ir.F32, 'd': ir.F64,
}

// mangledTypes returns the types of the parameters of a C++ function that is no template
// and in no namespace; nil if its name does not have them, or not in a form that is read
// here.
func mangledTypes(name string) []cType {
	rest, ok := strings.CutPrefix(name, "_Z")
	if !ok {
		return nil
	}
	rest = strings.TrimPrefix(rest, "L")
	n, digits := 0, 0
	for digits < len(rest) && digit(rest[digits]) && digits < 5 {
		n = n*10 + int(rest[digits]-'0')
		digits++
	}
	if digits == 0 || digits+n > len(rest) {
		return nil
	}
	d := demangler{rest: rest[digits+n:]}
	var list []cType
	for d.rest != "" {
		t, ok := d.parse(32)
		if !ok {
			return nil
		}
		list = append(list, t)
	}
	if len(list) == 1 && !list[0].pointer && list[0].kind == ir.Void && list[0].known {
		return []cType{}
	}
	return list
}

// demangler reads types; seen are those that a later one may refer to.
type demangler struct {
	rest string
	seen []cType
}

func (d *demangler) parse(depth int) (t cType, ok bool) {
	if d.rest == "" || depth == 0 {
		return t, false
	}
	c := d.rest[0]
	switch {
	case c == 'P' || c == 'R':
		d.rest = d.rest[1:]
		to, ok := d.parse(depth - 1)
		if !ok {
			return t, false
		}
		t = cType{pointer: true, kind: to.kind, known: true}
		if to.pointer {
			t.kind = ir.U64
		}
		d.seen = append(d.seen, t)
		return t, true
	case c == 'K' || c == 'V' || c == 'r':
		d.rest = d.rest[1:]
		if t, ok = d.parse(depth - 1); ok {
			d.seen = append(d.seen, t)
		}
		return t, ok
	case c == 'S':
		end := strings.IndexByte(d.rest, '_')
		if end < 0 || end > 2 {
			return t, false
		}
		n := 0
		if end == 2 {
			if !digit(d.rest[1]) {
				return t, false
			}
			n = int(d.rest[1]-'0') + 1
		}
		d.rest = d.rest[end+1:]
		if n >= len(d.seen) {
			return t, false
		}
		return d.seen[n], true
	case digit(c):
		n, digits := 0, 0
		for digits < len(d.rest) && digit(d.rest[digits]) && digits < 5 {
			n = n*10 + int(d.rest[digits]-'0')
			digits++
		}
		if digits+n > len(d.rest) {
			return t, false
		}
		d.rest = d.rest[digits+n:]
		if strings.HasPrefix(d.rest, "I") {
			return t, false
		}
		d.seen = append(d.seen, t)
		return t, true
	}
	k, known := cTypes[c]
	d.rest = d.rest[1:]
	return cType{kind: k, known: known}, known
}
