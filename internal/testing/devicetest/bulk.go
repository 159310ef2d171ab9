package devicetest

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

func testBulkCopies(b *bench) {
	const grid, block, most = 2, 96, 6 * 1024
	words := make([]uint32, most)
	for i := range words {
		words[i] = uint32(3*i + 1)
	}
	in, out := buffer(b, "words", device.U32, words...), buffer(b, "out", device.U32, make([]uint32, grid*block)...)
	if b.lacks(90) {
		_, err := b.launch("BulkRing", grid, block, in, uint32(4), uint32(1), out)
		var refused *device.ArgError
		require.ErrorAs(b, err, &refused)
		assert.Contains(b, refused.What, "needs compute capability")
		return
	}
	for _, n := range []int{4, 100, 128, 132, 1024} {
		for _, rounds := range []int{0, 1, 3, 6} {
			b.must("BulkRing", grid, block, in, uint32(n), uint32(rounds), out)
			sum, want := uint32(0), uint32(0)
			for i, got := range read[uint32](b, out) {
				if i%block < 32 {
					require.Zero(b, got)
				}
				sum += got
			}
			for _, x := range words[:n*rounds] {
				want += grid * x
			}
			require.Equal(b, want, sum, "%d words, %d rounds", n, rounds)
		}
	}
	if !b.traits.Faults {
		return
	}
	for what, want := range []string{
		"a copy in bulk of 12 bytes; want a multiple of 16", "store of 16 bytes of w at byte offset 4, which is not a multiple of 16",
		"asynchronous copy of 16 bytes of words at byte offset 8, which is not a multiple of 16", "out of range of w with length 64", "out of range of words with length 6144",
		"the arrival of asynchronous copies: the end of a copy at an mbarrier that is not initialised",
		"element 7 of shared w is read while an asynchronous copy of thread 0 of the block",
	} {
		if what == 6 && !b.strict() {
			continue // the simulator finds what is there
		}
		if what == 5 && !b.traits.Hangs {
			continue // hardware does not check mbarriers
		}
		f := b.fault("BulkMisuse", 1, 32, uint32(what), in, out)
		assert.Contains(b, f.What, want, "%d", what)
	}
}
