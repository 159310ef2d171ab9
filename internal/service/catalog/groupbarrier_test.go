package catalog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/scheduler"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// barrierGroups returns groups of GPUs by name.
func barrierGroups(t *testing.T) map[string]device.Group {
	t.Helper()
	groups := map[string]device.Group{}
	for _, n := range []int{1, 2, 3, 8} {
		g, err := function.NewGroup(n, function.Options{})
		require.NoError(t, err)
		groups[g.Name()] = g
	}
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	for _, n := range []int{2, 4} {
		g, err := sim.NewGroup(cfg, n, sim.Options{Seed: 1})
		require.NoError(t, err)
		groups[g.Name()] = g
	}
	return groups
}

// meeting is a launch of barrier.MeetGroup on each GPU of a group.
type meeting struct {
	memories []*scheduler.Memory
	met      []device.Buffer
	early    device.Buffer
	cmds     []device.Command
}

// meet prepares launches of a number of blocks on each GPU. The last block of GPU 0 stays for so many rounds.
func meet(t *testing.T, g device.Group, blocks []int, rounds, stay int) *meeting {
	t.Helper()
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	k, err := kernels.Kernel(t.Context(), "barrier.MeetGroup", nil)
	require.NoError(t, err)
	m := &meeting{}
	for i := range g.GPUs() {
		memory := scheduler.NewMemory(g.GPU(i))
		m.memories = append(m.memories, memory)
		m.met = append(m.met, memory.Copy("met", make([]uint32, blocks[i])))
	}
	m.early = m.memories[0].Copy("early", []uint32{0})
	barriers, err := scheduler.NewGroupBarrier(g, m.memories)
	require.NoError(t, err)
	for i := range g.GPUs() {
		leaves := rounds
		if i == 0 {
			leaves = stay
		}
		m.cmds = append(m.cmds, device.Command{GPU: i, Launch: &device.Launch{Kernel: k, Grid: blocks[i], Block: 64, Cooperative: true,
			Args: []any{barriers[i], uint32(rounds), uint32(leaves), m.met[i], m.met[(i+1)%g.GPUs()], m.early}}})
	}
	return m
}

// TestGroupBarrier checks that no thread passes a barrier of GPUs before all blocks of all GPUs have come, with grids of several
// sizes, and that a block which leaves is waited for by all of them.
func TestGroupBarrier(t *testing.T) {
	const rounds = 5
	for name, g := range barrierGroups(t) {
		blocks := make([]int, g.GPUs())
		for i := range blocks {
			blocks[i] = 2 + 3*i%5
		}
		m := meet(t, g, blocks, rounds, rounds)
		_, err := g.Run(t.Context(), m.cmds)
		require.NoError(t, err, name)
		early := []uint32{1}
		require.NoError(t, g.Read(m.early, early))
		assert.Zero(t, early[0], name)
		for i, b := range m.met {
			words := make([]uint32, b.Len)
			require.NoError(t, g.GPU(i).Read(b, words))
			for _, w := range words {
				assert.EqualValues(t, rounds, w, name)
			}
			require.NoError(t, m.memories[i].Free())
		}

		m = meet(t, g, blocks, rounds, 2)
		_, err = g.Run(t.Context(), m.cmds)
		var hang *device.HangError
		require.ErrorAs(t, err, &hang, name)
		assert.Equal(t, device.Hang, hang.Kind)
		assert.Equal(t, g.GPUs()-1, strings.Count(hang.What, "so does kernel barrier.MeetGroup on GPU"), name)
	}
}

// TestGroupBarrierOrders checks that what the barrier hands over is ordered, by the rules of the race detector.
func TestGroupBarrierOrders(t *testing.T) {
	races := device.NewRaces()
	g, err := function.NewGroup(2, function.Options{Races: races})
	require.NoError(t, err)
	_, err = g.Run(t.Context(), meet(t, g, []int{2, 3}, 4, 4).cmds)
	require.NoError(t, err)
	require.Empty(t, races.List())
}

// TestGroupBarrierThatDoesNotFit checks that launches whose blocks cannot all be resident are refused, where they would wait for ever.
func TestGroupBarrierThatDoesNotFit(t *testing.T) {
	for name, g := range barrierGroups(t) {
		if g.GPUs() != 2 {
			continue
		}
		m := meet(t, g, []int{2, 10_000}, 2, 2)
		_, err := g.Run(t.Context(), m.cmds)
		require.ErrorContains(t, err, "command 1 on GPU 1: ", name)
		require.ErrorContains(t, err, "a cooperative launch of 10000 blocks", name)
	}
}

// TestGroupBarrierRefused checks which groups cannot have a barrier.
func TestGroupBarrierRefused(t *testing.T) {
	g, err := function.NewGroup(9, function.Options{})
	require.NoError(t, err)
	require.EqualError(t, scheduler.CheckGroupBarrier(g), "funcx9 has 9 GPUs; a barrier of GPUs is for at most 8")
	require.EqualError(t, scheduler.CheckGroupBarrier(apart{g}), "kernels on GPU 0 of funcx9 cannot store to the memory of GPU 1, so the two cannot pass a barrier")
}

// apart is two GPUs that do not reach each other.
type apart struct{ device.Group }

func (apart) GPUs() int                 { return 2 }
func (apart) Peer(int, int) device.Peer { return device.Peer{Copy: true} }
