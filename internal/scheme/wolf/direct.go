package wolf

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Direct is the kernel of one iteration of the direct variant, one thread block per edge
// block, one thread per edge: each update is an atomic on the global values.
func Direct[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, list Edges, blocks Blocks, values, taken []V, act Activity) {
	if !act.awake(t.Block()) {
		return
	}
	processed, changed := uint32(0), uint32(0)
	blocks.edges(t, list, func(e uint32) {
		processed += relax(alg, g, list, values, taken, act, e, func(v uint32, update V) {
			changed += commit(alg, g, blocks, values, act, v, update)
		})
	})
	scheduler.Tally(t, processed, act.Processed)
	scheduler.Tally(t, changed, act.Changed)
}
