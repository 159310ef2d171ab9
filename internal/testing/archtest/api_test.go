package archtest

import (
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
)

// apiFile has every name that a program outside this module can use. A change of a line is a change for users:
// CHANGELOG.md says what is promised.
const apiFile = "docs/api.txt"

// TestAPI checks that no public name appears, changes or goes by accident. "go test ./internal/testing/archtest -run TestAPI
// -update" writes the file anew.
func TestAPI(t *testing.T) {
	var out strings.Builder
	names := 0
	for _, p := range publicPackages(t) {
		lines := api(p)
		names += len(lines)
		fmt.Fprintf(&out, "package %s\n%s\n", below(p.Path()), strings.Join(lines, ""))
	}
	require.Greater(t, names, 500)
	golden.Check(t, filepath.Join(root, apiFile), out.String())
}

// TestAPIOf checks the lines of a package by hand.
func TestAPIOf(t *testing.T) {
	p := types.NewPackage("m/p", "p")
	named := types.NewNamed(types.NewTypeName(0, p, "T", nil), types.NewStruct([]*types.Var{
		types.NewField(0, p, "A", types.Typ[types.Int], false), types.NewField(0, p, "b", types.Typ[types.Int], false)}, nil), nil)
	recv := types.NewVar(0, p, "t", types.NewPointer(named))
	for _, name := range []string{"Do", "hidden"} {
		named.AddMethod(types.NewFunc(0, p, name, types.NewSignatureType(recv, nil, nil, nil, nil, false)))
	}
	p.Scope().Insert(named.Obj())
	p.Scope().Insert(types.NewVar(0, p, "x", types.Typ[types.Int]))
	p.Scope().Insert(types.NewFunc(0, p, "F", types.NewSignatureType(nil, nil, nil, types.NewTuple(types.NewVar(0, p, "a", named)), nil, false)))
	require.Equal(t, []string{"func F(a T)\n", "type T struct\n", "field T.A int\n", "method (*T).Do()\n"}, api(p))
}

// api returns a line for each name of a package, and for the fields and methods of its types.
func api(p *types.Package) (lines []string) {
	q := func(other *types.Package) string {
		if other == p {
			return ""
		}
		return other.Name()
	}
	text := func(t types.Type) string { return types.TypeString(t, q) }
	for _, name := range p.Scope().Names() {
		obj := p.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		tn, ok := obj.(*types.TypeName)
		if !ok {
			lines = append(lines, types.ObjectString(obj, q)+"\n")
			continue
		}
		lines = append(lines, typeLines(tn, text)...)
	}
	return lines
}

func typeLines(tn *types.TypeName, text func(types.Type) string) (lines []string) {
	name := tn.Name()
	if alias, ok := tn.Type().(*types.Alias); ok {
		return []string{fmt.Sprintf("type %s = %s\n", name, text(alias.Rhs()))}
	}
	switch u := tn.Type().Underlying().(type) {
	case *types.Struct:
		lines = append(lines, fmt.Sprintf("type %s struct\n", name))
		for f := range u.Fields() {
			if f.Exported() {
				lines = append(lines, fmt.Sprintf("field %s.%s %s\n", name, f.Name(), text(f.Type())))
			}
		}
	case *types.Interface:
		lines = append(lines, fmt.Sprintf("type %s %s\n", name, text(u)))
		return lines
	default:
		lines = append(lines, fmt.Sprintf("type %s %s\n", name, text(u)))
	}
	own := types.NewMethodSet(tn.Type())
	for m := range types.NewMethodSet(types.NewPointer(tn.Type())).Methods() {
		f, ok := m.Obj().(*types.Func)
		if !ok || !f.Exported() {
			continue
		}
		recv := name
		if own.Lookup(f.Pkg(), f.Name()) == nil {
			recv = "*" + name
		}
		lines = append(lines, fmt.Sprintf("method (%s).%s%s\n", recv, f.Name(), strings.TrimPrefix(text(f.Type()), "func")))
	}
	slices.Sort(lines[1:])
	return lines
}

// TestPublicIsFew checks how many packages a program outside can import: each is a promise.
func TestPublicIsFew(t *testing.T) {
	var names []string
	for _, p := range publicPackages(t) {
		names = append(names, below(p.Path()))
	}
	text, err := os.ReadFile(filepath.Join(root, apiFile))
	require.NoError(t, err)
	require.Equal(t, len(names), strings.Count(string(text), "package "))
	require.LessOrEqual(t, len(names), 14, "%v", names)
}
