package calibration

import (
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim/config"
)

// simulated returns a recording of the rows of steps on a machine: a preset with some parameters changed.
func simulated(t *testing.T, preset string, steps []Step, change map[string]string) *Recording {
	t.Helper()
	r := &Recording{Folder: "made", Meta: results.Meta{GPU: "a simulated GPU"}, rows: map[string]results.Micro{}}
	var set []string
	for p, v := range change {
		set = append(set, p+"="+v)
	}
	spec, err := devices.New("sim:"+preset, devices.Options{Set: set, Seed: 1})
	require.NoError(t, err)
	dev, err := spec.Open(t.Context(), devices.Watch{})
	require.NoError(t, err)
	defer dev.Close()
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	var want []micro.Row
	for _, row := range micro.Rows() {
		if slices.ContainsFunc(steps, func(s Step) bool { return slices.Contains(s.names(), nameOf(row.Group, row.Name)) }) {
			want = append(want, row)
		}
	}
	m := micro.Runner{Device: dev, Kernels: kernels}
	values, err := m.Run(t.Context(), want)
	require.NoError(t, err)
	for _, v := range values {
		require.Empty(t, v.Error, v.Name)
		r.rows[nameOf(v.Group, v.Name)] = results.Micro{Group: v.Group, Name: v.Name, Unit: v.Unit, Median: v.Median}
	}
	return r
}

// some returns the steps of some parameters, with those that come before.
func some(parameters ...string) (list []Step) {
	want := map[string]bool{}
	for _, p := range parameters {
		want[p] = true
	}
	for _, s := range slices.Backward(Steps()) {
		if want[s.Parameter] {
			list = append(list, s)
			for _, p := range s.After {
				want[p] = true
			}
		}
	}
	slices.Reverse(list)
	return list
}

// changed draws other values for the parameters of steps: up to a quarter more or less, and never the same.
func changed(t *testing.T, preset string, steps []Step, seed uint64) map[string]string {
	t.Helper()
	g, err := config.Load(preset)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(seed, 0))
	change := map[string]string{}
	for _, s := range steps {
		text, err := g.Get(s.Parameter)
		require.NoError(t, err)
		old, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		factor := 1.08 + 0.17*random.Float64()
		if random.IntN(2) == 0 {
			factor = 1 / factor
		}
		value := old * factor
		if s.whole() && math.Round(value) == old {
			value = old + 1
		}
		p := described()[s.Parameter]
		change[s.Parameter] = s.text(min(max(value, p.Min), p.Max))
	}
	return change
}

// comesBack calibrates from a preset by rows that were simulated on a changed one, and checks that the changed parameters are found: whole
// ones to 1 or 4%, others to 4%, and times of launches to 30 ns. What comes after a value that is only
// bounded has twice that.
func comesBack(t *testing.T, preset string, steps []Step, change map[string]string) *Result {
	t.Helper()
	r, err := Run(t.Context(), Request{Recording: simulated(t, preset, steps, change), Base: preset, Jobs: 2, Stderr: io.Discard, steps: steps})
	require.NoError(t, err)
	found, bound, said := map[string]bool{}, map[string]bool{}, 0
	for _, f := range r.Fitted {
		found[f.Parameter] = true
		want, err := strconv.ParseFloat(change[f.Parameter], 64)
		require.NoError(t, err)
		got, err := strconv.ParseFloat(f.To, 64)
		require.NoError(t, err)
		within := 0.04 * want
		if described()[f.Parameter].Whole() {
			within = max(within, 1)
		}
		step := steps[slices.IndexFunc(steps, func(s Step) bool { return s.Parameter == f.Parameter })]
		if step.Rough || f.Asked[0].Beyond != "" && (step.Hidden || want == described()[f.Parameter].Min) { // which says so
			said++
			bound[f.Parameter] = true
			continue
		}
		if slices.ContainsFunc(step.After, func(p string) bool { return bound[p] }) {
			within *= 2 // of the row, too much or too little was given to that
		}
		if f.Unit == "us" {
			within = max(within, 0.03) // of rows that take microseconds
		}
		assert.InDelta(t, want, got, within, "%s, which is %s in the base; rows ask for %s", f.Parameter, f.From, asked(f.Asked))
	}
	for _, k := range r.Kept {
		if _, isChanged := change[k.Parameter]; isChanged && k.Why != unfitted {
			assert.Contains(t, k.Why, "the row does not react to it", k.Parameter)
			found[k.Parameter] = true
		}
	}
	for _, s := range steps {
		assert.True(t, found[s.Parameter], "%s was not fitted", s.Parameter)
	}
	assert.LessOrEqual(t, 8*(said+len(steps)-len(r.Fitted)), len(steps), "few are not found")
	assert.Less(t, r.After.Mean, r.Before.Mean)
	return r
}

