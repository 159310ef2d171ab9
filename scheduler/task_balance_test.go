package scheduler

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

// TestOwnerOf checks the load-balancing search against a walk over the degrees.
func TestOwnerOf(t *testing.T) {
	for _, degrees := range [][]uint32{{5}, {0, 3}, {1, 0, 0, 7, 2, 0}, {0, 0, 4, 0, 0, 0, 1}} {
		var sum, owner []uint32
		total := uint32(0)
		for i, d := range degrees {
			total += d
			sum = append(sum, total)
			for range d {
				owner = append(owner, uint32(i))
			}
		}
		for arc, want := range owner {
			require.Equal(t, want, ownerOf(sum, 0, uint32(arc)), fmt.Sprint(degrees, arc))
			require.Equal(t, want, ownerOf(sum, want, uint32(arc)), "from the right one on")
		}
	}
}

// TestScanTeam checks the prefix sums of workers of each size.
func TestScanTeam(t *testing.T) {
	const block = 96
	warp, whole := make([]uint32, block), make([]uint32, block)
	err := gpu.Launch(1, block, func(t gpu.Thread) {
		warp[t.Idx()] = scanTeam[WarpPerVertex](t, t.Idx()%5)
		whole[t.Idx()] = scanTeam[BlockPerVertex](t, t.Idx()%5)
	})
	require.NoError(t, err)
	sum, part := uint32(0), uint32(0)
	for i := range uint32(block) {
		if i%32 == 0 {
			part = 0
		}
		sum, part = sum+i%5, part+i%5
		require.Equal(t, part, warp[i])
		require.Equal(t, sum, whole[i])
	}
}
