package micro

import "github.com/weft-gpu/weft/gpu"

// Sweep loads all of src once, 16 bytes per thread and step, consecutively across the grid. A
// launch after another one finds in the L2 what that has left there.
func Sweep(t gpu.Thread, src []uint32, end []uint32) {
	n, sum := gpu.Len(src)/4, uint32(0)
	for i := t.Global(); i < n; i += t.Stride() {
		v := gpu.Load4(src, 4*i)
		sum += v[0] + v[1] + v[2] + v[3]
	}
	if sum == 0xffffffff { // never true, but the compiler cannot know that
		end[0] = sum
	}
}

// SweepEach loads all of src once in every block. Blocks of different SMs load the same lines
// at about the same time.
func SweepEach(t gpu.Thread, src []uint32, end []uint32) {
	n, sum := gpu.Len(src)/4, uint32(0)
	for i := t.Idx(); i < n; i += t.BlockDim() {
		v := gpu.Load4(src, 4*i)
		sum += v[0] + v[1] + v[2] + v[3]
	}
	if sum == 0xffffffff {
		end[0] = sum
	}
}

// StoreSparse stores one word in every eight of dst, that is, in each sector.
func StoreSparse(t gpu.Thread, dst []uint32) {
	for i := t.Global(); 8*i < gpu.Len(dst); i += t.Stride() {
		dst[8*i] = i
	}
}
