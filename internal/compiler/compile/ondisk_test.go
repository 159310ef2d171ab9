package compile_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/compile"
)

// TestOnDisk checks that Weft's own sources are found from any directory: a profile shows them wherever it is looked at.
func TestOnDisk(t *testing.T) {
	want, err := filepath.Abs("../../../gpu/math.go")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	c := compile.New()
	require.Equal(t, want, c.OnDisk("gpu/math.go"))
	require.Empty(t, c.OnDisk("gpu/none.go"))
	require.Empty(t, c.OnDisk("other/math.go"))
}
