package gpu_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The compiler reads only the API files: without native*.go and host*.go, without imports,
// and without function bodies except those in device*.go.
func TestAPIStandsAlone(t *testing.T) {
	fset := token.NewFileSet()
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	var files []*ast.File
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "native") || strings.HasPrefix(name, "host") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		require.NoError(t, err)
		require.Empty(t, f.Imports, name)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() {
				require.NotEmpty(t, fn.Doc.Text(), "%s: %s has no docstring", name, fn.Name.Name)
			}
		}
		files = append(files, f)
	}
	require.NotEmpty(t, files)
	conf := types.Config{IgnoreFuncBodies: true}
	pkg, err := conf.Check("github.com/weft-gpu/weft/gpu", fset, files, nil)
	require.NoError(t, err)
	for _, name := range []string{"Thread", "Shared", "AtomicCAS", "Load4", "Shfl", "Match", "FMA", "FullMask", "Exp"} {
		require.NotNil(t, pkg.Scope().Lookup(name), name)
	}
}
