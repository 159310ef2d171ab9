package kernel_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/proof/progress"
	"github.com/weft-gpu/weft/internal/proof/progress/kernel"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/policy"
)

// clustered returns a launch of a kernel with clusters. An argument is a number, or a buffer's words.
func clustered(t *testing.T, name string, grid, block, cluster int, args ...any) (*simt.Memory, device.Launch) {
	t.Helper()
	mem, l := launchOf(t, name, grid, block, 0)
	l.Cluster = cluster
	dev := function.New(function.Options{Memory: mem})
	for i, a := range args {
		if list, ok := a.([]uint32); ok {
			b := words(t, dev, string(rune('a'+i)), len(list))
			require.NoError(t, dev.Write(b, list))
			a = b
		}
		l.Args = append(l.Args, a)
	}
	return mem, l
}

// explored explores a launch.
func explored(t *testing.T, mem *simt.Memory, l device.Launch, as kernel.As, states int) (*kernel.System, *progress.Graph, error) {
	t.Helper()
	s, err := kernel.New(mem, l, as)
	require.NoError(t, err)
	g, err := progress.Explore(t.Context(), s, progress.Limits{States: states})
	return s, g, err
}

// hanging returns the models that allow a program to hang.
func hanging(g *progress.Graph) (list []string) {
	for _, m := range progress.Models {
		if verdict, _ := g.Decide(m); verdict == progress.MayHang {
			list = append(list, m.Name)
		}
	}
	return list
}

const (
	everyModel = "obe hsa hsa_obe lobe obe_strong hsa_strong hsa_obe_strong lobe_strong weak_fair strong_fair"
	unfair     = "obe hsa hsa_obe lobe obe_strong hsa_strong hsa_obe_strong lobe_strong"
)

// TestClusters decides kernels whose blocks wait for each other within their cluster, and their clean twins.
func TestClusters(t *testing.T) {
	zero := []uint32{0}
	for _, c := range []struct {
		name                 string
		grid, block, cluster int
		as                   kernel.As
		args                 []any
		hangs                string // models that allow it to hang
	}{
		{"FlagAfter", 2, 1, 2, kernel.Blocks, []any{uint32(0)}, everyModel},
		{"FlagAfter", 2, 1, 2, kernel.Blocks, []any{uint32(1)}, ""},
		{"FlagAfter", 4, 1, 2, kernel.Blocks, []any{uint32(1)}, ""},
		{"FlagAfter", 2, 64, 2, kernel.Blocks, []any{uint32(0)}, everyModel},
		{"FlagAfter", 2, 64, 2, kernel.Blocks, []any{uint32(1)}, ""},
		{"FlagAfter", 2, 1, 2, kernel.Warps, []any{uint32(1)}, unfair}, // a block is no more than a warp then
		{"ArrivesAway", 2, 1, 2, kernel.Blocks, []any{uint32(0)}, everyModel},
		{"ArrivesAway", 2, 1, 2, kernel.Blocks, []any{uint32(1)}, ""},
		{"ArrivesAway", 4, 1, 4, kernel.Blocks, []any{uint32(1)}, ""},
		{"ArrivesAway", 2, 32, 2, kernel.Blocks, []any{uint32(1)}, ""},
		{"Wakes", 2, 1, 2, kernel.Blocks, []any{uint32(0)}, everyModel},
		{"Wakes", 2, 1, 2, kernel.Blocks, []any{uint32(1)}, ""},
		{"Leaves", 2, 1, 2, kernel.Blocks, []any{uint32(1), zero}, ""},
		{"Leaves", 4, 64, 2, kernel.Blocks, []any{uint32(1), zero}, ""},
		{"Together", 2, 2, 2, kernel.Lanes, []any{zero}, unfair},
		{"Together", 4, 1, 2, kernel.Blocks, []any{zero}, ""},
		// Clusters that wait for each other are as blocks that do.
		{"ClustersMeet", 4, 1, 2, kernel.Blocks, []any{zero}, unfair},
		{"ClustersMeet", 2, 1, 2, kernel.Blocks, []any{zero}, ""},
		{"ClustersMeet", 2, 1, 1, kernel.Blocks, []any{zero}, unfair},
		// A block that waits for one of its cluster with a higher number is sure of it; without clusters it is not.
		{"BlocksMeet", 4, 1, 2, kernel.Blocks, []any{[]uint32{0, 0}}, ""},
		{"BlocksMeet", 4, 1, 4, kernel.Blocks, []any{zero}, ""},
		{"BlocksMeet", 4, 1, 2, kernel.Warps, []any{[]uint32{0, 0}}, unfair},
	} {
		mem, l := clustered(t, c.name, c.grid, c.block, c.cluster, c.args...)
		_, g, err := explored(t, mem, l, c.as, 100_000)
		require.NoError(t, err, "%v", c)
		require.ElementsMatch(t, strings.Fields(c.hangs), hanging(g), "%v", c)
	}
}

// TestClusterStates counts the states of two blocks that each take one step before they meet: each has taken it or not. With two clusters, each is in one of
// four states, and as each but the first is one in which its cluster has begun, there are no more.
func TestClusterStates(t *testing.T) {
	for grid, states := range map[int]int{2: 4, 4: 16} {
		mem, l := clustered(t, "Together", grid, 1, 2, []uint32{0})
		s, g, err := explored(t, mem, l, kernel.Blocks, 100)
		require.NoError(t, err)
		require.Equal(t, grid/2, s.Threads())
		require.Equal(t, "cluster", s.Thread())
		require.Equal(t, states, g.States())
		mem, l = clustered(t, "Together", grid, 1, 2, []uint32{0})
		_, _, err = explored(t, mem, l, kernel.Blocks, states-1)
		require.EqualError(t, err, (&progress.LimitError{States: states - 1}).Error(), "a state less is no proof")
	}
}

