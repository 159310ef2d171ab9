package race

import (
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/tensormap"
)

// CopyBox records a lane's copy of a box of the tensor that begins at from to shared memory.
func (b *Block) CopyBox(index int, pc int32, lane int, box *tensormap.Box, from, dst uint64) {
	var source, to, bytes simt.Row
	for run := range box.Runs {
		source[lane], to[lane], bytes[lane] = from+run.From, dst+run.To, run.Bytes
		reads := uint32(0)
		if run.Inside {
			reads = 1 << lane
		}
		b.copy(index, pc, 1<<lane, reads, &source, &to, &bytes)
	}
}

// StoreBox records a lane's copy from shared memory to a box of the tensor that begins at dst.
func (b *Block) StoreBox(index int, pc int32, lane int, box *tensormap.Box, dst, from uint64) {
	var to, source, bytes simt.Row
	for run := range box.Runs {
		if to[lane], source[lane], bytes[lane] = dst+run.From, from+run.To, run.Bytes; run.Inside {
			b.StoreBulk(index, pc, 1<<lane, &to, &source, &bytes)
		}
	}
}
