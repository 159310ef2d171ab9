package results_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/results"
)

// TestTogether checks that counts are added and means are weighted.
func TestTogether(t *testing.T) {
	const wait = "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"
	const active = "sm__warps_active.avg.pct_of_peak_sustained_active"
	got := results.Together(
		map[string]float64{"smsp__inst_executed.sum": 10, "smsp__issue_active.sum": 10, wait: 2, "sm__cycles_active.avg": 100, active: 50, "lts__t_sector_hit_rate.pct": 3, "sm__cycles_elapsed.max": 7},
		map[string]float64{"smsp__inst_executed.sum": 30, "smsp__issue_active.sum": 30, wait: 4, "sm__cycles_active.avg": 300, active: 10, "sm__cycles_elapsed.max": 8},
		map[string]float64{wait: 99}, // ignored, because its weight is missing
	)
	require.Equal(t, map[string]float64{
		"smsp__inst_executed.sum": 40, "smsp__issue_active.sum": 40, wait: (10*2 + 30*4) / 40.0,
		"sm__cycles_active.avg": 400, active: (100*50 + 300*10) / 400.0, "sm__cycles_elapsed.max": 15,
	}, got)
	require.Equal(t, map[string]float64{"smsp__issue_active.sum": 0, wait: 0},
		results.Together(map[string]float64{"smsp__issue_active.sum": 0, wait: 0}), "a launch without instructions")
}

// TestTogetherRates checks that a rate is weighted by its denominator.
func TestTogetherRates(t *testing.T) {
	const rate, active = "smsp__inst_executed.avg.per_cycle_active", "smsp__cycles_active.avg"
	const sectors, requests = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
	require.Equal(t, map[string]float64{active: 40, rate: (0.5*10 + 0.1*30) / 40, requests: 4, sectors: 5.5}, results.Together(
		map[string]float64{active: 10, rate: 0.5, requests: 1, sectors: 1},
		map[string]float64{active: 30, rate: 0.1, requests: 3, sectors: 7}))
}

func TestTotal(t *testing.T) {
	r := results.Run{}
	require.Nil(t, r.Total())
	r.ByKernel = []results.KernelCounters{{Kernel: "a", Counters: map[string]float64{"x.sum": 1}}, {Kernel: "b", Counters: map[string]float64{"x.sum": 2}}}
	require.Equal(t, map[string]float64{"x.sum": 3}, r.Total())
	r.Counters = map[string]float64{"x.sum": 9}
	require.Equal(t, map[string]float64{"x.sum": 9}, r.Total(), "an older record has the total alone")
}

func TestLoadMicroCounters(t *testing.T) {
	h, err := results.LoadFS("x", fstest.MapFS{
		"meta.json":           {Data: []byte(`{}`)},
		"micro-counters.json": {Data: []byte(`{"only": "warp", "launches": [{"kernel": "k", "launches": 1, "counters": {"x.sum": 1}}]}`)},
	})
	require.NoError(t, err)
	require.Equal(t, results.MicroCounters{Only: "warp", Launches: []results.KernelCounters{{Kernel: "k", Launches: 1, Counters: map[string]float64{"x.sum": 1}}}}, h.MicroCounters)
}
