package barrier

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// MeetGroup passes two barriers of several GPUs in each of some rounds. Before the first one a block
// says in met, in the memory of its own GPU, that it has come; a thread that then finds a block of the
// GPU with met beside that has not come counts in *early. Both are plain accesses, which the barriers
// alone order. The last block returns after stay rounds.
func MeetGroup(t gpu.Thread, b scheduler.GroupBarrier, rounds, stay uint32, met, beside []uint32, early *uint32) {
	for round := uint32(1); round <= rounds; round++ {
		if round > stay && t.Block()+1 == t.GridDim() {
			return
		}
		if t.Idx() == t.BlockDim()-1 {
			met[t.Block()] = round
		}
		b.Wait(t)
		if beside[(t.Block()+1+t.Idx())%gpu.Len(beside)] < round {
			gpu.AtomicAdd(early, 1, gpu.SystemScope)
		}
		b.Wait(t)
	}
}
