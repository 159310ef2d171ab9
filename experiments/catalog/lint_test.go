package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/experiments/catalog"
)

// Values that other threads update are read with gpu.Load.
func TestKernelsHaveNoRacyLoads(t *testing.T) {
	k, err := catalog.Kernels()
	require.NoError(t, err)
	warnings, err := k.Lint(t.Context(), "kernels")
	require.NoError(t, err)
	require.Empty(t, warnings)
}
