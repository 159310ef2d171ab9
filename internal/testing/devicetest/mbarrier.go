package devicetest

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

func testMBarrier(b *bench) {
	const grid, block = 3, 128
	if b.lacks(90) {
		_, err := b.launch("HandOver", grid, block, uint32(1), buffer(b, "out", device.U32, make([]uint32, grid*block)...))
		var refused *device.ArgError
		require.ErrorAs(b, err, &refused)
		assert.Contains(b, refused.What, "needs compute capability")
		return
	}
	for _, rounds := range []uint32{0, 1, 2, 7, 20} {
		out := buffer(b, "out", device.U32, make([]uint32, grid*block)...)
		b.must("HandOver", grid, block, rounds, out)
		for i, got := range read[uint32](b, out) {
			want := uint32(0)
			if i%block >= 32 { // sum of block + r*lane over r
				want = rounds*uint32(i/block) + uint32(i%32)*(rounds*(max(rounds, 1)-1)/2)
			}
			require.Equal(b, want, got, "thread %d, %d rounds", i, rounds)
		}
	}
	for _, threads := range []int{1, 33, 256} {
		out := buffer(b, "out", device.U32, make([]uint32, 2*threads)...)
		b.must("Tokens", 2, threads, uint32(5), out)
		for i, got := range read[uint32](b, out) {
			want := uint32((i%threads+5)%threads + 5)
			require.Equal(b, want, got, "thread %d of %d", i, threads)
		}
	}
	for _, warps := range []int{1, 2, 5, 8} {
		out := buffer(b, "out", device.U32, make([]uint32, 64*warps)...)
		b.must("Fewer", 2, 32*warps, out)
		for i, got := range read[uint32](b, out) {
			i %= 32 * warps
			want := uint32(i + 33*(warps-1-i/32)) // a warp is 32 further with each round, and adds 1
			if i < 32 {
				want += 1000
			}
			require.Equal(b, want, got, "thread %d of %d warps", i, warps)
		}
	}
	words := buffer(b, "out", device.U32, make([]uint32, 5)...)
	b.must("DropExpects", 1, 32, buffer(b, "in", device.U32, []uint32{3, 5, 7, 9}...), words)
	assert.Equal(b, []uint32{3, 5, 7, 9, 0}, read[uint32](b, words))
	if !b.traits.Hangs {
		return // hardware does not report the cause
	}
	out := buffer(b, "out", device.U32, make([]uint32, 32)...)
	for what, want := range []string{
		"2 more arrivals at an mbarrier whose phase waits for 1 of 2, and for 0 bytes", "a wait at an mbarrier that is not initialised, or was invalidated",
		"init of an mbarrier that is in use", "init of an mbarrier for 0 arrivals", "expect_tx of 1048576 bytes", "an arrival that counts as 0",
		"3 more drop out of an mbarrier whose phases take 2 arrivals", "1 more arrivals at an mbarrier whose phase waits for 0 of 0, and for 0 bytes", "3 more drop out of an mbarrier whose phases take 2 arrivals",
		"an arrival that counts as 0", "expect_tx of 1048576 bytes at an mbarrier",
	} {
		_, err := b.launch("MBarrierMisuse", 1, 32, uint32(what), out)
		var f *device.Fault
		require.ErrorAs(b, err, &f, want)
		assert.Contains(b, f.What, want)
	}
	_, err := b.launch("NeverInitialised", 1, 32, out)
	var f *device.Fault
	require.ErrorAs(b, err, &f)
}
