//go:build !kernel

package scheduler_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/scheduler"
)

// TestRowsWithin checks rows by hand: vertices outside of the range have no arcs, and those of the range have theirs, from 0 on.
func TestRowsWithin(t *testing.T) {
	g, _, err := graph.FromEdges(t.Context(), "g", 4, []graph.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 2}, {From: 2, To: 0}, {From: 2, To: 3}, {From: 3, To: 0}}, graph.LoadOptions{})
	require.NoError(t, err)
	require.Equal(t, []uint32{0, 0, 1, 3, 3}, scheduler.RowsWithin(g, 1, 3))
	require.Equal(t, []uint32{0, 2, 3, 5, 6}, scheduler.RowsWithin(g, 0, 4))
	require.Equal(t, []uint32{0, 0, 0, 0, 0}, scheduler.RowsWithin(g, 2, 2))
}

// oneWay is a group of which the kernels of GPU 1 cannot reach GPU 0.
type oneWay struct{ *native.Group }

func (g oneWay) Peer(from, to int) device.Peer {
	p := g.Group.Peer(from, to)
	p.Access = from != 1 || to != 0
	return p
}

func TestCheckPeers(t *testing.T) {
	require.NoError(t, scheduler.CheckPeers(native.NewGroup(nil, 8)))
	require.EqualError(t, scheduler.CheckPeers(native.NewGroup(nil, 9)), "native has 9 GPUs; kernels that store to the memory of others are for at most 8")
	require.EqualError(t, scheduler.CheckPeers(oneWay{native.NewGroup(nil, 2)}), "kernels on GPU 1 of native cannot store to the memory of GPU 0")
	require.EqualError(t, scheduler.CheckGroupBarrier(oneWay{native.NewGroup(nil, 2)}), "kernels on GPU 1 of native cannot store to the memory of GPU 0, so the two cannot pass a barrier")
}
