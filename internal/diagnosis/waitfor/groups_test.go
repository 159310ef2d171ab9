package waitfor_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// group is a simulated group with a word on each GPU.
type group struct {
	*sim.Group
	t     *testing.T
	words []device.Buffer
}

func openGroup(t *testing.T, n int, budget uint64) group {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	g, err := sim.NewGroup(cfg, n, sim.Options{Seed: 1, Budget: budget})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	out := group{Group: g, t: t}
	for i := range n {
		b, err := g.GPU(i).Alloc("word"+string(rune('0'+i)), device.U32, 1)
		require.NoError(t, err)
		require.NoError(t, g.GPU(i).Write(b, []uint32{0}))
		out.words = append(out.words, b)
	}
	return out
}

// launch is a command that launches a kernel of testdata/hangs with a block of 32 threads.
func (g group) launch(gpu int, name string, args ...any) device.Command {
	return device.Command{GPU: gpu, Launch: &device.Launch{Kernel: kernel(g.t, name), Grid: 1, Block: 32, Args: args}}
}

// TestHangsOfGroups checks that waiting across GPUs is decided when all wait, and that the report says which kernels on
// which GPUs wait, and for whom.
func TestHangsOfGroups(t *testing.T) {
	hangs := func(name string, g group, cmds ...device.Command) *device.WaitGraph {
		_, err := g.Run(t.Context(), cmds)
		var h *device.HangError
		require.ErrorAs(t, err, &h, name)
		require.Equal(t, device.Hang, h.Kind)
		golden.Check(t, "testdata/golden/"+name+".txt", err.Error()+"\n")
		return h.Graph
	}
	g := openGroup(t, 2, 2_000_000)
	graph := hangs("group-ring", g, g.launch(0, "Answer", g.words[1], g.words[0]), g.launch(1, "Answer", g.words[0], g.words[1]))
	require.Len(t, graph.Others, 1)
	assert.Equal(t, [2]int{0, 1}, [2]int{*graph.GPU + *graph.Others[0].GPU - 1, *graph.GPU + *graph.Others[0].GPU}, "both GPUs")
	writers := graph.Waiters[0].Writers
	other := "hangs.Answer in command 1 on GPU 1"
	if *graph.GPU == 1 {
		other = "hangs.Answer in command 0 on GPU 0"
	}
	assert.Equal(t, other, writers[len(writers)-1].Of)

	g = openGroup(t, 3, 2_000_000)
	graph = hangs("group-ring3", g, g.launch(0, "Answer", g.words[2], g.words[0]), g.launch(1, "Answer", g.words[0], g.words[1]), g.launch(2, "Answer", g.words[1], g.words[2]))
	require.Len(t, graph.Others, 2)

	// The kernel that would end the wait comes after it.
	g = openGroup(t, 2, 2_000_000)
	after := g.launch(1, "Tell", g.words[0])
	after.After = []int{0}
	hangs("group-after", g, g.launch(0, "Await", g.words[0]), after)

	// The kernel that would end the wait has ended, and set another word.
	g = openGroup(t, 2, 2_000_000)
	hangs("group-nobody", g, g.launch(0, "Await", g.words[0]), g.launch(1, "Tell", g.words[1]))
}

// TestGroupsThatGoOn checks that GPUs that wait for each other in turn are not said to hang, and that a livelock of two
// GPUs is undecided.
func TestGroupsThatGoOn(t *testing.T) {
	g := openGroup(t, 2, 2_000_000)
	_, err := g.Run(t.Context(), []device.Command{g.launch(0, "Answer", g.words[1], g.words[0]), g.launch(1, "Ask", g.words[0], g.words[1])})
	require.NoError(t, err)

	g = openGroup(t, 4, 2_000_000)
	_, err = g.Run(t.Context(), []device.Command{
		g.launch(0, "Answer", g.words[3], g.words[0]), g.launch(1, "Answer", g.words[0], g.words[1]),
		g.launch(2, "Answer", g.words[1], g.words[2]), g.launch(3, "Tell", g.words[3]),
	})
	require.NoError(t, err, "a chain")

	g = openGroup(t, 2, 200_000)
	_, err = g.Run(t.Context(), []device.Command{g.launch(0, "Turn", g.words[0], uint32(0)), g.launch(1, "Turn", g.words[0], uint32(1))})
	var u *device.UndecidedError
	require.ErrorAs(t, err, &u)
	assert.Equal(t, "it works on the memory of another GPU, or another GPU on its memory, and the state of several GPUs is not compared", u.Why)
	require.NotEmpty(t, u.Waiting)
	require.NotNil(t, u.Waiting[0].GPU)
}

// TestGroupsHaveNoPast checks that the report of a hang in a group says that it does not know who wrote the words that are
// waited for, nor whether advice helps, and why: the launches of a group are not run again.
func TestGroupsHaveNoPast(t *testing.T) {
	sims := openGroup(t, 2, 2_000_000)
	executors, err := function.NewGroup(2, function.Options{})
	require.NoError(t, err)
	words := group{t: t}
	for i := range 2 {
		b, err := executors.GPU(i).Alloc("word"+string(rune('0'+i)), device.U32, 1)
		require.NoError(t, err)
		require.NoError(t, executors.GPU(i).Write(b, []uint32{0}))
		words.words = append(words.words, b)
	}
	for name, g := range map[string]struct {
		device.Group
		group
	}{"sim": {sims.Group, sims}, "func": {executors, words}} {
		_, err := g.Group.Run(t.Context(), []device.Command{g.launch(0, "Await", g.words[0])})
		graph := graphOf(t, err)
		const why = "launches of several GPUs are not run again"
		assert.Equal(t, why, graph.Forgotten, name)
		assert.Contains(t, strings.Join(strings.Fields(err.Error()), " "), "who wrote these words before is not known: "+why, name)
		require.NotEmpty(t, graph.Advice, name)
		for _, a := range graph.Advice {
			assert.False(t, a.Tried, a.Text)
		}
	}
}
