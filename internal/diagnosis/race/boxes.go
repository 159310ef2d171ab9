package race

import (
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/tensormap"
)

// Box records a lane's copy of a box of the tensor that begins at an address, from or to shared memory.
func (b *Block) Box(index int, pc int32, lane int, box *tensormap.Box, tensor, shared uint64) {
	brings := b.job.grid.Prog.Code[pc].Op.BringsBulk()
	var outside, inside, bytes simt.Row
	for run := range box.Runs {
		outside[lane], inside[lane], bytes[lane] = tensor+run.From, shared+run.To, run.Bytes
		switch {
		case brings && run.Inside:
			b.copy(index, pc, 1<<lane, 1<<lane, &outside, &inside, &bytes)
		case brings: // zeros
			b.copy(index, pc, 1<<lane, 0, &outside, &inside, &bytes)
		case run.Inside:
			b.StoreBulk(index, pc, 1<<lane, &outside, &inside, &bytes)
		}
	}
}
