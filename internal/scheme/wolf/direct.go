package wolf

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Direct is the kernel of one iteration of the direct variant, one thread block per edge
// block, one thread per edge: each update is an atomic on the global values.
func Direct[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, list Edges, blocks Blocks, values, taken []V, act Activity) {
	directBy[A, Blocks, V](t, alg, g, list, blocks, values, taken, act)
}

// DirectBy is Direct with another plan.
func DirectBy[A scheduler.Algorithm[V], P Plan, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, list Edges, plan P, values, taken []V, act Activity) {
	directBy[A, P, V](t, alg, g, list, plan, values, taken, act)
}

func directBy[A scheduler.Algorithm[V], P Plan, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, list Edges, plan P, values, taken []V, act Activity) {
	if !plan.works(act, t.Block()) {
		return
	}
	processed, changed := uint32(0), uint32(0)
	plan.edges(t, list, func(e uint32) {
		processed += relax[A, P, V](alg, g, list, plan, values, taken, act, e, func(v uint32, update V) {
			changed += commit[A, P, V](alg, g, plan, values, act, v, update)
		})
	})
	scheduler.Tally(t, processed, act.Processed)
	scheduler.Tally(t, changed, act.Changed)
}
