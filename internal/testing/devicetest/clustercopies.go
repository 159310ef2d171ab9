package devicetest

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/testing/testkernels"
)

// testClusterCopies copies in bulk to other blocks of a cluster, and compares what is there with what plain Go has.
func testClusterCopies(b *bench) {
	source := make([]uint32, 4096)
	for i := range source {
		source[i] = uint32(7*i + 3)
	}
	in := buffer(b, "words", device.U32, source...)
	if b.lacks(90) {
		for _, kernel := range []string{"SendRing", "MulticastRounds"} {
			args := []any{uint32(4), uint32(1), words32(b, 4)}
			if kernel == "MulticastRounds" {
				args = []any{in, uint32(4), uint32(1), uint32(1), words32(b, 4)}
			}
			var refused *device.ArgError
			require.ErrorAs(b, b.clustered(kernel, 1, 1, 32, args...), &refused)
			assert.Contains(b, refused.What, "needs compute capability")
		}
		return
	}
	for _, c := range []struct{ cluster, n, rounds int }{{1, 4, 3}, {2, 4, 1}, {2, 128, 2}, {2, 132, 3}, {4, 512, 5}, {8, 500, 4}} {
		grid := 2 * c.cluster
		want, out := make([]uint32, grid*c.n), words32(b, grid*c.n)
		require.NoError(b, gpu.Launch(grid, 64, func(t gpu.Thread) { testkernels.SendRing(t, uint32(c.n), uint32(c.rounds), want) }, gpu.ClusterSize(c.cluster)))
		for i, x := range want { // by hand: what a block has comes from one further back in each round, and each on the way adds its rank
			block, sum := i/c.n, uint32(0)
			rank, first := block%c.cluster, block/c.cluster*c.cluster
			for r := range c.rounds {
				sum += uint32((rank - r + 8*c.cluster) % c.cluster)
			}
			from := first + (rank-c.rounds+8*c.cluster)%c.cluster
			require.Equal(b, uint32(100*from+i%c.n)+sum, x, "%+v, word %d", c, i)
		}
		require.NoError(b, b.clustered("SendRing", c.cluster, grid, 64, uint32(c.n), uint32(c.rounds), out))
		require.Equal(b, want, read[uint32](b, out), "%+v", c)
	}
	for _, c := range []struct{ cluster, n, rounds, mask int }{{1, 4, 2, 1}, {2, 4, 1, 3}, {2, 132, 3, 2}, {4, 512, 4, 0b1011}, {4, 128, 7, 0b0100}, {8, 260, 8, 0xFF}} {
		grid := 2 * c.cluster
		want, out := make([]uint32, grid*c.n), words32(b, grid*c.n)
		require.NoError(b, gpu.Launch(grid, 64, func(t gpu.Thread) {
			testkernels.MulticastRounds(t, source, uint32(c.n), uint32(c.rounds), uint32(c.mask), want)
		}, gpu.ClusterSize(c.cluster)))
		for i, x := range want {
			sum := uint32(0)
			for r := range c.rounds {
				sum += source[r*c.n+i%c.n]
			}
			if c.mask>>(i/c.n%c.cluster)&1 == 0 {
				sum = 0
			}
			require.Equal(b, sum, x, "%+v, word %d", c, i)
		}
		require.NoError(b, b.clustered("MulticastRounds", c.cluster, grid, 64, in, uint32(c.n), uint32(c.rounds), uint32(c.mask), out))
		require.Equal(b, want, read[uint32](b, out), "%+v", c)
	}
	testMulticastBoxes(b, in, source)
	testSendMisuse(b, in)
}

