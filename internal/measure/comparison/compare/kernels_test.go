package compare

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/results"
)

const (
	wait   = "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"
	long   = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"
	fetch  = "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio"
	insts  = "smsp__inst_executed.sum"
	loads  = "smsp__inst_executed_op_global_ld.sum"
	stores = "smsp__inst_executed_op_global_st.sum"
	issued = "smsp__issue_active.sum"

	occupancy = "sm__warps_active.avg.pct_of_peak_sustained_active"
)

func kernel(name string, launches int, c map[string]float64) results.KernelCounters {
	return results.KernelCounters{Kernel: name, Launches: launches, Counters: c}
}

// TestKernelRows checks that kernels of both sides are matched by name, that only meaningful counts are compared, and
// that shares of waiting add up to one.
func TestKernelRows(t *testing.T) {
	a := []results.KernelCounters{kernel("init", 1, map[string]float64{insts: 5}), kernel("step", 3, map[string]float64{insts: 110, loads: 20, stores: 300, wait: 1, long: 3})}
	b := []results.KernelCounters{kernel("step", 4, map[string]float64{insts: 100, loads: 10, stores: 0, wait: 1, long: 2, fetch: 1}), kernel("other", 1, nil)}
	require.Equal(t, []KernelRow{{
		Run: "run", Kernel: "step", Launches: [2]int{3, 4},
		Counters: []Counter{{Name: insts, A: 110, B: 100, Error: Part(Error(110, 100))}},
		Waits:    []Counter{{Name: "long_scoreboard", A: 0.75, B: 0.5, Error: 0.25}, {Name: "no_instruction", A: 0, B: 0.25, Error: -0.25}, {Name: "wait", A: 0.25, B: 0.25, Error: 0}},
	}}, withoutLone(KernelRows("run", a, b)))
	require.Empty(t, KernelRows("run", a[:1], b))
	total := TotalRow("run", map[string]float64{insts: 200, occupancy: 20, "x.pct": 1}, map[string]float64{insts: 100, occupancy: 10, "x.pct": 1})
	require.Equal(t, KernelRow{Run: "run", Kernel: "all", Counters: []Counter{{Name: occupancy, A: 20, B: 10, Error: 1}, {Name: insts, A: 200, B: 100, Error: 1}}}, total, "means count however small")
}

// withoutLone removes counters whose error is NaN, which equals nothing, not even itself.
func withoutLone(rows []KernelRow) []KernelRow {
	for i := range rows {
		var kept []Counter
		for _, c := range rows[i].Counters {
			if c.B != 0 {
				kept = append(kept, c)
			}
		}
		rows[i].Counters = kept
	}
	return rows
}

func TestSummarizeCounters(t *testing.T) {
	rows := []KernelRow{
		{Run: "r", Kernel: "k", Counters: []Counter{{Name: insts, A: 150, B: 100}, {Name: loads, A: 0, B: 500}}},
		{Run: "s", Kernel: "k", Counters: []Counter{{Name: insts, A: 100, B: 400}}},
	}
	got := SummarizeCounters(rows)
	require.Len(t, got, 2)
	require.Equal(t, insts, got[0].Name)
	require.Equal(t, 2, got[0].N)
	require.InDelta(t, (0.5+0.75)/2, got[0].Mean, 1e-12)
	require.InDelta(t, 4, got[0].Worst, 1e-12)
	require.InDelta(t, 0.5, got[0].Over, 1e-12)
	require.Equal(t, "k, s", got[0].Where)
	rows[0].Counters[0].Apart = "why"
	apart := SummarizeCounters(rows[:1])[0]
	require.Equal(t, CounterSummary{Name: insts, Apart: "why", SumA: 150, SumB: 100, Summary: Summary{Worst: 1}}, apart)
	require.Equal(t, 1, got[1].Lone)
	require.Zero(t, got[1].N)
}

func TestSummarizeWaits(t *testing.T) {
	rows := []KernelRow{{Waits: []Counter{{Name: "x", A: 0.2, B: 0.6}}}, {Waits: []Counter{{Name: "x", A: 0.8, B: 0.4}, {Name: "y", A: 0.1}}}, {}}
	got := SummarizeWaits(rows)
	require.Len(t, got, 2)
	require.Equal(t, "x", got[0].Name)
	require.InDelta(t, 0.5, got[0].A, 1e-12)
	require.InDelta(t, 0.5, got[0].B, 1e-12)
	require.InDelta(t, 0.4, got[0].Mean, 1e-12)
	require.InDelta(t, 0.05, got[1].A, 1e-12)
	require.Empty(t, SummarizeWaits(nil))
}

// TestMicroRows checks that launches are matched by kernel and order, and that rows with several launches are
// combined.
func TestMicroRows(t *testing.T) {
	a := []Counted{
		{"first", kernel("k", 1, map[string]float64{insts: 100})}, {"first", kernel("k", 1, map[string]float64{insts: 200})},
		{"second", kernel("k", 1, map[string]float64{insts: 400})}, {"second", kernel("odd", 1, map[string]float64{insts: 1})},
	}
	b := []results.KernelCounters{
		kernel("k", 1, map[string]float64{insts: 100}), kernel("odd", 1, nil), kernel("odd", 1, nil),
		kernel("k", 1, map[string]float64{insts: 100}), kernel("k", 1, map[string]float64{insts: 500}),
	}
	rows, uneven := MicroRows(a, b)
	require.Equal(t, []string{"odd"}, uneven)
	require.Len(t, rows, 2)
	require.Equal(t, KernelRow{Run: "first", Kernel: "k", Launches: [2]int{2, 2}, Counters: []Counter{{Name: insts, A: 300, B: 200, Error: 0.5}}}, rows[0])
	require.Equal(t, "second", rows[1].Run)
	require.EqualValues(t, 500, rows[1].Counters[0].B)
}

// selfCounting is a device whose launches count themselves.
type selfCounting struct {
	device.Device
	launches float64
}

func (c *selfCounting) Launch(context.Context, device.Launch) (*device.Report, error) {
	c.launches++
	return &device.Report{Counters: []device.Counter{{Name: insts, Value: c.launches}, {Name: issued, Value: 1}, {Name: wait, Value: c.launches}}}, nil
}

func TestCounting(t *testing.T) {
	c := &Counting{Device: &selfCounting{}, Entry: func(k string) string { return "e_" + k }}
	for _, name := range []string{"a", "b", "a"} {
		_, err := c.Launch(t.Context(), device.Launch{Kernel: &device.Kernel{Name: name}})
		require.NoError(t, err)
	}
	require.Equal(t, []results.KernelCounters{
		kernel("e_a", 2, map[string]float64{insts: 4, issued: 2, wait: 2}), kernel("e_b", 1, map[string]float64{insts: 2, issued: 1, wait: 2}),
	}, c.ByKernel())
}
