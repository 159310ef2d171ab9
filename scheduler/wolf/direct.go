package wolf

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Direct is the kernel of one iteration of the direct variant, one thread per edge: each
// update is an atomic on the global values.
func Direct[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, list Edges, values, taken []V, act Activity) {
	processed, changed := uint32(0), uint32(0)
	if e := t.Global(); e < list.Count {
		processed = relax(alg, g, list, values, taken, act, e, func(v uint32, update V) {
			changed = commit(alg, values, act, v, update)
		})
	}
	tally(t, processed, act.Processed)
	tally(t, changed, act.Changed)
}
