package wolf

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Degrees is the number of classes of degrees of conflict: 1, 2 and 3, 4 to 7, and so on; the
// last one has no end.
const Degrees = 6

// Conflict is what [Conflicts] counts. The degree of conflict of a slot is the number of
// updates that meet there in an iteration (figure 5.4).
type Conflict struct {
	Highest *uint32  // the highest degree
	Slots   []uint32 // the number of slots by class of degree
}

// Conflicts counts the updates of each slot in the coming iteration, one thread block per
// edge block, and changes nothing else.
func Conflicts[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, list Edges, blocks Blocks, values, taken []V, act Activity, found Conflict) {
	conflictsBy[A, Blocks, V](t, alg, g, list, blocks, values, taken, act, found)
}

// ConflictsBy is Conflicts with another plan.
func ConflictsBy[A scheduler.Algorithm[V], P Plan, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, list Edges, plan P, values, taken []V, act Activity, found Conflict) {
	conflictsBy[A, P, V](t, alg, g, list, plan, values, taken, act, found)
}

func conflictsBy[A scheduler.Algorithm[V], P Plan, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, list Edges, plan P, values, taken []V, act Activity, found Conflict) {
	if !plan.works(act, t.Block()) {
		return
	}
	met := gpu.DynamicShared[uint32](t)
	slots := plan.slot(t.Block()+1) - plan.slot(t.Block())
	for i := t.Idx(); i < slots; i += t.BlockDim() {
		met[i] = 0
	}
	t.Sync()
	plan.edges(t, list, func(e uint32) {
		relax[A, P, V](alg, g, list, plan, values, taken, act, e, func(_ uint32, _ V) {
			gpu.AtomicAdd(&met[list.Slot[e]], 1, gpu.BlockScope)
		})
	})
	t.Sync()
	for i := t.Idx(); i < slots; i += t.BlockDim() {
		if n := met[i]; n > 0 {
			gpu.AtomicMax(found.Highest, n)
			gpu.AtomicAdd(&found.Slots[min(31-gpu.LeadingZeros(n), Degrees-1)], 1)
		}
	}
}
