package wolf

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Blocks are the edge blocks. Thread block b processes the Size edges from b*Size on, or what
// is left of them. Its slots are First[b] <= i < First[b+1].
type Blocks struct {
	Size   uint32
	First  []uint32 // edge blocks + 1
	Vertex []uint32 // the destination of each slot
	Busy   []uint32 // for each edge block: 1 if it has updates in this iteration, otherwise 0
}

// Gather is the first kernel of an iteration of the shared variant, one thread block per edge
// block. It combines the updates for each destination in shared memory, and stores the
// block's local values in local. It only reads the global values.
func Gather[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, list Edges, blocks Blocks, values, taken, local []V, act Activity) {
	mine := gpu.DynamicShared[V](t)
	first := blocks.First[t.Block()]
	slots := blocks.First[t.Block()+1] - first
	for i := t.Idx(); i < slots; i += t.BlockDim() {
		mine[i] = alg.Identity()
	}
	t.Sync()

	begin := t.Block() * blocks.Size
	end := begin + min(blocks.Size, list.Count-begin)
	processed := uint32(0)
	for e := begin + t.Idx(); e < end; e += t.BlockDim() {
		processed += relax(alg, g, list, values, taken, act, e, func(_ uint32, update V) {
			alg.Update(&mine[list.Slot[e]], update)
		})
	}

	busy := t.SyncOr(processed > 0)
	if t.Idx() == 0 {
		blocks.Busy[t.Block()] = 0
		if busy {
			blocks.Busy[t.Block()] = 1
		}
	}
	if !busy {
		return
	}
	for i := t.Idx(); i < slots; i += t.BlockDim() {
		local[first+i] = mine[i]
	}
	tally(t, processed, act.Processed)
}

// WriteBack is the second kernel of an iteration of the shared variant, one thread block per
// edge block: it combines the local values of the block with the global ones.
func WriteBack[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, blocks Blocks, values, local []V, act Activity) {
	if blocks.Busy[t.Block()] == 0 {
		return
	}
	changed := uint32(0)
	end := blocks.First[t.Block()+1]
	for i := blocks.First[t.Block()] + t.Idx(); i < end; i += t.BlockDim() {
		if x := local[i]; x != alg.Identity() {
			changed += commit(alg, values, act, blocks.Vertex[i], x)
		}
	}
	tally(t, changed, act.Changed)
}
