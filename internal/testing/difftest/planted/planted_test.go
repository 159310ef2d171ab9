package planted

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func root(t *testing.T) string {
	dir, err := filepath.Abs("../../../..")
	require.NoError(t, err)
	return dir
}

// Each fault can be planted in the current sources.
func TestFaultsApply(t *testing.T) {
	names := map[string]bool{}
	for _, f := range Faults {
		assert.False(t, names[f.Name], f.Name)
		names[f.Name] = true
		_, files, err := f.Overlay(root(t), t.TempDir())
		require.NoError(t, err)
		require.NotEmpty(t, files, f.Name)
		for _, file := range files {
			_, err = parser.ParseFile(token.NewFileSet(), file, nil, 0)
			assert.NoError(t, err, f.Name)
		}
	}
	assert.GreaterOrEqual(t, len(Faults), 12)
	_, _, err := Fault{Name: "x", Edits: []Edit{{"sim/lsu.go", "no such text", ""}}}.Overlay(root(t), t.TempDir())
	assert.ErrorContains(t, err, "sim/lsu.go: what the fault x replaces is there 0 times, not once")
}
