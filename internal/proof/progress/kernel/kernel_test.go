package kernel_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/proof/progress"
	"github.com/weft-gpu/weft/internal/proof/progress/kernel"
	"github.com/weft-gpu/weft/internal/proof/progress/litmus"
	"github.com/weft-gpu/weft/internal/proof/progress/trial"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// launchOf compiles a kernel and returns its memory and a launch with n buffers
// of one element.
func launchOf(t *testing.T, name string, grid, block, buffers int) (*simt.Memory, device.Launch) {
	t.Helper()
	c := compile.New()
	c.Mount("k", os.DirFS("testdata/k"))
	k, err := c.Kernel(t.Context(), "k."+name, nil)
	require.NoError(t, err)
	mem := simt.NewMemory(0)
	dev := function.New(function.Options{Memory: mem})
	l := device.Launch{Kernel: k, Grid: grid, Block: block}
	for i := range buffers {
		l.Args = append(l.Args, words(t, dev, string(rune('a'+i)), 1))
	}
	return mem, l
}

// words allocates a buffer of zeros.
func words(t *testing.T, dev device.Device, name string, n int) device.Buffer {
	t.Helper()
	b, err := dev.Alloc(name, device.U32, n)
	require.NoError(t, err)
	require.NoError(t, dev.Write(b, make([]uint32, n)))
	return b
}

// TestKernels decides locks, barriers and flags. What is safe under which model is
// known: a lock needs that its holder goes on, a barrier that all blocks do, and
// a block may wait for lower-numbered ones under hsa and lobe (Sorensen et al.,
// "Portable Inter-workgroup Barrier Synchronisation for GPUs", OOPSLA 2016, and
// "GPU Schedulers: How Fair Is Fair Enough?", CONCUR 2018).
func TestKernels(t *testing.T) {
	const (
		holder = "hsa hsa_strong"
		all    = "obe hsa hsa_obe lobe obe_strong hsa_strong hsa_obe_strong lobe_strong"
		lower  = "obe obe_strong"
		never  = "obe hsa hsa_obe lobe obe_strong hsa_strong hsa_obe_strong lobe_strong weak_fair strong_fair"
	)
	for _, c := range []struct {
		name                 string
		grid, block, buffers int
		as                   kernel.As
		hangs                string // models that allow it to hang
	}{
		{"Lock", 2, 1, 2, kernel.Blocks, holder},
		{"Lock", 4, 1, 2, kernel.Blocks, holder},
		{"Lock", 1, 4, 2, kernel.Lanes, holder},
		{"Lock", 1, 4, 2, kernel.Blocks, ""},
		{"Lock", 2, 2, 2, kernel.Blocks, holder},
		{"LockWarp", 1, 64, 1, kernel.Blocks, ""},
		{"LockWarp", 1, 64, 1, kernel.Warps, holder},
		{"Barrier", 1, 64, 1, kernel.Blocks, ""},
		{"Barrier", 2, 1, 1, kernel.Blocks, all},
		{"Barrier", 4, 64, 1, kernel.Blocks, all},
		{"Barrier", 2, 2, 1, kernel.Lanes, all},
		{"Produce", 3, 32, 2, kernel.Blocks, all},
		{"Consume", 3, 1, 1, kernel.Blocks, lower},
		{"Shared", 2, 64, 1, kernel.Blocks, ""},
		{"Shared", 1, 64, 1, kernel.Warps, "obe hsa hsa_obe obe_strong hsa_strong hsa_obe_strong lobe lobe_strong"},
		{"Collective", 2, 8, 1, kernel.Blocks, ""},
		{"Collective", 1, 4, 1, kernel.Lanes, all},
		{"Meet", 1, 64, 1, kernel.Warps, all},
		{"Meet", 1, 64, 1, kernel.Blocks, ""},
		{"Named", 1, 64, 1, kernel.Blocks, ""},
		{"NamedThree", 1, 96, 1, kernel.Blocks, never},
		{"NamedApart", 1, 64, 1, kernel.Blocks, ""},
		{"NamedPairs", 1, 64, 1, kernel.Blocks, ""},
		{"NamedPairs", 1, 64, 1, kernel.Warps, all},
		{"Stuck", 2, 64, 1, kernel.Blocks, never},
		{"Backoff", 2, 1, 1, kernel.Blocks, all},
	} {
		mem, l := launchOf(t, c.name, c.grid, c.block, c.buffers)
		s, err := kernel.New(mem, l, c.as)
		require.NoError(t, err)
		g, err := progress.Explore(t.Context(), s, progress.Limits{States: 100_000})
		require.NoError(t, err, "%v", c)
		var hangs []string
		for _, r := range g.Results(c.name, progress.Models) {
			if r.Verdict == progress.MayHang {
				hangs = append(hangs, r.Model)
			}
		}
		require.ElementsMatch(t, strings.Fields(c.hangs), hangs, "%v", c)
	}
}

