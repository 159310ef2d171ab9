package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// TestBoxCounts compares what copies of boxes of 32 by 8 words count with what follows from where they lie: a part has up to 32 pieces of 16
// bytes, or of 8 where rows of the tensor end at a multiple of that; zeros outside of the tensor are asked of nobody.
func TestBoxCounts(t *testing.T) {
	const pitch, high = 128, 64
	for _, c := range []struct {
		name                  string
		wide                  uint32
		x, y                  int32
		parts, sectors, bytes int
	}{
		{"inside", 128, 32, 8, 2, 8 * 4, 1024},
		{"across sectors", 128, 4, 8, 2, 8 * 5, 1024}, // rows of 128 bytes that begin in the middle of a sector
		// 15 pieces of 8 bytes in each row of four sectors, 32 in a part: two of the parts begin within a sector.
		{"rows that end within 16 bytes", 126, 96, 8, 4, 8*4 + 2, 960},
		{"the last row", 128, 112, 63, 1, 2, 64},
		{"outside", 128, 128, 0, 0, 0, 0},
		{"before the first row", 128, 112, -4, 1, 4 * 2, 256},
		{"before the first column", 128, -28, 0, 1, 8, 128}, // 4 words of 8 rows
		{"before all", 128, -32, 63, 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t, "h200", "l2.spread", "0")
			from, to := upload(t, d, "from", device.U32, make([]uint32, pitch*high)), upload(t, d, "to", device.U32, make([]uint32, pitch*high))
			seen := upload(t, d, "seen", device.U32, make([]uint32, 256))
			k := testKernel(t, "Boxes2[uint32]")
			m := func(b device.Buffer, wide uint32) device.TensorMap2 {
				m := device.NewTensorMap2(b, [2]uint32{wide, high}, [2]uint32{32, 8}, 0)
				m.Pitches[0] = pitch
				return m
			}
			behind, own := [2]int32{0, high}, 256.0/8 // own: sectors that the kernel stores of what it has seen
			r := launch(t, d, k, 1, 32, m(from, c.wide), m(to, pitch), [2]int32{c.x, c.y}, behind, seen)
			assert.Equal(t, float64(c.parts), count(t, r, "smsp__inst_executed_op_ldgsts.sum"))
			assert.Equal(t, float64(c.bytes), count(t, r, "smsp__copied_bytes.sum"))
			assert.Equal(t, float64(c.sectors), count(t, r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts.sum"))
			assert.Equal(t, own, count(t, r, "lts__t_sectors_srcunit_tex_op_write.sum"), "nothing is stored behind the tensor")
			if c.x >= 0 && c.y >= 0 && c.wide == pitch {
				r = launch(t, d, k, 1, 32, m(from, pitch), m(to, pitch), behind, [2]int32{c.x, c.y}, seen)
				assert.Equal(t, float64(c.parts)+8, count(t, r, "smsp__inst_executed_op_global_st.sum"))
				assert.Equal(t, float64(c.sectors)+own, count(t, r, "lts__t_sectors_srcunit_tex_op_write.sum"))
				assert.Zero(t, count(t, r, "smsp__inst_executed_op_ldgsts.sum"))
			}
			require.NoError(t, d.Close())
		})
	}
}
