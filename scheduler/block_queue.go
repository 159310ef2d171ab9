package scheduler

import "github.com/weft-gpu/weft/gpu"

// BlockQueue is the state of a queue in a block's shared memory. Its slots are an array in
// shared memory that the methods get. Vertices that find no slot go to a [Queue] in global
// memory, one at a time.
type BlockQueue struct {
	Found uint32 // number of vertices offered; may exceed the number of slots
	Base  uint32 // start of the block's part in the global queue
}

// Add appends v, or adds it to out if all slots are taken.
func (q *BlockQueue) Add(slots []uint32, v uint32, out Queue) {
	if slot := gpu.AtomicAdd(&q.Found, 1, gpu.BlockScope); slot < gpu.Len(slots) {
		slots[slot] = v
	} else {
		out.Add(v)
	}
}

// Flush copies the slots to out: it reserves space for all of them with one atomic and
// copies them with coalesced stores. All threads of the block must call it after a barrier.
func (q *BlockQueue) Flush(t gpu.Thread, slots []uint32, out Queue) {
	n := min(q.Found, gpu.Len(slots))
	if t.Idx() == 0 && n > 0 {
		q.Base = gpu.AtomicAdd(out.Count, n)
	}
	t.Sync()
	for i := t.Idx(); i < n; i += t.BlockDim() {
		out.Vertices[q.Base+i] = slots[i]
	}
}
