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

// SwizzledChunks reads the eight chunks of 16 bytes of each of 32 rows, a row by each lane, so that an access is a column of chunks. The sum keeps the loads.
func SwizzledChunks(t gpu.Thread, swizzle uint32, out []uint32) {
	tile := gpu.Shared[[1024]uint32](t)
	for row := range uint32(32) {
		tile[32*row+t.Lane()] = row
	}
	t.Sync()
	sum := uint32(0)
	for chunk := range uint32(8) {
		v := gpu.Load4(tile[:], swizzled(swizzle, 128*t.Lane()+16*chunk)/4)
		sum += v[0] + v[1] + v[2] + v[3]
	}
	out[t.Lane()] = sum
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
