package race_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

const groupSource = `package racy

import "github.com/weft-gpu/weft/gpu"

// Put stores.
func Put(t gpu.Thread, x, y []uint32) {
	x[t.Global()] = t.Global()
}

// Get loads what Put stores.
func Get(t gpu.Thread, x, y []uint32) {
	y[t.Global()] = x[t.Global()]
}

// AddGPU and AddAll add to one word.
func AddGPU(t gpu.Thread, x, y []uint32) {
	gpu.AtomicAdd(&x[0], 1)
}

func AddAll(t gpu.Thread, x, y []uint32) {
	gpu.AtomicAdd(&x[0], 1, gpu.SystemScope)
}

// Give and GiveGPU store, and say so; Take and TakeGPU wait for that and load.
func Give(t gpu.Thread, x, y []uint32) {
	x[1] = 7
	gpu.StoreRelease(&y[0], 1, gpu.SystemScope)
}

func GiveGPU(t gpu.Thread, x, y []uint32) {
	x[1] = 7
	gpu.StoreRelease(&y[0], 1)
}

func Take(t gpu.Thread, x, y []uint32) {
	for gpu.LoadAcquire(&y[0], gpu.SystemScope) == 0 {
	}
	y[1] = x[1]
}

// Signal and SignalGPU do the same with fences; the flag has system scope in both. Wait is the other side.
func Signal(t gpu.Thread, x, y []uint32) {
	x[1] = 7
	gpu.Fence(gpu.SystemScope)
	gpu.Store(&y[0], 1, gpu.SystemScope)
}

func SignalGPU(t gpu.Thread, x, y []uint32) {
	x[1] = 7
	gpu.Fence()
	gpu.Store(&y[0], 1, gpu.SystemScope)
}

func Wait(t gpu.Thread, x, y []uint32) {
	for gpu.Load(&y[0], gpu.SystemScope) == 0 {
	}
	gpu.Fence(gpu.SystemScope)
	y[1] = x[1]
}

func WaitGPU(t gpu.Thread, x, y []uint32) {
	for gpu.Load(&y[0], gpu.SystemScope) == 0 {
	}
	gpu.Fence()
	y[1] = x[1]
}

// Meet waits until another GPU is there, too, and then one loads what the other stored.
func Meet(t gpu.Thread, x, y []uint32) {
	x[1] = 7
	gpu.Fence(gpu.SystemScope)
	gpu.AtomicAdd(&y[0], 1, gpu.SystemScope)
}

// Load loads.
func Load(t gpu.Thread, x, y []uint32) {
	y[2] = x[1]
}

// Flag says that something before it was stored.
func Flag(t gpu.Thread, x, y []uint32) {
	gpu.StoreRelease(&y[0], 1, gpu.SystemScope)
}

// Lock updates a word under a lock of device scope.
func Lock(t gpu.Thread, x, y []uint32) {
	for gpu.AtomicCAS(&y[0], 0, 1) != 0 {
	}
	gpu.Fence()
	x[0]++
	gpu.Fence()
	gpu.AtomicExch(&y[0], 0)
}
`

// step is a command of a test: a kernel, or a copy of "x to z", or a read or a write of x by the host.
type step struct {
	what        string
	gpu, stream int
	after       []int
	blocks      int
}

// plantedGroup is a list of commands of two GPUs. x is on GPU 1, y on GPU 0, and z on GPU 0 is as large as x.
type plantedGroup struct {
	name   string
	racy   []step
	kinds  []device.RaceKind // of the races that racy has, each at least once
	silent []step
}

