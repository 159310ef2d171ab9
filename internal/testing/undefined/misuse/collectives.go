package misuse

import "github.com/weft-gpu/weft/gpu"

// ShuffleMissing reads lanes that the last warp of a block lacks.
func ShuffleMissing(t gpu.Thread, out, blank []uint32, zero uint32) {
	out[t.Idx()] = gpu.ShflDown(t, gpu.FullMask, t.Lane(), 16)
}

// ShuffleExited reads lanes that have exited.
func ShuffleExited(t gpu.Thread, out, blank []uint32, zero uint32) {
	if t.Lane() >= 24 {
		return
	}
	out[t.Idx()] = gpu.ShflXor(t, gpu.FullMask, t.Lane(), 8)
}

// ShuffleOutside reads lanes outside the mask, which shuffle at the same time.
func ShuffleOutside(t gpu.Thread, out, blank []uint32, zero uint32) {
	half := uint32(0x0000FFFF) << (t.Lane() & 16)
	out[t.Idx()] = gpu.Shfl(t, half, t.Lane(), t.Lane()+16)
}

// ShuffleBeyond shuffles beyond the warp: the value is the thread's own.
func ShuffleBeyond(t gpu.Thread, out, blank []uint32, zero uint32) {
	out[t.Idx()] = gpu.ShflUp(t, gpu.FullMask, t.Idx(), 1) + gpu.ShflDown(t, gpu.FullMask, t.Idx(), 40)
}

// MaskWithoutSelf votes with a mask that lacks the thread's own lane.
func MaskWithoutSelf(t gpu.Thread, out, blank []uint32, zero uint32) {
	out[t.Idx()] = t.Ballot(0x0000FFFF, true)
}

// MaskElsewhere names lanes that do not come.
func MaskElsewhere(t gpu.Thread, out, blank []uint32, zero uint32) {
	if t.Lane() < 8 {
		out[t.Idx()] = t.Ballot(gpu.FullMask, true)
	}
	t.Sync()
}

// MasksDiffer gives different masks in lanes that name each other.
func MasksDiffer(t gpu.Thread, out, blank []uint32, zero uint32) {
	mask := gpu.FullMask
	if t.Lane() == 3 {
		mask = 0x0000FFFF
	}
	out[t.Idx()] = t.Ballot(mask, true)
}

// MaskMissing names lanes that the last warp lacks and lanes that have exited, which
// take no part.
func MaskMissing(t gpu.Thread, out, blank []uint32, zero uint32) {
	if t.Lane() == 5 {
		return
	}
	out[t.Idx()] = t.Ballot(gpu.FullMask, true) | gpu.Match(t, gpu.FullMask, zero)
	t.SyncWarp(gpu.FullMask)
}
