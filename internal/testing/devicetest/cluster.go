package devicetest

import (
	"context"
	"fmt"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// clustered launches a kernel in clusters.
func (b *bench) clustered(name string, cluster, grid, block int, args ...any) error {
	b.Helper()
	_, err := b.Launch(context.Background(), device.Launch{Kernel: b.kernel(name), Grid: grid, Block: block, Cluster: cluster, Args: args})
	return err
}

func testClusters(b *bench) {
	words := func(n int) device.Buffer { return buffer(b, "out", device.U32, make([]uint32, n)...) }
	var refused *device.ArgError
	if b.lacks(90) {
		require.ErrorAs(b, b.clustered("ClusterPlaces", 2, 4, 32, words(128)), &refused)
		assert.Contains(b, refused.What, "clusters need compute capability 9.0")
		require.ErrorAs(b, b.clustered("ClusterRing", 1, 4, 64, uint32(1), words(256)), &refused)
		assert.Contains(b, refused.What, "needs compute capability 9.0")
		return
	}
	for _, c := range []struct{ cluster, grid int }{{0, 3}, {1, 3}, {2, 4}, {3, 9}, {4, 8}, {8, 40}} {
		size := max(c.cluster, 1)
		out := words(c.grid * 64)
		require.NoError(b, b.clustered("ClusterPlaces", c.cluster, c.grid, 64, out))
		for i, got := range read[uint32](b, out) {
			block := i / 64
			require.Equal(b, uint32(block%size|size<<8|block/size<<16), got, "cluster of %d, thread %d", size, i)
		}
		for _, rounds := range []int{0, 1, 5} {
			out := words(c.grid * 64)
			require.NoError(b, b.clustered("ClusterRing", c.cluster, c.grid, 64, uint32(rounds), out))
			for i, got := range read[uint32](b, out) {
				block := i / 64
				from := block/size*size + (block%size+rounds)%size
				require.Equal(b, uint32(from*64+i%64+rounds), got, "cluster of %d, %d rounds, thread %d", size, rounds, i)
			}
		}
		out = words(c.grid * 32)
		require.NoError(b, b.clustered("ClusterStores", c.cluster, c.grid, 32, out))
		for i, got := range read[uint32](b, out) {
			require.Equal(b, uint32(i/32*1000+i%32), got, "cluster of %d, thread %d", size, i)
		}
	}
	keys, want := make([]uint32, 10_000), make([]uint32, 256)
	for i := range keys {
		keys[i] = uint32(i*i) >> 3
		want[keys[i]%256]++
	}
	in := buffer(b, "keys", device.U32, keys...)
	for _, cluster := range []int{1, 2, 4, 8} {
		counts := words(256)
		require.NoError(b, b.clustered("ClusterCount", cluster, 16, 96, in, counts))
		require.Equal(b, want, read[uint32](b, counts), "cluster of %d", cluster)
	}
	for _, c := range []struct {
		cluster, grid int
		what          string
	}{
		{-1, 4, "a cluster of -1 blocks; it may have 1 to 16"}, {17, 34, "a cluster of 17 blocks; it may have 1 to 16"},
		{4, 6, "a grid of 6 blocks along x, which clusters of 4 do not divide"},
	} {
		require.ErrorAs(b, b.clustered("ClusterPlaces", c.cluster, c.grid, 32, words(c.grid*32)), &refused)
		assert.Contains(b, refused.What, c.what)
	}
	numbers := make([]uint32, 128)
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	source := buffer(b, "in", device.U32, numbers...)
	for _, what := range []int{9, 10, 11} {
		out := words(4 * 32)
		require.NoError(b, b.clustered("ClusterOwn", 2, 4, 32, uint32(what), source, out))
		for i, got := range read[uint32](b, out) {
			require.Equal(b, uint32(4*(i%32)), got, "%d, thread %d", what, i)
		}
	}
	if !b.traits.Hangs {
		return // hardware does not say what was wrong
	}
	for what, why := range []string{
		"an asynchronous copy to ", "a copy in bulk to ", "a copy in bulk that completes at ", "gpu.LoadMatrix1 at ", "MBarrier.Wait at ", "MBarrier.Arrive at ", "MBarrier.Init at ", "MBarrier.TrackCopies at ",
		"an asynchronous copy to ",
	} {
		var f *device.Fault
		require.ErrorAs(b, b.clustered("ClusterOwn", 2, 4, 32, uint32(what), source, words(4*32)), &f, why)
		assert.Regexp(b, "^"+why+"address 0x[0-9a-f]+, which names block [01] of the cluster; want an address of the block's own shared memory$", f.What)
		assert.NotEmpty(b, f.At)
	}
	require.NoError(b, b.clustered("ClusterLeaves", 2, 4, 32, uint32(1), words(2)))
	for _, c := range []struct {
		kernel string
		args   []any
		what   string
	}{
		{"ClusterLeaves", []any{uint32(0), words(2)}, "load of shared memory of block 1 of the cluster, all of whose threads have left: a block must stay until others no longer use its shared memory"},
		{"ClusterBeyond", []any{words(4)}, "load of shared memory of block 2 of a cluster, which has 2"},
		{"ClusterTwice", []any{uint32(0)}, "ArriveCluster, and the warp has not waited since it arrived at the barrier of the cluster before"},
		{"ClusterTwice", []any{uint32(1)}, "WaitCluster, and the warp has not arrived at the barrier of the cluster"},
	} {
		var f *device.Fault
		require.ErrorAs(b, b.clustered(c.kernel, 2, 4, 32, c.args...), &f, c.kernel)
		assert.Equal(b, c.what, f.What)
		assert.NotEmpty(b, f.At)
	}
	verbs := []string{"load of shared memory of", "store of shared memory of", "atomic of shared memory of", "atomic of shared memory of", "atomic of shared memory of", "store of shared memory of", "a copy in bulk to"}
	for what, verb := range verbs {
		for _, c := range []struct{ cluster, has, to int }{{0, 1, 1}, {1, 1, 1}, {0, 1, 9}, {2, 2, 3}} {
			var f *device.Fault
			require.ErrorAs(b, b.clustered("ClusterAway", c.cluster, 2, 32, uint32(what), uint32(c.to), words(4)), &f, "%d in a cluster of %d", what, c.cluster)
			assert.Equal(b, fmt.Sprintf("%s block %d of a cluster, which has %d", verb, c.to, c.has), f.What)
		}
	}
	require.NoError(b, b.clustered("ClusterHalf", 2, 4, 64, uint32(1), words(2)))
	var hang *device.HangError
	require.ErrorAs(b, b.clustered("ClusterHalf", 2, 4, 64, uint32(0), words(2)), &hang)
}