var plantedGroups = []plantedGroup{
	{"remote store and load",
		[]step{{what: "Put"}, {what: "Get", gpu: 1}}, []device.RaceKind{device.RacePlain},
		[]step{{what: "Put"}, {what: "Get", gpu: 1, after: []int{0}}}},
	{"streams of one GPU",
		[]step{{what: "Put"}, {what: "Put", stream: 1}}, []device.RaceKind{device.RacePlain},
		[]step{{what: "Put", stream: 1}, {what: "Put", stream: 1}}},
	{"a dependency of another command",
		[]step{{what: "Put"}, {what: "Flag", gpu: 1, stream: 1}, {what: "Get", gpu: 1, after: []int{1}}}, []device.RaceKind{device.RacePlain},
		[]step{{what: "Put"}, {what: "Load", gpu: 1, after: []int{0}}, {what: "Get", gpu: 1, stream: 1, after: []int{1}}}},
	{"atomics of device scope",
		[]step{{what: "AddGPU"}, {what: "AddGPU", gpu: 1}}, []device.RaceKind{device.RaceScope},
		[]step{{what: "AddAll"}, {what: "AddAll", gpu: 1}}},
	{"one atomic of device scope",
		[]step{{what: "AddAll"}, {what: "AddGPU", gpu: 1}}, []device.RaceKind{device.RaceScope},
		[]step{{what: "AddGPU"}, {what: "AddGPU", gpu: 1, after: []int{0}}, {what: "AddGPU", gpu: 1, stream: 1, after: []int{0}}}},
	{"a release of device scope",
		[]step{{what: "GiveGPU"}, {what: "Take", gpu: 1}}, []device.RaceKind{device.RacePlain, device.RaceScope},
		[]step{{what: "Give"}, {what: "Take", gpu: 1}}},
	{"a fence of device scope before the flag",
		[]step{{what: "SignalGPU"}, {what: "Wait", gpu: 1}}, []device.RaceKind{device.RacePlain},
		[]step{{what: "Signal"}, {what: "Wait", gpu: 1}}},
	{"a fence of device scope after the flag",
		[]step{{what: "Signal"}, {what: "WaitGPU", gpu: 1}}, []device.RaceKind{device.RacePlain},
		[]step{{what: "SignalGPU"}, {what: "WaitGPU", stream: 1}}},
	{"an atomic as the flag",
		[]step{{what: "Meet"}, {what: "WaitGPU", gpu: 1}}, []device.RaceKind{device.RacePlain},
		[]step{{what: "Meet"}, {what: "Wait", gpu: 1}}},
	{"copy beside a kernel",
		[]step{{what: "Put"}, {what: "x to z", gpu: 1}}, []device.RaceKind{device.RacePlain},
		[]step{{what: "Put"}, {what: "x to z", gpu: 1, after: []int{0}}}},
	{"copy beside a kernel that reads",
		[]step{{what: "Get"}, {what: "z to x", gpu: 1}}, []device.RaceKind{device.RacePlain},
		[]step{{what: "Get"}, {what: "x to z", gpu: 1}}},
	{"copy beside an atomic",
		[]step{{what: "AddAll"}, {what: "x to z", gpu: 1}}, []device.RaceKind{device.RaceAtomic},
		[]step{{what: "AddAll", gpu: 1}, {what: "x to z", gpu: 1}}},
	{"two copies",
		[]step{{what: "z to x"}, {what: "z to x", stream: 1}}, []device.RaceKind{device.RacePlain},
		[]step{{what: "z to x"}, {what: "z to x"}, {what: "x to z"}}},
	{"a write of the host",
		[]step{{what: "Get"}, {what: "write", gpu: 1}}, []device.RaceKind{device.RacePlain},
		[]step{{what: "write", gpu: 1}, {what: "Get", after: []int{0}}, {what: "read", gpu: 1}}},
	{"a read of the host",
		[]step{{what: "Put"}, {what: "read", gpu: 1}}, []device.RaceKind{device.RacePlain},
		[]step{{what: "Put"}, {what: "read", gpu: 1, after: []int{0}}}},
	// The end of a launch hands on what its threads have acquired from one that still runs.
	{"what a launch has acquired",
		[]step{{what: "Give"}, {what: "Take", gpu: 1}, {what: "Load", gpu: 1, stream: 1}}, []device.RaceKind{device.RacePlain},
		[]step{{what: "Give"}, {what: "Take", gpu: 1}, {what: "Load", gpu: 1}, {what: "Load", gpu: 1}}},
	{"what a copy comes after",
		[]step{{what: "Give"}, {what: "Take", gpu: 1}, {what: "x to z", gpu: 1, stream: 1}}, []device.RaceKind{device.RacePlain},
		[]step{{what: "Give"}, {what: "Take", gpu: 1}, {what: "x to z", gpu: 1}}},
	// Who acquires from a launch knows that those before it are over.
	{"launches before the one that releases",
		[]step{{what: "Put", blocks: 2}, {what: "Flag", stream: 1}, {what: "Take", gpu: 1}}, []device.RaceKind{device.RacePlain},
		[]step{{what: "Put", blocks: 2}, {what: "Flag"}, {what: "Take", gpu: 1}}},
	// A word by which the blocks of one GPU and then those of another one synchronise.
	{"a lock of each GPU",
		[]step{{what: "Lock", blocks: 4}, {what: "Lock", gpu: 1, blocks: 4}}, []device.RaceKind{device.RacePlain, device.RaceScope},
		[]step{{what: "Lock", blocks: 4}, {what: "Lock", gpu: 1, blocks: 4, after: []int{0}}}},
}

