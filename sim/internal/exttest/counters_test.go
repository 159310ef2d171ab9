package exttest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// bounded is a device that checks the report of each launch, and the total, against the bounds that the names of its
// counters imply.
type bounded struct {
	*sim.Device
	t        *testing.T
	launches int
}

func (b *bounded) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	r, err := b.Device.Launch(ctx, l)
	if err == nil {
		b.launches++
		holdBounds(b.t, b.Config(), r, 1, l.Kernel.Name)
		holdBounds(b.t, b.Config(), b.Total(), b.launches, "total after "+l.Kernel.Name)
	}
	return r, err
}

// LaunchRead counts the launch, too.
func (b *bounded) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
	return device.LaunchThenRead(ctx, b, l, a)
}

// instances returns how many units of a kind a machine has.
func instances(c *config.GPU, unit string) float64 {
	if unit == "smsp" {
		return float64(c.SM.Count * c.SM.SubCores)
	}
	return float64(c.SM.Count)
}

func holdBounds(t *testing.T, c *config.GPU, r *device.Report, launches int, what string) {
	t.Helper()
	get := func(name string) float64 {
		v, ok := r.Counter(name)
		require.True(t, ok, "%s: no counter %s", what, name)
		return v
	}
	atMost := func(a float64, b float64, text string) {
		t.Helper()
		assert.LessOrEqual(t, a, b*(1+1e-9), "%s: %s", what, text)
	}
	issues := 1.0
	if c.Issue.Dual {
		issues = 2
	}
	near := func(a, b float64, text string) {
		t.Helper()
		assert.InDelta(t, a, b, 1e-6*max(a, b), "%s: %s", what, text)
	}
	reasons := 0.0
	for _, x := range r.Counters {
		assert.GreaterOrEqual(t, x.Value, 0.0, "%s: %s", what, x.Name)
		unit, _, _ := strings.Cut(x.Name, "__")
		switch {
		case x.Unit == "%":
			atMost(x.Value, 100, x.Name)
		case strings.HasSuffix(x.Name, ".avg.per_cycle_active"):
			atMost(x.Value, issues, x.Name)
			base := strings.TrimSuffix(x.Name, ".avg.per_cycle_active")
			near(get(base+".sum")/get(unit+"__cycles_active.sum"), x.Value, x.Name+" is by the active cycles of the same unit")
		case strings.HasSuffix(x.Name, ".avg"):
			near(get(strings.TrimSuffix(x.Name, ".avg")+".sum"), x.Value*instances(c, unit), x.Name+" is the sum by all units")
		case strings.HasPrefix(x.Name, "smsp__average_warps_issue_stalled_"):
			reasons += x.Value
		}
	}
	insts, issued := get("smsp__inst_executed.sum"), get("smsp__issue_active.sum")
	near(get("smsp__average_warp_latency_per_inst_issued.ratio")*insts, reasons*issued, "every cycle of a warp has a reason")
	lanes := get("smsp__thread_inst_executed_per_inst_executed.ratio")
	atMost(lanes, 32, "lanes of a warp")
	near(lanes*insts, get("smsp__thread_inst_executed.sum"), "thread instructions")
	near(100*get("smsp__average_warp_latency_per_inst_issued.ratio")*insts/get("sm__cycles_active.sum")/float64(c.SM.Warps),
		get("sm__warps_active.avg.pct_of_peak_sustained_active"), "warps of an SM")

	// A part is at most the whole.
	for _, x := range [][2]string{
		{"smsp__thread_inst_executed_pred_on.sum", "smsp__thread_inst_executed.sum"},
		{"smsp__issue_active.sum", "smsp__inst_executed.sum"},
		{"smsp__issue_active.sum", "smsp__cycles_active.sum"},
		{"sm__cycles_active.avg", "sm__cycles_elapsed.max"},
		{"smsp__cycles_active.avg", "sm__cycles_active.avg"},
		{"smsp__sass_branch_targets.sum", "smsp__inst_executed.sum"},
		{"smsp__sass_branch_targets_threads_divergent.sum", "smsp__sass_branch_targets.sum"},
		{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum"},
		{"l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
		{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
		{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "l1tex__t_sectors_pipe_lsu_lookup_hit.sum"},
		{"l1tex__t_sectors_pipe_lsu_lookup_pending.sum", "l1tex__t_sectors_pipe_lsu_lookup_hit.sum"},
		{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
		{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
		{"lts__t_sectors_srcunit_tex_op_read.sum", "lts__t_sectors_op_read.sum"},
		{"lts__t_sectors_srcunit_tex_op_write.sum", "lts__t_sectors_op_write.sum"},
		{"lts__t_sectors_srcunit_tex_op_atom.sum", "lts__t_sectors_op_atom.sum"},
	} {
		atMost(get(x[0]), get(x[1]), x[0]+" of "+x[1])
	}
	for _, kind := range []string{"ld", "st", "atom", "red"} {
		atMost(get("l1tex__t_requests_pipe_lsu_mem_global_op_"+kind+".sum"), get("smsp__inst_executed_op_global_"+kind+".sum"), "requests of "+kind)
	}
	sum := func(names ...string) (s float64) {
		for _, n := range names {
			s += get(n)
		}
		return s
	}
	const shared, conflicts = "smsp__inst_executed_op_shared", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"
	assert.Equal(t, get(shared+".sum"), sum(shared+"_ld.sum", shared+"_st.sum", shared+"_atom.sum"), what)
	assert.Equal(t, get(conflicts+".sum"), sum(conflicts+"_op_ld.sum", conflicts+"_op_st.sum", conflicts+"_op_atom.sum"), what)

	// The time of the GPU's own clocks includes the start and end of each launch.
	window := c.Launch.Window * c.Clock.SM
	assert.InDelta(t, float64(r.Cycles)+float64(launches)*window, get("sm__cycles_elapsed.max"), float64(launches), what)
	assert.InDelta(t, get("sm__cycles_elapsed.max")*1e3/c.Clock.SM, get("gpu__time_duration.sum"), float64(launches), what)
}

// TestCounterBounds runs kernels of many kinds: with divergence, shared memory, atomics and barriers, with one warp
// and with more than fit.
func TestCounterBounds(t *testing.T) {
	g := graphOf(t, "rmat:scale=7,degree=6,seed=2")
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	for _, preset := range []string{"tiny", "h200", "v100", "k40"} {
		t.Run(preset, func(t *testing.T) {
			for _, pair := range [][2]string{{"bfs", "thread"}, {"bfs", "block-queue"}, {"sssp", "warp"}, {"pagerank", "block"}, {"cc", "thread"}, {"pagerank-pull", "warp"}} {
				t.Run(pair[0]+" by "+pair[1], func(t *testing.T) {
					d := &bounded{Device: open(t, machine(t, preset)), t: t}
					run(t, d, pair[0], pair[1], g)
					require.Positive(t, d.launches)
				})
			}
			if preset == "h200" {
				return // rows of micro-kernels take long there, and add nothing
			}
			d := &bounded{Device: open(t, machine(t, preset)), t: t}
			var rows []micro.Row
			for _, r := range micro.Rows() {
				switch r.Group + ": " + r.Name {
				case "shared memory: dependent load, 32 lanes on one bank", "shared memory: atomic add with result, 8 lanes an address", "barriers: Sync, 32 warps",
					"arithmetic: float32 add, cycles a warp and SM", "arithmetic: uint32 add and xor, latency", "launch: empty kernel, alone":
					rows = append(rows, r)
				}
			}
			require.Len(t, rows, 6)
			values, err := (&micro.Runner{Device: d, Kernels: kernels}).Run(t.Context(), rows)
			require.NoError(t, err)
			for _, v := range values {
				require.Empty(t, v.Error, v.Name)
			}
		})
	}
}

// TestOneWarpIssues checks that a single warp keeps one sub-core of one SM active, so that the rate of a sub-core is
// that of the warp, however many sub-cores are idle.
func TestOneWarpIssues(t *testing.T) {
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	for _, preset := range []string{"tiny", "v100"} {
		d := &kept{Device: open(t, machine(t, preset))}
		for _, row := range micro.Rows() {
			if row.Group == "arithmetic" && row.Name == "uint32 add and xor, latency" {
				_, err = (&micro.Runner{Device: d, Kernels: kernels}).Run(t.Context(), []micro.Row{row})
				require.NoError(t, err)
			}
		}
		require.NotNil(t, d.last)
		get := func(name string) float64 {
			v, ok := d.last.Counter(name)
			require.True(t, ok, name)
			return v
		}
		require.Equal(t, 1.0, get("smsp__warps_launched.sum"))
		assert.Equal(t, get("sm__cycles_active.sum"), get("smsp__cycles_active.sum"), "one sub-core of one SM")
		assert.InEpsilon(t, get("smsp__inst_executed.sum")/get("sm__cycles_active.sum"), get("smsp__inst_executed.avg.per_cycle_active"), 1e-9)
		assert.InEpsilon(t, 1/get("smsp__average_warp_latency_per_inst_issued.ratio"), get("smsp__inst_executed.avg.per_cycle_active"), 1e-9)
	}
}

// kept keeps the report of the last launch.
type kept struct {
	*sim.Device
	last *device.Report
}

func (k *kept) Launch(ctx context.Context, l device.Launch) (r *device.Report, err error) {
	k.last, err = k.Device.Launch(ctx, l)
	return k.last, err
}
