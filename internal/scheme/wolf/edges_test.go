//go:build !kernel

package wolf

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	algorithms "github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// TestWake checks that exactly the edge blocks with an edge of the vertex are marked.
func TestWake(t *testing.T) {
	g := scheduler.Graph{Row: []uint32{0, 3, 3, 5, 6, 14, 15}}
	for v, want := range [][]uint32{{7, 0, 0, 0}, {0, 0, 0, 0}, {7, 7, 0, 0}, {0, 7, 0, 0}, {0, 7, 7, 7}, {0, 0, 0, 7}} {
		stamps := make([]uint32, 4)
		Blocks{Size: 4}.wake(stamps, 7, g, uint32(v))
		require.Equal(t, want, stamps, "vertex %d has the edges %d to %d", v, g.Row[v], g.Row[v+1])
	}
}

// TestSleepingBlocks checks that a block without an active source reads none of its edges:
// here their sources do not exist, which would be an index out of range.
func TestSleepingBlocks(t *testing.T) {
	const nowhere = 1000
	g := scheduler.Graph{Row: []uint32{0, 1, 2}, Col: []uint32{1, nowhere}, Weight: []uint32{5, 5}}
	list := Edges{Source: []uint32{0, nowhere}, Slot: []uint32{0, nowhere}, Count: 2}
	blocks := Blocks{Size: 1, First: []uint32{0, 1, 2}, Vertex: []uint32{1, nowhere}}
	run := func(kernel func(th gpu.Thread, values []uint32, act Activity)) []uint32 {
		values, counts := []uint32{3, 100}, [2]uint32{}
		act := Activity{Iteration: 1, Now: []uint32{1, 0}, Next: make([]uint32, 2), Awake: []uint32{1, 0}, Wake: make([]uint32, 2), Processed: &counts[0], Changed: &counts[1]}
		require.NoError(t, gpu.Launch(2, 32, func(th gpu.Thread) { kernel(th, values, act) }, gpu.DynamicSharedBytes(4)))
		require.Equal(t, [2]uint32{1, 1}, counts)
		require.Equal(t, []uint32{0, 2}, act.Next)
		require.Equal(t, []uint32{0, 2}, act.Wake, "vertex 1 has its edge in block 1")
		return values
	}
	require.Equal(t, []uint32{3, 8}, run(func(th gpu.Thread, values []uint32, act Activity) {
		Direct(th, algorithms.SSSP{}, g, list, blocks, values, nil, act)
	}))
	require.Equal(t, []uint32{3, 8}, run(func(th gpu.Thread, values []uint32, act Activity) {
		local := []uint32{0, nowhere}
		Gather(th, algorithms.SSSP{}, g, list, blocks, values, nil, local, act)
		WriteBack(th, algorithms.SSSP{}, g, blocks, values, local, act)
		if th.Block() == 1 && th.Idx() == 0 && local[1] != nowhere {
			values[0] = nowhere
		}
	}))
}
