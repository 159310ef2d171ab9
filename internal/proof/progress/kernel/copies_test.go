package kernel_test

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/proof/progress"
	"github.com/weft-gpu/weft/internal/proof/progress/kernel"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// TestCopies decides kernels that wait for copies and products. PTX says that a copy ends, but not when, and nothing of its order with
// others: what depends on that may hang under every model, and what does not ends under every model that lets its threads go on.
func TestCopies(t *testing.T) {
	data := make([]uint32, 64)
	for _, c := range []struct {
		name        string
		grid, block int
		as          kernel.As
		args        []any
		hangs       string
	}{
		{"Copies", 2, 64, kernel.Blocks, []any{data}, ""},
		{"Copies", 1, 4, kernel.Lanes, []any{data}, ""},
		{"Brings", 1, 1, kernel.Blocks, []any{data}, ""},
		{"Brings", 2, 1, kernel.Blocks, []any{data}, ""},
		{"BringsTwo", 1, 1, kernel.Lanes, []any{data}, ""},
		{"LooksOnce", 1, 1, kernel.Blocks, []any{uint32(0), data}, everyModel},
		{"LooksOnce", 1, 1, kernel.Blocks, []any{uint32(1), data}, everyModel},
		{"InOrder", 1, 1, kernel.Blocks, []any{uint32(0), data}, everyModel},
		{"InOrder", 1, 1, kernel.Blocks, []any{uint32(1), data}, ""},
		{"Answers", 2, 1, kernel.Blocks, []any{data[:8]}, unfair}, // as blocks that wait for each other by stores
		{"Stores", 2, 1, kernel.Blocks, []any{data[:8]}, ""},
		{"Early", 1, 64, kernel.Blocks, []any{uint32(1), data}, ""},
		{"EndsEarly", 1, 1, kernel.Blocks, []any{uint32(1), data[:4]}, ""},
		{"LeavesRound", 1, 64, kernel.Blocks, []any{uint32(0), data[:1]}, everyModel},
		{"LeavesRound", 1, 64, kernel.Blocks, []any{uint32(1), data[:1]}, ""},
		{"SlowCopy", 1, 64, kernel.Blocks, []any{data}, ""},
		{"Products", 1, 128, kernel.Blocks, []any{uint32(1), data[:1]}, ""},
		{"Products", 1, 128, kernel.Warps, []any{uint32(1), data[:1]}, unfair},
		{"Overwrites", 1, 128, kernel.Blocks, []any{uint32(1), data[:1]}, ""},
	} {
		mem, l := clustered(t, c.name, c.grid, c.block, 0, c.args...)
		_, g, err := explored(t, mem, l, c.as, 100_000)
		require.NoError(t, err, c.name)
		require.ElementsMatch(t, strings.Fields(c.hangs), hanging(g), "%s %v as %s", c.name, c.args[0], c.as)
	}
}

// TestCopyStates counts states by hand. A thread of Brings has four steps, before each of which it stands, or it has ended: 5 states, and while it waits the copy
// has come or not. BringsTwo has a step more: behind the first copy that has come or not (2), and while it waits each of both has (4); with two states
// before and one behind that makes 10. In Stores the thread stands before its two stores, waits while the copy is pending, stands before the atomic, or has ended.
func TestCopyStates(t *testing.T) {
	for name, states := range map[string]int{"Brings": 6, "BringsTwo": 10, "Stores": 5} {
		mem, l := clustered(t, name, 1, 1, 0, make([]uint32, 8))
		_, g, err := explored(t, mem, l, kernel.Blocks, 100)
		require.NoError(t, err)
		require.Equal(t, states, g.States(), name)
		mem, l = clustered(t, name, 1, 1, 0, make([]uint32, 8))
		_, _, err = explored(t, mem, l, kernel.Blocks, states-1)
		require.EqualError(t, err, (&progress.LimitError{States: states - 1}).Error(), "a state less is no proof")
	}
	// Of two blocks that do not know each other, each is in one of as many states.
	mem, l := clustered(t, "BringsTwo", 2, 1, 0, make([]uint32, 8))
	_, g, err := explored(t, mem, l, kernel.Blocks, 1000)
	require.NoError(t, err)
	require.Equal(t, 100, g.States())
}

