package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// public reports whether a program outside this module can import a package and
// use it as a library.
func public(name string) bool {
	return !slices.Contains(strings.Split(name, "/"), "internal") && project(name) && !within(name, "cmd") && !within(name, "examples")
}

// TestPublicTypes checks that no exported declaration of a public package names
// a type of an internal package: a user could neither declare a variable of it
// nor look it up.
func TestPublicTypes(t *testing.T) {
	for _, p := range publicPackages(t) {
		for _, leak := range leaks(p) {
			t.Error(leak)
		}
	}
}

// publicPackages returns the packages that a program outside this module can import, sorted by path.
func publicPackages(t *testing.T) (list []*types.Package) {
	t.Helper()
	exports := map[string]string{}
	var names []string
	out, err := goTool("list", "-deps", "-export", "-json=ImportPath,Export", "./...")
	require.NoError(t, err)
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ ImportPath, Export string }
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		exports[p.ImportPath] = p.Export
		if ours(p.ImportPath) && public(below(p.ImportPath)) {
			names = append(names, p.ImportPath)
		}
	}
	require.Greater(t, len(names), 10)
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	slices.Sort(names)
	for _, name := range names {
		p, err := imp.Import(name)
		require.NoError(t, err)
		list = append(list, p)
	}
	return list
}

// TestPackageComments checks that each package says what it is for.
func TestPackageComments(t *testing.T) {
	out, err := goTool("list", "-json=ImportPath,Doc,GoFiles", "./...")
	require.NoError(t, err)
	checked := 0
	for dec := json.NewDecoder(bytes.NewReader(out)); ; checked++ {
		var p struct {
			ImportPath, Doc string
			GoFiles         []string
		}
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if name := below(p.ImportPath); project(name) && len(p.GoFiles) > 0 { // others have tests only
			assert.NotEmpty(t, p.Doc, "package %s has no package comment", name)
		}
	}
	require.Greater(t, checked, 20)
}

// leaks lists the exported declarations of a package that name types of internal packages.
func leaks(p *types.Package) []string {
	w := &leakWalker{pkg: p, seen: map[types.Type]bool{}}
	for _, name := range p.Scope().Names() {
		obj := p.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		at := p.Name() + "." + name
		if tn, ok := obj.(*types.TypeName); ok {
			w.declared(at, tn)
		} else {
			w.walk(at, obj.Type())
		}
	}
	return w.found
}

type leakWalker struct {
	pkg   *types.Package
	seen  map[types.Type]bool // unexported types that exported declarations name
	found []string
}

// declared checks the declaration of a type: its components and its methods.
func (w *leakWalker) declared(at string, tn *types.TypeName) {
	switch t := tn.Type().(type) {
	case *types.Alias:
		w.params(at, t.TypeParams())
		w.walk(at, t.Rhs())
	case *types.Named:
		w.params(at, t.TypeParams())
		w.walk(at, t.Underlying())
		w.methods(at, t)
	}
}

// methods checks the methods of a type, including those of embedded types.
func (w *leakWalker) methods(at string, t types.Type) {
	if types.IsInterface(t) {
		return // checked as a type
	}
	set := types.NewMethodSet(types.NewPointer(t))
	for m := range set.Methods() {
		if m.Obj().Exported() {
			w.walk(at+"."+m.Obj().Name(), m.Type())
		}
	}
}

func (w *leakWalker) params(at string, list *types.TypeParamList) {
	for p := range list.TypeParams() {
		w.walk(at+"["+p.Obj().Name()+"]", p.Constraint())
	}
}

// named checks a named type. For unexported types it checks what a user can see
// of them; exported ones are separate declarations.
func (w *leakWalker) named(at string, obj *types.TypeName, args *types.TypeList) {
	for t := range args.Types() {
		w.walk(at, t)
	}
	switch {
	case obj.Pkg() == nil: // error, comparable
	case slices.Contains(strings.Split(obj.Pkg().Path(), "/"), "internal") && strings.HasPrefix(obj.Pkg().Path(), moduleOf(w.pkg.Path())+"/"):
		leak := fmt.Sprintf("%s names %s.%s of an internal package (%s): declare a type in a public package, or do not export it", at, obj.Pkg().Name(), obj.Name(), obj.Pkg().Path())
		if !slices.Contains(w.found, leak) {
			w.found = append(w.found, leak)
		}
	case obj.Pkg() == w.pkg && !obj.Exported() && !w.seen[obj.Type()]:
		w.seen[obj.Type()] = true
		w.declared(at, obj)
	}
}

