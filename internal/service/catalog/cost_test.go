package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestCompositionCostsNothing checks that an algorithm composed with a mapping compiles to the same code as one
// written by hand.
func TestCompositionCostsNothing(t *testing.T) {
	k, err := catalog.Kernels()
	require.NoError(t, err)
	at, err := catalog.Mount("testdata/user/byhand")
	require.NoError(t, err)
	for name, instance := range map[string]string{
		"BFSThread":     "bsp.Push[kernels.BFS, scheduler.ThreadPerVertex, uint32]",
		"SSSPWarp":      "bsp.Push[kernels.SSSP, scheduler.WarpPerVertex, uint32]",
		"BFSBlockQueue": "blockqueue.Push[kernels.BFS, uint32]",
	} {
		composed, err := k.Kernel(t.Context(), instance, nil)
		require.NoError(t, err)
		byHand, err := k.Kernel(t.Context(), at+"."+name, nil)
		require.NoError(t, err)
		t.Logf("%s: %d instructions, by hand %d; registers %d, %d", name,
			code(composed), code(byHand), composed.Registers, byHand.Registers)
		require.LessOrEqual(t, code(composed), code(byHand))
		require.LessOrEqual(t, composed.Registers, byHand.Registers)
	}
}

// code returns the number of instructions of a kernel.
func code(k *device.Kernel) int { return len(ir.Compiled(k).Program.Code) }
