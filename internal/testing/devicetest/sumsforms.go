package devicetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/mma"
)

// groupForms are the cases of testkernels.GroupForms, in their order: which factors are transposed in memory, and by what the products are
// multiplied.
var groupForms = []struct {
	of     mma.Type
	across uint32 // bit 0: a; bit 1: b
	sign   int
}{
	{mma.F16, 1, 1}, {mma.F16, 2, 1}, {mma.F16, 3, 1}, {mma.F16, 3, -1}, {mma.F16, 2, -1}, {mma.BF16, 3, 1}, {mma.BF16, 0, 1},
	{mma.F16, 2, -1}, {mma.BF16, 2, 1}, {mma.TF32, 0, -1}, {mma.TF32, 0, -1},
}

// linesOf returns the words of a transposed matrix of 16-bit numbers, of which each line has one of each row.
func linesOf(numbers [][]int, t mma.Type) (words []uint32) {
	for k := range numbers[0] {
		for row := 0; row < len(numbers); row += 2 {
			words = append(words, uint32(whole(t, numbers[row][k]))|uint32(whole(t, numbers[row+1][k]))<<16)
		}
	}
	return words
}

// testGroupForms compares products of warpgroups of which factors are transposed in memory, or negated, with those that the CPU computes.
func testGroupForms(b *bench) {
	if b.lacks(90) {
		return // as testGroupProducts says
	}
	r := rand.New(rand.NewPCG(15, 16))
	for which, form := range groupForms {
		for i, layout := range []string{"Plain", "Swizzled32", "Swizzled64", "Swizzled"} {
			columns := []int{8, 24, 104}[(which+i)%3]
			x, a := rowsOf(r, form.of, 64)
			y, c := rowsOf(r, form.of, columns)
			if form.across&1 != 0 {
				a = linesOf(x, form.of)
			}
			if form.across&2 != 0 {
				c = linesOf(y, form.of)
			}
			out := buffer(b, "out", device.F32, make([]float32, 64*columns)...)
			name := fmt.Sprintf("GroupForms[[%d]float32,%s]", columns/2, layout)
			b.must(name, 1, 128, uint32(which), form.across, buffer(b, "a", device.U32, a...), buffer(b, "b", device.U32, c...), out)
			var want []float32
			for _, sum := range sumsOf(x, y, 0, form.of) {
				want = append(want, float32(3+form.sign*sum))
			}
			require.Equal(b, want, read[float32](b, out), "%s, case %d", name, which)
		}
	}
}

// packed returns the words of sums in f16, two in each.
func packed(sums []int) (words []uint32) {
	for i := 0; i < len(sums); i += 2 {
		words = append(words, uint32(whole(mma.F16, sums[i]))|uint32(whole(mma.F16, sums[i+1]))<<16)
	}
	return words
}

// testGroupHalves compares products of warpgroups with sums in f16, which are exact, with those that the CPU computes.
func testGroupHalves(b *bench) {
	if b.lacks(90) {
		return // as testGroupProducts says
	}
	r := rand.New(rand.NewPCG(17, 18))
	for _, columns := range []int{8, 40, 128} {
		for which := range uint32(8) {
			of := []mma.Type{mma.F16, mma.F16, mma.E4M3, mma.E5M2}[which/4*2+which%2]
			x, a := rowsOf(r, of, 64)
			y, c := rowsOf(r, of, columns)
			out := buffer(b, "out", device.U32, make([]uint32, 32*columns)...)
			name := fmt.Sprintf("GroupHalves[[%d]uint32]", columns/4)
			b.must(name, 1, 128, which, buffer(b, "a", device.U32, a...), buffer(b, "b", device.U32, c...), out)
			sums := sumsOf(x, y, 0, of)
			for i := range sums {
				sums[i] = 3 + sums[i]*(1-2*int(which%2))
			}
			require.Equal(b, packed(sums), read[uint32](b, out), "%s, case %d", name, which)
		}
	}
}
