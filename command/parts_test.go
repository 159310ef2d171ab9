package command

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/bench"
	"github.com/weft-gpu/weft/internal/counter"
	"github.com/weft-gpu/weft/internal/devices"
	"github.com/weft-gpu/weft/internal/run"
	"github.com/weft-gpu/weft/sim/config"
)

func TestBench(t *testing.T) {
	stdout, stderr, code := command(t, "bench", "compile", "--repeat", "2", "--json")
	require.Equal(t, exitRight, code, stderr)
	var r bench.Report
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.Len(t, r.Benchmarks, 1)
	b := r.Benchmarks[0]
	assert.Equal(t, "compile", b.Name)
	assert.Positive(t, b.Min)
	assert.LessOrEqual(t, b.Min, b.Median)
	assert.LessOrEqual(t, b.Median, b.Max)
	assert.InEpsilon(t, b.Median/r.Calibration.Rate, b.PerStep, 1e-9)

	stdout, stderr, code = command(t, "bench", "compile", "--repeat", "1")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^compile +[\d.]+ ?k? +kernel/s`, stdout)
	assert.Contains(t, stdout, "calibration loop: 100 M steps/s")
}

// TestLists holds that lists for machines and for people name the same things,
// each with a unit and a meaning.
func TestLists(t *testing.T) {
	stdout, _, code := command(t, "list", "parameters", "--json")
	require.Equal(t, exitRight, code)
	var all parametersJSON
	require.NoError(t, json.Unmarshal([]byte(stdout), &all))
	params := all.Parameters
	for i, preset := range config.Presets() {
		g, err := config.Load(preset)
		require.NoError(t, err)
		assert.Equal(t, machineJSON{preset, g.Title, g.Hash()}, all.Machines[i])
	}
	require.Len(t, params, len(config.Parameters()))
	people, _, code := command(t, "list", "parameters")
	require.Equal(t, exitRight, code)
	for _, p := range params {
		assert.NotEmpty(t, p.Unit, p.Name)
		assert.NotEmpty(t, p.What, p.Name)
		assert.Contains(t, people, p.Name)
		for _, preset := range config.Presets() {
			assert.NotEmpty(t, p.Values[preset].Value, p.Name)
			assert.NotEmpty(t, p.Values[preset].Source, p.Name)
		}
	}

	for _, preset := range config.Presets() {
		people, _, code = command(t, "list", "parameters", preset)
		require.Equal(t, exitRight, code)
		for _, p := range params {
			v := p.Values[preset]
			assert.Regexp(t, regexp.QuoteMeta(p.Name)+` +`+regexp.QuoteMeta(v.Value)+`  `+regexp.QuoteMeta(p.Unit)+` +`+regexp.QuoteMeta(v.Source)+"\n", people)
		}
	}
	stdout, _, _ = command(t, "list", "parameters", "l2", "--json")
	all = parametersJSON{}
	require.NoError(t, json.Unmarshal([]byte(stdout), &all))
	require.NotEmpty(t, all.Parameters)
	for _, p := range all.Parameters {
		assert.Regexp(t, `^l2\.`, p.Name)
		assert.Len(t, p.Values, len(config.Presets()))
	}

	stdout, _, code = command(t, "list", "counters", "--json")
	require.Equal(t, exitRight, code)
	var list []counterJSON
	require.NoError(t, json.Unmarshal([]byte(stdout), &list))
	people, _, _ = command(t, "list", "counters")
	seen := map[string]bool{}
	for _, c := range list {
		assert.NotEmpty(t, c.Unit, c.Name)
		assert.NotEmpty(t, c.What, c.Name)
		assert.Contains(t, people, c.Name)
		assert.True(t, c.Func || c.Sim, c.Name)
		seen[c.Name] = true
	}
	assert.True(t, seen[run.WarpInstructions])
	for _, c := range counter.Keys() {
		assert.True(t, seen[c.Name], "key counter %s is counted by nobody", c.Name)
	}
}

func TestListsPlain(t *testing.T) {
	for _, line := range []string{"list algorithms", "list schedulers", "list schedulers --json", "list devices --json", "list kernels --json"} {
		stdout, stderr, code := command(t, strings.Fields(line)...)
		assert.Equal(t, exitRight, code, stderr)
		assert.Contains(t, stdout, map[string]string{"algorithms": "bfs", "schedulers": "warp", "devices": "sim:h200", "kernels": "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]"}[strings.Fields(line)[1]])
	}
}

// TestDevices holds that a device says how its warps diverge.
func TestDevices(t *testing.T) {
	stdout, _, code := command(t, "list", "devices")
	require.Equal(t, exitRight, code)
	lines := strings.Split(stdout, "\n")
	for _, p := range config.Presets() {
		i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "  sim:"+p+" ") })
		require.GreaterOrEqual(t, i, 0, p)
		note := strings.Contains(lines[i+1], "note: "+devices.IndependentNote)
		g, err := config.Load(p)
		require.NoError(t, err)
		assert.Equal(t, g.SM.Divergence == "its", note, p)
	}
	for _, p := range []string{"v100", "a100", "h100", "h200"} { // since Volta
		assert.Regexp(t, `(?m)^  sim:`+p+` .*\n +note: `, stdout)
	}
	assert.Contains(t, stdout, "\n  sim:./my.yaml is a machine of your own; ")
	assert.Contains(t, stdout, "\n  func ")
}

// TestOverview holds that the first thing a user sees names all there is.
func TestOverview(t *testing.T) {
	bare, _, code := command(t)
	require.Equal(t, exitRight, code)
	help, _, _ := command(t, "--help")
	assert.Equal(t, help, bare)
	for _, c := range (&app{}).root().Commands() {
		assert.Contains(t, help, "\n  "+c.Name()+" ")
		assert.NotEmpty(t, c.Short, c.Name())
		assert.True(t, c.Name() == "help" || c.Example != "", "%s has no example", c.Name())
	}
	list, _, code := command(t, "list")
	require.Equal(t, exitRight, code)
	for _, part := range []string{"algorithms", "schedulers", "devices"} {
		one, _, _ := command(t, "list", part)
		assert.Contains(t, list, part+"\n"+one)
	}
}

// TestInstance compiles instantiations that nobody wrote down, also of a folder's kernels.
func TestInstance(t *testing.T) {
	stdout, stderr, code := command(t, "ir", "bsp.Pull[kernels.BFS, scheduler.BlockPerVertex, uint32]")
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "kernel bsp.Pull[kernels.BFS, scheduler.BlockPerVertex, uint32]")
	stdout, stderr, code = command(t, "ir", "./testdata/user/generic.Sums[float64, Pair]")
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "kernel ./testdata/user/generic.Sums[float64, Pair]\nleaf \"a\" u64 base f64 8 0\n")
	stdout, stderr, code = command(t, "ptx", "./testdata/user/generic.Sums[float64,./testdata/user/generic.Pair]")
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "cvt.rn.f64.u32")
}

// TestIR prints both forms, with source lines, and what the lint finds.
func TestIR(t *testing.T) {
	ssa, stderr, code := command(t, "ir", "../examples/levels.Step")
	require.Equal(t, exitRight, code, stderr)
	assert.Empty(t, stderr)
	assert.True(t, strings.HasPrefix(ssa, "kernel levels.Step\n"), ssa)
	assert.Contains(t, ssa, `"../examples/levels/levels.go"`)

	program, _, _ := command(t, "ir", "../examples/levels.Step", "--program")
	assert.Regexp(t, `^program levels.Step: \d+ instructions, \d+ rows`, program)
	assert.Regexp(t, `atom\.cas\.u32\.global.*; ../examples/levels/levels\.go:15`, program)

	byName, _, _ := command(t, "ir", "bfs", "--scheduler", "thread")
	entry, _, _ := command(t, "ir", "kernels.BFSThread")
	assert.Equal(t, entry, byName)

	_, stderr, code = command(t, "ir", "./testdata/user/racy.Racy")
	assert.Equal(t, exitRight, code)
	assert.Equal(t, "warning: testdata/user/racy/racy.go:9:11: plain load of count, which gpu.AtomicAdd at testdata/user/racy/racy.go:8 updates: "+
		"other threads may do so at any time; use gpu.Load\n", stderr)
}

// TestCountersAgree: what func and a simulator that counts operations both count
// of a run is the same number, in the same unit, under the same name.
func TestCountersAgree(t *testing.T) {
	list, err := counters()
	require.NoError(t, err)
	units := map[string]string{}
	for _, c := range list {
		units[c.Name] = c.Unit
	}
	for _, pair := range [][2]string{{"bfs", "block-queue"}, {"pagerank-pull", "thread"}} {
		args := []string{pair[0], "--scheduler", pair[1], "--graph", "grid:width=7,keep=1"}
		f := runJSON(t, exitRight, append(args, "--device", "func")...)
		s := runJSON(t, exitRight, append(args, "--device", "sim:tiny", "--set", "issue.lowering=ir")...)
		both := 0
		for name, v := range f.Counters {
			w, ok := s.Counters[name]
			if !ok {
				assert.Contains(t, []string{"smsp__inst_executed_op_local_ld.sum", "smsp__inst_executed_op_local_st.sum", "smsp__inst_executed_op_branch.sum"}, name, "on func alone")
				continue
			}
			both++
			if f.Iterations == s.Iterations && pair[0] == "pagerank-pull" { // nothing depends on who comes first
				assert.Equal(t, v, w, name)
			}
			assert.NotEmpty(t, units[name])
		}
		assert.GreaterOrEqual(t, both, 11, "%v", f.Counters)
	}
	for _, name := range []string{devices.Func, "sim:tiny"} {
		spec, err := devices.New(name, devices.Options{Seed: 1})
		require.NoError(t, err)
		dev, err := spec.Open(t.Context(), devices.Watch{})
		require.NoError(t, err)
		for _, c := range dev.Total().Counters {
			assert.Equal(t, units[c.Name], c.Unit, "%s on %s", c.Name, name)
		}
		require.NoError(t, dev.Close())
	}
}

// TestOldKernelNames: notes and recordings of before name kernels by variables
// that package kernels had.
func TestOldKernelNames(t *testing.T) {
	for _, what := range []string{"ir", "ptx"} {
		old, stderr, code := command(t, what, "kernels.BFSWarp")
		require.Equal(t, exitRight, code, stderr)
		now, _, _ := command(t, what, "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]")
		assert.Equal(t, now, old)
		now, _, _ = command(t, what, "bfs")
		assert.Equal(t, now, old)
	}
}
