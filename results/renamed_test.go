package results_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/results"
)

// TestOldNames checks that kernels recorded under the names of entry-point variables are found under their current
// names.
func TestOldNames(t *testing.T) {
	require.Equal(t, "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]", results.KernelName("kernels.BFSWarp"))
	require.Equal(t, "bsp.Pull[kernels.PageRankPull, scheduler.BlockPerVertex, float32]", results.KernelName("kernels.PageRankPullBlock"))
	require.Equal(t, "scheduler.Init[kernels.CC, uint32]", results.KernelName("kernels.CCInit"))
	require.Equal(t, "blockqueue.Push[kernels.BFS, uint32]", results.KernelName("kernels.BFSBlockQueue"))
	require.Equal(t, "micro.Copy", results.KernelName("micro.Copy"))

	h, err := results.LoadFS("x", fstest.MapFS{
		"meta.json":    {Data: []byte(`{}`)},
		"kernels.json": {Data: []byte(`[{"name": "kernels.SSSPThread", "registers": 18}, {"name": "micro.Copy", "registers": 8}]`)},
		"byhand.json":  {Data: []byte(`[{"kernel": "kernels.CCWarp"}]`)},
		"runs.json":    {Data: []byte(`[{"by_kernel": [{"kernel": "kernels_BFSBlockQueue"}, {"kernel": "kernels_BFSInit"}]}]`)},
	})
	require.NoError(t, err)
	require.Equal(t, []results.Kernel{{Name: "bsp.Push[kernels.SSSP, scheduler.ThreadPerVertex, uint32]", Registers: 18}, {Name: "micro.Copy", Registers: 8}}, h.Kernels)
	require.Equal(t, "bsp.Push[kernels.CC, scheduler.WarpPerVertex, uint32]", h.ByHand[0].Kernel)
	require.Equal(t, []results.KernelCounters{{Kernel: "blockqueue_Push_kernels_BFS_uint32_"}, {Kernel: "scheduler_Init_kernels_BFS_uint32_"}}, h.Runs[0].ByKernel)
}

// TestNoOldNameIsLeft checks the records embedded in the program.
func TestNoOldNameIsLeft(t *testing.T) {
	for _, gpu := range results.GPUs() {
		h, err := results.Load(gpu)
		require.NoError(t, err)
		for _, k := range h.Kernels {
			require.False(t, strings.HasPrefix(k.Name, "kernels."), k.Name)
		}
		for _, r := range h.Runs {
			for _, k := range r.ByKernel {
				require.False(t, strings.HasPrefix(k.Kernel, "kernels_"), k.Kernel)
			}
		}
	}
}
