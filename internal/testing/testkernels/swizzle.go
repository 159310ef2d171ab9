package testkernels

import "github.com/weft-gpu/weft/gpu"

// Swizzles transposes a tile of 32 rows of 32 words by one warp. The tile lies in shared memory as swizzle says, which is 0, 32, 64 or 128.
func Swizzles(t gpu.Thread, swizzle uint32, in, out []uint32) {
	tile := gpu.Shared[[1024]uint32](t)
	for row := range uint32(32) {
		tile[swizzled(swizzle, 128*row+4*t.Lane())/4] = in[32*row+t.Lane()]
	}
	t.Sync()
	for column := range uint32(32) {
		out[32*column+t.Lane()] = tile[swizzled(swizzle, 128*t.Lane()+4*column)/4]
	}
}

func swizzled(swizzle, offset uint32) uint32 {
	switch swizzle {
	case 32:
		return gpu.Swizzle32(offset)
	case 64:
		return gpu.Swizzle64(offset)
	case 128:
		return gpu.Swizzle128(offset)
	}
	return offset
}
