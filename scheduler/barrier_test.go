package scheduler_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// TestGridBarrier checks that after each barrier every thread sees what all others stored
// before it, also if there are more blocks than threads of the monitor block, over launches
// of several sizes, and if the words wrap around.
func TestGridBarrier(t *testing.T) {
	const threads, rounds = 32, 4
	grids := []uint32{40, 7, 33}
	for _, locks := range []bool{false, true} {
		for _, first := range []uint32{0, ^uint32(0) - 3} {
			words := make([]uint32, 2*40)
			if locks {
				for i := range words {
					words[i] = first
				}
			}
			words[0] = first
			stored, x, wrong := make([]uint32, 40), uint32(0), uint32(0)
			round, arrived := first, first
			for _, grid := range grids {
				require.NoError(t, gpu.Launch(int(grid), threads, func(th gpu.Thread) {
					b := scheduler.GridBarrier{Words: words, Round: round, First: round, Arrived: arrived, Locks: locks}
					for r := range uint32(rounds) {
						if th.Idx() == threads-1 {
							gpu.Store(&stored[th.Block()], x+r)
						}
						b.Wait(th)
						for i := th.Idx(); i < grid; i += threads {
							if gpu.Load(&stored[i]) != x+r {
								gpu.AtomicAdd(&wrong, 1)
							}
						}
						b.Wait(th)
					}
				}))
				x += rounds
				round += 2 * rounds
				arrived += 2 * rounds * grid
			}
			require.Zero(t, wrong)
			if !locks {
				require.Equal(t, arrived, words[0])
			}
		}
	}
}

func TestPrefixSum(t *testing.T) {
	below, all := make([]uint32, 64), make([]uint32, 64)
	require.NoError(t, gpu.Launch(1, 64, func(th gpu.Thread) {
		below[th.Idx()], all[th.Idx()] = scheduler.PrefixSum(th, th.Idx()+1)
	}))
	for i := range uint32(64) {
		first, lane := i/32*32, i%32
		require.Equal(t, lane*first+lane*(lane+1)/2, below[i])
		require.Equal(t, 32*first+32*33/2, all[i])
	}
}
