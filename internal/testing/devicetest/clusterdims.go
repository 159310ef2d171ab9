package devicetest

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// testClusterDims launches clusters along several dimensions, and compares places with the PTX ISA: ranks count along x first, then y, then z
// ("%cluster_ctarank").
func testClusterDims(b *bench) {
	if b.lacks(90) {
		return
	}
	launch := func(grid, c [3]int, out device.Buffer) error {
		_, err := b.Launch(b.Context(), device.Launch{Kernel: b.kernel("ClusterDims"), Grid: grid[0], GridY: grid[1], GridZ: grid[2], Block: 32, Cluster: c[0], ClusterY: c[1], ClusterZ: c[2], Args: []any{out}})
		return err
	}
	for _, c := range []struct{ grid, cluster [3]int }{
		{[3]int{4, 6, 2}, [3]int{2, 1, 1}}, {[3]int{4, 6, 2}, [3]int{1, 2, 1}}, {[3]int{4, 6, 2}, [3]int{2, 2, 2}}, {[3]int{3, 2, 4}, [3]int{1, 1, 4}}, {[3]int{4, 3, 1}, [3]int{0, 3, 0}},
	} {
		n := c.grid[0] * c.grid[1] * c.grid[2]
		out := buffer(b, "out", device.U32, make([]uint32, 3*n)...)
		require.NoError(b, launch(c.grid, c.cluster, out), "%v", c)
		size := [3]int{max(c.cluster[0], 1), max(c.cluster[1], 1), max(c.cluster[2], 1)}
		all := size[0] * size[1] * size[2]
		got := read[uint32](b, out)
		for i := range n {
			at := [3]int{i % c.grid[0], i / c.grid[0] % c.grid[1], i / c.grid[0] / c.grid[1]}
			in := [3]int{at[0] % size[0], at[1] % size[1], at[2] % size[2]}
			rank := in[0] + size[0]*(in[1]+size[1]*in[2])
			next := (rank + 1) % all
			to := [3]int{at[0] - in[0] + next%size[0], at[1] - in[1] + next/size[0]%size[1], at[2] - in[2] + next/size[0]/size[1]}
			want := []uint32{
				uint32(in[0] | in[1]<<8 | in[2]<<16 | rank<<24), uint32(size[0] | size[1]<<8 | size[2]<<16 | all<<24),
				uint32(to[0] + c.grid[0]*(to[1]+c.grid[1]*to[2])),
			}
			require.Equal(b, want, got[3*i:3*i+3], "%v, block %v", c, at)
		}
	}
	if b.traits.Faults {
		// The last block in the order of addresses, not in that of clusters.
		short := buffer(b, "short", device.U32, make([]uint32, 3*48-1)...)
		var f *device.Fault
		require.ErrorAs(b, launch([3]int{4, 6, 2}, [3]int{2, 2, 1}, short), &f)
		assert.Equal(b, "index 143 out of range of out with length 143", f.What)
		assert.Equal(b, "(3,5,1)", f.Shape.BlockName(f.Block))
		short = buffer(b, "shorter", device.U32, make([]uint32, 3*24-1)...)
		require.ErrorAs(b, launch([3]int{4, 3, 2}, [3]int{1, 3, 2}, short), &f)
		assert.Equal(b, "(3,2,1)", f.Shape.BlockName(f.Block))
	}
	out := buffer(b, "out", device.U32, make([]uint32, 200)...)
	for _, c := range []struct {
		grid, cluster [3]int
		want          string
	}{
		{[3]int{4, 6, 2}, [3]int{1, 4, 1}, "a grid of 6 blocks along y, which clusters of 4 do not divide"}, {[3]int{4, 4, 3}, [3]int{1, 1, 2}, "a grid of 3 blocks along z, which clusters of 2 do not divide"},
		{[3]int{8, 4, 1}, [3]int{8, 4, 1}, "a cluster of 32 blocks; it may have 1 to 16"}, {[3]int{4, 4, 4}, [3]int{1, -2, 1}, "a cluster of -2 blocks; it may have 1 to 16"},
	} {
		var refused *device.ArgError
		require.ErrorAs(b, launch(c.grid, c.cluster, out), &refused)
		assert.Contains(b, refused.What, c.want)
	}
}
