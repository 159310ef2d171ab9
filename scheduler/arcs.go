package scheduler

import "github.com/weft-gpu/weft/gpu"

// ArcAt returns the lane whose piece has arc i of all pieces of a warp, and the index of the arc. upTo are the arcs of the pieces up to the lane's
// own, and end is the end of that. All lanes must call it together.
func ArcAt(t gpu.Thread, i, upTo, end uint32) (lane, index uint32) {
	lane = ArcOwner(t, i, upTo)
	return lane, gpu.Shfl(t, gpu.FullMask, end, lane) - (gpu.Shfl(t, gpu.FullMask, upTo, lane) - i)
}

// ArcOwner returns the lane whose piece has arc i of all pieces of a warp: the first one with more than i arcs up to its own. All lanes must call
// it together.
func ArcOwner(t gpu.Thread, i, upTo uint32) (lane uint32) {
	for d := uint32(gpu.WarpSize / 2); d > 0; d /= 2 {
		if gpu.Shfl(t, gpu.FullMask, upTo, lane+d-1) <= i {
			lane += d
		}
	}
	return lane
}