// testMulticastBoxes brings boxes to all blocks of clusters: inside of the tensor, across its edges, and outside.
func testMulticastBoxes(b *bench, in device.Buffer, source []uint32) {
	const cluster, grid, wide, high = 4, 8, 32, 16
	for _, at := range [][3]int32{{0, 0, 0}, {4, 3, 1}, {-4, -1, 0}, {28, 15, 6}, {32, 0, 0}, {-8, 14, -1}} {
		for dims := 1; dims <= 3; dims++ {
			sizes, box := [3]int{len(source), 1, 1}, [3]uint32{16, 1, 1}
			if dims > 1 {
				sizes, box = [3]int{wide, high, 1}, [3]uint32{16, 4, 1}
			}
			if dims > 2 {
				sizes[2], box[2] = len(source)/wide/high, 2
			}
			n := int(box[0] * box[1] * box[2])
			plain, out := make([]uint32, grid*n), words32(b, grid*n)
			var name string
			var args []any
			var kernel func(t gpu.Thread)
			switch dims {
			case 1:
				name, args = "MulticastBoxes1", []any{device.NewTensorMap1(in, box[0], 0), [1]int32{at[0]}}
				kernel = func(t gpu.Thread) {
					testkernels.MulticastBoxes1(t, gpu.NewTensorMap1(source, box[0], 0), [1]int32(at[:]), plain)
				}
			case 2:
				s := [2]uint32{wide, high}
				name, args = "MulticastBoxes2", []any{device.NewTensorMap2(in, s, [2]uint32(box[:]), 64), [2]int32{at[0], at[1]}}
				kernel = func(t gpu.Thread) {
					testkernels.MulticastBoxes2(t, gpu.NewTensorMap2(source, s, [2]uint32(box[:]), 64), [2]int32(at[:]), plain)
				}
			default:
				s := [3]uint32{wide, high, uint32(sizes[2])}
				name, args = "MulticastBoxes3", []any{device.NewTensorMap3(in, s, box, 0), at}
				kernel = func(t gpu.Thread) {
					testkernels.MulticastBoxes3(t, gpu.NewTensorMap3(source, s, box, 0), at, plain)
				}
			}
			want := make([]uint32, grid*n)
			for i := range want {
				k := i % n
				x, y, z := int(at[0])+k%16, 0, 0
				if dims > 1 {
					y = int(at[1]) + k/16%4
				}
				if dims > 2 {
					z = int(at[2]) + k/64
				}
				if x < 0 || x >= sizes[0] || y < 0 || y >= sizes[1] || z < 0 || z >= sizes[2] {
					continue
				}
				to := k
				if dims == 2 {
					to = int(gpu.Swizzle64(uint32(4*k))) / 4
				}
				want[i-k+to] = source[x+y*wide+z*wide*high]
			}
			require.NoError(b, gpu.Launch(grid, 32, kernel, gpu.ClusterSize(cluster)))
			require.Equal(b, want, plain, "%s at %v in plain Go", name, at)
			require.NoError(b, b.clustered(name, cluster, grid, 32, append(args, out)...))
			require.Equal(b, want, read[uint32](b, out), "%s at %v", name, at)
		}
	}
}

func words32(b *bench, n int) device.Buffer {
	return buffer(b, "out", device.U32, make([]uint32, n)...)
}

// sendMisuse are the faults of testkernels.SendMisuse, by number. A device that is not strict lets some pass.
var sendMisuse = []struct {
	what   string
	strict bool // found by strict devices alone
}{
	{"a copy in bulk of 12 bytes; want a multiple of 16", false},
	{"store of 16 bytes of w at byte offset 4, which is not a multiple of 16", false},
	{"asynchronous copy of 16 bytes of w at byte offset 136, which is not a multiple of 16", false},
	{"out of range of w with length 64", false},
	{"a copy in bulk to block 1 of the cluster that completes at an mbarrier of block 0; want one of the block to which it copies", false},
	{"store of shared memory of block 2 of a cluster, which has 2", false},
	{"element 32 of shared w is written while an asynchronous copy of thread 0 of the block, issued", true},
	{"missing fence of the asynchronous proxy: a copy in bulk reads element 32 of shared w, which thread 0 of the block has written", true},
	{"a copy in bulk to no block of the cluster: its mask is 0", false},
	{"a copy in bulk to block 5 of a cluster, which has 2", false},
	{"a copy in bulk of 12 bytes; want a multiple of 16", false},
	{"out of range of words with length 4096", false},
	{"element 5 of shared w is read while an asynchronous copy of thread 0 of the block, issued", true},
	{"the block ends while this copy in bulk may still read element 32 of shared w; it must stay until a thread has waited for the phase in which the copy completes", true},
	{"block 1 ends while this copy in bulk may still write element 0 of shared w; a thread of that block must wait for the phase in which the copy completes", true},
	{"store of shared memory of block 1 of the cluster, all of whose threads have left: a block must stay until others no longer use its shared memory", false},
	{"a copy in bulk to block 1 of the cluster, all of whose threads have left: a block must stay until others no longer use its shared memory", false},
}

func testSendMisuse(b *bench, in device.Buffer) {
	if !b.traits.Hangs {
		return // the threads of the other block would wait for one that hardware has ended
	}
	for what, c := range sendMisuse {
		if c.strict && !b.strict() {
			continue
		}
		var f *device.Fault
		require.ErrorAs(b, b.clustered("SendMisuse", 2, 2, 32, uint32(what), in, words32(b, 32)), &f, "%d", what)
		assert.Contains(b, f.What, c.what, "%d", what)
		assert.NotEmpty(b, f.At, "%d", what)
	}
}
