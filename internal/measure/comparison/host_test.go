package comparison

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/measure/hostloop"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// TestHostOfRecord measures the host of a machine whose host is slow, gives it to a machine with another one, and checks that runs then take the same
// time beside kernels, also as computed from the work of the host.
func TestHostOfRecord(t *testing.T) {
	open := func(set map[string]string) *sim.Device {
		c, err := config.Load("tiny")
		require.NoError(t, err)
		for name, value := range set {
			require.NoError(t, c.Set(name, value))
		}
		d, err := sim.New(c, sim.Options{Serial: true})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, d.Close()) })
		return d
	}
	slow := map[string]string{"launch.step": "9", "launch.cold": "40"}
	rows, err := hostloop.Rows(t.Context(), open(slow))
	require.NoError(t, err)
	record := &results.Repeated{Sessions: []results.Meta{{Host: rows}}}
	spec, err := devices.New("sim:tiny", devices.Options{})
	require.NoError(t, err)
	q := Request{Device: spec}
	other, use, err := q.host(record, nil)
	require.NoError(t, err)
	assert.InDelta(t, 9, use.Set["launch.step"], 0.1)
	assert.InDelta(t, 40, use.Set["launch.cold"], 2, "and the kernel that prepares a run")
	assert.Contains(t, use.String(), "the host is the record's, by host rows of the record's 1 sessions: 14.3 us for a launch")
	assert.True(t, other.Options.Serial)

	g, _, err := graph.Open(t.Context(), "grid:width=20,keep=1,seed=1", graph.LoadOptions{})
	require.NoError(t, err)
	c, err := catalog.Shared()
	require.NoError(t, err)
	for _, scheme := range []string{"thread", "balanced", "atos"} {
		var seconds [2]float64
		var runs [2]*catalog.Result
		of := open(slow)
		for i, d := range []*sim.Device{of, open(map[string]string{"launch.step": "1", "launch.cold": "2", "launch.first": "7"})} {
			runs[i], err = c.Run(t.Context(), d, catalog.Request{Algorithm: "bfs", Scheduler: scheme, Graph: g})
			require.NoError(t, err)
			seconds[i] = runs[i].SolveSeconds
			assert.Positive(t, runs[i].HostWork.Waits)
			if i == 1 {
				seconds[i] += sim.HostSeconds(of.Config(), runs[i].HostWork) - sim.HostSeconds(d.Config(), runs[i].HostWork)
			}
		}
		assert.Equal(t, runs[0].HostWork, runs[1].HostWork, scheme)
		assert.InDelta(t, seconds[0], seconds[1], 1e-9, scheme)
		assert.GreaterOrEqual(t, runs[0].HostWork.Waits, len(runs[0].Steps), "%s: the host waits for every launch", scheme)
	}

	// What the user sets stays, and without rows the host is the preset's.
	q.Device, err = devices.New("sim:tiny", devices.Options{Set: []string{"launch.step=5"}})
	require.NoError(t, err)
	other, use, err = q.host(record, nil)
	require.NoError(t, err)
	assert.Equal(t, "5", other.Overrides()["launch.step"])
	assert.NotContains(t, use.Set, "launch.step")
	q.Device = spec
	other, use, err = q.host(&results.Repeated{}, nil)
	require.NoError(t, err)
	assert.Empty(t, other.Overrides())
	assert.Contains(t, use.String(), "the host is the machine's: the record has only 0 rows")
}
