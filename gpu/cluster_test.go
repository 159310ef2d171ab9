package gpu_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/testing/testkernels"
)

// TestClusters runs kernels with clusters as plain Go.
func TestClusters(t *testing.T) {
	for _, c := range []struct{ size, grid int }{{1, 3}, {2, 4}, {3, 9}, {8, 16}, {16, 16}} {
		out := make([]uint32, c.grid*64)
		require.NoError(t, gpu.Launch(c.grid, 64, func(th gpu.Thread) { testkernels.ClusterRing(th, 5, out) }, gpu.ClusterSize(c.size)))
		for i, got := range out {
			block := i / 64
			require.Equal(t, uint32((block/c.size*c.size+(block%c.size+5)%c.size)*64+i%64+5), got, "cluster of %d, thread %d", c.size, i)
		}
		require.NoError(t, gpu.Launch(c.grid, 32, func(th gpu.Thread) { testkernels.ClusterStores(th, out) }, gpu.ClusterSize(c.size)))
		for i, got := range out[:c.grid*32] {
			require.Equal(t, uint32(i/32*1000+i%32), got, "cluster of %d, thread %d", c.size, i)
		}
	}
}

// TestClusterErrors checks what plain Go refuses, and hangs of a cluster.
func TestClusterErrors(t *testing.T) {
	require.EqualError(t, gpu.Launch(4, 32, func(gpu.Thread) {}, gpu.ClusterSize(17)), "gpu: launch with clusters of 17 blocks: want 1 to 16")
	require.EqualError(t, gpu.Launch(4, 32, func(gpu.Thread) {}, gpu.ClusterSize(3)), "gpu: launch of 4 blocks along x, which clusters of 3 do not divide")
	out := make([]uint32, 4)
	for what, run := range map[string]func(th gpu.Thread){
		"MapShared to block 2 of a cluster, which has 2":                                                   func(th gpu.Thread) { testkernels.ClusterBeyond(th, out) },
		"ArriveCluster, and the warp has not waited since it arrived at the barrier of the cluster before": func(th gpu.Thread) { testkernels.ClusterTwice(th, 0) },
		"WaitCluster, and the warp has not arrived at the barrier of the cluster":                          func(th gpu.Thread) { testkernels.ClusterTwice(th, 1) },
		"MapShared of a pointer that is not into a variable of Shared or DynamicShared":                    func(th gpu.Thread) { gpu.MapShared(th, &out[0], 0) },
		"MapShared to block 1 of the cluster, all of whose threads have left":                              func(th gpu.Thread) { testkernels.ClusterLeaves(th, 0, out) },
	} {
		var f *gpu.Fault
		require.ErrorAs(t, gpu.Launch(4, 32, run, gpu.ClusterSize(2)), &f, what)
		require.Contains(t, f.What, what)
		require.NotEmpty(t, f.At)
	}
	var hang *gpu.HangError
	require.ErrorAs(t, gpu.Launch(2, 64, func(th gpu.Thread) {
		if th.Block() == 0 && th.Warp() == 1 {
			th.SyncNamed(1, 64) // the other warp comes after the barrier of the cluster
			return
		}
		th.SyncCluster()
		if th.Block() == 0 {
			th.SyncNamed(1, 64)
		}
	}, gpu.ClusterSize(2)), &hang)
	require.Equal(t, "threads of a cluster wait for each other at different places", hang.What)
	why := map[string]string{}
	for _, w := range hang.Waits {
		why[w.Blocks+" "+w.Threads] = w.Why
	}
	require.Equal(t, map[string]string{"0 0-31": "waits at WaitCluster", "0 32-63": "waits at barrier 1, which 32 of 64 threads have reached", "1 0-63": "waits at WaitCluster"}, why)
	require.NoError(t, gpu.Launch(2, 64, func(th gpu.Thread) {
		if th.Warp() == 0 && th.Block() == 0 {
			return // those that have left are not waited for
		}
		th.SyncCluster()
	}, gpu.ClusterSize(2)))
}

// TestClusterDim launches clusters of several dimensions; ranks count along x first, then y, then z.
func TestClusterDim(t *testing.T) {
	var next [2 * 4 * 3]uint32 // the number in the grid of the block with the next rank
	kernel := func(th gpu.Thread) {
		number := gpu.Shared[uint32](th)
		block := th.Block() + 2*(th.BlockY()+4*th.BlockZ())
		*number = block
		th.SyncCluster()
		next[block] = *gpu.MapShared(th, number, (th.ClusterRank()+1)%th.ClusterSize())
		if th.ClusterRank() != th.ClusterRankX()+th.ClusterSizeX()*(th.ClusterRankY()+th.ClusterSizeY()*th.ClusterRankZ()) || th.Cluster() != 0 {
			next[block] = 99
		}
		th.SyncCluster()
	}
	grid := gpu.Dim{X: 2, Y: 4, Z: 3}
	require.NoError(t, gpu.LaunchDim(grid, gpu.Dim{X: 1}, kernel, gpu.ClusterDim(gpu.Dim{X: 2, Y: 2})))
	for z := range uint32(3) {
		for y := range uint32(4) { // ranks 0, 1 in even rows and 2, 3 in odd ones
			first, second := 2*(y+4*z), 2*(y+4*z)+1
			other := 2 * (y ^ 1 + 4*z)
			require.Equal(t, []uint32{second, other}, []uint32{next[first], next[second]}, "row %d of plane %d", y, z)
		}
	}
	require.EqualError(t, gpu.LaunchDim(grid, gpu.Dim{X: 1}, kernel, gpu.ClusterDim(gpu.Dim{X: 1, Y: 3})), "gpu: launch of 4 blocks along y, which clusters of 3 do not divide")
	require.EqualError(t, gpu.LaunchDim(grid, gpu.Dim{X: 1}, kernel, gpu.ClusterDim(gpu.Dim{X: 2, Y: 4, Z: 3})), "gpu: launch with clusters of 24 blocks: want 1 to 16")
	var f *gpu.Fault
	require.ErrorAs(t, gpu.LaunchDim(grid, gpu.Dim{X: 1}, func(th gpu.Thread) {
		if th.BlockY() == 2 && th.BlockZ() == 1 && th.Block() == 1 {
			panic("here")
		}
	}, gpu.ClusterDim(gpu.Dim{X: 1, Y: 2})), &f)
	require.Contains(t, f.Error(), "block (1,2,1)")
}
