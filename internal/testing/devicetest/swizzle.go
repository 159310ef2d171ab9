package devicetest

import (
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

func testSwizzles(b *bench) {
	words := make([]uint32, 1024)
	for i := range words {
		words[i] = uint32(i)*0x9E3779B9 + 1
	}
	in := buffer(b, "in", device.U32, words...)
	for _, swizzle := range []uint32{0, 32, 64, 128} {
		out := buffer(b, "out", device.U32, make([]uint32, 1024)...)
		b.must("Swizzles", 1, 32, swizzle, in, out)
		for i, got := range read[uint32](b, out) {
			require.Equal(b, words[i%32*32+i/32], got, "swizzle of %d bytes, word %d", swizzle, i)
		}
	}
}
