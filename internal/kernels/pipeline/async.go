package pipeline

import "github.com/weft-gpu/weft/gpu"

// RingAsync adds what Mix makes of the words of data to out[0], as Ring does, with a thread for each word of a tile (Tile threads in
// a block). Each thread copies a word of each tile asynchronously to a ring of MaxStages buffers, MaxStages-1 tiles ahead of the one
// that is used, and waits for its own copies; a barrier of the block says that those of all threads have landed, and that the buffer
// of the tile before is free.
func RingAsync(t gpu.Thread, data []uint32, steps uint32, out []uint32) {
	ring := gpu.Shared[[MaxStages][Tile]uint32](t)
	for ahead := range uint32(MaxStages - 1) {
		bring(t, ring, data, ahead)
	}
	sum := uint32(0)
	for round := uint32(0); t.Block()+round*t.GridDim() < gpu.Len(data)/Tile; round++ {
		t.WaitCopies(MaxStages - 2) // all groups but those of the tiles behind this one
		t.Sync()
		bring(t, ring, data, round+MaxStages-1)
		sum += Mix(ring[round%MaxStages][Tile-1-t.Idx()], steps) // a word that another thread has copied
	}
	gpu.AtomicAdd(&out[0], sum)
}

// bring begins to copy the tile of a round of the block, if there is one. The group is empty otherwise, so that there is one for each
// round.
func bring(t gpu.Thread, ring *[MaxStages][Tile]uint32, data []uint32, round uint32) {
	if tile := t.Block() + round*t.GridDim(); tile < gpu.Len(data)/Tile {
		gpu.CopyAsync(&ring[round%MaxStages][t.Idx()], &data[tile*Tile+t.Idx()])
	}
	t.CommitCopies()
}

// RingBulk is Ring with one thread that brings all tiles: it waits until a buffer is free, expects the bytes of a tile at the mbarrier that
// says that the buffer is full, and begins to copy the tile in bulk, which completes there. The first warp has no other thread that works,
// and the words are added by one thread for each word of a tile: BulkThreads threads in a block.
func RingBulk(t gpu.Thread, data []uint32, steps, stages uint32, out []uint32) {
	ring := gpu.Shared[[MaxStages][Tile]uint32](t)
	full := gpu.Shared[[MaxStages]gpu.MBarrier](t)
	free := gpu.Shared[[MaxStages]gpu.MBarrier](t)
	if t.Idx() < stages {
		full[t.Idx()].Init(1)
		free[t.Idx()].Init(Tile / gpu.WarpSize)
	}
	t.Sync()
	if t.Idx() > 0 && t.Warp() == 0 {
		return
	}
	stage, parity, sum := uint32(0), uint32(0), uint32(0)
	for tile := t.Block(); tile < gpu.Len(data)/Tile; tile += t.GridDim() {
		if t.Idx() == 0 {
			free[stage].Wait(parity ^ 1)
			full[stage].ArriveExpect(4 * Tile)
			gpu.CopyBulk(&ring[stage][0], &data[tile*Tile], Tile, &full[stage])
		} else {
			full[stage].Wait(parity)
			x := ring[stage][t.Idx()-gpu.WarpSize]
			arrive(t, &free[stage])
			sum += Mix(x, steps)
		}
		if stage++; stage == stages {
			stage, parity = 0, parity^1
		}
	}
	if t.Idx() > 0 {
		gpu.AtomicAdd(&out[0], sum)
	}
}
