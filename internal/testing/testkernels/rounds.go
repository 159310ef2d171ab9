package testkernels

import "github.com/weft-gpu/weft/gpu"

// Rounds lets a lane of each warp arrive at an mbarrier, and all warps wait for it, again and again.
func Rounds(t gpu.Thread, rounds uint32, out []uint64) {
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		b.Init(t.BlockDim() / gpu.WarpSize)
	}
	t.Sync()
	from := t.Clock()
	for i := range rounds {
		if t.Lane() == 0 {
			b.Arrive()
		}
		b.Wait(i & 1)
	}
	if t.Idx() == 0 {
		out[0] = t.Clock() - from
	}
}