// openGroups are the groups on which the tests look for races.
var openGroups = map[string]func(t *testing.T, races *device.Races) device.Group{
	"func": func(t *testing.T, races *device.Races) device.Group {
		g, err := function.NewGroup(2, function.Options{Races: races})
		require.NoError(t, err)
		return g
	},
	"sim:tiny": simGroup("tiny"), "sim:k40": simGroup("k40", "link.peer_atomics", "true"),
}

func simGroup(preset string, set ...string) func(t *testing.T, races *device.Races) device.Group {
	return func(t *testing.T, races *device.Races) device.Group {
		cfg, err := config.Load(preset)
		require.NoError(t, err)
		for i := 0; i < len(set); i += 2 {
			require.NoError(t, cfg.Set(set[i], set[i+1]))
		}
		g, err := sim.NewGroup(cfg, 2, sim.Options{Seed: 1, Races: races})
		require.NoError(t, err)
		return g
	}
}

// groupTest is a group with the buffers of the tests.
type groupTest struct {
	t       *testing.T
	g       device.Group
	x, y, z device.Buffer
}

func newGroupTest(t *testing.T, g device.Group) *groupTest {
	r := &groupTest{t: t, g: g}
	for _, b := range []struct {
		to   *device.Buffer
		name string
		gpu  int
	}{{&r.x, "x", 1}, {&r.y, "y", 0}, {&r.z, "z", 0}} {
		var err error
		*b.to, err = g.GPU(b.gpu).Alloc(b.name, device.U32, 32)
		require.NoError(t, err)
		require.NoError(t, g.GPU(b.gpu).Write(*b.to, make([]uint32, 32)))
	}
	return r
}

// commands returns the commands of steps.
func (r *groupTest) commands(steps []step) (cmds []device.Command) {
	c := racyCompiler(groupSource)
	for _, s := range steps {
		cmd := device.Command{GPU: s.gpu, Stream: s.stream, After: s.after}
		switch s.what {
		case "x to z":
			cmd.Copy = &device.Copy{Dst: r.z, Src: r.x}
		case "z to x":
			cmd.Copy = &device.Copy{Dst: r.x, Src: r.z}
		case "read":
			cmd.Read = &device.HostCopy{Buffer: r.x, Host: make([]uint32, 32)}
		case "write":
			cmd.Write = &device.HostCopy{Buffer: r.x, Host: make([]uint32, 32)}
		default:
			k, err := c.Kernel(r.t.Context(), "racy."+s.what, nil)
			require.NoError(r.t, err)
			cmd.Launch = &device.Launch{Kernel: k, Grid: max(s.blocks, 1), Block: 1, Args: []any{r.x, r.y}}
		}
		cmds = append(cmds, cmd)
	}
	return cmds
}

// Each planted race between commands is found, with the commands and their GPUs, and its silent twin has none.
func TestPlantedRacesOfGroups(t *testing.T) {
	for name, open := range openGroups {
		t.Run(name, func(t *testing.T) {
			for _, p := range plantedGroups {
				races := device.NewRaces()
				r := newGroupTest(t, open(t, races))
				_, err := r.g.Run(t.Context(), r.commands(p.silent))
				require.NoError(t, err, p.name)
				require.Empty(t, races.List(), "%s: the silent one", p.name)

				r = newGroupTest(t, open(t, races))
				_, err = r.g.Run(t.Context(), r.commands(p.racy))
				require.NoError(t, err, p.name)
				list := races.List()
				require.NotEmpty(t, list, p.name)
				kinds := map[device.RaceKind]bool{}
				for i := range list {
					kinds[list[i].Kind] = true
					a, b := list[i].First.Command, list[i].Second.Command
					require.NotEqual(t, a.Number, b.Number, "%s: %s", p.name, &list[i])
					for _, c := range []*device.RaceCommand{a, b} {
						require.Equal(t, p.racy[c.Number].gpu, c.GPU, p.name)
					}
				}
				for _, k := range p.kinds {
					assert.True(t, kinds[k], "%s: %s", p.name, k)
				}
				require.NoError(t, r.g.Close())
			}
		})
	}
}