// TestLitmus decides the litmus tests as kernels, whose threads are blocks or
// lanes of a warp: the verdicts are those published.
func TestLitmus(t *testing.T) {
	tests, err := litmus.ReadDir(t.Context(), "../litmus/testdata/tests")
	require.NoError(t, err)
	want, err := litmus.ReadVerdicts(t.Context(), "../litmus/testdata/tests/verdicts.csv")
	require.NoError(t, err)
	r := trial.New()
	for _, test := range tests {
		for as, is := range map[trial.As]kernel.As{trial.Blocks: kernel.Blocks, trial.Lanes: kernel.Lanes} {
			k, err := r.Kernel(t.Context(), test, as)
			require.NoError(t, err)
			mem := simt.NewMemory(0)
			dev := function.New(function.Options{Memory: mem})
			b, err := dev.Alloc("x", device.U32, 64)
			require.NoError(t, err)
			require.NoError(t, dev.Write(b, make([]uint32, 64)))
			l := device.Launch{Kernel: k, Grid: len(test.Threads), Block: 1, Args: []any{b}}
			if as == trial.Lanes {
				l.Grid, l.Block = 1, 32
			}
			s, err := kernel.New(mem, l, is)
			require.NoError(t, err)
			g, err := progress.Explore(t.Context(), s, progress.Limits{States: 100_000})
			require.NoError(t, err)
			for _, m := range progress.Models {
				verdict, _ := g.Decide(m)
				require.Equal(t, want[test.Name][m.Name], verdict, "%s as %s under %s", test.Name, as, m.Name)
			}
		}
	}
}

// TestReplay checks that a counterexample of a kernel is a schedule with which
// the simulator hangs.
func TestReplay(t *testing.T) {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	for _, c := range []struct {
		name                 string
		grid, block, buffers int
	}{{"Lock", 2, 1, 2}, {"Barrier", 2, 64, 1}, {"Produce", 2, 32, 2}, {"Lock", 2, 2, 2}} {
		mem, l := launchOf(t, c.name, c.grid, c.block, c.buffers)
		s, err := kernel.New(mem, l, kernel.Blocks)
		require.NoError(t, err)
		g, err := progress.Explore(t.Context(), s, progress.Limits{States: 100_000})
		require.NoError(t, err)
		m, err := progress.Lookup("hsa")
		require.NoError(t, err)
		_, x := g.Decide(m)
		require.NotNil(t, x)
		for _, move := range append(x.Prefix, x.Cycle...) {
			require.Regexp(t, `^k/k.go:\d+:\d+$`, s.Describe(move).At)
		}
		d, err := sim.New(cfg, sim.Options{Control: s.Schedule(x), Budget: 5_000_000})
		require.NoError(t, err)
		on := device.Launch{Kernel: l.Kernel, Grid: l.Grid, Block: l.Block}
		for range l.Args {
			b, err := d.Alloc("x", device.U32, 1)
			require.NoError(t, err)
			require.NoError(t, d.Write(b, []uint32{0}))
			on.Args = append(on.Args, b)
		}
		_, err = d.Launch(t.Context(), on)
		var hang *device.HangError
		require.ErrorAs(t, err, &hang, "%s %+v", c.name, s.Schedule(x))
	}
}

func TestUnsupported(t *testing.T) {
	for _, c := range []struct {
		name        string
		grid, block int
		as          kernel.As
		want        string
	}{
		{"Barrier", 2, 64, kernel.Lanes, "the schedules of k.Barrier cannot be explored: the grid has 128 threads, and at most 64 lanes can be explored"},
		{"Barrier", 65, 1, kernel.Blocks, "the schedules of k.Barrier cannot be explored: the grid has 65 warps, and at most 64 can be explored"},
		{"Clock", 1, 1, kernel.Blocks, "the schedules of k.Clock cannot be explored: k/k.go:95:58 reads a clock, so that no state recurs"},
		{"NamedPairs", 1, 64, kernel.Lanes, "the schedules of k.NamedPairs cannot be explored: k/named.go:27:14 is a named barrier, to which a warp comes as a whole, and lanes are to go on alone"},
		{"Alone", 1, 1, kernel.Blocks, "the schedules of k.Alone cannot be explored: k/k.go:99:22 is in a loop of more than 1048576 instructions that accesses no memory which others see"},
	} {
		mem, l := launchOf(t, c.name, c.grid, c.block, 1)
		_, err := kernel.New(mem, l, c.as)
		require.EqualError(t, err, c.want)
	}
	mem, l := launchOf(t, "Fault", 2, 1, 1)
	s, err := kernel.New(mem, l, kernel.Blocks)
	require.NoError(t, err)
	_, err = progress.Explore(t.Context(), s, progress.Limits{States: 1000})
	var fault *device.Fault
	require.ErrorAs(t, err, &fault) // only if block 1 is first
	require.Equal(t, 1, fault.Block)
	mem, l = launchOf(t, "Count", 2, 1, 1)
	s, err = kernel.New(mem, l, kernel.Blocks)
	require.NoError(t, err)
	_, err = progress.Explore(t.Context(), s, progress.Limits{States: 1000})
	require.EqualError(t, err, "undecided: the program has more than 1000 states")
}

// TestLargeBuffers explores a kernel with a buffer of 256 KB, of which a step changes a word: states share the rest. A copy
// of the buffer for each state would take 250 MB.
func TestLargeBuffers(t *testing.T) {
	const size = 1 << 16
	large := func(states int, bytes uint64) (*kernel.System, *simt.Memory, error) {
		mem, l := launchOf(t, "Count", 2, 1, 0)
		l.Args = []any{words(t, function.New(function.Options{Memory: mem}), "count", size)}
		s, err := kernel.New(mem, l, kernel.Blocks)
		require.NoError(t, err)
		_, err = progress.Explore(t.Context(), s, progress.Limits{States: states, Bytes: bytes})
		return s, mem, err
	}
	s, _, err := large(1000, 1<<30)
	require.EqualError(t, err, "undecided: the program has more than 1000 states")
	require.Less(t, s.Bytes(), uint64(8<<20))
	_, _, err = large(1_000_000, 1<<20)
	var limit *progress.LimitError
	require.ErrorAs(t, err, &limit)
	require.EqualError(t, err, fmt.Sprintf("undecided: memory budget: more than %d states take more than 1 MiB", limit.States))
	require.Greater(t, limit.States, 100)
}
