package trial_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/proof/progress"
	"github.com/weft-gpu/weft/internal/proof/progress/litmus"
	"github.com/weft-gpu/weft/internal/proof/progress/trial"
	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

const given = "../litmus/testdata/tests"

// guaranteed returns the given tests of which a model guarantees that they end,
// as published, and all given tests.
func guaranteed(t *testing.T, model string) (list, all []*litmus.Test) {
	t.Helper()
	all, err := litmus.ReadDir(t.Context(), given)
	require.NoError(t, err)
	verdicts, err := litmus.ReadVerdicts(t.Context(), given+"/verdicts.csv")
	require.NoError(t, err)
	for _, test := range all {
		if verdicts[test.Name][model] == progress.Terminates {
			list = append(list, test)
		}
	}
	return list, all
}

// open returns a simulated machine whose schedules depend on the seed.
func open(t *testing.T, machine string, seed uint64) device.Device {
	t.Helper()
	cfg, err := config.Load(machine)
	require.NoError(t, err)
	cfg.VarySchedules()
	dev, err := sim.New(cfg, sim.Options{Seed: seed, Budget: 2_000_000})
	require.NoError(t, err)
	return dev
}

// run launches tests on a device and returns the results.
func run(t *testing.T, r *trial.Runner, dev device.Device, as trial.As, tests []*litmus.Test) (results []*trial.Result) {
	t.Helper()
	for _, test := range tests {
		res, err := r.Run(t.Context(), test, trial.Options{As: as, Instances: 3, Launches: 1,
			Open: func(context.Context, uint64) (device.Device, error) { return dev, nil }})
		require.NoError(t, err)
		results = append(results, res)
	}
	return results
}

func allEnd(t *testing.T, results []*trial.Result) {
	t.Helper()
	for _, r := range results {
		require.Zero(t, r.Hangs+r.Undecided, "%s on %s: %s %s", r.Test, r.Device, r.Why, r.Where)
		require.Equal(t, 3, r.Instances)
	}
}

// machinesWith returns the presets whose lanes diverge in a certain way.
func machinesWith(t *testing.T, divergence string) (list []string) {
	t.Helper()
	for _, name := range config.Presets() {
		cfg, err := config.Load(name)
		require.NoError(t, err)
		if cfg.SM.Divergence == divergence {
			list = append(list, name)
		}
	}
	require.NotEmpty(t, list)
	return list
}

// TestHeavyBlocks runs the tests that obe guarantees, as blocks on every machine,
// under schedules that vary with the seed.
func TestHeavyBlocks(t *testing.T) {
	tests, _ := guaranteed(t, "obe")
	require.Len(t, tests, 13)
	r := trial.New()
	for _, machine := range config.Presets() {
		for seed := range uint64(8) {
			dev := open(t, machine, seed)
			allEnd(t, run(t, r, dev, trial.Blocks, tests))
			require.NoError(t, dev.Close())
		}
	}
}

// TestHeavyLanes runs the tests that weak_fair guarantees, as lanes of a warp on
// every machine with independent thread scheduling.
func TestHeavyLanes(t *testing.T) {
	tests, _ := guaranteed(t, "weak_fair")
	require.Len(t, tests, 163)
	r := trial.New()
	for _, machine := range machinesWith(t, "its") {
		for seed := range uint64(3) {
			dev := open(t, machine, seed)
			allEnd(t, run(t, r, dev, trial.Lanes, tests))
			require.NoError(t, dev.Close())
		}
	}
}

// TestHeavyStack runs the same tests on machines with a reconvergence stack, and
// lists those that hang, and why, in a document. They are the same ones on all
// machines.
func TestHeavyStack(t *testing.T) {
	tests, _ := guaranteed(t, "weak_fair")
	r := trial.New()
	var first string
	for _, machine := range machinesWith(t, "stack") {
		dev := open(t, machine, 1)
		var rows strings.Builder
		hangs := 0
		for _, res := range run(t, r, dev, trial.Lanes, tests) {
			require.Zero(t, res.Undecided, res.Test)
			if res.Hangs > 0 {
				hangs++
				fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", res.Test, threads(res.Spins), threads(res.Waits))
			}
		}
		require.NoError(t, dev.Close())
		if first == "" {
			first = rows.String()
			golden.Check(t, "../../../../docs/hangs-lanes.md", fmt.Sprintf(stackDocument, hangs, len(tests))+first)
		}
		require.Equal(t, first, rows.String(), machine)
	}
}

const stackDocument = `# Litmus tests that hang as lanes of one warp

%d of the %d progress litmus tests that ` + "`weak_fair`" + ` guarantees to end hang if their threads are lanes of one warp and the machine has
a reconvergence stack (all presets before ` + "`v100`" + `). Such a machine runs the lanes of one side of a branch until they reach the point
where both sides meet again. If they spin there on a value that a lane of the other side has to write, that lane never runs. On
machines with independent thread scheduling (` + "`v100`" + ` and later) all of them end. [progress.md](progress.md) explains the tests.

` + "```sh\nbin/weft progress internal/proof/progress/litmus/testdata/tests/2t_2i_4.txt --run --as lanes --device sim:k40 # exits with 3\n```" + `

This table is written by ` + "`go test ./internal/proof/progress/trial -run TestHeavyStack -update`" + `.

| test | lanes that spin | lanes that wait for them |
|---|---|---|
`

// threads lists the threads at some spots. At which instruction a thread was
// caught spinning depends on the machine.
func threads(spots []trial.Spot) string {
	var list []string
	for _, s := range spots {
		for _, thread := range s.Threads {
			list = append(list, fmt.Sprint(thread))
		}
	}
	return strings.Join(list, ", ")
}

// TestHeavyReplay replays the counterexample of each test under each model that
// does not guarantee that it ends: the simulator hangs. The verdict is published,
// the execution is not.
func TestHeavyReplay(t *testing.T) {
	_, tests := guaranteed(t, "obe")
	published, err := litmus.ReadVerdicts(t.Context(), given+"/verdicts.csv")
	require.NoError(t, err)
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	r := trial.New()
	kinds := map[device.HangKind]int{}
	for _, test := range tests {
		g, err := progress.Explore(t.Context(), test.System(), progress.Limits{States: 1 << 20})
		require.NoError(t, err)
		seen := map[string]bool{}
		for _, m := range progress.Models {
			_, x := g.Decide(m)
			require.Equal(t, published[test.Name][m.Name] == progress.MayHang, x != nil)
			if x == nil {
				continue
			}
			s := trial.Schedule(x)
			if text := fmt.Sprint(s); !seen[text] {
				seen[text] = true
				dev, err := sim.New(cfg, sim.Options{Control: s, Budget: 2_000_000})
				require.NoError(t, err)
				res, err := r.Run(t.Context(), test, trial.Options{As: trial.Blocks, Instances: 1, Launches: 1,
					Open: func(context.Context, uint64) (device.Device, error) { return dev, nil }})
				require.NoError(t, err, "%s under %s: %v", test.Name, m.Name, s)
				require.Equal(t, 1, res.Hangs, "%s under %s: %v", test.Name, m.Name, s)
				var hang *device.HangError
				require.ErrorAs(t, res.Err, &hang)
				kinds[hang.Kind]++
				require.NoError(t, dev.Close())
			}
		}
	}
	require.Positive(t, kinds[device.Livelock]) // all threads go on, as in tests that no weak fairness helps
	require.Positive(t, kinds[device.Starved])
	require.Zero(t, kinds[device.Hang]) // another schedule would end them
}
