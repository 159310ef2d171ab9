package pipeline

import "github.com/weft-gpu/weft/gpu"

// MixPlain stores what Mix makes of each word of data to out, by a plain store of each thread: Tile threads in a block.
func MixPlain(t gpu.Thread, data []uint32, steps uint32, out []uint32) {
	for tile := t.Block(); tile < gpu.Len(data)/Tile; tile += t.GridDim() {
		out[tile*Tile+t.Idx()] = Mix(data[tile*Tile+t.Idx()], steps)
	}
}

// MixBulk is MixPlain with tiles that are computed in shared memory, in two buffers in turn, from where thread 0 copies them in bulk.
func MixBulk(t gpu.Thread, data []uint32, steps uint32, out []uint32) {
	tiles := gpu.Shared[[2][Tile]uint32](t)
	buffer := uint32(0)
	for tile := t.Block(); tile < gpu.Len(data)/Tile; tile += t.GridDim() {
		x := Mix(data[tile*Tile+t.Idx()], steps)
		if t.Idx() == 0 {
			t.WaitBulkRead(1) // the copy before the last one has read this buffer
		}
		t.Sync()
		tiles[buffer][t.Idx()] = x
		t.FenceAsync()
		t.Sync()
		if t.Idx() == 0 {
			gpu.StoreBulk(&out[tile*Tile], &tiles[buffer][0], Tile)
			t.CommitBulk()
		}
		buffer ^= 1
	}
	if t.Idx() == 0 {
		t.WaitBulkRead(0) // shared memory must not go before
	}
}
