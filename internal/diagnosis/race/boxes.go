package race

import (
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/tensormap"
)

// Box records a lane's copy of a box of the tensor that begins at an address, from or to shared memory.
func (b *Block) Box(index int, pc int32, lane int, box *tensormap.Box, tensor, shared uint64) {
	if b.job.grid.Prog.Code[pc].Op.BringsBulk() {
		bringBox(b, index, pc, bulkCopies, lane, box, tensor, shared)
		return
	}
	var outside, inside, bytes simt.Row
	for run := range box.Runs {
		if run.Inside {
			outside[lane], inside[lane], bytes[lane] = tensor+run.From, shared+run.To, run.Bytes
			b.StoreBulk(index, pc, 1<<lane, &outside, &inside, &bytes)
		}
	}
}

// bringBox records a lane's copy of a box to shared memory, by a number of the warp.
func bringBox(b *Block, index int, pc int32, number uint32, lane int, box *tensormap.Box, tensor, shared uint64) {
	var outside, inside, bytes simt.Row
	for run := range box.Runs {
		outside[lane], inside[lane], bytes[lane] = tensor+run.From, shared+run.To, run.Bytes
		if run.Inside {
			b.copy(index, pc, number, 1<<lane, 1<<lane, &outside, &inside, &bytes)
		} else { // zeros
			b.copy(index, pc, number, 1<<lane, 0, &outside, &inside, &bytes)
		}
	}
}