// TestClusterFaults checks that an access to the shared memory of a block that may have ended is found, and that counting for ever is not
// taken for an end.
func TestClusterFaults(t *testing.T) {
	mem, l := clustered(t, "Leaves", 2, 1, 2, uint32(0), []uint32{0})
	_, _, err := explored(t, mem, l, kernel.Blocks, 100_000)
	var fault *device.Fault
	require.ErrorAs(t, err, &fault)
	require.Contains(t, fault.Error(), "load of shared memory of block 1 of the cluster, all of whose threads have left")
	mem, l = clustered(t, "ClusterCounts", 2, 1, 2)
	_, g, err := explored(t, mem, l, kernel.Blocks, 1000)
	require.EqualError(t, err, "undecided: the program has more than 1000 states")
	require.Nil(t, g)
	for _, r := range progress.UndecidedResults("ClusterCounts", progress.Models, err) {
		require.Equal(t, progress.Undecided, r.Verdict)
	}
}

// TestClusterSteps checks how a hang is described: Wakes hangs in one order alone.
func TestClusterSteps(t *testing.T) {
	mem, l := clustered(t, "Wakes", 2, 1, 2, uint32(0))
	s, g, err := explored(t, mem, l, kernel.Blocks, 100_000)
	require.NoError(t, err)
	m, err := progress.Lookup("weak_fair")
	require.NoError(t, err)
	_, x := g.Decide(m)
	require.NotNil(t, x)
	var text []string
	for _, move := range append(x.Prefix, x.Cycle...) {
		d := s.Describe(move)
		text = append(text, d.Code+": "+d.Effect)
	}
	require.Subset(t, text, []string{
		"load words[1] in shared memory of block 1 (block 0): reads 0: waits at the barrier of the cluster",
		"load words[0] in shared memory of block 0 (block 1): reads 0",
		"store words[1] in shared memory (block 1): writes 1",
		"load words[2] in shared memory (block 1): reads 0",
	})
}

// TestReplayOfClusters checks that an execution that never ends is a schedule with which the simulator hangs, which ends without it. What hangs under each
// model is a hang there; else a cluster that could go on gets no turn.
func TestReplayOfClusters(t *testing.T) {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	for _, c := range []struct {
		name, model          string
		grid, block, cluster int
		args                 []any
		kind                 device.HangKind
		anyway               bool // it hangs without the schedule
	}{
		{"Wakes", "weak_fair", 2, 1, 2, []any{uint32(0)}, device.Hang, false},
		{"Wakes", "lobe", 4, 1, 2, []any{uint32(0)}, device.Starved, false},
		{"FlagAfter", "weak_fair", 2, 1, 2, []any{uint32(0)}, device.Hang, true},
		{"FlagAfter", "weak_fair", 2, 64, 2, []any{uint32(0)}, device.Hang, true},
		{"ArrivesAway", "weak_fair", 4, 1, 4, []any{uint32(0)}, device.Hang, true},
		{"ClustersMeet", "obe", 6, 1, 2, []any{[]uint32{0}}, device.Starved, false},
	} {
		mem, l := clustered(t, c.name, c.grid, c.block, c.cluster, c.args...)
		s, g, err := explored(t, mem, l, kernel.Blocks, 100_000)
		require.NoError(t, err)
		m, err := progress.Lookup(c.model)
		require.NoError(t, err)
		_, x := g.Decide(m)
		require.NotNil(t, x)
		launch := func(by policy.Control) error {
			d, err := sim.New(cfg, sim.Options{Control: by, Budget: 5_000_000})
			require.NoError(t, err)
			on := l
			on.Args = nil
			for _, a := range c.args {
				if list, ok := a.([]uint32); ok {
					b, err := d.Alloc("x", device.U32, len(list))
					require.NoError(t, err)
					require.NoError(t, d.Write(b, list))
					a = b
				}
				on.Args = append(on.Args, a)
			}
			_, err = d.Launch(t.Context(), on)
			return err
		}
		var hang *device.HangError
		require.ErrorAs(t, launch(s.Schedule(x)), &hang, "%s %+v", c.name, s.Schedule(x))
		require.Equal(t, c.kind, hang.Kind, c.name)
		if err := launch(nil); c.anyway {
			require.ErrorAs(t, err, &hang)
		} else {
			require.NoError(t, err, c.name)
		}
	}
}

// TestRandomClusters compares the verdicts on random programs, which blocks execute in their clusters, with those of an enumeration that has
// nothing in common with the exploration; see machine.
func TestRandomClusters(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, copies := range []bool{false, true} {
		seen := map[string]int{}
		for range 100 {
			m := randomMachine(r, copies)
			length, code := m.encode()
			mem, l := clustered(t, "Interpret", len(m.code), 1, m.cluster, length, code, []uint32{0, 0})
			_, g, err := explored(t, mem, l, kernel.Blocks, 1_000_000)
			want := m.verdict()
			var fault *device.Fault
			if want.fault {
				require.ErrorAs(t, err, &fault, "%+v", m)
				seen["fault"]++
				continue
			}
			require.NoError(t, err, "%+v", m)
			require.ElementsMatch(t, want.hangs, hanging(g), "%+v", m)
			seen[strings.Join(want.hangs, " ")]++
		}
		t.Log(seen)
		require.Greater(t, seen["fault"], 5)
		require.Greater(t, seen[""], 10)
		require.Greater(t, len(seen), 3, "some models allow a hang, and others do not")
	}
}
