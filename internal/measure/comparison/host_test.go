package comparison

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
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
	q.Device, err = q.hosted()
	require.NoError(t, err)
	assert.True(t, q.Device.Options.Serial)
	table := &TimeTable{}
	require.NoError(t, table.host(record, q.Device))
	assert.InDelta(t, 9, table.Host.Set["launch.step"], 0.1)
	assert.InDelta(t, 40, table.Host.Set["launch.cold"], 2, "and the kernel that prepares a run")
	assert.NotContains(t, table.Host.Set, "launch.first", "host rows do not tell")
	assert.Contains(t, table.Host.String(), "the host is the record's, by host rows of the record's 1 sessions: 14.3 us for a launch")

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
	given, err := devices.New("sim:tiny", devices.Options{Set: []string{"launch.step=5"}})
	require.NoError(t, err)
	require.NoError(t, table.host(record, given))
	assert.NotContains(t, table.Host.Set, "launch.step")
	assert.Contains(t, table.Host.Set, "launch.cold")
	require.NoError(t, table.host(&results.Repeated{}, spec))
	assert.Empty(t, table.Host.Set)
	assert.Contains(t, table.Host.String(), "the host is the machine's: the record has only 0 rows")
}

// TestHostOfRows checks that the rows of a record whose host is known, on graphs that are not compared, correct the times of those that are: each
// by what its host did.
func TestHostOfRows(t *testing.T) {
	spec, err := devices.New("sim:h200", devices.Options{})
	require.NoError(t, err)
	c := spec.Config()
	theirs, err := With(c, map[string]float64{"launch.step": 7, "launch.first": 15, "launch.cold": 30})
	require.NoError(t, err)
	record, table := &results.Repeated{}, &TimeTable{}
	const kernel = 4e-6
	prepare := c.Launch.Kernel * 1e-6
	for i := range 200 {
		launches, kernels, graph := 1+i%40, 2+i%3, "other"
		w := device.HostWork{Steps: launches, Waits: launches + 1, Answers: launches + 1, First: kernels, Cold: float64(i%5) / 4}
		row := results.Row{Key: results.Key{Graph: graph, Algorithm: "bfs", Scheduler: fmt.Sprint("with", kernels)}, Launches: launches, Arcs: int(w.Cold * results.HostCache / 4),
			KernelSeconds: []float64{float64(launches) * kernel}, Seconds: []float64{prepare + float64(launches)*kernel + sim.HostSeconds(theirs, w)}}
		record.Rows = append(record.Rows, row)
		mine := prepare + float64(launches)*kernel + sim.HostSeconds(c, w)
		table.Rows = append(table.Rows, compare.TimeRow{Graph: "compared", Algorithm: "bfs", Scheduler: row.Scheduler, Host: w, A: mine, B: row.Seconds[0], Error: 1})
	}
	require.NoError(t, table.host(record, spec))
	assert.Equal(t, map[string]float64{"launch.step": 7, "launch.first": 15, "launch.cold": 30}, table.Host.Set)
	for _, r := range table.Rows {
		assert.InDelta(t, r.B, r.A, 1e-9)
		assert.InDelta(t, 0, float64(r.Error), 1e-4)
	}
	assert.Equal(t, "the host is the record's, by 200 rows of the record on 1 graphs, none of which is compared: 10.7 us for a launch with an answer beside its kernel, "+
		"15.0 us more for the first launch of a kernel, up to 30.0 us for the first launch of a run in addition (launch.step=7, launch.first=15, launch.cold=30)", table.Host.String())
}
