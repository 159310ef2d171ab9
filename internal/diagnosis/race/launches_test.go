package race_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

const launchesSource = `package racy

import "github.com/weft-gpu/weft/gpu"

// Put stores.
func Put(t gpu.Thread, x, y []uint32) {
	x[t.Global()] = t.Global()
}

// Get loads what Put stores, of the neighbour.
func Get(t gpu.Thread, x, y []uint32) {
	y[t.Global()] = x[t.Global()^32]
}

// Add adds to one word.
func Add(t gpu.Thread, x, y []uint32) {
	gpu.AtomicAdd(&x[0], 1)
}

// Give stores, and says so.
func Give(t gpu.Thread, x, y []uint32) {
	x[1] = 7
	gpu.StoreRelease(&y[0], 1)
}

// Take loads what was stored, if it was.
func Take(t gpu.Thread, x, y []uint32) {
	if gpu.LoadAcquire(&y[0]) == 1 {
		y[1] = x[1]
	}
}

// Hasty loads it in any case.
func Hasty(t gpu.Thread, x, y []uint32) {
	y[1] = x[1]
}
`

// launches opens a device and returns what launches kernels of launchesSource on it: one after the other, or each on a
// stream of its own.
func launches(t *testing.T, open opener, together bool, grid, block int, names ...string) []device.Race {
	races := device.NewRaces()
	d := open(t, races)
	defer func() { require.NoError(t, d.Close()) }()
	args := []any{}
	for _, name := range []string{"x", "y"} {
		b, err := d.Alloc(name, device.U32, 128)
		require.NoError(t, err)
		require.NoError(t, d.Write(b, make([]uint32, 128)))
		args = append(args, b)
	}
	c := racyCompiler(launchesSource)
	var list []device.Launch
	for i, name := range names {
		k, err := c.Kernel(t.Context(), "racy."+name, nil)
		require.NoError(t, err)
		list = append(list, device.Launch{Kernel: k, Grid: grid, Block: block, Args: args, Stream: i + 1})
	}
	if together {
		_, err := device.LaunchAll(t.Context(), d, list)
		require.NoError(t, err)
		return races.List()
	}
	for _, l := range list {
		l.Stream = 0
		_, err := d.Launch(t.Context(), l)
		require.NoError(t, err)
	}
	return races.List()
}

// Launches that follow each other are ordered, whatever they access.
func TestLaunchesInARow(t *testing.T) {
	for name, open := range map[string]opener{"func": onFunc, "tiny": onSim("tiny"), "k40": onSim("k40")} {
		for _, names := range [][]string{{"Put", "Get"}, {"Get", "Put"}, {"Put", "Put"}, {"Put", "Add", "Get"}} {
			assert.Empty(t, launches(t, open, false, 2, 64, names...), "%s %v", name, names)
		}
	}
}

// Launches at the same time are not, and are like blocks of one launch.
func TestLaunchesAtTheSameTime(t *testing.T) {
	for _, c := range []struct {
		grid, block int
		names       []string
		race        [2]int // lines of the race; 0 if there is none
	}{
		{2, 64, []string{"Put", "Get"}, [2]int{7, 12}},
		{2, 64, []string{"Put", "Put"}, [2]int{7, 7}},
		{2, 64, []string{"Put", "Add"}, [2]int{7, 17}},
		{2, 64, []string{"Get", "Add"}, [2]int{12, 17}},
		{2, 64, []string{"Add", "Add"}, [2]int{}},
		{1, 1, []string{"Give", "Take"}, [2]int{}},
		{1, 1, []string{"Give", "Hasty"}, [2]int{22, 35}},
	} {
		for _, machine := range []string{"tiny", "h200"} {
			races := launches(t, onSim(machine), true, c.grid, c.block, c.names...)
			if c.race == [2]int{} {
				assert.Empty(t, races, "%s %v", machine, c.names)
				continue
			}
			if assert.Len(t, races, 1, "%s %v", machine, c.names) {
				lines := [2]int{races[0].First.At[0].Line, races[0].Second.At[0].Line}
				assert.ElementsMatch(t, c.race[:], lines[:], "%s %v", machine, c.names)
			}
		}
	}
}
