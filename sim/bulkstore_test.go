package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/config"
)

// TestBulkStoreTimes compares how long copies in bulk to global memory take with what an H200 takes.
func TestBulkStoreTimes(t *testing.T) {
	d := open(t, "h200", "l2.spread", "0")
	words, out := upload(t, d, "words", device.U32, make([]uint32, 4096)), upload(t, d, "out", device.U64, make([]uint64, 3))
	k := testKernel(t, "BulkStoreTimes")
	var took [2][]uint64
	for i, n := range []uint32{4, 4096} {
		r := launch(t, d, k, 1, 128, n, words, out)
		took[i] = download[uint64](t, d, out)
		parts, sectors := float64((n+127)/128), float64((n+7)/8)
		assert.Equal(t, parts+3, count(t, r, "smsp__inst_executed_op_global_st.sum"), "a store for each part of 512 bytes, and those of the times")
		assert.Equal(t, float64((n+31)/32), count(t, r, "smsp__inst_executed_op_global_red.sum"), "one for each 32 numbers")
		assert.Equal(t, sectors+3, count(t, r, "lts__t_sectors_srcunit_tex_op_write.sum"))
	}
	// In a loop with a fence, an H200 takes 78 cycles for 16 bytes and 590 for 16 KiB until the group is complete, and 9 more until they are known to have been
	// read (results/hw/asynchronous/h200-asynchronous.csv).
	// Here the wait for the group comes behind the wait for the source, and there is no fence in the time.
	assert.Greater(t, took[0][0], uint64(30))
	assert.Less(t, took[0][0], uint64(87))
	assert.InEpsilon(t, 87, took[0][1], 0.1)
	assert.InEpsilon(t, 599, took[1][0], 0.1)
	assert.InEpsilon(t, 599, took[1][1], 0.1)
	for i, x := range download[uint32](t, d, words) {
		want := 2 * uint32(i) // of the second launch
		require.Equal(t, want, x)
	}
}

// TestBulkStoresApart simulates copies and reductions in bulk of many blocks with one and with several threads: everything is the same.
func TestBulkStoresApart(t *testing.T) {
	cfg, err := config.Load("h200")
	require.NoError(t, err)
	const grid, n = 200, 64
	var reports []*device.Report
	var last [][]uint32
	for _, threads := range []int{1, 2, 5, -3} {
		d, err := New(cfg, Options{Threads: threads})
		require.NoError(t, err)
		out, sums := upload(t, d, "out", device.U32, make([]uint32, grid*6*100)), upload(t, d, "sums", device.U32, make([]uint32, grid*96))
		reports = append(reports, launch(t, d, testKernel(t, "BulkTiles"), grid, 96, uint32(100), uint32(6), out, sums))
		u, s := upload(t, d, "u", device.U32, make([]uint32, 6*n)), upload(t, d, "s", device.S32, make([]int32, 3*n))
		l, e := upload(t, d, "d", device.U64, make([]uint64, 6*n)), upload(t, d, "e", device.S64, make([]int64, 3*n))
		f, g := upload(t, d, "f", device.F32, make([]float32, n)), upload(t, d, "g", device.F64, make([]float64, n))
		reports = append(reports, launch(t, d, testKernel(t, "BulkSums"), grid, 64, uint32(n), u, s, l, e, f, g))
		last = append(last, download[uint32](t, d, u))
		require.NoError(t, d.Close())
	}
	for i, r := range reports[2:] {
		assert.Equal(t, reports[i%2], r)
	}
	for _, u := range last[1:] {
		assert.Equal(t, last[0], u)
	}
}

// TestBulkStoreIsReleased checks that a block which knows of a copy in bulk by a release after the wait for its group sees all of it, though the wait
// ends before the L2 has it.
func TestBulkStoreIsReleased(t *testing.T) {
	for _, machine := range []string{"h200", "tiny"} {
		for _, n := range []int{4, 512, 4096} {
			d := open(t, machine)
			words, seen := upload(t, d, "words", device.U32, make([]uint32, n)), upload(t, d, "seen", device.U32, make([]uint32, n))
			flag := upload(t, d, "flag", device.U32, make([]uint32, 1))
			launch(t, d, testKernel(t, "BulkReleased"), 2, 64, uint32(n), words, flag, seen)
			for i, x := range download[uint32](t, d, seen) {
				require.EqualValues(t, i+1, x, "%s, %d words", machine, n)
			}
			require.NoError(t, d.Close())
		}
	}
}
