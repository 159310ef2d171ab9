package gpu_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/testing/testkernels"
)

// TestGroupProduct multiplies whole numbers by two warpgroups, which are exact in any order, with each layout of the factors.
func TestGroupProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const columns = 24
	numbers := func(rows int) (list [][64]float32, words []uint32) {
		for range rows {
			var row [64]float32
			for i := range row {
				row[i] = float32(r.IntN(9) - 4)
			}
			for i := 0; i < 64; i += 2 {
				words = append(words, gpu.PackF16(row[i], row[i+1]))
			}
			list = append(list, row)
		}
		return list, words
	}
	x, a := numbers(64)
	y, b := numbers(columns)
	for name, kernel := range map[string]func(gpu.Thread, []uint32, []uint32, []float32){
		"plain": testkernels.GroupProduct[[columns / 2]float32, testkernels.Plain], "32": testkernels.GroupProduct[[columns / 2]float32, testkernels.Swizzled32],
		"64": testkernels.GroupProduct[[columns / 2]float32, testkernels.Swizzled64], "128": testkernels.GroupProduct[[columns / 2]float32, testkernels.Swizzled],
	} {
		out := make([]float32, 256*columns/2)
		require.NoError(t, gpu.Launch(1, 256, func(th gpu.Thread) { kernel(th, a, b, out) }), name)
		for i, got := range out {
			thread, s := i/(columns/2)%128, i%(columns/2)
			row, column := thread/32*16+thread%32/4+s/2%2*8, s/4*8+thread%4*2+s%2
			want := float32(0)
			for k := range x[row] {
				want += x[row][k] * y[column][k]
			}
			require.Equal(t, want, got, "%s: thread %d, sum %d", name, thread, s)
		}
	}
}

// TestGroupProductMisuse has products that plain Go refuses with the line.
func TestGroupProductMisuse(t *testing.T) {
	words := make([]uint32, 64*8)
	whole := gpu.SharedMatrix{Data: words, Stride: 256, Swizzle: 32}
	for want, change := range map[string]func(t gpu.Thread, m *gpu.SharedMatrix){
		"GroupMMAS8 of a matrix: Swizzle is 16; want 0, 32, 64 or 128":                                        func(_ gpu.Thread, m *gpu.SharedMatrix) { m.Swizzle = 16 },
		"GroupMMAS8 of a matrix: Stride is 100; want a multiple of 16 below 262144":                           func(_ gpu.Thread, m *gpu.SharedMatrix) { m.Stride = 100 },
		"GroupMMAS8 of a matrix: Leading is 8; want a multiple of 16 below 262144":                            func(_ gpu.Thread, m *gpu.SharedMatrix) { m.Leading = 8 },
		"GroupMMAS8 of a matrix: Offset is 32; want a multiple of 16, less than Swizzle if that is not 0":     func(_ gpu.Thread, m *gpu.SharedMatrix) { m.Offset = 32 },
		"gpu.GroupMMAS8 of other matrices in lane 3 than in lane 0: all threads of a warpgroup name the same": func(t gpu.Thread, m *gpu.SharedMatrix) { m.Data = words[t.Lane()/3*4:] },
	} {
		err := gpu.Launch(1, 128, func(t gpu.Thread) {
			var sums gpu.IntSums[[4]int32]
			m := whole
			change(t, &m)
			gpu.GroupMMAS8(t, &sums, whole, m)
		})
		var f *gpu.Fault
		require.ErrorAs(t, err, &f, want)
		assert.Contains(t, f.What, want)
		assert.NotEmpty(t, f.At)
	}
	for want, change := range map[string]gpu.SharedMatrix{
		"GroupMMATF32 of a transposed matrix; only matrices of f16 and bf16 may be":                                                   {Data: words, Stride: 256, Swizzle: 32, Transposed: true},
		"GroupMMAS8 of a negated matrix; only matrices of floating-point numbers may be":                                              {Data: words, Stride: 256, Swizzle: 32, Negated: true},
		"GroupMMAF16 of a transposed matrix: 64 rows or columns do not fit in the 32 bytes of its swizzle behind Offset, which is 16": {Data: words, Offset: 16, Stride: 256, Swizzle: 32, Transposed: true},
	} {
		err := gpu.Launch(1, 128, func(t gpu.Thread) {
			var sums gpu.FloatSums[[4]float32]
			var counts gpu.IntSums[[4]int32]
			switch {
			case change.Negated:
				gpu.GroupMMAS8(t, &counts, whole, change)
			case change.Offset == 0:
				gpu.GroupMMATF32(t, &sums, whole, change)
			default:
				gpu.GroupMMAF16(t, &sums, change, whole)
			}
		})
		var f *gpu.Fault
		require.ErrorAs(t, err, &f, want)
		assert.Contains(t, f.What, want)
	}
	err := gpu.Launch(1, 128, func(t gpu.Thread) {
		var sums gpu.FloatSums[[4]float32]
		gpu.GroupMMATF32From(t, &sums, [4]uint32{}, gpu.SharedMatrix{Data: words[:16], Stride: 256, Swizzle: 32})
	})
	var f *gpu.Fault
	require.ErrorAs(t, err, &f)
	assert.Contains(t, f.What, "index out of range")
}

