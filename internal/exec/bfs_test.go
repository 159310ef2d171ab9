package exec

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
)

func sources(t testing.TB) *compile.Compiler {
	c := compile.New()
	require.NoError(t, c.MountTree(weft.Module, weft.Sources))
	return c
}

// bfs runs breadth-first search by one of the bulk-synchronous schemes.
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

func TestBFSAgreesWithTheReference(t *testing.T) {
	k := sources(t)
	for _, spec := range []string{"rmat:scale=10,degree=8,seed=1", "grid:width=40,keep=0.7"} {
		g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
		require.NoError(t, err)
		for _, s := range schemes {
			d := New(Options{})
			bfs(t, d, k, g, s.entry, s.team)
			n, ok := d.Total().Counter("smsp__inst_executed.sum")
			require.True(t, ok)
			require.Positive(t, n)
			require.NoError(t, d.Close())
		}
	}
}

// cpuSeconds is the processor time that the process has used.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// BenchmarkBFS reports warp-instructions a second on one core.
func BenchmarkBFS(b *testing.B) {
	k := sources(b)
	for _, spec := range []string{"rmat:scale=16,degree=16,seed=1", "grid:width=300,keep=0.9"} {
		g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
		require.NoError(b, err)
		for _, s := range schemes {
			b.Run(fmt.Sprintf("%s/%.4s", s.entry, spec), func(b *testing.B) {
				d := New(Options{})
				b.ReportAllocs()
				before := cpuSeconds()
				for b.Loop() {
					bfs(b, d, k, g, s.entry, s.team)
				}
				n, _ := d.Total().Counter("smsp__inst_executed.sum")
				lanes, _ := d.Total().Counter("smsp__thread_inst_executed.sum")
				b.ReportMetric(n/b.Elapsed().Seconds()/1e6, "Mwinst/s")
				// The rate of a core of its own, whatever else runs on the machine.
				b.ReportMetric(n/(cpuSeconds()-before)/1e6, "Mwinst/cpu-s")
				b.ReportMetric(lanes/n, "lanes/winst")
			})
		}
	}
}