// Commands of two calls of Run, launches for which the host waits, and these after commands are ordered.
func TestHostWaitsOrderGroups(t *testing.T) {
	for name, open := range openGroups {
		races := device.NewRaces()
		r := newGroupTest(t, open(t, races))
		for _, steps := range [][]step{{{what: "Put"}}, {{what: "Get", gpu: 1}, {what: "x to z"}}, {{what: "AddGPU"}}, {{what: "Put", gpu: 1}}} {
			_, err := r.g.Run(t.Context(), r.commands(steps))
			require.NoError(t, err)
		}
		for gpu := range 2 {
			_, err := r.g.GPU(gpu).Launch(t.Context(), *r.commands([]step{{what: "Put"}})[0].Launch)
			require.NoError(t, err)
		}
		assert.Empty(t, races.List(), name)

		_, err := r.g.GPU(1).Launch(t.Context(), device.Launch{Kernel: r.commands([]step{{what: "Load"}})[0].Launch.Kernel, Grid: 2, Block: 1, Args: []any{r.x, r.y}})
		require.NoError(t, err)
		if list := races.List(); assert.Len(t, list, 1, name) {
			assert.Equal(t, &device.RaceCommand{GPU: 1, Number: -1, Kernel: "racy.Load"}, list[0].First.Command)
			assert.Contains(t, list[0].String(), "of racy.Load in the launch on GPU 1\n")
		}
	}
}

// The report of a race between GPUs says which commands of which GPUs race, and how to order them.
func TestReportOfGroupRaces(t *testing.T) {
	report := func(steps ...step) string {
		races := device.NewRaces()
		r := newGroupTest(t, openGroups["func"](t, races))
		_, err := r.g.Run(t.Context(), r.commands(steps))
		require.NoError(t, err)
		require.Len(t, races.List(), 1)
		return fmt.Sprint(&races.List()[0])
	}
	assert.Equal(t, `race in kernel racy.AddGPU on x[0] of GPU 1: the scope of an access does not include the other thread
	gpu.AtomicAdd (device scope) at racy/racy.go:17:15 by block 0, warp 0, lane 0 (thread 0) of racy.AddGPU in command 0 on GPU 0
	gpu.AtomicAdd (device scope) at racy/racy.go:17:15 by block 0, warp 0, lane 0 (thread 0) of racy.AddGPU in command 1 on GPU 1
	what orders such accesses: gpu.SystemScope in both accesses: the threads belong to different GPUs`, report(step{what: "AddGPU"}, step{what: "AddGPU", gpu: 1}))
	assert.Equal(t, `race in kernel racy.Put on x[0] of GPU 1: plain accesses that nothing orders
	plain store at racy/racy.go:7:3 by block 0, warp 0, lane 0 (thread 0) of racy.Put in command 0 on GPU 0
	copy of x to z, command 1 on GPU 1
	what orders such accesses: let one command wait for the other, by Command.After or by the same stream of the same GPU`, report(step{what: "Put"}, step{what: "x to z", gpu: 1}))
	assert.Contains(t, report(step{what: "z to x"}, step{what: "z to x", stream: 1}), `race on x[0] of GPU 1, 32 times: plain accesses that nothing orders
	copy of z to x, command 0 on GPU 0
	copy of z to x, command 1 on GPU 0
`)
	assert.Contains(t, report(step{what: "Put"}, step{what: "Get", gpu: 1}), "; or one command that waits for the other, by Command.After")
}

// Launches that ask for a fresh device have other addresses inside, and race with copies as before.
func TestRacesOfFreshGroups(t *testing.T) {
	races := device.NewRaces()
	r := newGroupTest(t, openGroups["sim:tiny"](t, races))
	for _, after := range [][]int{{0}, nil} {
		cmds := r.commands([]step{{what: "Put"}, {what: "x to z", gpu: 1, after: after}})
		cmds[0].Launch.Fresh = true
		_, err := r.g.Run(t.Context(), cmds)
		require.NoError(t, err)
		assert.Equal(t, after == nil, len(races.List()) > 0)
	}
}
