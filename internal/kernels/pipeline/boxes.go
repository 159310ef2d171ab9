package pipeline

import "github.com/weft-gpu/weft/gpu"

// A tile of Smooth has SmoothWide x SmoothHigh elements. A box of what it reads, BoxWide x BoxHigh, has a row more above and below, and 16 bytes
// more on both sides, since rows of a box are a multiple of that. stageWords is a box and what is missing to a multiple of 128 bytes.
const (
	SmoothWide, SmoothHigh = 32, 16
	BoxWide, BoxHigh       = SmoothWide + 8, SmoothHigh + 2
	stageWords             = (BoxWide*BoxHigh + 31) / 32 * 32
)

// Smooth adds to each element of in its neighbours on the four sides, and stores the sums to out. Neighbours outside of the matrix are zeros,
// as boxes have them there: no thread looks where it is. While a block computes a tile, the next one is on its way, and the one before is stored.
func Smooth(t gpu.Thread, in, out gpu.TensorMap2[float32]) {
	tile := gpu.Shared[[2][stageWords]float32](t)
	sums := gpu.Shared[[2][SmoothWide * SmoothHigh]float32](t)
	full := gpu.Shared[[2]gpu.MBarrier](t)
	wide := (in.Sizes[0] + SmoothWide - 1) / SmoothWide
	tiles := wide * ((in.Sizes[1] + SmoothHigh - 1) / SmoothHigh)
	if t.Idx() == 0 {
		full[0].Init(1)
		full[1].Init(1)
		fetch(in, tile, full, 0, t.Block(), wide)
	}
	t.Sync()
	for round, n := uint32(0), t.Block(); n < tiles; round, n = round+1, n+t.GridDim() {
		stage := round & 1
		if t.Idx() == 0 && n+t.GridDim() < tiles { // all threads have left the other buffer
			fetch(in, tile, full, stage^1, n+t.GridDim(), wide)
		}
		full[stage].Wait(round >> 1 & 1)
		if t.Idx() == 0 {
			t.WaitBulkRead(1) // the store before the last one has read these sums
		}
		t.Sync()
		for i := t.Idx(); i < SmoothWide*SmoothHigh; i += t.BlockDim() {
			at := (i/SmoothWide+1)*BoxWide + i%SmoothWide + 4
			sums[stage][i] = tile[stage][at] + tile[stage][at-1] + tile[stage][at+1] + tile[stage][at-BoxWide] + tile[stage][at+BoxWide]
		}
		t.FenceAsync()
		t.Sync()
		if t.Idx() == 0 {
			gpu.StoreTensor2(&sums[stage][0], out, int32(n%wide*SmoothWide), int32(n/wide*SmoothHigh))
			t.CommitBulk()
		}
	}
	if t.Idx() == 0 {
		t.WaitBulkRead(0)
	}
}

// fetch begins to bring the box around tile n.
func fetch(in gpu.TensorMap2[float32], tile *[2][stageWords]float32, full *[2]gpu.MBarrier, stage, n, wide uint32) {
	full[stage].ArriveExpect(in.Bytes)
	gpu.CopyTensor2(&tile[stage][0], in, int32(n%wide*SmoothWide)-4, int32(n/wide*SmoothHigh)-1, &full[stage])
}

// SmoothPlain computes what Smooth does, with a load of each neighbour that is in the matrix by each thread. Rows of both matrices follow
// each other after pitch elements.
func SmoothPlain(t gpu.Thread, in []float32, wide, high, pitch uint32, out []float32) {
	for i := t.Global(); i < wide*high; i += t.Stride() {
		x, y := i%wide, i/wide
		at := y*pitch + x
		sum := in[at]
		if x > 0 {
			sum += in[at-1]
		}
		if x < wide-1 {
			sum += in[at+1]
		}
		if y > 0 {
			sum += in[at-pitch]
		}
		if y < high-1 {
			sum += in[at+pitch]
		}
		out[at] = sum
	}
}
