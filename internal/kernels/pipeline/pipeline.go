package pipeline

import "github.com/weft-gpu/weft/gpu"

// MaxStages is the largest number of buffers of a ring, Tile the number of words in each, Producers the number of warps that bring
// tiles, and Threads that of the threads of a block: those of the producers, and one for each word of a tile. BulkThreads is the same
// with one warp that brings tiles.
const (
	MaxStages = 8
	Tile      = 96
	Producers = 4
	Threads   = Producers*gpu.WarpSize + Tile

	BulkThreads = gpu.WarpSize + Tile
)

// Mix is what is computed of each word, in some steps.
func Mix(x, steps uint32) uint32 {
	for range steps {
		x = x*1664525 + 1013904223
	}
	return x
}

// Ring adds what Mix makes of the words of data to out[0]. The producers of a block bring its tiles in turn to a ring of Producers to MaxStages buffers;
// the other warps add them. Each buffer has an mbarrier that says that it is full, and one that says that it is free. With fewer
// buffers a producer could come to a buffer two rounds too early, and take the end of an earlier phase of the same parity for that
// of its own. The length of data is a multiple of Tile.
func Ring(t gpu.Thread, data []uint32, steps, stages uint32, out []uint32) {
	ring := gpu.Shared[[MaxStages][Tile]uint32](t)
	full := gpu.Shared[[MaxStages]gpu.MBarrier](t)
	free := gpu.Shared[[MaxStages]gpu.MBarrier](t)
	if t.Idx() < stages {
		full[t.Idx()].Init(1)
		free[t.Idx()].Init(Tile / gpu.WarpSize)
	}
	t.Sync()
	produces := t.Warp() < Producers
	first, step := uint32(0), uint32(1)
	if produces {
		first, step = t.Warp(), Producers
	}
	stage, parity := first, uint32(0)
	sum := uint32(0)
	for tile := t.Block() + first*t.GridDim(); tile < gpu.Len(data)/Tile; tile += step * t.GridDim() {
		for stage >= stages {
			stage, parity = stage-stages, parity^1
		}
		if produces {
			free[stage].Wait(parity ^ 1) // at once in the first round: a new buffer is free
			for i := t.Lane(); i < Tile; i += gpu.WarpSize {
				ring[stage][i] = data[tile*Tile+i]
			}
			arrive(t, &full[stage])
		} else {
			full[stage].Wait(parity)
			x := ring[stage][t.Idx()-Producers*gpu.WarpSize]
			arrive(t, &free[stage])
			sum += Mix(x, steps)
		}
		stage += step
	}
	if !produces {
		gpu.AtomicAdd(&out[0], sum)
	}
}

// arrive is one arrival for all lanes of the warp, behind what they did before.
func arrive(t gpu.Thread, b *gpu.MBarrier) {
	t.SyncWarp(gpu.FullMask)
	if t.Lane() == 0 {
		b.Arrive()
	}
}

// Plain is Ring with a buffer for each producer and barriers of the block.
func Plain(t gpu.Thread, data []uint32, steps uint32, out []uint32) {
	buffer := gpu.Shared[[Producers][Tile]uint32](t)
	sum, tiles := uint32(0), gpu.Len(data)/Tile
	for tile := t.Block(); tile < tiles; tile += Producers * t.GridDim() {
		if mine := tile + t.Warp()*t.GridDim(); t.Warp() < Producers && mine < tiles {
			for i := t.Lane(); i < Tile; i += gpu.WarpSize {
				buffer[t.Warp()][i] = data[mine*Tile+i]
			}
		}
		t.Sync() // full
		if t.Warp() >= Producers {
			for p := range uint32(Producers) {
				if tile+p*t.GridDim() < tiles {
					sum += Mix(buffer[p][t.Idx()-Producers*gpu.WarpSize], steps)
				}
			}
		}
		t.Sync() // free
	}
	if t.Warp() >= Producers {
		gpu.AtomicAdd(&out[0], sum)
	}
}