// TestComesBack makes a machine, simulates the rows of some parameters on it, and calibrates another one.
func TestComesBack(t *testing.T) {
	steps := some("latency.alu", "shared.atomic_latency", "barrier.base", "l1.latency")
	change := changed(t, "a100", steps, 1)
	change["interval.div"] = "77" // which no row isolates
	r := comesBack(t, "a100", steps, change)
	assert.Less(t, r.After.Mean, 0.01)
	kept := slices.IndexFunc(r.Kept, func(k Kept) bool { return k.Parameter == "interval.div" })
	require.GreaterOrEqual(t, kept, 0)
	assert.Equal(t, Kept{"interval.div", "40", "cycle", "estimate", unfitted}, r.Kept[kept])

	// The file is the machine, with a source for each value.
	file := filepath.Join(t.TempDir(), "my.yaml")
	var text strings.Builder
	require.NoError(t, r.WriteYAML(&text, filepath.Dir(file)))
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o600))
	g, err := config.Load(file)
	require.NoError(t, err)
	assert.Equal(t, r.Machine, g.Hash())
	assert.Equal(t, "a simulated GPU, calibrated on the base a100", g.Title)
	assert.Contains(t, g.Origin("l1.latency").Source, "weft calibrate, 33 in the base")
	assert.Contains(t, g.Origin("l1.latency").Fitted, `micro-kernels of made/micro.json: "latency: dependent load, plain, L1, 16 KiB" asks for `)
	assert.Contains(t, text.String(), "\n#   interval.div: 40 cycle (estimate)\n")
	var out strings.Builder
	r.Text(&out)
	fitted, _, _ := strings.Cut(out.String(), "\nrows:\n")
	assert.Regexp(t, `(?m)^ +3 +issue\.branch +8 +to +7 +cycle `, fitted)
}

// TestHeavyComesBack does so with all parameters whose rows do not take seconds, on two machines. What waits for the DRAM takes as long as all others,
// and is found on one of them.
func TestHeavyComesBack(t *testing.T) {
	for seed, preset := range []string{"a100", "h200"} {
		t.Run(preset, func(t *testing.T) {
			steps, missing := []Step{}, map[string]bool{}
			for _, s := range Steps() {
				missing[s.Parameter] = slices.ContainsFunc(s.names(), func(n string) bool { return long[n] || seed > 0 && n == dram && os.Getenv("WEFT_EXHAUSTIVE") == "" }) || slices.ContainsFunc(s.After, func(p string) bool { return missing[p] })
				if !missing[s.Parameter] {
					steps = append(steps, s)
				}
			}
			assert.Greater(t, len(steps), 40)
			comesBack(t, preset, steps, changed(t, preset, steps, uint64(seed)+7))
		})
	}
}

