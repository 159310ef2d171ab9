package command

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/sim/config"
)

// TestLists checks that JSON and text lists name the same things, each with a
// unit and a meaning.
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

// TestListAlgorithmsJSON checks that the list has all algorithms, and what it says of two of them.
func TestListAlgorithmsJSON(t *testing.T) {
	stdout, stderr, code := command(t, "list", "algorithms", "--json")
	require.Equal(t, exitRight, code, stderr)
	var list []struct {
		Name, What, Type, Value string
		Schedulers              []string
		Parameters              map[string]string
	}
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&list))
	var names []string
	for _, a := range list {
		names = append(names, a.Name)
		assert.NotEmpty(t, a.What, a.Name)
		assert.NotEmpty(t, a.Schedulers, a.Name)
		switch a.Name {
		case "bfs":
			assert.Equal(t, "breadth-first search: levels from a source", a.What)
			assert.Equal(t, "kernels.BFS", a.Type)
			assert.Equal(t, "uint32", a.Value)
			assert.Contains(t, a.Schedulers, "warp")
			assert.Empty(t, a.Parameters)
		case "bp":
			assert.Equal(t, "float32", a.Value)
			assert.Equal(t, map[string]string{"coupling": "0.5", "epsilon": "0.001"}, a.Parameters)
		}
	}
	assert.Equal(t, algorithmNames(), strings.Join(names, ", "))
}

func TestListsPlain(t *testing.T) {
	for _, line := range []string{"list algorithms", "list schedulers", "list schedulers --json", "list devices --json", "list kernels --json"} {
		stdout, stderr, code := command(t, strings.Fields(line)...)
		assert.Equal(t, exitRight, code, stderr)
		assert.Contains(t, stdout, map[string]string{"algorithms": "bfs", "schedulers": "warp", "devices": "sim:h200", "kernels": "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]"}[strings.Fields(line)[1]])
	}
}

// TestDevices checks that a device says how its warps diverge.
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

// TestOverview checks that the first output that a user sees names everything.
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

// TestCountersAgree checks that counters that both func and a simulator count
// have the same values, units and names, if the simulator counts operations.
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
