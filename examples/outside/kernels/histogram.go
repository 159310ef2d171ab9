package kernels

import "github.com/weft-gpu/weft/gpu"

// Bins is the number of bins of Histogram.
const Bins = 256

// Histogram counts how often each byte occurs in data. Each block counts in shared
// memory, and adds its counts to bins once.
func Histogram(t gpu.Thread, data []uint8, bins []uint32) {
	h := gpu.Shared[[Bins]uint32](t)
	for i := t.Idx(); i < Bins; i += t.BlockDim() {
		h[i] = 0
	}
	t.Sync()
	for i := t.Global(); i < gpu.Len(data); i += t.Stride() {
		gpu.AtomicAdd(&h[data[i]], 1, gpu.BlockScope)
	}
	t.Sync()
	for i := t.Idx(); i < Bins; i += t.BlockDim() {
		if h[i] > 0 {
			gpu.AtomicAdd(&bins[i], h[i])
		}
	}
}
