package barrier_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/kernels/barrier"
)

// TestMeet checks that no thread passes a barrier before all blocks have come, with grids around
// the size of a group of the tree, and that a block that leaves is waited for.
func TestMeet(t *testing.T) {
	const threads, rounds = 40, 3
	for name, meet := range map[string]func(gpu.Thread, []uint32, uint32, uint32, []uint32, *uint32){
		"counter": barrier.Meet[barrier.Counter], "locks": barrier.Meet[barrier.Locks],
		"sense": barrier.Meet[barrier.Sense], "tree": barrier.Meet[barrier.Tree],
	} {
		for _, grid := range []int{1, 2, 15, 16, 17, 33} {
			run := func(stay uint32) (met []uint32, err error) {
				words, early := make([]uint32, 2*grid+2), uint32(0)
				met = make([]uint32, grid)
				err = gpu.Launch(grid, threads, func(th gpu.Thread) { meet(th, words, rounds, stay, met, &early) })
				require.Zero(t, early, "%s of %d blocks", name, grid)
				return met, err
			}
			met, err := run(rounds)
			require.NoError(t, err, "%s of %d blocks", name, grid)
			for _, n := range met {
				require.EqualValues(t, rounds, n, name)
			}
			if grid > 1 {
				_, err = run(1)
				require.Error(t, err, "%s of %d blocks, of which one leaves", name, grid)
			}
		}
	}
}

// TestEarly checks that the check of a barrier notices one that does not wait.
func TestEarly(t *testing.T) {
	early := uint32(0)
	require.NoError(t, gpu.Launch(8, 32, func(th gpu.Thread) {
		barrier.Meet[open](th, nil, 3, 3, make([]uint32, 8), &early)
	}))
	require.NotZero(t, early)
}

// open is no barrier.
type open struct{}

func (open) Wait(gpu.Thread, []uint32, uint32) {}

// TestDiscover checks that the blocks that are found pass their barrier together, and that the
// others do nothing.
func TestDiscover(t *testing.T) {
	for _, grid := range []int{1, 2, 40} {
		words, met := make([]uint32, 6), make([]uint32, grid)
		var early, found uint32
		require.NoError(t, gpu.Launch(grid, 64, func(th gpu.Thread) { barrier.Discover(th, words, 3, met, &early, &found) }))
		require.Zero(t, early)
		require.Positive(t, found)
		require.LessOrEqual(t, found, uint32(grid))
		for i, n := range met {
			require.Equal(t, uint32(i) < found, n == 3, "block %d of %d", i, found)
			require.True(t, n == 3 || n == 0)
		}
	}
}

// TestHeld checks that the values that are kept do not change in between.
func TestHeld(t *testing.T) {
	const threads, live, rounds = 32, 100, 2
	words, met, values, sums := make([]uint32, 4), make([]uint32, 2), make([]uint32, threads*192), make([]uint32, 2*threads)
	for i := range values {
		values[i] = uint32(i) * 2654435761
	}
	early := uint32(0)
	require.NoError(t, gpu.Launch(2, threads, func(th gpu.Thread) {
		barrier.Held(th, words, rounds, met, &early, values, sums, live)
	}))
	for i, sum := range sums {
		want := uint32(0)
		for k := range live {
			want += values[i%threads*192+k] ^ rounds
		}
		require.Equal(t, want, sum)
	}
}

// TestSync checks the barriers of a block where threads arrive one by one, as in plain Go.
func TestSync(t *testing.T) {
	numbers, early := make([]uint32, 128), uint32(0)
	require.NoError(t, gpu.Launch(2, 64, func(th gpu.Thread) { barrier.Branches(th, numbers, &early) }, gpu.AllowUndefined()))
	require.Zero(t, early)
	passed := uint32(0)
	require.NoError(t, gpu.Launch(1, 96, func(th gpu.Thread) { barrier.Left(th, &passed) }))
	require.EqualValues(t, 32, passed)
	var flag uint32
	for name, kernel := range map[string]func(gpu.Thread){
		"divergent":   func(th gpu.Thread) { barrier.Divergent(th, &passed) },
		"left, named": func(th gpu.Thread) { barrier.LeftNamed(th, &passed) },
		"flag behind": func(th gpu.Thread) { barrier.FlagBehind(th, &flag, &passed) },
	} {
		require.Error(t, gpu.Launch(1, 64, kernel), name)
	}
}
