package atos

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// History counts visits over time (figures 3 to 5): Visits[i] is their number in the time
// from i*Width to (i+1)*Width nanoseconds after the first worker began; the last element has
// all that follows. If Width is 0, nothing is counted, and no clock is read.
type History struct {
	Width  uint32
	Begin  *uint64 // on the clock that all SMs share; all ones before the first worker
	Visits []uint32
}

// begin notes the time at which a worker begins.
func (h History) begin(t gpu.Thread, w scheduler.Worker[uint32]) {
	if h.Width > 0 && w.Index == 0 {
		gpu.AtomicMin(h.Begin, t.GlobalTimer())
	}
}

// count adds the visits of a batch, one for each thread in which visit is true. The threads of a
// worker call it together.
func count[M scheduler.Mapping](t gpu.Thread, h History, w scheduler.Worker[uint32], visit bool) {
	if h.Width == 0 {
		return
	}
	n := scheduler.TaskTally[M](t, visit)
	if w.Index == 0 && n > 0 {
		interval := uint32(t.GlobalTimer()-gpu.Load(h.Begin)) / h.Width
		gpu.AtomicAdd(&h.Visits[min(interval, gpu.Len(h.Visits)-1)], n)
	}
}
