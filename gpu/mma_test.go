package gpu_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/testing/testkernels"
)

// TestMMA multiplies a matrix of row numbers by one of column numbers, in the lanes of two warps: element (m, n) is m*n*K.
func TestMMA(t *testing.T) {
	var sums [64][4]float32
	require.NoError(t, gpu.Launch(1, 64, func(t gpu.Thread) {
		g := t.Lane() / 4
		low, high := gpu.PackF16(float32(g), float32(g)), gpu.PackF16(float32(g+8), float32(g+8))
		warp := float32(t.Warp())
		sums[t.Idx()] = gpu.MMA16x8x16F16(t, [4]uint32{low, high, low, high}, [2]uint32{low, low}, [4]float32{warp, warp, warp, warp})
	}))
	for i, sum := range sums {
		g, column := i%32/4, i%4*2
		for e, got := range sum {
			want := float32((g+e/2*8)*(column+e%2)*16 + i/32)
			assert.Equal(t, want, got, "thread %d, element %d", i, e)
		}
	}
}

func TestMMAOthers(t *testing.T) {
	ints, doubles, bits := [32][4]int32{}, [32][2]float64{}, [32][4]int32{}
	words := [32]uint32{}
	require.NoError(t, gpu.Launch(1, 32, func(t gpu.Thread) {
		l := t.Lane()
		ones := uint32(0x01010101)
		ints[l] = gpu.MMA16x8x32S8(t, [4]uint32{ones * 255, ones * 255, ones * 255, ones * 255}, [2]uint32{ones * 3, ones * 3}, [4]int32{1, 2, 3, 4})
		doubles[l] = gpu.MMA8x8x4F64(t, 0.1, 0.2, [2]float64{1, 2})
		bits[l] = gpu.MMA16x8x256Xor(t, [4]uint32{1, 1, 1, 1}, [2]uint32{2, 3}, [4]int32{})
		words[l] = gpu.Transpose8x8(t, l<<16|l)
	}))
	assert.Equal(t, [4]int32{1 - 96, 2 - 96, 3 - 96, 4 - 96}, ints[7])
	sum := 1.
	for range 4 {
		sum = math.FMA(0.1, 0.2, sum)
	}
	assert.Equal(t, sum, doubles[3][0])
	assert.Equal(t, [4]int32{4*2 + 4, 12, 12, 12}, bits[0]) // two bits differ in half of the words, one in the others
	// Row 0 of the transpose begins with elements (0, 0) and (1, 0), which lanes 0 and 4 hold.
	assert.Equal(t, uint32(4<<16), words[0])
}

// TestMMAAlone has threads of a warp that do not come to a product of matrices together.
func TestMMAAlone(t *testing.T) {
	product := func(t gpu.Thread) { gpu.MMA8x8x128And(t, 0, 0, [2]int32{}) }
	err := gpu.Launch(1, 32, func(t gpu.Thread) {
		if t.Lane() != 5 {
			product(t)
		}
	})
	var f *gpu.Fault
	require.ErrorAs(t, err, &f)
	assert.Equal(t, "gpu.MMA8x8x128And while lanes 00000020 have exited: all 32 lanes of the warp have to take part", f.What)
	assert.NotEmpty(t, f.At)
	err = gpu.Launch(1, 40, product)
	require.ErrorAs(t, err, &f)
	assert.Equal(t, "gpu.MMA8x8x128And in a warp without lanes ffffff00: the block has 40 threads, and all 32 lanes have to take part", f.What)
	err = gpu.Launch(1, 32, func(t gpu.Thread) {
		if t.Lane() == 3 {
			product(t)
		} else {
			product(t)
		}
	})
	require.ErrorAs(t, err, &f)
	assert.Equal(t, "gpu.MMA8x8x128And while lane 3 of the warp is at another call of it: all 32 lanes have to execute it together", f.What)
	err = gpu.Launch(1, 32, func(t gpu.Thread) {
		if t.Lane() == 3 {
			t.Sync()
		}
		product(t)
	})
	var hang *gpu.HangError
	require.ErrorAs(t, err, &hang)
	assert.Contains(t, hang.Error(), "MMA8x8x128And")
}

func TestFormats(t *testing.T) {
	assert.Equal(t, uint32(0x3C00_0000|0xC000), gpu.PackF16(-2, 1))
	assert.Equal(t, uint32(0x3F80_0000|0xC000), gpu.PackBF16(-2, 1))
	assert.Equal(t, float32(65504), gpu.FromF16(0x7BFF))
	assert.Equal(t, float32(-2), gpu.FromBF16(0xC000))
	assert.Equal(t, uint32(0x3F802000), gpu.ToTF32(1+1./2048), "ties away from zero")
}

// TestMMAZeros multiplies by zeros, which leaves the sums as they are, and loads equal rows, of which each lane gets words 0 to 3 of
// its group, or, transposed, an element twice.
func TestMMAZeros(t *testing.T) {
	zero, sums := make([]uint32, 128), make([]uint32, 128)
	for i := range sums {
		sums[i] = 0x3C00_3C00 + uint32(i) // positive numbers in all types
	}
	for which := range uint32(18) {
		out := make([]uint32, 128)
		require.NoError(t, gpu.Launch(1, 32, func(th gpu.Thread) { testkernels.Product(th, which, zero, zero, sums, out) }))
		assert.Equal(t, sums[:64], out[:64], "function %d", which)
	}
	for which := range uint32(8) {
		out := make([]uint32, 128)
		require.NoError(t, gpu.Launch(1, 32, func(th gpu.Thread) { testkernels.SmallProduct(th, which, zero, zero, sums, out) }))
		assert.Equal(t, sums[:64], out[:64], "8-bit function %d", which)
	}
	for which := range uint32(2) {
		in, out := make([]float64, 128), make([]float64, 128)
		for i := range in {
			in[i] = 1
		}
		require.NoError(t, gpu.Launch(1, 32, func(th gpu.Thread) { testkernels.WideProduct64(th, which, in, in, in, out) }))
		assert.Equal(t, float64(5+4*which), out[77])
	}
	for which := range uint32(6) {
		in, out := make([]uint32, 128), make([]uint32, 128)
		for i := range in {
			in[i] = uint32(2*(i%4)) | uint32(2*(i%4)+1)<<16 // element e of each row is e
		}
		require.NoError(t, gpu.Launch(1, 32, func(th gpu.Thread) { testkernels.LoadMatrices(th, which, in, out) }))
		for lane := range 32 {
			want := in[lane%4]
			if which >= 3 {
				want = uint32(lane/4) * 0x10001
			}
			assert.Equal(t, want, out[lane*4], "function %d, lane %d", which, lane)
		}
	}
	for which := range uint32(6) {
		in, out := make([]uint32, 128), make([]uint32, 128)
		for i := range in {
			in[i] = uint32(i) // of an even element alone
		}
		require.NoError(t, gpu.Launch(1, 32, func(th gpu.Thread) { testkernels.StoreMatrices(th, which, in, out) }))
		for j := range 4 {
			row := (8*j+2)*5 + 1
			want := in[4*9+j] // elements 2 and 3 of row 2 are those of lane 4*2+1
			if which >= 3 {
				want |= in[4*13+j] << 16 // or the first ones of lanes 4*2+1 and 4*3+1
			}
			if j >= 1<<(which%3) {
				want = 0
			}
			assert.Equal(t, want, out[row%32*4+1], "function %d, matrix %d", which, j)
		}
	}
}
