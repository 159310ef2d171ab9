package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
)

// TestSwizzledBanks counts the conflicts of a warp that writes 32 rows of 32 words and reads the columns. A row is on all banks in every
// layout. The words of a column are all on one bank without a swizzle: 31 further passes for each column. With chunks swizzled among 2, 4 or 8
// places they are on as many banks, 16, 8 or 4 on each.
func TestSwizzledBanks(t *testing.T) {
	d := open(t, "h200")
	in, out := upload(t, d, "in", device.U32, make([]uint32, 1024)), upload(t, d, "out", device.U32, make([]uint32, 1024))
	for swizzle, conflicts := range map[uint32]float64{0: 32 * 31, 32: 32 * 15, 64: 32 * 7, 128: 32 * 3} {
		r := launch(t, d, testKernel(t, "Swizzles"), 1, 32, swizzle, in, out)
		assert.Equal(t, conflicts, count(t, r, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"), "swizzle of %d bytes", swizzle)
		assert.Zero(t, count(t, r, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"), "swizzle of %d bytes", swizzle)
	}
}

// TestSwizzledChunks counts the conflicts of reads of 16 bytes. Each eight lanes of an access are on their own, since they read as much as
// all banks have: without a swizzle the eight chunks are on the same four banks, seven further passes for each eight lanes. Among 2, 4 or 8
// places there are 3, 1 and none.
func TestSwizzledChunks(t *testing.T) {
	d := open(t, "h200")
	out := upload(t, d, "out", device.U32, make([]uint32, 32))
	for swizzle, conflicts := range map[uint32]float64{0: 7, 32: 3, 64: 1, 128: 0} {
		r := launch(t, d, testKernel(t, "SwizzledChunks"), 1, 32, swizzle, out)
		assert.Equal(t, 8*4*conflicts, count(t, r, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"), "swizzle of %d bytes", swizzle)
	}
}
