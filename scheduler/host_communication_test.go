//go:build !kernel

package scheduler_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/scheduler"
)

func TestCommunication(t *testing.T) {
	c := scheduler.Communication{Counted: true, Arcs: 10, Iterations: 4,
		Pairs: []scheduler.PairUse{{From: 0, To: 1, Bytes: 60, Useful: 12}, {From: 1, To: 0, Bytes: 20, Useful: 8}}}
	require.EqualValues(t, 80, c.Bytes())
	require.EqualValues(t, 20, c.Useful())
	require.InDelta(t, 0.25, c.Efficiency(), 1e-15)
	require.InDelta(t, 2, c.PerArc(), 1e-15)
	c.Counted = false
	require.Zero(t, c.Efficiency())
	require.Zero(t, new(scheduler.Communication).PerArc())
}
