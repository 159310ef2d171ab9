package sim

import (
	"context"
	"fmt"
	"reflect"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	weft "github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/graph/reference"
	"github.com/weft-gpu/weft/internal/compile"
	"github.com/weft-gpu/weft/scheduler"
	"github.com/weft-gpu/weft/scheduler/bsp"
	"github.com/weft-gpu/weft/sim/config"
)

func sources(t testing.TB) *compile.Compiler {
	c := compile.New()
	require.NoError(t, c.MountTree(weft.Module, weft.Sources))
	return c
}

// bfs runs breadth-first search by one of the bulk-synchronous schemes and
// checks the answer.
func bfs(t testing.TB, d device.Device, k device.Kernels, g *graph.CSR, entry string, team scheduler.Team) {
	source, _ := g.MaxDegreeVertex()
	out, err := bsp.RunPush(context.Background(), bsp.Run{
		Device: d, Kernels: k, Algorithm: scheduler.Type{Name: "kernels.BFS", Value: reflect.TypeFor[uint32]()},
		Init: "kernels.BFSInit", Step: entry, Team: team, Graph: g, Source: source,
	})
	require.NoError(t, err)
	require.NoError(t, reference.CheckBFS(t.Context(), g, source, out.Values.([]uint32)))
}

var schemes = []struct {
	entry string
	team  scheduler.Team
}{
	{"kernels.BFSThread", scheduler.OneThread},
	{"kernels.BFSWarp", scheduler.OneWarp},
	{"kernels.BFSBlock", scheduler.OneBlock},
}

func openGraph(t testing.TB, spec string) *graph.CSR {
	g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	return g
}

func TestBFSOnEveryPreset(t *testing.T) {
	k := sources(t)
	for _, spec := range []string{"rmat:scale=9,degree=8,seed=1", "grid:width=30,keep=0.7"} {
		g := openGraph(t, spec)
		for _, preset := range config.Presets() {
			for _, s := range schemes {
				d := open(t, preset)
				bfs(t, d, k, g, s.entry, s.team)
				checkIdle(t, d)
			}
		}
	}
}

// cpu is the seconds of processor time that this process has used: on a busy
// machine, wall time says little.
func cpu(t testing.TB) float64 {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// BenchmarkBFS reports simulated warp instructions a second on one core.
func BenchmarkBFS(b *testing.B) {
	k := sources(b)
	for _, spec := range []string{"rmat:scale=16,degree=16,seed=1", "grid:width=300,keep=0.9"} {
		g := openGraph(b, spec)
		for _, s := range schemes {
			b.Run(fmt.Sprintf("%s/%.4s", s.entry, spec), func(b *testing.B) {
				d := open(b, "h200")
				b.ReportAllocs()
				before := cpu(b)
				for b.Loop() {
					bfs(b, d, k, g, s.entry, s.team)
				}
				n := count(b, d.Total(), "smsp__inst_executed.sum")
				b.ReportMetric(n/b.Elapsed().Seconds()/1e6, "Mwinst/s")
				b.ReportMetric(n/(cpu(b)-before)/1e6, "Mwinst/cpu-s")
				b.ReportMetric(float64(d.Total().Cycles)/float64(b.N), "cycles/run")
			})
		}
	}
}
