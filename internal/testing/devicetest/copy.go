package devicetest

import (
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

func testAsyncCopies(b *bench) {
	const grid, block = 3, 64
	numbers := func(n, factor int) []uint32 {
		list := make([]uint32, n)
		for i := range list {
			list[i] = uint32(i*factor + 1)
		}
		return list
	}
	words, pairs, quads := numbers(grid*block, 3), numbers(2*grid*block, 5), numbers(4*grid*block, 7)
	out := buffer(b, "out", device.U32, make([]uint32, 7*grid*block)...)
	in := buffer(b, "words", device.U32, words...)
	args := []any{in, buffer(b, "pairs", device.U32, pairs...), buffer(b, "quads", device.U32, quads...), out}
	if b.lacks(80) {
		_, err := b.launch("CopyStages", grid, block, args...)
		var refused *device.ArgError
		require.ErrorAs(b, err, &refused)
		assert.Contains(b, refused.What, "cp.async needs compute capability 8.0")
		return
	}
	for _, threads := range []int{1, 33, block} {
		b.must("CopyStages", grid, threads, args...)
		got := read[uint32](b, out)
		for g := range grid * threads {
			first, i := g/threads*threads, g%threads
			from, at := first+(i+1)%threads, first*7
			require.Equal(b, words[from], got[at+i], "word of thread %d", g)
			require.Equal(b, pairs[2*from:2*from+2], got[at+threads+2*i:at+threads+2*i+2], "pair of thread %d", g)
			require.Equal(b, quads[4*from:4*from+4], got[at+3*threads+4*i:at+3*threads+4*i+4], "quad of thread %d", g)
		}
	}
	for tracked := range uint32(2) {
		for _, rounds := range []int{0, 1, 2, 6} {
			sums := buffer(b, "out", device.U32, make([]uint32, grid*128)...)
			b.must("CopyRing", grid, 128, in, uint32(rounds), tracked, sums)
			for i, got := range read[uint32](b, sums) {
				want := uint32(0)
				for r := range rounds {
					if i%128 >= 32 {
						want += words[32*r+i%32]
					}
				}
				require.Equal(b, want, got, "thread %d, %d rounds, tracked %d", i, rounds, tracked)
			}
		}
	}
	apart := buffer(b, "out", device.U32, make([]uint32, 2*block)...)
	b.must("CopyDiverged", 1, block, in, apart)
	for i, got := range read[uint32](b, apart) {
		want, thread := uint32(0), i/2
		switch {
		case thread%3 == 0:
			want = words[thread+i%2]
		case thread%3 == 1 && i%2 == 1:
			want = words[thread+2]
		}
		require.Equal(b, want, got, "word %d", i)
	}
	small := buffer(b, "out", device.U32, make([]uint32, 32)...)
	for what, want := range []struct{ text, line string }{
		{"element 1 of shared w is read while an asynchronous copy of thread 1 of the block, issued at", "sum = w[i^1] // read too early"},
		{"element 0 of shared w is written while an asynchronous copy of thread 0 of the block, issued at", "w[i] = 8 // written too early"},
		{"element 0 of words is written while an asynchronous copy of thread 0 of the block, issued at", "words[i] = 9 // its source written too early"},
		{"element 1 of shared w is written while an asynchronous copy of thread 1", "gpu.CopyAsync(&w[i^1], &words[i]) // copied to twice"},
		{"element 0 of shared w is written while an asynchronous copy of thread 0", "gpu.AtomicAdd(&w[i], 1) // updated too early"},
		{"index 4096 out of range of words with length 192", "gpu.CopyAsync(&w[i&31], &words[i+4096]) // out of range"},
		{"index 4096 out of range of w with length 64", "gpu.CopyAsync(&w[i+4096], &words[i]) // to where nothing is"},
		{"the arrival of asynchronous copies: arrival at an mbarrier that is not initialised, or was invalidated", ""},
	} {
		ranges := strings.Contains(want.text, "out of range")
		if ranges && !b.traits.Faults || !ranges && !b.strict() {
			continue
		}
		f := b.fault("CopyMisuse", 1, 32, uint32(what), in, small)
		assert.Contains(b, f.What, want.text)
		if want.line != "" {
			assert.Equal(b, want.line, line(b, f.At[0]))
		}
	}
}
