package waitfor_test

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

func TestMain(m *testing.M) { os.Exit(golden.Run(m, "testdata/golden/*")) }

//go:embed testdata/hangs/*.go
var sources embed.FS

// kernel compiles a kernel of testdata/hangs.
func kernel(t testing.TB, name string) *device.Kernel {
	tree, err := fs.Sub(sources, "testdata/hangs")
	require.NoError(t, err)
	c := compile.New()
	c.Mount("hangs", tree)
	k, err := c.Kernel(context.Background(), "hangs."+name, nil)
	require.NoError(t, err)
	return k
}

// open opens a device: "func", or the name of a machine.
func open(t testing.TB, name string) device.Device { return openFor(t, name, 2_000_000) }

// openFor opens a device with a budget.
func openFor(t testing.TB, name string, budget uint64) device.Device {
	if name == "func" {
		return function.New(function.Options{AllowUnwritten: true, Budget: budget})
	}
	cfg, err := config.Load(name)
	require.NoError(t, err)
	d, err := sim.New(cfg, sim.Options{Seed: 1, Budget: budget})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// run launches a kernel. Its parameters name its buffers, of as many zeros as n says.
func run(t testing.TB, on, name string, l device.Launch, n ...any) error {
	return runOn(t, open(t, on), name, l, n...)
}

func runOn(t testing.TB, d device.Device, name string, l device.Launch, n ...any) error {
	l.Kernel, l.Args = kernel(t, name), nil
	for i, a := range n {
		if size, ok := a.(int); ok {
			b, err := d.Alloc(l.Kernel.Params[i].Name, device.U32, size)
			require.NoError(t, err)
			require.NoError(t, d.Write(b, make([]uint32, size)))
			a = b
		}
		l.Args = append(l.Args, a)
	}
	_, err := d.Launch(context.Background(), l)
	return err
}

func graphOf(t testing.TB, err error) *device.WaitGraph {
	var h *device.HangError
	var u *device.UndecidedError
	switch {
	case errors.As(err, &h):
		require.NotNil(t, h.Graph)
		return h.Graph
	case errors.As(err, &u):
		require.NotNil(t, u.Graph)
		return u.Graph
	}
	require.Fail(t, "it ended", "%v", err)
	return nil
}

// hang is a kernel that does not end, and what must be found.
type hang struct {
	golden     string
	on, kernel string
	l          device.Launch
	args       []any
	cause      device.CauseKind // the first
	until      string           // of the first group that spins
}

var hangs = []hang{
	{"grid-barrier-k40", "k40", "GridBarrier", device.Launch{Grid: 61, Block: 128, Regs: 110}, []any{1, 61 * 128}, device.CauseNotResident, "arrived[0] >= 61"},
	{"grid-barrier-h200", "h200", "GridBarrier", device.Launch{Grid: 1057, Block: 256}, []any{1, 1057 * 256}, device.CauseNotResident, "arrived[0] >= 1057"},
	{"grid-barrier-func", "func", "GridBarrier", device.Launch{Grid: 130, Block: 128}, []any{1, 130 * 128}, device.CauseNotResident, "arrived[0] >= 130"},
	{"lock-array", "k40", "LockArray", device.Launch{Grid: 61, Block: 128, Regs: 110}, []any{61, 61}, device.CauseNotResident, "arrive[60] != 0"},
	{"lane-lock", "k40", "LaneLock", device.Launch{Grid: 1, Block: 32}, []any{1, 1}, device.CauseReconverge, "lock[0] == 0"},
	{"divergent-sync", "h200", "DivergentSync", device.Launch{Grid: 2, Block: 64}, []any{1}, device.CauseBarrier, "flag[0] != 0"},
	{"divergent-sync-func", "func", "DivergentSync", device.Launch{Grid: 2, Block: 64}, []any{1}, device.CauseBarrier, "flag[0] != 0"},
	{"two-kinds", "h200", "TwoKinds", device.Launch{Grid: 1, Block: 64}, []any{64}, device.CauseBarrier, ""},
	{"two-kinds-func", "func", "TwoKinds", device.Launch{Grid: 1, Block: 64}, []any{64}, device.CauseBarrier, ""},
	{"left-early", "h200", "LeftEarly", device.Launch{Grid: 1, Block: 128}, []any{uint32(64), 128}, device.CauseExited, ""},
	{"left-early-func", "func", "LeftEarly", device.Launch{Grid: 1, Block: 128}, []any{uint32(64), 128}, device.CauseExited, ""},
	{"lost-wakeup", "h200", "LostWakeup", device.Launch{Grid: 2, Block: 32}, []any{1, 1}, device.CauseOverwritten, "signal[0] == 1"},
	{"two-locks", "h200", "TwoLocks", device.Launch{Grid: 2, Block: 1}, []any{2, 1}, device.CauseCycle, "lock[1] == 0"},
	{"two-locks-func", "func", "TwoLocks", device.Launch{Grid: 2, Block: 1}, []any{2, 1}, device.CauseCycle, "lock[1] == 0"},
	{"ring", "h200", "Ring", device.Launch{Grid: 8, Block: 1}, []any{8, 1, uint32(3)}, device.CauseCycle, "lock[1] == 0"},
	{"ring-func", "func", "Ring", device.Launch{Grid: 4, Block: 1}, []any{8, 1, uint32(3)}, device.CauseCycle, "lock[1] == 0"},
	{"orders", "tiny", "Orders", device.Launch{Grid: 12, Block: 1}, []any{2, 1}, device.CauseCycle, "lock[1] == 0"},
	{"stale-spin", "h200", "StaleSpin", device.Launch{Grid: 2, Block: 32}, []any{1, 1}, device.CauseStale, "flag[0] != 0"},
	{"no-producer", "h200", "NoProducer", device.Launch{Grid: 3, Block: 32}, []any{3, 96}, device.CauseNoWriter, "full[0 to 2] != 0"},
	{"gone-producer", "h200", "GoneProducer", device.Launch{Grid: 3, Block: 32}, []any{uint32(0), 1, 96}, device.CauseNoWriter, "full[0] != 0"},
	{"shared-flag", "h200", "SharedFlag", device.Launch{Grid: 3, Block: 64}, []any{192}, device.CauseBarrier, "q.flag[1] != 0"},
	{"mask-elsewhere", "h200", "MaskElsewhere", device.Launch{Grid: 1, Block: 32}, []any{1}, device.CauseMaskMismatch, "flag[0] != 0"},
	{"mask-elsewhere-k40", "k40", "MaskElsewhere", device.Launch{Grid: 1, Block: 32}, []any{1}, device.CauseReconverge, "flag[0] != 0"},
	{"other-side", "k40", "OtherSide", device.Launch{Grid: 1, Block: 32}, []any{1}, device.CauseReconverge, "flag[0] != 0"},
	{"work-list", "tiny", "WorkList", device.Launch{Grid: 2, Block: 1}, []any{8, 1, 1}, device.CauseCycle, "slot[1] != 0"},
	{"backoff", "h200", "Backoff", device.Launch{Grid: 2, Block: 32}, []any{1}, device.CauseNoWriter, "(full[0] & 4) != 0"},
	{"ticket", "h200", "Ticket", device.Launch{Grid: 4, Block: 32}, []any{1, 1, 1}, device.CauseNotPassed, "serving[0] == its own value (1, 2 and 3)"},
	{"either", "h200", "Either", device.Launch{Grid: 1, Block: 32}, []any{1, 1}, device.CauseNoWriter, "a[0] != 0 or b[0] >= 2"},
	{"chain", "tiny", "Chain", device.Launch{Grid: 20, Block: 1}, []any{20}, device.CauseNotResident, "flag[1 to 8] != 0"},
	{"overshoot", "tiny", "Overshoot", device.Launch{Grid: 4, Block: 32}, []any{1}, device.CauseNoWriter, "arrived[0] == 7"},
	{"hungry", "tiny", "Hungry", device.Launch{Grid: 3, Block: 1}, []any{1, 1}, device.CauseNoWriter, "made[0] > 3"},
	{"other-word", "tiny", "OtherWord", device.Launch{Grid: 1, Block: 64}, nil, device.CauseNoWriter, "flag[1] != 0"},
	{"toggle", "h200", "Toggle", device.Launch{Grid: 2, Block: 32}, []any{1}, device.CauseRunning, "word[0] >= 2"},
}

// TestReports compares the text of each report with a golden file, and checks that it fits on a
// screen.
func TestReports(t *testing.T) {
	for _, c := range hangs {
		t.Run(c.golden, func(t *testing.T) {
			err := run(t, c.on, c.kernel, c.l, c.args...)
			g := graphOf(t, err)
			golden.Check(t, "testdata/golden/"+c.golden+".txt", err.Error()+"\n")
			assert.LessOrEqual(t, strings.Count(err.Error(), "\n"), 42, "it is longer than a screen")
			require.NotEmpty(t, g.Causes)
			assert.Equal(t, c.cause, g.Causes[0].Kind)
			until := ""
			for _, w := range g.Waiters {
				if w.Word != nil {
					until = w.Word.Until
					break
				}
			}
			assert.Equal(t, c.until, until)
			golden.Check(t, "testdata/golden/"+c.golden+".dot", waitfor.DOT(g))
		})
	}
}

// TestGraphIsJSON checks the parts of a graph that programs read.
func TestGraphIsJSON(t *testing.T) {
	text, err := json.Marshal(graphOf(t, run(t, "k40", "GridBarrier", device.Launch{Grid: 62, Block: 128, Regs: 110}, 1, 62*128)))
	require.NoError(t, err)
	var g device.WaitGraph
	require.NoError(t, json.Unmarshal(text, &g))
	assert.Equal(t, "sim:k40", g.Device)
	assert.Equal(t, "hangs.GridBarrier", g.Kernel)
	require.NotNil(t, g.Residency)
	assert.Equal(t, device.Residency{
		Blocks: 62, Placed: 60, PerSM: 4, SMs: 15, Limit: "registers", LargestGrid: 60, Registers: 110, ThreadsPerBlock: 128,
		FewerRegisters: 96, EnoughRegisters: 96,
	}, *g.Residency)
	require.Len(t, g.Waiters, 3)
	w := g.Waiters[0]
	assert.Equal(t, device.WaitMemory, w.Kind)
	assert.Equal(t, device.Threads{Blocks: []device.Span{{First: 0, Last: 59}}, Warps: []device.Span{{}}, Lanes: 1, Count: 60}, w.Threads)
	require.NotNil(t, w.Word.Written)
	assert.Equal(t, [5]any{"arrived[0]", "59", "60", "which is in [0]", false},
		[5]any{w.Word.Written.Word, w.Word.Written.Old, w.Word.Written.New, w.Word.Written.Then, w.Word.Written.Closed})
	w.Word.Written = nil
	assert.Equal(t, &device.Word{Space: "global", Buffer: "arrived", Indices: []device.Span{{}}, Until: "arrived[0] >= 62", Values: []string{"60"}}, w.Word)
	require.Len(t, w.Writers, 1)
	assert.Equal(t, "gpu.AtomicAdd", w.Writers[0].Op)
	assert.Equal(t, "t.Idx() == 0", w.Writers[0].Guard)
	assert.True(t, w.Writers[0].Ends)
	assert.Equal(t, []device.Holder{{
		Threads: device.Threads{Blocks: []device.Span{{First: 60, Last: 61}}, Warps: []device.Span{{}}, Lanes: 1, Count: 2},
		Cause:   device.CauseNotResident, Waiter: -1,
	}}, w.Writers[0].Holders)
	assert.Equal(t, 60, w.Writers[0].Executed.Count)
	barrier := g.Waiters[1]
	assert.Equal(t, device.WaitBarrier, barrier.Kind)
	assert.Equal(t, [2]int{96, 128}, [2]int{barrier.Arrived, barrier.Expected})
	require.Len(t, barrier.Missing, 2)
	assert.Equal(t, 0, barrier.Missing[0].Waiter)
	assert.Equal(t, []int{0}, g.Causes[0].Waiters)
}

// TestLargestGridEnds checks the figure that a report names: that grid ends, and one block more
// does not.
func TestLargestGridEnds(t *testing.T) {
	for _, c := range []struct {
		on, limit string
		block     int
		regs      int
		shared    int
	}{
		{"k40", "registers", 128, 110, 0}, {"tiny", "warps", 1024, 0, 0}, {"tiny", "blocks", 32, 0, 0}, {"tiny", "shared memory", 64, 0, 20 << 10}, {"func", "warps", 512, 0, 0},
	} {
		l := device.Launch{Grid: 400, Block: c.block, Regs: c.regs, DynamicShared: c.shared}
		g := graphOf(t, run(t, c.on, "GridBarrier", l, 1, l.Grid*l.Block))
		require.NotNil(t, g.Residency)
		assert.Equal(t, c.limit, g.Residency.Limit)
		assert.Equal(t, device.CauseNotResident, g.Causes[0].Kind)
		l.Grid = g.Residency.LargestGrid
		require.NoError(t, run(t, c.on, "GridBarrier", l, 1, l.Grid*l.Block), "%+v", c)
		l.Grid++
		require.Error(t, run(t, c.on, "GridBarrier", l, 1, l.Grid*l.Block), "%+v", c)
		if n := g.Residency.EnoughRegisters; n > 0 {
			l.Grid, l.Regs = 400, n
			require.NoError(t, run(t, c.on, "GridBarrier", l, 1, l.Grid*l.Block), "%+v", c)
			l.Regs++
			require.Error(t, run(t, c.on, "GridBarrier", l, 1, l.Grid*l.Block), "%+v", c)
		}
	}
}

// TestRings checks that a report shows the only ring that there is, and who waits for it.
func TestRings(t *testing.T) {
	for _, c := range []struct {
		kernel string
		grid   int
		args   []any
		ring   []int
		text   string
	}{
		{"Ring", 3, []any{8, 1, uint32(3)}, []int{0, 1, 2}, "[0] -> [1] -> [2] -> [0]"},
		{"Ring", 4, []any{8, 1, uint32(3)}, []int{0, 1, 2}, "[0] -> [1] -> [2] -> [0]; [3] waits for one of them"},
		{"Ring", 8, []any{8, 1, uint32(3)}, []int{0, 1, 2}, "[0] -> [1] -> [2] -> [0]; [3], [4], [5] wait for one of them"},
		{"Orders", 2, []any{2, 1}, []int{0, 1}, "[0] -> [1] -> [0]"},
		{"Orders", 12, []any{2, 1}, []int{0, 1}, "[0] -> [1] -> [0]; [2], [3] wait for one of them"},
	} {
		for _, on := range []string{"func", "tiny"} {
			g := graphOf(t, run(t, on, c.kernel, device.Launch{Grid: c.grid, Block: 1}, c.args...))
			assert.Equal(t, []device.WaitingCause{{Kind: device.CauseCycle, Text: "each of these waits for the next: " + c.text, Waiters: c.ring}}, g.Causes, "%s %d %s", c.kernel, c.grid, on)
		}
	}
}

// TestTwinsEnd checks that what a report says would end does.
func TestTwinsEnd(t *testing.T) {
	for _, c := range []hang{
		{on: "v100", kernel: "LaneLock", l: device.Launch{Grid: 1, Block: 32}, args: []any{1, 1}},
		{on: "h200", kernel: "LeftEarly", l: device.Launch{Grid: 1, Block: 128}, args: []any{uint32(128), 128}},
		{on: "h200", kernel: "GoneProducer", l: device.Launch{Grid: 3, Block: 32}, args: []any{uint32(1), 1, 96}},
	} {
		assert.NoError(t, run(t, c.on, c.kernel, c.l, c.args...), c.kernel)
	}
}

// TestAnyMoment explains kernels at moments at which nothing is decided: registers wait for loads,
// and blocks have not begun.
func TestAnyMoment(t *testing.T) {
	seen := 0
	for _, c := range hangs {
		for budget := uint64(300); budget < 4000; budget += 1700 {
			l := c.l
			l.Grid = min(l.Grid, 70)
			err := runOn(t, openFor(t, c.on, budget), c.kernel, l, c.args...)
			var u *device.UndecidedError
			if !errors.As(err, &u) {
				continue
			}
			seen++
			assert.LessOrEqual(t, strings.Count(err.Error(), "\n"), 42, c.golden)
			assert.NotEmpty(t, waitfor.DOT(u.Graph))
		}
	}
	assert.Greater(t, seen, 5)
}

// TestUnexplained checks that a launch that is not to be explained says where its threads wait, and no more.
func TestUnexplained(t *testing.T) {
	for _, on := range []string{"tiny", "func"} {
		err := run(t, on, "TwoLocks", device.Launch{Grid: 2, Block: 1, Unexplained: true}, 2, 1)
		var h *device.HangError
		require.ErrorAs(t, err, &h)
		assert.Nil(t, h.Graph, on)
		assert.Len(t, h.Waiting, 2, on)
	}
}

// TestLivelock checks that the report of a livelock has the threads that take part, the lines of their loop, the words
// that change with their values, and the period.
func TestLivelock(t *testing.T) {
	for on, period := range map[string]string{
		"tiny": `the whole machine is in the same state every \d+ cycles`,
		"func": `all of its state is the same every \d+ warp instructions`,
	} {
		err := runOn(t, openFor(t, on, 20_000_000), "PingPong", device.Launch{Grid: 2, Block: 32}, 2)
		var h *device.HangError
		require.ErrorAs(t, err, &h)
		assert.Equal(t, device.Livelock, h.Kind, on)
		assert.Regexp(t, period, h.What)
		w := graphOf(t, err).Waiters
		require.Len(t, w, 1)
		assert.Equal(t, 64, w[0].Count)
		first := w[0].At[0].Line
		require.NotNil(t, w[0].Lines)
		assert.Equal(t, 2, w[0].Lines.Last-w[0].Lines.First)
		assert.True(t, w[0].Lines.First <= first && first <= w[0].Lines.Last)
		assert.Equal(t, []device.Change{{Word: "word[0]", Values: []string{"0", "1"}}, {Word: "word[1]", Values: []string{"0", "1"}}}, sorted(w[0].Changes), on)
		assert.Regexp(t, `goes round in a loop \(lines \d+ to \d+\) that changes word\[0\] \(.*\) and word\[1\] \(.*\)`, strings.Join(strings.Fields(err.Error()), " "))
	}
}

// sorted returns changes with their values in order: the moment of the verdict decides which one is first.
func sorted(list []device.Change) []device.Change {
	for i := range list {
		slices.Sort(list[i].Values)
	}
	return list
}
