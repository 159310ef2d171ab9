package difftest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/testing/difftest/corpus"
	"github.com/weft-gpu/weft/internal/testing/difftest/generate"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// TestThreads runs kernels, of which some fault or hang, on machines with random parameters and one, two or three threads: the
// values, the counters with their cycles, and the text of the error are the same. A negative number lets the SMs run by
// themselves from the first cycle on.
func TestThreads(t *testing.T) {
	triples := 60
	if testing.Short() {
		triples = 12
	}
	compareThreads(t, triples, 1)
}

// TestHeavyThreads does so 500 times, also with kernels that are not in the corpus.
func TestHeavyThreads(t *testing.T) { compareThreads(t, 500, 2) }

func compareThreads(t *testing.T, triples int, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0))
	_, opt := compilers(t)
	var cases []Case
	for _, k := range corpus.Kernels {
		cases = append(cases, CaseOf(k))
	}
	hangs := 0
	for range triples {
		c, machine, threads := cases[r.IntN(len(cases))], randomMachine(r), 1+r.IntN(3)
		if c.Ends == generate.Hang {
			hangs++
		}
		one, several := ofThreads(t, opt, c, machine, 1), ofThreads(t, opt, c, machine, -threads)
		what := fmt.Sprintf("%s with %d threads on %v", c.Entry, threads, machine)
		require.Equal(t, one.Error, several.Error, what)
		require.Equal(t, one.Report, several.Report, what)
		require.Empty(t, Diff(one.Data, several.Data), what)
	}
	assert.Positive(t, hangs)
}

// outcome is all that a run says.
type outcome struct {
	Data   *Data
	Report string
	Error  string
}

func ofThreads(t *testing.T, compiler *compile.Compiler, c Case, machine []string, threads int) (o outcome) {
	cfg, err := config.Load(machine[0])
	require.NoError(t, err)
	for _, set := range machine[1:] {
		path, value, _ := strings.Cut(set, "=")
		require.NoError(t, cfg.Set(path, value), set)
	}
	dev, err := sim.New(cfg, sim.Options{Budget: 3_000_000, Threads: threads})
	require.NoError(t, err)
	k, err := compiler.Kernel(context.Background(), c.Entry, nil)
	require.NoError(t, err)
	o.Data = c.Data()
	if err := On(dev, device.Launch{Kernel: k, Grid: c.Grid, Block: c.Block}, o.Data); err != nil {
		o.Error = err.Error()
	}
	text, err := json.MarshalIndent(dev.Total(), "", " ")
	require.NoError(t, err)
	o.Report = string(text)
	return o
}

// randomMachine returns a small machine whose parameters decide what a window is and what crosses its end.
func randomMachine(r *rand.Rand) []string {
	one := func(path string, values ...any) string {
		return fmt.Sprintf("%s=%v", path, values[r.IntN(len(values))])
	}
	m := []string{"tiny",
		one("sm.count", 1, 2, 3, 5, 8),
		one("hang.window", 1000, 5000, 20000),
		one("xbar.request", 16, 40, 70, 200),
		one("launch.start", 20, 100, 500),
		one("launch.block", 1, 3, 0.5),
		one("launch.order", "breadth", "depth"),
		one("issue.scheduler", "gto", "lrr", "oldest", "random"),
		one("sm.divergence", "its", "stack"),
		one("lsu.queue", 1, 2, 8),
		one("l1.mshrs", 2, 16, 64),
		one("atomic.queue", 0, 1, 4, 12),
		one("xbar.groups", 0, 1, 2),
	}
	if r.IntN(2) == 0 {
		m = append(m, "l2.partitions=2", one("l2.far", 10, 600), "l2.latency=700")
	}
	return m
}
