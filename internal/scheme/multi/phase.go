package multi

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// NextPhase is scheduler.NextPhase for the vertices of a part: it leaves the complement of the smallest phase after now in
// which one of them will be visited in *next, which is 0 before. The next phase of the run is the smallest one of all GPUs.
func NextPhase[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, p Part, values []V, now uint32, next *uint32) {
	var warp scheduler.WarpPerVertex
	phase := scheduler.NoPhase
	for row := t.Global(); row < p.Graph.Vertices(); row += t.Stride() {
		id := p.First + row
		phase = min(phase, alg.Phase(id, now, gpu.Load(&values[id])))
	}
	phase = scheduler.Reduce(t, warp, phase, scheduler.NoPhase, func(a, b uint32) uint32 { return min(a, b) })
	if t.Lane() == 0 && phase != scheduler.NoPhase {
		gpu.AtomicMax(next, ^phase)
	}
}

// EnterPhase is scheduler.EnterPhase for the vertices of a part: it collects those of them that are in the first frontier of a
// phase, which follows phase now. turned has the row offsets of the part in the transpose. It sets *reversed to 1 if the phase
// traverses that, and otherwise leaves it.
func EnterPhase[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, p Part, turned []uint32, values []V, now, phase uint32, reversed *uint32, out scheduler.Queue) {
	if t.Global() == 0 && alg.Reverse(phase) {
		*reversed = 1
	}
	n := p.Graph.Vertices()
	// All lanes of a warp stay in the loop for AddWarp.
	for first := t.Global() - t.Lane(); first < n; first += t.Stride() {
		row := first + t.Lane()
		active := false
		if row < n {
			v := scheduler.Vertex{ID: p.First + row, Phase: phase}
			if alg.Reverse(phase) {
				v.Degree = turned[row+1] - turned[row]
			} else {
				v.Degree = p.Graph.Row[row+1] - p.Graph.Row[row]
			}
			active = scheduler.Enters(alg, v, now, &values[v.ID])
		}
		out.AddWarp(t, p.First+row, active)
	}
}