// moduleOf returns the path of the module of a package: for a package of this
// one its path, in planted sources the first element.
func moduleOf(path string) string {
	if ours(path) {
		return module
	}
	first, _, _ := strings.Cut(path, "/")
	return first
}

func (w *leakWalker) walk(at string, t types.Type) {
	switch t := t.(type) {
	case *types.Named:
		w.named(at, t.Obj(), t.TypeArgs())
	case *types.Alias:
		w.named(at, t.Obj(), t.TypeArgs())
	case *types.Pointer:
		w.walk(at, t.Elem())
	case *types.Slice:
		w.walk(at, t.Elem())
	case *types.Array:
		w.walk(at, t.Elem())
	case *types.Chan:
		w.walk(at, t.Elem())
	case *types.Map:
		w.walk(at, t.Key())
		w.walk(at, t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			w.walk(at, v.Type())
		}
	case *types.Signature:
		w.params(at, t.TypeParams())
		w.walk(at, t.Params())
		w.walk(at, t.Results())
	case *types.Union:
		for term := range t.Terms() {
			w.walk(at, term.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				w.walk(at+"."+f.Name(), f.Type())
			} else if f.Embedded() { // its exported fields are the struct's
				w.embedded(at, f.Type())
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if m.Exported() {
				w.walk(at+"."+m.Name(), m.Type())
			}
		}
		for e := range t.EmbeddedTypes() {
			w.walk(at, e)
		}
	}
}

// embedded checks the fields of a struct that is embedded by an unexported
// name.
func (w *leakWalker) embedded(at string, t types.Type) {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		w.walk(at, s)
	}
}

// memory imports packages from sources in memory.
type memory map[string]string

func (m memory) Import(path string) (*types.Package, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, m[path], 0)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: m}
	return conf.Check(path, fset, []*ast.File{f}, nil)
}

// TestLeaks plants a leak of every kind.
func TestLeaks(t *testing.T) {
	m := memory{
		"m/internal/secret": `package secret
type T struct{ Field int }
func (T) Method() {}
type Kind int
type Number interface{ ~int }
type Alias = int
`,
		"m/open": "package open\ntype T struct{}\n",
		"m/p": `package p
import ("m/internal/secret"; "m/open")
type inner struct{ Deep *secret.T; shallow secret.T }
func (inner) Promoted() secret.Kind { return 0 }
func (inner) hidden() secret.Kind { return 0 }
type Fine struct { field secret.T; inside map[string]*secret.T }
func (Fine) Method() open.T { return open.T{} }
func (Fine) method() secret.T { return secret.T{} }
func fine() secret.T { return secret.T{} }
func Param(x []secret.T) {}
func Result() (func(map[secret.Kind]int), error) { return nil, nil }
func Constrained[X secret.Number](x X) {}
func Returns() inner { return inner{} }
func Other() *open.T { return nil }
var Var = secret.T{}
const Const = secret.Kind(1)
type Renamed = secret.T
type Named secret.T
type Field struct { X struct { Y [3]chan secret.T } }
type Embeds struct { inner }
type EmbedsIt struct { secret.T }
type Face interface { M(secret.T); n(secret.T) }
type Faces interface { Face; secret.Number }
type Generic[X any] struct { x X }
type Instance struct { G Generic[secret.T] }
type Elem[X Constraint] struct{}
type Constraint interface { ~[]secret.Kind | int }
func (*Field) Method(secret.Alias) {}
`,
	}
	p, err := m.Import("m/p")
	require.NoError(t, err)
	var got []string
	for _, l := range leaks(p) {
		what, rest, _ := strings.Cut(l, " of an internal package")
		got = append(got, what)
		assert.Equal(t, " (m/internal/secret): declare a type in a public package, or do not export it", rest)
	}
	slices.Sort(got)
	assert.Equal(t, []string{
		"p.Const names secret.Kind",
		"p.Constrained[X] names secret.Number",
		"p.Constraint names secret.Kind",
		"p.Embeds.Deep names secret.T",
		"p.Embeds.Promoted names secret.Kind",
		"p.EmbedsIt.T names secret.T",
		"p.Face.M names secret.T",
		"p.Faces names secret.Number",
		"p.Field.Method names secret.Alias",
		"p.Field.X.Y names secret.T",
		"p.Instance.G names secret.T",
		"p.Param names secret.T",
		"p.Renamed names secret.T",
		"p.Result names secret.Kind",
		"p.Returns.Deep names secret.T",
		"p.Returns.Promoted names secret.Kind",
		"p.Var names secret.T",
	}, got)
}
