package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestKernelsHaveNoRacyLoads checks that values updated by other threads are read with gpu.Load.
func TestKernelsHaveNoRacyLoads(t *testing.T) {
	k, err := catalog.Kernels()
	require.NoError(t, err)
	for _, e := range catalog.EntryPoints() {
		compiled, err := k.Kernel(t.Context(), e.Name, e.Bind)
		require.NoError(t, err)
		require.Empty(t, compile.LintKernel(ir.Compiled(compiled)), e.Name)
	}
}
