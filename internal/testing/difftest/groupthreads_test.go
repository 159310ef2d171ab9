package difftest

import (
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

// TestGroupThreads runs lists of kernels, of which some fault or hang, on groups of GPUs with random parameters and one to four
// threads. A buffer of a kernel is on any of the GPUs, so that most kernels load, store and update memory of other GPUs. The
// values, the times and counters of each command and of the whole group, what links have carried, and the text of the error are
// the same. A negative number lets GPUs with little to do have threads of their own, too.
func TestGroupThreads(t *testing.T) {
	lists := 40
	if testing.Short() {
		lists = 8
	}
	compareGroupThreads(t, lists, 1)
}

// TestHeavyGroupThreads does so 400 times.
func TestHeavyGroupThreads(t *testing.T) { compareGroupThreads(t, 400, 2) }

// groupList is a list of commands without arguments on a machine.
type groupList struct {
	machine []string
	gpus    int
	cases   []Case
	cmds    []device.Command
	on      []map[string]int // by command: the GPUs of buffers
}

func compareGroupThreads(t *testing.T, lists int, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	_, opt := compilers(t)
	failed, remote := map[generate.Ends]int{}, 0
	for range lists {
		l := randomList(t, r, opt)
		threads := 2 + r.IntN(3)
		one, several := l.run(t, 1), l.run(t, -threads)
		what := fmt.Sprintf("%d threads, %v", threads, l)
		require.Equal(t, one.Error, several.Error, what)
		require.Equal(t, one.Report, several.Report, what)
		for i := range l.cases {
			require.Empty(t, Diff(one.Data[i], several.Data[i]), what)
		}
		if one.Error != "" {
			for _, c := range l.cases {
				failed[c.Ends]++
			}
		}
		remote += one.Remote
	}
	assert.Positive(t, failed[generate.Hang])
	assert.Greater(t, remote, lists/2, "lists with packets between GPUs")
}

// String lists the kernels, with the GPU of each.
func (l *groupList) String() string {
	text := fmt.Sprintf("%d GPUs %v:", l.gpus, l.machine)
	for i, c := range l.cases {
		text += fmt.Sprintf(" %s on %d after %v", c.Entry, l.cmds[i].GPU, l.cmds[i].After)
	}
	return text
}

func randomList(t *testing.T, r *rand.Rand, compiler *compile.Compiler) *groupList {
	l := &groupList{machine: randomMachine(r), gpus: 2 + r.IntN(3)}
	for i := range l.gpus + r.IntN(3) {
		c := CaseOf(corpus.Kernels[r.IntN(len(corpus.Kernels))])
		k, err := compiler.Kernel(t.Context(), c.Entry, nil)
		require.NoError(t, err)
		cmd := device.Command{GPU: i % l.gpus, Stream: r.IntN(2), Launch: &device.Launch{Kernel: k, Grid: c.Grid, Block: c.Block}}
		if i > 0 && r.IntN(4) == 0 {
			cmd.After = []int{r.IntN(i)}
		}
		on := map[string]int{}
		for _, name := range []string{"in.U", "in.S", "in.Q", "in.L", "in.F", "in.D", "in.H", "in.B", "in.T", "in.P", "own", "out", "rec",
			"acc.U", "acc.S", "acc.Q", "acc.L", "acc.F", "net.Flag", "net.Cell", "net.Blank"} {
			if on[name] = cmd.GPU; r.IntN(4) == 0 {
				on[name] = r.IntN(l.gpus)
			}
		}
		l.cases, l.cmds, l.on = append(l.cases, c), append(l.cmds, cmd), append(l.on, on)
	}
	return l
}

// groupOutcome is all that a list says.
type groupOutcome struct {
	Data   []*Data
	Report string
	Error  string
	Remote int // 1: values were moved by packets
}

func (l *groupList) run(t *testing.T, threads int) (o groupOutcome) {
	cfg, err := config.Load(l.machine[0])
	require.NoError(t, err)
	for _, set := range l.machine[1:] {
		path, value, _ := strings.Cut(set, "=")
		require.NoError(t, cfg.Set(path, value), set)
	}
	g, err := sim.NewGroup(cfg, l.gpus, sim.Options{Budget: 3_000_000, Threads: threads})
	require.NoError(t, err)
	cmds := make([]device.Command, len(l.cmds))
	for i, cmd := range l.cmds {
		launch := *cmd.Launch
		cmds[i], cmds[i].Launch = cmd, &launch
		o.Data = append(o.Data, l.cases[i].Data())
	}
	times, err := OnGroup(g, cmds, o.Data, func(i int, name string) int { return l.on[i][name] })
	if err != nil {
		o.Error = err.Error()
	}
	o.Remote = min(len(g.RemoteUses()), 1)
	text, err := json.MarshalIndent([]any{times, g.Total(), g.Links(), g.RemoteUses()}, "", " ")
	require.NoError(t, err)
	o.Report = string(text)
	return o
}
