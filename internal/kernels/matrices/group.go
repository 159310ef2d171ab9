package matrices

import "github.com/weft-gpu/weft/gpu"

// A block of Grouped computes a tile of GroupRows by GroupColumns elements with GroupThreads threads. It keeps GroupStages pieces of the
// factors of GroupDepth products each in dynamic shared memory, of GroupBytes bytes.
const (
	GroupThreads = 3 * 128
	GroupRows    = 128
	GroupColumns = 128
	GroupDepth   = 64
	GroupStages  = 4
	GroupBytes   = GroupStages * stageWords * 4

	rowWords   = GroupDepth / 2 // a row of a piece has 128 bytes, as the swizzle has
	stageWords = (GroupRows + GroupColumns) * rowWords
)

// Grouped computes c = a*b on the tensor cores by warpgroups, which read the factors in shared memory. a has rows of f16, two to a word,
// and b columns; boxes of their maps are GroupDepth/2 words wide, GroupRows or GroupColumns high, and have a swizzle of 128 bytes. c has rows of n
// elements, and a block for each tile. Elements outside of the matrices are zeros.
//
// A thread of the first warpgroup brings pieces of both factors to a ring, as early as their places are free. Each of the other two warpgroups
// multiplies 64 rows of a piece by all columns, and each of its warps gives a place free when the products of the next one have begun: one
// piece is always on its way through the tensor cores.
func Grouped(t gpu.Thread, a, b gpu.TensorMap2[uint32], c []float32, n uint32) {
	ring := gpu.DynamicShared[uint32](t)
	full := gpu.Shared[[GroupStages]gpu.MBarrier](t)
	empty := gpu.Shared[[GroupStages]gpu.MBarrier](t)
	across := (n + GroupColumns - 1) / GroupColumns
	row, column := t.Block()/across*GroupRows, t.Block()%across*GroupColumns
	pieces := (a.Sizes[0] + rowWords - 1) / rowWords
	if t.Idx() == 0 {
		for i := range full {
			full[i].Init(1)
			empty[i].Init(8) // a warp waits for its own reads alone
		}
	}
	t.Sync()
	if t.Idx() < 128 {
		if t.Idx() == 0 {
			for i := range pieces {
				stage := i % GroupStages
				if i >= GroupStages {
					empty[stage].Wait((i/GroupStages - 1) & 1)
				}
				full[stage].ArriveExpect(a.Bytes + b.Bytes)
				gpu.CopyTensor2(&ring[stage*stageWords], a, int32(i*rowWords), int32(row), &full[stage])
				gpu.CopyTensor2(&ring[stage*stageWords+GroupRows*rowWords], b, int32(i*rowWords), int32(column), &full[stage])
			}
		}
		return
	}
	half := t.Idx()/128 - 1
	var sums gpu.FloatSums[[GroupColumns / 2]float32]
	for i := range pieces {
		stage := i % GroupStages
		full[stage].Wait(i / GroupStages & 1)
		t.FenceSums()
		for k := range uint32(GroupDepth / 16) {
			gpu.GroupMMAF16(t, &sums,
				gpu.SharedMatrix{Data: ring[stage*stageWords+half*64*rowWords:], Offset: k * 32, Stride: 1024, Swizzle: 128},
				gpu.SharedMatrix{Data: ring[stage*stageWords+GroupRows*rowWords:], Offset: k * 32, Stride: 1024, Swizzle: 128})
		}
		t.CommitSums()
		t.WaitSums(1)
		if i > 0 && t.Lane() == 0 {
			empty[(i-1)%GroupStages].Arrive()
		}
	}
	t.WaitSums(0)
	row += half*64 + t.Warp()%4*16 + t.Lane()/4
	column += t.Lane() % 4 * 2
	for s := range sums.Len() / 4 {
		at := row*n + column + s*8
		if column+s*8+1 < n {
			if row*n < gpu.Len(c) {
				gpu.Store2(c, at, [2]float32{sums.At(4 * s), sums.At(4*s + 1)})
			}
			if (row+8)*n < gpu.Len(c) {
				gpu.Store2(c, at+8*n, [2]float32{sums.At(4*s + 2), sums.At(4*s + 3)})
			}
		}
	}
}
