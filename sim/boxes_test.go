package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// TestBoxCounts compares what copies of boxes of 32 by 8 words count with what follows from where they lie: a part has up to 32 pieces of 16
// bytes, or of 4 from a column that is no multiple of 16 bytes; zeros outside of the tensor are asked of nobody.
func TestBoxCounts(t *testing.T) {
	const wide, high = 128, 64
	for _, c := range []struct {
		name                  string
		x, y                  int32
		parts, sectors, bytes int
	}{
		{"inside", 32, 8, 2, 8 * 4, 1024},
		{"across sectors", 4, 8, 2, 8 * 5, 1024},    // rows of 128 bytes that begin in the middle of a sector
		{"at a word", 1, 8, 8, 8 * 5, 1024},         // 32 pieces of 4 bytes, a row, in each part
		{"in part outside", 112, -4, 1, 4 * 2, 256}, // 16 words of 4 rows
		{"outside", 128, 0, 0, 0, 0},
		{"outside at a word", -33, 63, 0, 0, 0},
		{"one column", -31, 0, 1, 8, 32},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t, "h200", "l2.spread", "0")
			data := make([]uint32, wide*high)
			for i := range data {
				data[i] = uint32(i)
			}
			from, to := upload(t, d, "from", device.U32, data), upload(t, d, "to", device.U32, make([]uint32, wide*high))
			seen := upload(t, d, "seen", device.U32, make([]uint32, 256))
			k := testKernel(t, "Boxes2[uint32]")
			m := func(b device.Buffer) device.TensorMap2 {
				return device.NewTensorMap2(b, [2]uint32{wide, high}, [2]uint32{32, 8}, 0)
			}
			outside := [2]int32{0, -8}
			r := launch(t, d, k, 1, 32, m(from), m(to), [2]int32{c.x, c.y}, outside, seen)
			assert.Equal(t, float64(c.parts), count(t, r, "smsp__inst_executed_op_ldgsts.sum"))
			assert.Equal(t, float64(c.bytes), count(t, r, "smsp__copied_bytes.sum"))
			assert.Equal(t, float64(c.sectors), count(t, r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts.sum"))
			own := 256.0 / 8 // what the kernel stores of what it has seen
			assert.Equal(t, own, count(t, r, "lts__t_sectors_srcunit_tex_op_write.sum"), "nothing is stored outside")
			r = launch(t, d, k, 1, 32, m(from), m(to), outside, [2]int32{c.x, c.y}, seen)
			assert.Equal(t, float64(c.parts)+8, count(t, r, "smsp__inst_executed_op_global_st.sum"))
			assert.Equal(t, float64(c.sectors)+own, count(t, r, "lts__t_sectors_srcunit_tex_op_write.sum"))
			assert.Zero(t, count(t, r, "smsp__inst_executed_op_ldgsts.sum"))
			require.NoError(t, d.Close())
		})
	}
}
