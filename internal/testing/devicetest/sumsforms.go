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
