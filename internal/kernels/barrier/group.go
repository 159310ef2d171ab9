package barrier

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// MeetGroup passes a barrier of several GPUs rounds times. In each round a block says in met,
// in the memory of its own GPU, that it has come; a thread that then finds a block of the GPU
// with met beside that has not come counts in *early. The last block returns after stay rounds.
func MeetGroup(t gpu.Thread, b scheduler.GroupBarrier, rounds, stay uint32, met, beside []uint32, early *uint32) {
	for round := uint32(1); round <= rounds; round++ {
		if round > stay && t.Block()+1 == t.GridDim() {
			return
		}
		arrive(t, t.Block(), round, met)
		b.Wait(t)
		look(t, t.Block(), gpu.Len(beside), round, beside, early)
	}
}
