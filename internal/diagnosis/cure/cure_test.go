package cure_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/diagnosis/cure"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/policy"
)

// kernel is a kernel with a planted race: what its comments say.
type kernel struct {
	name        string
	grid, block int
	cluster     int      // 0: none
	fixes       []string // parts of the advice, each of which is in it
	racy        bool
}

var (
	funcLine = regexp.MustCompile(`^func (\w+)\(t gpu.Thread`)
	words    = regexp.MustCompile(`\$(\w+)`)
)

// readKernels reads the kernels of a folder. In a fix, $name stands for the line that ends in the comment "// name".
func readKernels(t *testing.T, dir string) (list []kernel) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, path := range files {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		lines := strings.Split(string(text), "\n")
		next := kernel{}
		for i, line := range lines {
			if launch, ok := strings.CutPrefix(line, "// launch: "); ok {
				for i, n := range strings.Fields(launch) {
					*[]*int{&next.grid, &next.block, &next.cluster}[i], _ = strconv.Atoi(n)
				}
			}
			if fix, ok := strings.CutPrefix(line, "// fix: "); ok {
				next.fixes = append(next.fixes, fix)
			}
			m := funcLine.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			next.name, next.racy = m[1], strings.HasSuffix(m[1], "Race")
			for k := i; k < len(lines) && lines[k] != "}"; k++ {
				_, mark, ok := strings.Cut(lines[k], " // ")
				for n, fix := range next.fixes {
					if ok {
						next.fixes[n] = words.ReplaceAllStringFunc(fix, func(w string) string {
							if w[1:] == mark {
								return fmt.Sprintf("%s/%s:%d", filepath.Base(dir), filepath.Base(path), k+1)
							}
							return w
						})
					}
				}
			}
			list = append(list, next)
			next = kernel{}
		}
	}
	return list
}

// open opens func or, with a seed, a simulated machine on which blocks are placed in any order.
func open(t *testing.T, machine string, seed uint64, races *device.Races) device.Device {
	if machine == "func" {
		return function.New(function.Options{Races: races})
	}
	cfg, err := config.Load(machine)
	require.NoError(t, err)
	o := sim.Options{Races: races}
	if seed > 0 {
		cfg.VarySchedules()
		o.Seed, o.Control = seed, &policy.Schedule{Shuffle: true}
	}
	d, err := sim.New(cfg, o)
	require.NoError(t, err)
	return d
}

// rerun runs a kernel once from zeros.
func rerun(t *testing.T, c *compile.Compiler, name string, k *kernel, machine string, seed uint64) cure.Rerun {
	return func(ctx context.Context, races *device.Races, change cure.Change) error {
		d := open(t, machine, seed, races)
		defer func() { require.NoError(t, d.Close()) }()
		compiled, err := c.Kernel(ctx, name, nil)
		if err != nil {
			return err
		}
		var args []any
		for _, b := range []struct {
			name string
			n    int
		}{{"data", 256}, {"flag", 8}} {
			buf, err := d.Alloc(b.name, device.U32, b.n)
			require.NoError(t, err)
			require.NoError(t, d.Write(buf, make([]uint32, b.n)))
			args = append(args, buf)
		}
		if compiled.Params[0].Type != "[]uint32" {
			args[0] = device.NewTensorMap2(args[0].(device.Buffer), [2]uint32{16, 16}, [2]uint32{8, 4}, 0)
		}
		l := device.Launch{Kernel: compiled, Grid: k.grid, Block: k.block, Cluster: k.cluster, Args: args, DynamicShared: 64}
		if change != nil {
			d = cure.Wrap(d, change)
		}
		_, err = d.Launch(ctx, l)
		return err
	}
}

// runsOf returns the ways to run a kernel.
func runsOf(t *testing.T, c *compile.Compiler, name string, k *kernel) cure.Runs {
	r := cure.Runs{Same: rerun(t, c, name, k, "func", 0)}
	for seed := range uint64(3) {
		r.Others = append(r.Others, rerun(t, c, name, k, "h200", seed+1))
	}
	return r
}

// cures runs a kernel, checks that it races, and returns the races with their cures.
func cures(t *testing.T, c *compile.Compiler, name string, k *kernel) []device.Race {
	races := device.NewRaces()
	runs := runsOf(t, c, name, k)
	require.NoError(t, runs.Same(t.Context(), races, nil))
	list := races.List()
	require.NotEmpty(t, list, "there is no race")
	cure.Check(t.Context(), list, runs)
	return list
}

func checkFolder(t *testing.T, dir string, least int) {
	c := compile.New()
	path := compile.Module + "/" + filepath.Base(dir)
	c.Mount(path, os.DirFS(dir))
	cured := 0
	for _, k := range readKernels(t, dir) {
		if !k.racy {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			all := ""
			for _, r := range cures(t, c, filepath.Base(dir)+"."+k.name, &k) {
				t.Log(r.String())
				all += r.Fix + "\n"
				if k.cluster > 0 && k.name != "OtherClusterRace" && k.name != "SendUnfencedRace" || slices.Contains([]string{"WidthRace", "BulkNotExpectedRace", "RelayedBulkRace", "TwoStoresRace", "BesideReductionRace", "EarlyBoxRace", "BoxBesideWriterRace", "SameColumnRace"}, k.name) { // no change of an order, a scope, a fence, a barrier, a wait or a lock cures it, or there is no random schedule
					assert.Zero(t, r.Checked)
					continue
				}
				assert.Positive(t, r.Checked)
				cured++
			}
			for _, fix := range k.fixes {
				assert.Contains(t, all, fix)
			}
		})
	}
	assert.GreaterOrEqual(t, cured, least)
}

// Of each planted race, the cure that was checked is the one that its comment names.
func TestCuresOfPlantedRaces(t *testing.T) { checkFolder(t, "../race/testdata/planted", 27) }

// Of each race from the literature, the cure that was checked names the accesses that are wrong.
func TestCuresOfTheLiterature(t *testing.T) { checkFolder(t, "testdata/literature", 26) }
