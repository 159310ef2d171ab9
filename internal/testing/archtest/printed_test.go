package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPrinted checks that method String of an exported type of a public package has a value as its receiver: fmt does not find
// that of a pointer where a program prints a value, such as an element of a slice, and would print the fields.
func TestPrinted(t *testing.T) {
	out, err := goTool("list", "-json=ImportPath,Dir,GoFiles", "./...")
	require.NoError(t, err)
	methods := 0
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir string
			GoFiles         []string
		}
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if !ours(p.ImportPath) || !public(below(p.ImportPath)) {
			continue
		}
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Recv == nil || fn.Name.Name != "String" || !ast.IsExported(base(fn.Recv.List[0].Type)) {
					continue
				}
				methods++
				_, pointer := fn.Recv.List[0].Type.(*ast.StarExpr)
				assert.False(t, pointer, "%s: %s.String has a pointer as its receiver", name, base(fn.Recv.List[0].Type))
			}
		}
	}
	require.Greater(t, methods, 10)
}
