package worklist_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/kernels/worklist"
)

// TestWalk checks that each task is done once and all workers stop, and that the rule that is
// wrong leaves workers behind.
func TestWalk(t *testing.T) {
	const height, tasks = 5, 1<<6 - 1
	run := func(grid int, walk func(gpu.Thread, worklist.Queue, *uint32, *uint32)) (uint32, error) {
		var heads, done uint32
		tails, pending := uint32(1), uint32(1)
		q := worklist.Queue{Slots: make([]uint32, tasks+100), Heads: &heads, Tails: &tails}
		q.Slots[0] = height + 1
		err := gpu.Launch(grid, 32, func(th gpu.Thread) { walk(th, q, &pending, &done) })
		return done, err
	}
	for _, grid := range []int{1, 2, 20} {
		done, err := run(grid, worklist.Walk[worklist.ByPending])
		require.NoError(t, err)
		require.EqualValues(t, tasks, done)
		_, err = run(grid, worklist.Walk[worklist.ByTicket])
		require.Error(t, err, "%d workers", grid)
	}
}