// TestGroupForms multiplies transposed and negated factors.
func TestGroupForms(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const columns = 72
	x, y := [64][64]float32{}, [64][columns]float32{} // y by rows
	a, b := make([]uint32, 64*32), make([]uint32, 64*columns/2)
	for k := range 64 {
		for i := range x {
			x[i][k] = float32(r.IntN(9) - 4)
		}
		for j := range columns {
			y[k][j] = float32(r.IntN(9) - 4)
		}
	}
	for k := range 64 { // both with a line for each k
		for i := 0; i < 64; i += 2 {
			a[k*32+i/2] = gpu.PackF16(x[i][k], x[i+1][k])
		}
		for j := 0; j < columns; j += 2 {
			b[(k*columns+j)/2] = gpu.PackF16(y[k][j], y[k][j+1])
		}
	}
	for name, kernel := range map[string]func(gpu.Thread, uint32, uint32, []uint32, []uint32, []float32){
		"plain": testkernels.GroupForms[[columns / 2]float32, testkernels.Plain], "32": testkernels.GroupForms[[columns / 2]float32, testkernels.Swizzled32],
		"64": testkernels.GroupForms[[columns / 2]float32, testkernels.Swizzled64], "128": testkernels.GroupForms[[columns / 2]float32, testkernels.Swizzled],
	} {
		for which, sign := range map[uint32]float32{2: 1, 3: -1} {
			out := make([]float32, 128*columns/2)
			require.NoError(t, gpu.Launch(1, 128, func(th gpu.Thread) { kernel(th, which, 3, a, b, out) }), name)
			for i, got := range out {
				thread, s := i/(columns/2), i%(columns/2)
				row, column := thread/32*16+thread%32/4+s/2%2*8, s/4*8+thread%4*2+s%2
				want := float32(3)
				for k := range 64 {
					want += sign * x[row][k] * y[k][column]
				}
				require.Equal(t, want, got, "%s: thread %d, sum %d", name, thread, s)
			}
		}
	}
}

// TestGroupProductsOfZeros adds products of zeros by each function to 3, in all types the same number.
func TestGroupProductsOfZeros(t *testing.T) {
	zeros := make([]uint32, 64*32)
	for which := range uint32(12) {
		out := make([]uint32, 128*8)
		require.NoError(t, gpu.Launch(1, 128, func(th gpu.Thread) { testkernels.GroupProducts(th, which, zeros, zeros, out) }))
		want := uint32(3)
		if which%6 < 3 {
			want = gpu.Float32bits(3)
		}
		for i, got := range out {
			require.Equal(t, want, got, "function %d, element %d", which, i)
		}
	}
	var counts gpu.IntSums[[12]int32]
	assert.Equal(t, uint32(12), counts.Len())
}

// TestGroupHalves adds products to sums in f16, which are rounded to even.
func TestGroupHalves(t *testing.T) {
	a, b := make([]uint32, 64*32), make([]uint32, 16*32)
	for i := range 32 {
		a[i] = gpu.PackF16(32, 32) // row 0
		b[i] = gpu.PackF16(1, 1)   // column 0
		b[32+i] = gpu.PackF16(1, 2)
	}
	out := make([]uint32, 128*4)
	require.NoError(t, gpu.Launch(1, 128, func(th gpu.Thread) { testkernels.GroupHalves[[4]uint32](th, 0, a, b, out) }))
	// From 2048 on, numbers are even. A step adds 512 to the first sum, at last 1539+512, and 768 to the second, 1539+768 and 2308+768.
	assert.Equal(t, gpu.PackF16(2052, 3076), out[0])
	for i, x := range out[1:] {
		require.Equal(t, gpu.PackF16(3, 3), x, "word %d", i+1)
	}
}
