package wolf

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Gather is the first kernel of an iteration of the shared variant, one thread block per edge
// block. It combines the updates for each destination in shared memory, and stores the
// block's local values in local. It only reads the global values.
func Gather[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, list Edges, blocks Blocks, values, taken, local []V, act Activity) {
	gatherBy[A, Blocks, V](t, alg, g, list, blocks, values, taken, local, act)
}

// GatherBy is Gather with another plan.
func GatherBy[A scheduler.Algorithm[V], P Plan, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, list Edges, plan P, values, taken, local []V, act Activity) {
	gatherBy[A, P, V](t, alg, g, list, plan, values, taken, local, act)
}

func gatherBy[A scheduler.Algorithm[V], P Plan, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, list Edges, plan P, values, taken, local []V, act Activity) {
	if !plan.works(act, t.Block()) {
		return
	}
	mine := gpu.DynamicShared[V](t)
	first := plan.slot(t.Block())
	slots := plan.slot(t.Block()+1) - first
	for i := t.Idx(); i < slots; i += t.BlockDim() {
		mine[i] = alg.Identity()
	}
	t.Sync()
	processed := uint32(0)
	plan.edges(t, list, func(e uint32) {
		processed += relax[A, P, V](alg, g, list, plan, values, taken, act, e, func(_ uint32, update V) {
			alg.Update(&mine[list.Slot[e]], update)
		})
	})
	t.Sync()
	for i := t.Idx(); i < slots; i += t.BlockDim() {
		local[first+i] = mine[i]
	}
	scheduler.Tally(t, processed, act.Processed)
}

// WriteBack is the second kernel of an iteration of the shared variant, one thread block per
// edge block: it combines the local values of the block with the global ones.
func WriteBack[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, blocks Blocks, values, local []V, act Activity) {
	writeBackBy[A, Blocks, V](t, alg, g, blocks, values, local, act)
}

// WriteBackBy is WriteBack with another plan.
func WriteBackBy[A scheduler.Algorithm[V], P Plan, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, plan P, values, local []V, act Activity) {
	writeBackBy[A, P, V](t, alg, g, plan, values, local, act)
}

func writeBackBy[A scheduler.Algorithm[V], P Plan, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, plan P, values, local []V, act Activity) {
	if !plan.works(act, t.Block()) {
		return
	}
	changed := uint32(0)
	end := plan.slot(t.Block() + 1)
	for i := plan.slot(t.Block()) + t.Idx(); i < end; i += t.BlockDim() {
		if x := local[i]; x != alg.Identity() {
			changed += commit[A, P, V](alg, g, plan, values, act, plan.vertex(i), x)
		}
	}
	scheduler.Tally(t, changed, act.Changed)
}