// TestContradiction checks the words for rows that no value of a parameter explains.
func TestContradiction(t *testing.T) {
	steps := some("barrier.warp")
	r := simulated(t, "tiny", steps, nil)
	for _, name := range []string{"barriers: Sync, 32 warps", "barriers: Sync, 16 warps"} {
		m := r.rows[name]
		m.Median *= map[bool]float64{true: 1.6, false: 1}[strings.Contains(name, "32")]
		r.rows[name] = m
	}
	_, err := Run(t.Context(), Request{Recording: r, Base: "tiny", Jobs: 2, Stderr: io.Discard, steps: steps})
	require.ErrorContains(t, err, `made/micro.json: rows contradict each other about barrier.warp: "barriers: Sync, 16 warps, less barriers: Sync, 2 warps" asks for 2, "barriers: Sync, 32 warps, less barriers: Sync, 1 warps" for `)
	require.ErrorContains(t, err, " cycle, which is more than 10% apart")
}

// TestNoAnswer checks what is said of a parameter whose rows failed, do not react to it, or ask for what is beyond its bounds.
func TestNoAnswer(t *testing.T) {
	steps := []Step{
		{Parameter: "latency.imad", Apart: 0.1, Rows: rows(arith, "float32 divide, latency")},
		{Parameter: "latency.fdiv", Apart: 0.1, Rows: rows(arith, "float64 add, latency")},
		{Parameter: "barrier.warp", Apart: 0.1, Most: 3, Rows: []Measure{less(barriers, "Sync, 32 warps", "Sync, 1 warps")}},
	}
	r := simulated(t, "tiny", steps, map[string]string{"barrier.warp": "9"})
	m := r.rows["arithmetic: float32 divide, latency"]
	m.Median *= 1.5
	r.rows["arithmetic: float32 divide, latency"] = m
	r.rows["arithmetic: float64 add, latency"] = results.Micro{Error: "out of memory"}
	got, err := Run(t.Context(), Request{Recording: r, Base: "tiny", Jobs: 2, Stderr: io.Discard, steps: steps})
	require.NoError(t, err)
	require.Len(t, got.Fitted, 1)
	assert.Equal(t, "3", got.Fitted[0].To)
	assert.Contains(t, asked(got.Fitted[0].Asked), "3 (or beyond: a bound of the parameter: with 3 the row is ")
	why := map[string]string{}
	for _, k := range got.Kept {
		why[k.Parameter] = k.Why
	}
	assert.Equal(t, "arithmetic: float32 divide, latency: the row does not react to it on this machine", why["latency.imad"])
	assert.Equal(t, "arithmetic: float64 add, latency: it failed when it was recorded: out of memory", why["latency.fdiv"])
}

// TestInterrupted checks that an interrupted calibration makes no machine.
func TestInterrupted(t *testing.T) {
	steps := some("barrier.warp")
	r := simulated(t, "tiny", steps, nil)
	ctx, cancel := signals.Context(t.Context(), nil)
	cancel()
	_, err := Run(ctx, Request{Recording: r, Base: "tiny", Jobs: 2, Stderr: io.Discard, steps: steps})
	require.ErrorIs(t, err, signals.Interrupted)
	_, err = Run(t.Context(), Request{Recording: r, Base: "nothing", Jobs: 2, Stderr: io.Discard, steps: steps})
	require.ErrorContains(t, err, `--base: unknown machine "nothing"`)
}

// TestKeptMachines loads the machines that were calibrated by the records that come with Weft: each value has its source, and what a
// driver says of the GPU is as its vendor says.
func TestKeptMachines(t *testing.T) {
	for gpu, l2 := range map[string]string{"h200": "62914560", "h100": "52428800"} {
		g, err := config.Load("../../../results/hw/" + gpu + "/calibrated.yaml")
		require.NoError(t, err)
		got, err := g.Get("l2.bytes")
		require.NoError(t, err)
		assert.Equal(t, l2, got)
		fitted := 0
		for _, s := range Steps() {
			if g.Origin(s.Parameter).At == "" {
				continue // as in the base
			}
			assert.Contains(t, g.Origin(s.Parameter).Fitted, "micro-kernels of results/hw/"+gpu+"/micro.json", s.Parameter)
			fitted++
		}
		assert.GreaterOrEqual(t, fitted, len(Steps())-2)
	}
}