// TestCopyFaults checks that an access that may come too early for a copy is found, and that counting for ever is not taken for an end.
func TestCopyFaults(t *testing.T) {
	data := make([]uint32, 64)
	for _, c := range []struct {
		name, want string
		block      int
		args       []any
	}{
		{"Early", "element 0 of shared q is read while an asynchronous copy of thread 0 of the block", 64, []any{uint32(0), data}},
		{"EndsEarly", "the block ends while a copy in bulk of thread 0 may still read element 0 of shared q", 1, []any{uint32(0), data[:4]}},
		{"Products", "sums are read", 128, []any{uint32(0), data[:1]}},
		{"Overwrites", "element 0 of shared bs is written while gpu.GroupMMAF16 of warp", 128, []any{uint32(0), data[:1]}},
	} {
		mem, l := clustered(t, c.name, 1, c.block, 0, c.args...)
		s, err := kernel.New(mem, l, kernel.Blocks)
		if err == nil { // else it is before the first step
			_, err = progress.Explore(t.Context(), s, progress.Limits{States: 100_000})
		}
		var fault *device.Fault
		require.ErrorAs(t, err, &fault, c.name)
		require.Contains(t, fault.Error(), c.want)
	}
	mem, l := clustered(t, "CountsCopies", 1, 1, 0, data)
	_, g, err := explored(t, mem, l, kernel.Blocks, 1000)
	require.EqualError(t, err, "undecided: the program has more than 1000 states")
	require.Nil(t, g)
}

// planted returns the launch of a kernel with a planted hang in which parameter clean has a value.
func planted(t *testing.T, c *compile.Compiler, name string, shape device.Launch, clean uint32, n int) (*simt.Memory, device.Launch) {
	t.Helper()
	k, err := c.Kernel(t.Context(), name, nil)
	require.NoError(t, err)
	mem := simt.NewMemory(0)
	out := words(t, function.New(function.Options{Memory: mem}), "out", n)
	l := shape
	l.Kernel, l.Args = k, []any{clean, out}
	if k.Params[1].Type != "[]uint32" {
		l.Args[1] = device.NewTensorMap2(out, [2]uint32{8, 8}, [2]uint32{8, 4}, 0)
	}
	return mem, l
}

// TestPlantedHangs explores the kernels with a hang that package waitfor explains, all of those with mbarriers and clusters, and their clean twins.
// A hang for which bytes are missing says so.
func TestPlantedHangs(t *testing.T) {
	fair, err := progress.Lookup("weak_fair")
	require.NoError(t, err)
	seen := 0
	for folder, shape := range map[string]device.Launch{"mbarriers": {Grid: 1, Block: 64}, "clusters": {Grid: 2, Block: 32, Cluster: 2}} {
		from := path.Join("../../../diagnosis/waitfor/testdata", folder)
		c := compile.New()
		c.Mount(folder, os.DirFS(from))
		files, err := os.ReadDir(from)
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(path.Join(from, file.Name()))
			require.NoError(t, err)
			for _, name := range regexp.MustCompile(`(?m)^func ([A-Z]\w*)\(t gpu.Thread, clean`).FindAllStringSubmatch(string(text), -1) {
				seen++
				for clean, want := range []string{progress.MayHang, progress.Terminates} {
					mem, l := planted(t, c, folder+"."+name[1], shape, uint32(clean), 64)
					s, err := kernel.New(mem, l, kernel.Blocks)
					require.NoError(t, err, name[1])
					g, err := progress.Explore(t.Context(), s, progress.Limits{States: 200_000})
					require.NoError(t, err, name[1])
					r := g.Results(name[1], []*progress.Model{fair})[0]
					require.Equal(t, want, r.Verdict, "%s, clean=%d", name[1], clean)
					if cause, ok := missingBytes[name[1]]; ok && clean == 0 {
						require.Equal(t, strings.Split(cause, "; and "), r.Counterexample.Causes, name[1])
					}
				}
			}
		}
	}
	require.Greater(t, seen, 35)
}

