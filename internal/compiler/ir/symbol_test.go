package ir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

func TestSymbol(t *testing.T) {
	require.Equal(t, "micro_Copy", ir.Symbol("micro.Copy"))
	require.Equal(t, "bsp_Push_kernels_BFS_scheduler_WarpPerVertex_uint32_", ir.Symbol("bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]"))
}
