package testkernels

import "github.com/weft-gpu/weft/gpu"

// ShapeWords is the number of words that a thread of Shapes writes.
const ShapeWords = 19

// Shapes writes what a thread knows of its place in three dimensions, and the ranks
// that the first and last lane of its warp have.
func Shapes(t gpu.Thread, out []uint32) {
	threads := t.BlockDim() * t.BlockDimY() * t.BlockDimZ()
	block := (t.BlockZ()*t.GridDimY()+t.BlockY())*t.GridDim() + t.Block()
	o := out[(block*threads+t.Rank())*ShapeWords:]
	o[0], o[1], o[2] = t.Idx(), t.IdxY(), t.IdxZ()
	o[3], o[4], o[5] = t.Block(), t.BlockY(), t.BlockZ()
	o[6], o[7], o[8] = t.BlockDim(), t.BlockDimY(), t.BlockDimZ()
	o[9], o[10], o[11] = t.GridDim(), t.GridDimY(), t.GridDimZ()
	o[12], o[13], o[14] = t.Global(), t.GlobalY(), t.GlobalZ()
	o[15], o[16] = t.Lane(), t.Warp()
	t.SyncWarp(gpu.FullMask)
	o[17] = gpu.Shfl(t, gpu.FullMask, t.Rank(), 0)
	o[18] = t.SyncCount(t.IdxY() == 0)
}

// ShapeIndex makes one thread of a block store at index i.
func ShapeIndex(t gpu.Thread, s []uint32, i int) {
	if t.BlockY() == 2 && t.Block() == 1 && t.IdxY() == 1 && t.Idx() == 3 {
		s[i] = 1
	}
}

// ShapeTrap panics in one thread of a three-dimensional launch.
func ShapeTrap(t gpu.Thread) {
	if t.BlockZ() == 1 && t.GlobalZ() == 3 && t.BlockY() == 1 && t.GlobalY() == 2 && t.Global() == 0 {
		panic("this one")
	}
}

// ShapeSpin waits, in one block, for a word that is never written.
func ShapeSpin(t gpu.Thread, word *uint32) {
	for t.BlockY() == 1 && gpu.Load(word) == 0 {
	}
}
