package race_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// planted is a kernel of testdata/planted.
type planted struct {
	name        string
	grid, block int
	cluster     int // 0: none
	fix         string
	// lines that begin and that end a race.
	first, second []string
}

const plantedPath = compile.Module + "/planted"

var (
	markLine = regexp.MustCompile(`// (1|2|1 2)$`)
	funcLine = regexp.MustCompile(`^func (\w+)\(t gpu.Thread`)
)

// plantedFiles are the files of planted kernels for every machine, and laterFiles those for machines with mbarriers, asynchronous copies and
// clusters.
var (
	plantedFiles = []string{"block.go", "fence.go", "memory.go", "update.go", "exchange.go"}
	laterFiles   = []string{"mbarrier.go", "copy.go", "bulkstore.go", "cluster.go", "boxes.go", "products.go", "sends.go", "sendvalues.go"}
)

// readPlanted reads the kernels of files with what their comments say.
func readPlanted(t *testing.T, files ...string) (list []planted) {
	for _, name := range files {
		text, err := os.ReadFile("testdata/planted/" + name)
		require.NoError(t, err)
		next := planted{}
		for i, line := range strings.Split(string(text), "\n") {
			at := fmt.Sprintf("planted/%s:%d", name, i+1)
			if launch, ok := strings.CutPrefix(line, "// launch: "); ok {
				for i, n := range strings.Fields(launch) {
					*[]*int{&next.grid, &next.block, &next.cluster}[i], _ = strconv.Atoi(n)
				}
			}
			if fix, ok := strings.CutPrefix(line, "// fix: "); ok {
				next.fix = fix
			}
			if m := funcLine.FindStringSubmatch(line); m != nil {
				next.name = m[1]
				list = append(list, next)
				next = planted{}
			}
			if m := markLine.FindStringSubmatch(line); m != nil && len(list) > 0 {
				k := &list[len(list)-1]
				if strings.Contains(m[1], "1") {
					k.first = append(k.first, at)
				}
				if strings.Contains(m[1], "2") {
					k.second = append(k.second, at)
				}
			}
		}
	}
	return list
}

// opener opens a device that collects races.
type opener func(t *testing.T, races *device.Races) device.Device

func onFunc(_ *testing.T, races *device.Races) device.Device {
	return function.New(function.Options{Races: races})
}

// run launches a planted kernel and returns the races.
func run(t *testing.T, c *compile.Compiler, k planted, open opener) []device.Race {
	races := device.NewRaces()
	require.NoError(t, launch(t, c, k, open(t, races)))
	return races.List()
}

// launch launches a planted kernel on a device, which it closes.
func launch(t *testing.T, c *compile.Compiler, k planted, d device.Device) error {
	defer func() { require.NoError(t, d.Close()) }()
	kernel, err := c.Kernel(t.Context(), "planted."+k.name, nil)
	require.NoError(t, err)
	data, err := d.Alloc("data", device.U32, 256)
	require.NoError(t, err)
	require.NoError(t, d.Write(data, make([]uint32, 256)))
	flag, err := d.Alloc("flag", device.U32, 8)
	require.NoError(t, err)
	require.NoError(t, d.Write(flag, make([]uint32, 8)))
	args := []any{data, flag}
	if kernel.Params[0].Type != "[]uint32" {
		args[0] = device.NewTensorMap2(data, [2]uint32{16, 16}, [2]uint32{8, 4}, 0)
	}
	_, err = d.Launch(context.Background(), device.Launch{
		Kernel: kernel, Grid: k.grid, Block: k.block, Cluster: k.cluster, Args: args, DynamicShared: 64,
	})
	return err
}

// compiler has the planted kernels mounted.
func compiler() *compile.Compiler {
	c := compile.New()
	c.Mount(plantedPath, os.DirFS("testdata/planted"))
	return c
}

func at(a device.RaceAccess) string { return fmt.Sprintf("%s:%d", a.At[0].File, a.At[0].Line) }

