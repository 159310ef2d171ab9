//go:build cgo && linux

package worker

import (
	"math"
	"slices"

	"github.com/weft-gpu/weft/hw/internal/cuda"
)

// emptyKernel does nothing.
const emptyKernel = `.version 7.0
.target sm_70
.address_size 64
.visible .entry weft_empty()
{
	ret;
}
`

// calibrate determines, for both ways of timing a single launch, the measured time in excess of that of a launch that
// follows another: the median of single empty launches, minus the time per launch of many back to back. Events measure
// more, our own kernels less, because they are next to the launch on the GPU. Back to back, the host's rate of launches
// is the limit, so that anything else that the host does at that moment would be a part of the time of every launch of
// this process: the shortest of several batches counts. It reports whether launches are made with answers.
func (w *gpu) calibrate() (bool, error) {
	info, err := w.load(LoadArgs{PTX: emptyKernel, Entry: "weft_empty"})
	if err != nil {
		return false, err
	}
	const lone, together, batches = 31, 200, 12
	f := w.funcs[info.Number]
	w.empty = f
	call := LaunchCall{Func: info.Number, Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Repeat: together}
	each := math.Inf(1)
	for range batches {
		if err := w.launch(&call); err != nil {
			return false, err
		}
		each = min(each, call.Seconds/together)
	}
	call.Repeat = 1
	median := func(chain *cuda.Chain) (float64, error) {
		f.chain = chain
		times := make([]float64, lone)
		for i := range times {
			if err := w.launch(&call); err != nil {
				return 0, err
			}
			times[i] = call.Seconds
		}
		slices.Sort(times)
		return times[lone/2] - each, nil
	}
	chain := f.chain
	events, err := median(nil)
	if err == nil && chain != nil {
		w.answers.overhead, err = median(chain)
	}
	w.overhead = events
	return chain != nil, err
}
