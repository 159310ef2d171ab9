package devicetest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/mma"
)

// rowsOf returns random matrices of rows of 32 words, as numbers and as they stand in memory.
func rowsOf(r *rand.Rand, t mma.Type, rows int) (numbers [][]int, words []uint32) {
	per := 32 / t.Bits()
	words = make([]uint32, rows*32)
	for row := range rows {
		numbers = append(numbers, make([]int, 32*per))
		for i := range numbers[row] {
			n := r.IntN(5)
			if t != mma.U8 && t != mma.B1 {
				n -= 2
			}
			numbers[row][i] = n
			words[row*32+i/per] |= uint32(whole(t, n)) << (i % per * t.Bits())
		}
	}
	return numbers, words
}

// sumsOf returns the sums of the threads of a warpgroup, from the definition of where each stands (gpu.FloatSums).
func sumsOf(a, b [][]int, add int, t mma.Type) (out []int) {
	for thread := range 128 {
		warp, g, i := thread/32, thread%32/4, thread%4
		for s := range len(b) / 2 {
			row, column := warp*16+g+s/2%2*8, s/4*8+2*i+s%2
			sum := add
			for k := range a[row] {
				if t == mma.B1 {
					sum += a[row][k] & b[column][k] & 1
				} else {
					sum += a[row][k] * b[column][k]
				}
			}
			out = append(out, sum)
		}
	}
	return out
}

// testGroupProducts compares products of warpgroups of whole numbers with those that the CPU computes: layouts, numbers of columns, two
// warpgroups, and each function.
func testGroupProducts(b *bench) {
	r := rand.New(rand.NewPCG(13, 14))
	if b.lacks(90) {
		_, err := b.launch("GroupProducts", 1, 128, uint32(0), buffer(b, "a", device.U32, make([]uint32, 2048)...), buffer(b, "b", device.U32, make([]uint32, 512)...), buffer(b, "out", device.U32, make([]uint32, 1024)...))
		var refused *device.ArgError
		require.ErrorAs(b, err, &refused)
		assert.Contains(b, refused.What, "needs compute capability 9.0")
		return
	}
	for i, columns := range []int{8, 16, 24, 64, 104, 192, 256} {
		for _, layout := range [][]string{{"Plain", "Swizzled"}, {"Swizzled32", "Swizzled64"}}[i%2] {
			x, a := rowsOf(r, mma.F16, 64)
			y, c := rowsOf(r, mma.F16, columns)
			for _, groups := range []int{1, 2} {
				out := buffer(b, "out", device.F32, make([]float32, groups*64*columns)...)
				kernel := "GroupProduct"
				if columns > 104 {
					kernel += "Wide"
				}
				name := fmt.Sprintf("%s[[%d]float32,%s]", kernel, columns/2, layout)
				_, err := b.launch(name, 1, 128*groups, buffer(b, "a", device.U32, a...), buffer(b, "b", device.U32, c...), out)
				if refused := (*device.ArgError)(nil); columns > 104 && errors.As(err, &refused) && strings.Contains(refused.What, "bytes of shared memory; the device has") {
					continue
				}
				require.NoError(b, err, name)
				var want []float32
				for range groups {
					for _, sum := range sumsOf(x, y, 0, mma.F16) {
						want = append(want, float32(sum))
					}
				}
				require.Equal(b, want, read[float32](b, out), name)
			}
		}
	}
	for which := range uint32(16) { // those with sums of 32 bits
		g := &mma.GroupProducts[which%6]
		if which >= 12 {
			g = &mma.GroupProducts[7+which%2]
		}
		x, a := rowsOf(r, g.Step.A, 64)
		y, c := rowsOf(r, g.Step.B, 16)
		out := buffer(b, "out", device.U32, make([]uint32, 128*8)...)
		b.must("GroupProducts", 1, 128, which, buffer(b, "a", device.U32, a...), buffer(b, "b", device.U32, c...), out)
		var want []uint32
		for _, sum := range sumsOf(x, y, 3, g.Step.A) {
			if g.Step.C == mma.F32 {
				want = append(want, math.Float32bits(float32(sum)))
			} else {
				want = append(want, uint32(sum))
			}
		}
		require.Equal(b, want, read[uint32](b, out), "%s, %d", g.Func, which)
	}
}

// testSumsMisuse lets warps use sums in ways that PTX leaves undefined.
func testSumsMisuse(b *bench) {
	if !b.traits.Hangs || b.lacks(90) {
		return // hardware does not report it
	}
	out := buffer(b, "out", device.F32, make([]float32, 128)...)
	for what, want := range []struct{ text, line string }{
		{"gpu.GroupMMAF16 of a matrix at byte 8 of shared memory, which is no multiple of 16", "gpu.GroupMMAF16(t, &sums, a, b) // at no multiple of 16 bytes"},
		{"with a swizzle of 32 it begins in the first 32 bytes behind a multiple of 256", "gpu.GroupMMAF16(t, &sums, a, b) // beside the pattern"},
		{"gpu.GroupMMAF16 of other matrices in lane 1 than in lane 0: all threads of a warpgroup name the same", "gpu.GroupMMAF16(t, &sums, a, b) // of other matrices in each lane"},
		{"t.FenceSums while lanes 00000200 have exited: all 32 lanes of the warp have to take part", "t.FenceSums()"},
		{"out of range of bs with length 128", "gpu.GroupMMAF16(t, &sums, a, b) // beyond the end"},
		{"t.FenceSums", ""}, // in its place: three warps
		{"missing fence of the asynchronous proxy: gpu.GroupMMAF16 reads element 0 of shared as, which thread 0 of the block has written at", "gpu.GroupMMAF16(t, &sums, a, b) // as it is"},
		{"gpu.GroupMMAF16 without a fence: no fence is before the first product of the warp; all threads of the warp must execute t.FenceSums", "gpu.GroupMMAF16(t, &sums, a, b) // as it is"},
		{"gpu.GroupMMAF16 without a fence: the sums were set at", "gpu.GroupMMAF16(t, &sums, a, b) // as it is"},
		{"sums are read to which gpu.GroupMMAF16 at", "out[t.Idx()] = sums.At(2) // too early"},
		{"element 77 of shared bs is written while gpu.GroupMMAF16 of warp ", "bs[77] = 1 // may still be read"},
		{"gpu.GroupMMAF16, where warp 0 of the warpgroup ends without one: all warps of a warpgroup execute the same products in the same order", "gpu.GroupMMAF16(t, &sums, a, b) // without the other warps"},
		{": all warps of a warpgroup execute the same products in the same order", ""},
		{"gpu.GroupMMAF16 of a transposed matrix of 16 rows or columns at byte ", "gpu.GroupMMAF16(t, &sums, a, b) // across the pattern"},
	} {
		threads := 128
		if what == 5 {
			threads, want.text, want.line = 96, "gpu.GroupMMAF16 in warp 0 of a block of 96 threads: a warpgroup is four whole warps, from a multiple of four on", "gpu.GroupMMAF16(t, &sums, a, b) // as it is"
		}
		if what >= 6 && !b.strict() {
			continue // it finds what is there
		}
		f := b.fault("SumsMisuse", 1, threads, uint32(what), out)
		assert.Contains(b, f.What, want.text, "%d", what)
		if want.line != "" {
			assert.Equal(b, want.line, line(b, f.At[0]))
		}
		b.must("SumsMisuse", 1, 128, uint32(99), out) // what was pending is forgotten
	}
}
