package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mostMethods is how many methods a type of the simulator or of the diagnoses may have: one with more is several parts, of
// which none can be understood or tested alone.
const mostMethods = 40

// TestPartsAreSmall counts the methods of the types of sim, internal/diagnosis and what is below them.
func TestPartsAreSmall(t *testing.T) {
	count := map[string]int{}
	for _, file := range goFiles(t) {
		if !strings.HasPrefix(file, "sim/") && !strings.HasPrefix(file, "internal/diagnosis/") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, 0)
		require.NoError(t, err)
		for _, d := range f.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil {
				of := m.Recv.List[0].Type
				if p, ok := of.(*ast.StarExpr); ok {
					of = p.X
				}
				if x, ok := of.(*ast.IndexExpr); ok { // of a generic type
					of = x.X
				}
				count[path.Dir(file)+"."+of.(*ast.Ident).Name]++
			}
		}
	}
	require.Greater(t, len(count), 100)
	for name, methods := range count {
		assert.LessOrEqual(t, methods, mostMethods, "%s has %d methods: cut it into parts", name, methods)
	}
}
