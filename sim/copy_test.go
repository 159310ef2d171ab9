package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
	"github.com/weft-gpu/weft/sim/config"
)

// testKernel returns a kernel of package testkernels.
func testKernel(t *testing.T, name string) *device.Kernel {
	all, err := devicetest.Kernels()
	require.NoError(t, err)
	k, err := all.Kernel(t.Context(), "testkernels."+name, nil)
	require.NoError(t, err)
	return k
}

// TestCopyTimes compares how long copies take with the latencies of loads that TestLatencyOfLoads has, beside some cycles in which the
// copy, its group and the wait are issued: one of 16 bytes passes L1 by, and one of 4 bytes hits it when the data is there.
func TestCopyTimes(t *testing.T) {
	d := open(t, "h200", "l2.spread", "0", "l2.copies", "0") // so that the first copy comes from device memory
	words, quads := upload(t, d, "words", device.U32, make([]uint32, 32)), upload(t, d, "quads", device.U32, make([]uint32, 128))
	out := upload(t, d, "out", device.U64, make([]uint64, 4))
	r := launch(t, d, testKernel(t, "CopyTimes"), 1, 32, words, quads, out)
	took := download[uint64](t, d, out)
	const inL1, inL2, issue = 36, 279, 40
	assert.Greater(t, took[0], took[1], "from device memory, and from L2")
	assert.GreaterOrEqual(t, took[1], uint64(inL2), "past L1")
	assert.Less(t, took[1], uint64(inL2+issue))
	assert.Greater(t, took[2], took[3])
	assert.GreaterOrEqual(t, took[3], uint64(inL1), "from L1")
	assert.Less(t, took[3], uint64(inL1+issue))
	assert.Equal(t, 32*2*(16.0+4), count(t, r, "smsp__copied_bytes.sum"))
	assert.Equal(t, 4.0, count(t, r, "smsp__inst_executed_op_ldgsts.sum"))
	assert.Equal(t, 2*16.0+2*4, count(t, r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts.sum"))
	assert.Zero(t, count(t, r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), "a copy is no load")
	assert.Equal(t, 2*16.0+4, count(t, r, "lts__t_sectors_srcunit_tex_op_read.sum"), "the second copy of words hits L1")
}

// TestCopiesAhead waits for one of two groups: the wait ends when that has landed, whatever the other does.
func TestCopiesAhead(t *testing.T) {
	d := open(t, "h200", "l2.spread", "0")
	near, far := upload(t, d, "near", device.U32, make([]uint32, 32)), upload(t, d, "far", device.U32, make([]uint32, 32*1024))
	out := upload(t, d, "out", device.U64, make([]uint64, 2))
	r := launch(t, d, testKernel(t, "CopyAhead"), 1, 32, near, far, out)
	took := download[uint64](t, d, out)
	assert.Less(t, took[0], uint64(100))
	assert.Greater(t, took[1], uint64(279))
	assert.Positive(t, count(t, r, "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"), "a wait for copies is one for memory")
}

// TestCopiesApart simulates copies with one and with several threads: everything is the same.
func TestCopiesApart(t *testing.T) {
	cfg, err := config.Load("h200")
	require.NoError(t, err)
	words := make([]uint32, 4096)
	for i := range words {
		words[i] = uint32(i)
	}
	for tracked := range uint32(2) {
		var reports []*device.Report
		for _, threads := range []int{1, 2, 5, -3} {
			d, err := New(cfg, Options{Threads: threads})
			require.NoError(t, err)
			in, out := upload(t, d, "words", device.U32, words), upload(t, d, "out", device.U32, make([]uint32, 300*128))
			reports = append(reports, launch(t, d, testKernel(t, "CopyRing"), 300, 128, in, uint32(20), tracked, out))
			sums := download[uint32](t, d, out)
			assert.Equal(t, uint32(20*19/2*32+20*5), sums[300*128-128+64+5])
			require.NoError(t, d.Close())
		}
		for _, r := range reports[1:] {
			assert.Equal(t, reports[0], r)
		}
	}
}
