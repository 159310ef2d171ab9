//go:build !kernel

package scheduler_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
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

func TestByCause(t *testing.T) {
	remote := map[string]scheduler.Cause{"inbox": scheduler.ForValues, "values": scheduler.ForValues, "heard": scheduler.ForCounters}
	require.Nil(t, scheduler.ByCause(remote, nil, nil), "the device does not count")
	before := []device.RemoteUse{{Buffer: "inbox", Bytes: 10}}
	now := []device.RemoteUse{{Buffer: "inbox", Bytes: 14}, {Buffer: "values", Bytes: 3}}
	require.Equal(t, []scheduler.CauseUse{{Cause: scheduler.ForValues, Bytes: 7}, {Cause: scheduler.ForCounters}}, scheduler.ByCause(remote, before, now))
	now = append(now, device.RemoteUse{Buffer: "mine", Bytes: 5}, device.RemoteUse{Buffer: "alg.Class", Bytes: 1})
	require.Equal(t, scheduler.CauseUse{Cause: scheduler.ForValues, Bytes: 8}, scheduler.ByCause(remote, before, now)[0])
	require.Equal(t, scheduler.CauseUse{Cause: scheduler.ForOther, Bytes: 5}, scheduler.ByCause(remote, before, now)[2])
}
