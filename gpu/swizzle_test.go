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

// TestSwizzle compares the layouts with where an H100 put each 16 bytes of a tile of 4,096 bytes by a tensor map (swizzle.cu beside the
// record). The bytes of such a chunk stay together, and a swizzle is its own inverse.
func TestSwizzle(t *testing.T) {
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
		for byte := range uint32(16) {
			assert.Equal(t, n[2]+byte, swizzle(n[1]+byte), "%v", row)
			assert.Equal(t, n[1]+byte, swizzle(n[2]+byte), "%v", row)
		}
	}
}