// missingBytes has what is said of planted hangs for which bytes are missing.
var missingBytes = map[string]string{
	"ShortCopy":    "128 bytes have not come that b[0] in shared memory expects, whose phase has 1 of 1 arrivals, and no copy to it is under way",
	"OtherBarrier": "256 bytes have not come that full[0] in shared memory expects, whose phase has 1 of 1 arrivals, and no copy to it is under way; and copies have brought 256 bytes more to full[1] in shared memory than its phase expects, which has 0 of 1 arrivals",
	"MoreCopied":   "copies have brought 128 bytes more to full[0] in shared memory than its phase expects, which has 2 of 2 arrivals",
	"EdgeBox":      "copies have brought 64 bytes more to b[0] in shared memory than its phase expects, which has 1 of 1 arrivals",
	"LeftOut":      "128 bytes have not come that full[0] in shared memory of block 1 expects, whose phase has 1 of 1 arrivals, and no copy to it is under way",
	"SentToItself": "copies have brought 128 bytes more to full[0] in shared memory of block 0 than its phase expects, which has 0 of 1 arrivals; and 128 bytes have not come that full[0] in shared memory of block 1 expects, whose phase has 1 of 1 arrivals, and no copy to it is under way",
}

// TestReplayOfCopies checks that an execution that hangs without bytes is a schedule with which the simulator hangs, and how its steps are described. When a
// copy comes there is a matter of its time.
func TestReplayOfCopies(t *testing.T) {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	c := compile.New()
	c.Mount("mbarriers", os.DirFS("../../../diagnosis/waitfor/testdata/mbarriers"))
	for name, want := range map[string][]string{
		"ShortCopy": {
			"cp.async.bulk: begins a copy of 128 bytes to q[0] in shared memory",
			"a copy of 128 bytes to q[0] in shared memory: comes to b[0] in shared memory: phase 0 with 1 of 1 arrivals, 128 bytes to come",
			"mbarrier.try_wait.parity b[0] in shared memory (lane 0, and 31 more): reads phase 0 with 1 of 1 arrivals, 128 bytes to come, which stays",
		},
		"OneLaneCopies":  {"the arrival of copies of 8 threads: comes to b[0] in shared memory: phase 0 with 8 of 32 arrivals"},
		"FlagBehindWait": {"a copy of 128 bytes to out[0]: has written"},
	} {
		mem, l := planted(t, c, "mbarriers."+name, device.Launch{Grid: 1, Block: 64}, 0, 64)
		s, g, err := explored(t, mem, l, kernel.Blocks, 100_000)
		require.NoError(t, err)
		m, err := progress.Lookup("weak_fair")
		require.NoError(t, err)
		_, x := g.Decide(m)
		require.NotNil(t, x, name)
		var text []string
		for _, move := range append(x.Prefix, x.Cycle...) {
			d := s.Describe(move)
			text = append(text, d.Code+": "+d.Effect)
			require.Equal(t, move.Thread == progress.Machine, d.Machine)
			require.Zero(t, d.Thread)
		}
		require.Subset(t, text, want)
		d, err := sim.New(cfg, sim.Options{Control: s.Schedule(x), Budget: 5_000_000})
		require.NoError(t, err)
		on := l
		on.Args = []any{uint32(0), words(t, d, "out", 64)}
		_, err = d.Launch(t.Context(), on)
		var hang *device.HangError
		require.ErrorAs(t, err, &hang, "%s %+v", name, s.Schedule(x))
	}
}

// TestPipelines checks that pipelines end whenever their copies come: with groups of copies, with rings of buffers that are filled in bulk, with tiles that are
// copied to global memory in bulk.
func TestPipelines(t *testing.T) {
	c := compile.New()
	c.Mount("pipeline", os.DirFS("../../../kernels/pipeline"))
	steps, stages := uint32(1), uint32(2)
	for _, p := range []struct {
		name        string
		block, data int
		args        []any // between the data and the answer
		out         int
	}{
		{"RingAsync", 96, 192, []any{steps}, 1},
		{"RingBulk", 128, 288, []any{steps, stages}, 1},
		{"MixBulk", 96, 192, []any{steps}, 192},
	} {
		k, err := c.Kernel(t.Context(), "pipeline."+p.name, nil)
		require.NoError(t, err)
		mem := simt.NewMemory(0)
		dev := function.New(function.Options{Memory: mem})
		args := append([]any{words(t, dev, "data", p.data)}, p.args...)
		_, g, err := explored(t, mem, device.Launch{Kernel: k, Grid: 1, Block: p.block, Args: append(args, words(t, dev, "out", p.out))}, kernel.Blocks, 100_000)
		require.NoError(t, err, p.name)
		require.Empty(t, hanging(g), p.name)
	}
}
