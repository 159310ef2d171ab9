package gpu_test

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

// The layouts, worked out by hand from the definition of Swizzle<B,4,3> in CuTe: by row of 128 bytes, which chunk of 16 bytes lies in each place.
var (
	swizzled32 = [2][8]uint32{
		{0, 1, 2, 3, 4, 5, 6, 7},
		{1, 0, 3, 2, 5, 4, 7, 6},
	}
	swizzled64 = [4][8]uint32{
		{0, 1, 2, 3, 4, 5, 6, 7},
		{1, 0, 3, 2, 5, 4, 7, 6},
		{2, 3, 0, 1, 6, 7, 4, 5},
		{3, 2, 1, 0, 7, 6, 5, 4},
	}
	swizzled128 = [8][8]uint32{
		{0, 1, 2, 3, 4, 5, 6, 7},
		{1, 0, 3, 2, 5, 4, 7, 6},
		{2, 3, 0, 1, 6, 7, 4, 5},
		{3, 2, 1, 0, 7, 6, 5, 4},
		{4, 5, 6, 7, 0, 1, 2, 3},
		{5, 4, 7, 6, 1, 0, 3, 2},
		{6, 7, 4, 5, 2, 3, 0, 1},
		{7, 6, 5, 4, 3, 2, 1, 0},
	}
)

func TestSwizzle(t *testing.T) {
	for _, c := range []struct {
		name    string
		swizzle func(uint32) uint32
		rows    [][8]uint32
	}{
		{"32", gpu.Swizzle32, swizzled32[:]}, {"64", gpu.Swizzle64, swizzled64[:]}, {"128", gpu.Swizzle128, swizzled128[:]},
	} {
		for offset := range uint32(4096) {
			row, place, byte := offset/128, offset/16%8, offset%16
			chunk := c.rows[row%uint32(len(c.rows))][place]
			require.Equal(t, offset, c.swizzle(128*row+16*chunk+byte), "swizzle of %s, byte %d", c.name, offset)
			require.Equal(t, offset, c.swizzle(c.swizzle(offset)))
		}
	}
	assert.Equal(t, uint32(0xFFFFFC0F), gpu.Swizzle128(0xFFFFFC0F), "the first row of a pattern stays")
}

// TestSwizzleOfGPU compares the layouts with where an H100 put each 16 bytes of a tile by a tensor map (swizzle.cu beside the record).
func TestSwizzleOfGPU(t *testing.T) {
	f, err := os.Open("../results/hw/asynchronous/h100-swizzle.csv")
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+3*256)
	for _, row := range rows[1:] {
		var n [3]uint32
		for i, field := range row {
			v, err := strconv.ParseUint(field, 10, 32)
			require.NoError(t, err)
			n[i] = uint32(v)
		}
		swizzle := map[uint32]func(uint32) uint32{32: gpu.Swizzle32, 64: gpu.Swizzle64, 128: gpu.Swizzle128}[n[0]]
		require.NotNil(t, swizzle, "%v", row)
		assert.Equal(t, n[2], swizzle(n[1]), "%v", row)
	}
}
