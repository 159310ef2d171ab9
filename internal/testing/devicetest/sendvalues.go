package devicetest

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/testing/testkernels"
)

// testSendValues sends values to other blocks of a cluster, and compares what is there with what plain Go has, and with sums by hand.
func testSendValues(b *bench) {
	if b.lacks(90) {
		var refused *device.ArgError
		require.ErrorAs(b, b.clustered("SendValues", 1, 1, 64, uint32(1), words32(b, 512), words32(b, 8)), &refused)
		assert.Contains(b, refused.What, "needs compute capability")
		return
	}
	for _, c := range []struct{ cluster, grid, rounds int }{{1, 2, 1}, {2, 2, 1}, {2, 4, 3}, {4, 8, 2}, {8, 8, 5}} {
		want, wantSums := make([]uint32, c.grid*512), make([]uint32, c.grid*8)
		for block := range c.grid {
			rank, first := block%c.cluster, block/c.cluster*c.cluster
			from := uint32(first + (rank-1+c.cluster)%c.cluster)
			s := [8]uint32{1000, 2000, 3000, 4000, 5000, 6000, 0, 0}
			long := uint64(1) << 40
			for r := range uint32(c.rounds) {
				for i := range uint32(64) {
					x := 10000*from + 100*i + r
					for k, v := range [8]uint32{x, x, x, -x, x, 1, 2, i} {
						want[block*512+int(i)*8+k] += v
					}
					s = [8]uint32{s[0] + i, min(s[1], 500-i), max(s[2], 5000+i+r), s[3] &^ (i << 2), s[4] | i<<20, s[5] ^ (3*i + r)}
					long += uint64(x) << 8
				}
			}
			s[6], s[7] = uint32(long), uint32(long>>32)
			copy(wantSums[8*block:], s[:])
		}
		got, gotSums := make([]uint32, c.grid*512), make([]uint32, c.grid*8)
		require.NoError(b, gpu.Launch(c.grid, 64, func(t gpu.Thread) { testkernels.SendValues(t, uint32(c.rounds), got, gotSums) }, gpu.ClusterSize(c.cluster)))
		require.Equal(b, want, got, "plain Go, %+v", c)
		require.Equal(b, wantSums, gotSums, "plain Go, %+v", c)
		out, sums := words32(b, c.grid*512), words32(b, c.grid*8)
		require.NoError(b, b.clustered("SendValues", c.cluster, c.grid, 64, uint32(c.rounds), out, sums), "%+v", c)
		require.Equal(b, want, read[uint32](b, out), "%+v", c)
		require.Equal(b, wantSums, read[uint32](b, sums), "%+v", c)
	}
	testSendValueMisuse(b)
}

// sendValueMisuse are the faults of testkernels.SendValueMisuse; only devices that judge undefined behaviour have those that are strict.
var sendValueMisuse = []struct {
	what   string
	strict bool
}{
	{"gpu.StoreAsync to block 1 of the cluster that completes at an mbarrier of block 0; want one of the block to which it goes", false},
	{"store of shared memory of block 2 of a cluster, which has 2", false},
	{"store of 8 bytes of w at byte offset 4, which is not a multiple of 8", false},
	{"out of range of shared memory with length 272", false},
	{"element 3 of shared w is read while gpu.StoreAsync of thread 0 of the block, issued", true},
	{"element 3 of shared w is written while gpu.AddAsync of thread 0 of the block, issued", true},
	{"element 3 of shared fresh is read, but no thread of the block has written it", true},
	{"block 1 ends while this gpu.StoreAsync may still write element 3 of shared w; a thread of that block must wait for the phase in which it completes", true},
	{"element 3 of shared w is written while gpu.StoreAsync of thread 0 of the block, issued", true},
}

func testSendValueMisuse(b *bench) {
	if !b.traits.Hangs {
		return // the threads of the other block would wait for one that hardware has ended
	}
	for what, c := range sendValueMisuse {
		if c.strict && !b.strict() {
			continue
		}
		var f *device.Fault
		require.ErrorAs(b, b.clustered("SendValueMisuse", 2, 2, 32, uint32(what), words32(b, 64)), &f, "%d", what)
		assert.Contains(b, f.What, c.what, "%d", what)
		assert.NotEmpty(b, f.At, "%d", what)
	}
}
