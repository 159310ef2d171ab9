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

// TestLoadsInFlight checks that the four iterations of an unrolled loop have their loads in flight together, also in
// kernels of many registers: as in the machine code that ptxas 13.0 makes of these kernels for sm_90, which has four loads
// of arcs one after the other, and then four of the values of their ends.
func TestLoadsInFlight(t *testing.T) {
	c, err := catalog.Kernels()
	require.NoError(t, err)
	for _, name := range []string{"vwc.Pull[kernels.SSSP, vwc.Lanes8, uint32]", "simdx.Pull[kernels.PageRankPull, float32]"} {
		k, err := c.Kernel(t.Context(), name, nil)
		require.NoError(t, err)
		code := ir.Compiled(k).Program.Code
		found := 0
		for pc := range code {
			if in := &code[pc]; in.Op == ir.OpBra && int(in.Target) < pc {
				for _, run := range loadRuns(code[in.Target:pc]) {
					if run >= 4 {
						found++
					}
				}
			}
		}
		require.GreaterOrEqual(t, found, 2, name)
	}
}

// loadRuns returns how many global loads of straight code are on their way before one of their results is used, one number for each
// time that a result is waited for.
func loadRuns(code []ir.Inst) (runs []int) {
	pending := map[int32]bool{}
	for i := range code {
		in := &code[i]
		for j := range int(in.NSrc) {
			if pending[int32(in.Src[j])] && !in.SrcPred(j) {
				runs, pending = append(runs, len(pending)), map[int32]bool{}
			}
		}
		if in.Op == ir.OpLoad && in.Mem.Space == ir.Global {
			pending[in.Dst[0]] = true
		}
	}
	return runs
}
