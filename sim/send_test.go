package sim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// oneCluster launches a kernel of one cluster of 64 threads in each block.
func oneCluster(t *testing.T, d *Device, kernel string, blocks int, args ...any) *device.Report {
	t.Helper()
	r, err := d.Launch(context.Background(), device.Launch{Kernel: testKernel(t, kernel), Grid: blocks, Block: 64, Cluster: blocks, Args: args})
	require.NoError(t, err)
	checkIdle(t, d)
	return r
}

// TestMulticastCounts compares what a copy of 132 words to some blocks of four counts with what follows by hand: it is read once, in sectors of 32 bytes, and
// its bytes come to each block.
func TestMulticastCounts(t *testing.T) {
	const n, sectors = 132, 132 * 4 / 32.0 // 16.5: the last one is half used
	for mask, blocks := range map[uint32]float64{1: 1, 0b0010: 1, 0b1010: 2, 0b1111: 4} {
		d := open(t, "h200", "l2.spread", "0")
		words, out := upload(t, d, "words", device.U32, make([]uint32, n)), upload(t, d, "out", device.U32, make([]uint32, 4*n))
		r := oneCluster(t, d, "MulticastRounds", 4, words, uint32(n), uint32(1), mask, out)
		assert.Equal(t, 2.0, count(t, r, "smsp__inst_executed_op_ldgsts.sum"), "parts of 512 bytes, mask %b", mask)
		assert.Equal(t, sectors+0.5, count(t, r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts.sum"), "mask %b", mask)
		assert.Equal(t, blocks*n*4, count(t, r, "smsp__copied_bytes.sum"), "mask %b", mask)
		require.NoError(t, d.Close())
	}
}

// TestSendCounts compares what copies between the blocks of a cluster count, and take longer on a slower network, with what follows by hand.
func TestSendCounts(t *testing.T) {
	const n, rounds, blocks = 132, 3, 4
	cycles := func(latency string) float64 {
		d := open(t, "h200", "cluster.latency", latency)
		out := upload(t, d, "out", device.U32, make([]uint32, blocks*n))
		r := oneCluster(t, d, "SendRing", blocks, uint32(n), uint32(rounds), out)
		assert.Zero(t, count(t, r, "smsp__inst_executed_op_ldgsts.sum"), "nothing is loaded")
		assert.Equal(t, float64(blocks*rounds*n*4), count(t, r, "smsp__copied_bytes.sum"))
		require.NoError(t, d.Close())
		return count(t, r, "sm__cycles_elapsed.max")
	}
	// Each round waits for its copy; a warp looks again some cycles behind the end of a phase.
	assert.InDelta(t, rounds*400, cycles("607")-cycles("207"), 30)
}
