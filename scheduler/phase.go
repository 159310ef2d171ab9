package scheduler

import "github.com/weft-gpu/weft/gpu"

// NextPhase is the kernel that finds the next phase of an algorithm whose frontier has
// become empty in phase now. It leaves the complement of the phase in *next, which must be 0
// before; 0 then means that there is no further phase.
func NextPhase[A Algorithm[V], V gpu.Num](t gpu.Thread, alg A, values []V, now uint32, next *uint32) {
	if phase := SmallestPhase(t, alg, values, now); t.Lane() == 0 && phase != NoPhase {
		gpu.AtomicMax(next, ^phase)
	}
}

// SmallestPhase returns the smallest phase after now in which any of the vertices of a warp
// will be visited. The vertices are divided among the threads of the grid; all lanes of a
// warp must call it together, and get the same result.
func SmallestPhase[A Algorithm[V], V gpu.Num](t gpu.Thread, alg A, values []V, now uint32) uint32 {
	phase := NoPhase
	for id := t.Global(); id < gpu.Len(values); id += t.Stride() {
		phase = min(phase, alg.Phase(id, now, gpu.Load(&values[id])))
	}
	return reduceWarp(t, phase, func(a, b uint32) uint32 { return min(a, b) })
}

// EnterPhase is the kernel that collects the first frontier of a phase that follows phase
// now, one thread per vertex. row has the row offsets of the graph, and turned those of its
// transpose. It sets *reversed to 1 if the phase traverses the transpose, and otherwise
// leaves it.
func EnterPhase[A Algorithm[V], V gpu.Num](t gpu.Thread, alg A, row, turned []uint32, values []V, now, phase uint32, reversed *uint32, out Queue) {
	if t.Global() == 0 && alg.Reverse(phase) {
		*reversed = 1
	}
	// All lanes of a warp stay in the loop for AddWarp, as in Init.
	for first := t.Global() - t.Lane(); first < gpu.Len(values); first += t.Stride() {
		id := first + t.Lane()
		active := false
		if id < gpu.Len(values) {
			v := Vertex{ID: id, Phase: phase}
			if alg.Reverse(phase) {
				v.Degree = turned[id+1] - turned[id]
			} else {
				v.Degree = row[id+1] - row[id]
			}
			active = Enters(alg, v, now, &values[id])
		}
		out.AddWarp(t, id, active)
	}
}

// Enters reports whether v, with the value at p, is in the first frontier of phase v.Phase,
// which follows phase now. It must be called once for each vertex, after the phase is known,
// while no other thread accesses the value: Enter gets a copy of it, so that it may use plain
// loads.
func Enters[A Algorithm[V], V gpu.Num](alg A, v Vertex, now uint32, p *V) bool {
	x := gpu.Load(p)
	if alg.Phase(v.ID, now, x) != v.Phase {
		return false
	}
	active := alg.Enter(v, &x)
	gpu.Store(p, x)
	return active
}