func checkPlanted(t *testing.T, open opener, files ...string) {
	c, found := compiler(), 0
	list := readPlanted(t, files...)
	for _, k := range list {
		t.Run(k.name, func(t *testing.T) {
			races := run(t, c, k, open)
			if strings.HasSuffix(k.name, "Clean") {
				assert.Empty(t, races)
				return
			}
			pairs := map[string]int{}
			for i := range races {
				r := &races[i]
				assert.Contains(t, k.first, at(r.First), "%s", r)
				assert.Contains(t, k.second, at(r.Second), "%s", r)
				assert.NotEmpty(t, r.Fix)
				assert.Equal(t, "planted."+k.name, r.Kernel)
				pairs[at(r.First)+at(r.Second)]++
			}
			require.NotEmpty(t, pairs, "the race is not found")
			found++
		})
	}
	assert.GreaterOrEqual(t, found, 30)
	assert.Equal(t, 2*found, len(list), "each has a clean twin")
}

// Each planted race is found, between its lines, and its clean twin has none.
func TestPlantedRaces(t *testing.T) {
	checkPlanted(t, onFunc, slices.Concat(plantedFiles, laterFiles)...)
}

// onSim opens a simulated machine.
func onSim(machine string) opener {
	return func(t *testing.T, races *device.Races) device.Device {
		cfg, err := config.Load(machine)
		require.NoError(t, err)
		d, err := sim.New(cfg, sim.Options{Races: races})
		require.NoError(t, err)
		return d
	}
}

// The same races are found by the simulator, with independent threads and with a
// reconvergence stack.
func TestPlantedRacesOnSim(t *testing.T) {
	for _, machine := range []string{"tiny", "k40"} {
		files := slices.Clone(plantedFiles)
		if machine == "tiny" { // models no GPU, and has all instructions
			files = append(files, laterFiles...)
		}
		t.Run(machine, func(t *testing.T) { checkPlanted(t, onSim(machine), files...) })
	}
}

// ordered are planted races in which another thread decides whether an access comes too early for a copy: func, on which a warp goes on
// alone, may end the launch where a simulated machine does not. The others without a fault are races of accesses after the copy is done.
var ordered = []string{"WaitBehindBarrierRace", "ProductNoBarrierRace", "ProductOfOthersRace", "SendToldEarlyRace"}

// Where an access comes too early for a copy of its own thread, or is not seen by it, each strict device ends the launch with the same
// message, of which the line is one of the race. The clean twins end well.
func TestPlantedFaults(t *testing.T) {
	c, faults := compiler(), 0
	for _, k := range readPlanted(t, laterFiles...) {
		t.Run(k.name, func(t *testing.T) {
			want := launch(t, c, k, function.New(function.Options{}))
			if slices.Contains(ordered, k.name) {
				require.Error(t, want)
				return
			}
			for _, machine := range []string{"tiny", "h200"} {
				cfg, err := config.Load(machine)
				require.NoError(t, err)
				d, err := sim.New(cfg, sim.Options{Strict: true})
				require.NoError(t, err)
				assert.Equal(t, want, launch(t, c, k, d), machine)
			}
			if want == nil {
				return
			}
			var fault *device.Fault
			require.ErrorAs(t, want, &fault)
			assert.Contains(t, k.second, fmt.Sprintf("%s:%d", fault.At[0].File, fault.At[0].Line))
			faults++
		})
	}
	assert.Equal(t, 25, faults)
}

// Both lines of a planted race are marked, and both kernels of a pair exist.
func TestPlantedRacesAreComplete(t *testing.T) {
	names := map[string]bool{}
	for _, k := range readPlanted(t, slices.Concat(plantedFiles, laterFiles)...) {
		base, racy := strings.CutSuffix(k.name, "Race")
		if !racy {
			base = strings.TrimSuffix(k.name, "Clean")
		}
		names[base] = names[base] || racy
		assert.Equal(t, racy, len(k.first) > 0 && len(k.second) > 0, k.name)
		assert.Equal(t, racy, k.fix != "", k.name)
		assert.Positive(t, k.block, k.name)
	}
	assert.NotContains(t, slices.Collect(maps.Values(names)), false)
	assert.GreaterOrEqual(t, len(readPlanted(t, laterFiles...)), 2*20, "of pipelines")
}
