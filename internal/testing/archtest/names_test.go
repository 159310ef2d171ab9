package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// qualified matches a qualified name in text: "micro.Copy", "gpu.Thread.Sync".
var qualified = regexp.MustCompile(`(?:^|[^\w./*&])([a-z]\w*)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`)

var unfinished = regexp.MustCompile(`[\w.]*%`)

// declared holds what the packages with a name declare: functions, types,
// variables and constants, and methods and fields as "Type.Name".
type declared map[string]map[string]bool

func (d declared) add(pkg, name string) {
	if d[pkg] == nil {
		d[pkg] = map[string]bool{}
	}
	d[pkg][name] = true
}

// file records the declarations of a file.
func (d declared) file(f *ast.File) {
	pkg := strings.TrimSuffix(f.Name.Name, "_test")
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				d.add(pkg, decl.Name.Name)
			} else {
				d.add(pkg, base(decl.Recv.List[0].Type)+"."+decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						d.add(pkg, n.Name)
					}
				case *ast.TypeSpec:
					d.add(pkg, spec.Name.Name)
					d.members(pkg, spec)
				}
			}
		}
	}
}

// members records the fields of a struct and the methods of an interface. It
// does not follow embedded types; every member of a type that embeds another
// one counts as declared.
func (d declared) members(pkg string, spec *ast.TypeSpec) {
	var list *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return
	}
	for _, f := range list.List {
		if len(f.Names) == 0 {
			d.add(pkg, spec.Name.Name+".*")
		}
		for _, n := range f.Names {
			d.add(pkg, spec.Name.Name+"."+n.Name)
		}
	}
}

// base returns the name of a receiver's type.
func base(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return base(x.X)
	case *ast.IndexExpr:
		return base(x.X)
	case *ast.IndexListExpr:
		return base(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// TestNamesInText checks that the names package.Name of our packages in README,
// RATIONALE and comments exist.
func TestNamesInText(t *testing.T) {
	all := declared{}
	type text struct {
		at, text string
		foreign  map[string]bool // names of imports that are not ours
	}
	var texts []text
	require.NoError(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || d.Name() == "build" || d.Name() == "bin") {
			return fs.SkipDir
		}
		switch {
		case strings.HasSuffix(file, ".md"):
			b, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			for i, line := range strings.Split(string(b), "\n") {
				texts = append(texts, text{file + ":" + strconv.Itoa(i+1), line, nil})
			}
		case strings.HasSuffix(file, ".go"):
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			all.file(f)
			foreign := map[string]bool{}
			for _, imp := range f.Imports {
				p, err := strconv.Unquote(imp.Path.Value)
				if err != nil {
					return err
				}
				if imp.Name != nil {
					foreign[imp.Name.Name] = true
				} else if !ours(p) {
					foreign[path.Base(p)] = true
				}
			}
			if !strings.HasSuffix(file, "_test.go") {
				ast.Inspect(f, func(n ast.Node) bool { // messages and help texts
					if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
						texts = append(texts, text{set.Position(l.Pos()).String(), l.Value, foreign})
					}
					return true
				})
			}
			for _, group := range f.Comments {
				for _, c := range group.List {
					texts = append(texts, text{set.Position(c.Pos()).String(), c.Text, foreign})
				}
			}
		}
		return nil
	}))
	require.Contains(t, all, "kernels")
	checked := 0
	for _, x := range texts {
		// A name that a verb completes ("gpu.Atomic%s") is not checked.
		for _, m := range qualified.FindAllStringSubmatch(unfinished.ReplaceAllString(x.text, ""), -1) {
			pkg, name, member := m[1], m[2], m[3]
			names := all[pkg]
			if names == nil || x.foreign[pkg] {
				continue
			}
			checked++
			if !assert.True(t, names[name], "%s: there is no %s.%s", x.at, pkg, name) || member == "" || names[name+".*"] {
				continue
			}
			assert.True(t, names[name+"."+member], "%s: there is no %s.%s.%s", x.at, pkg, name, member)
		}
	}
	assert.Greater(t, checked, 100)
}
