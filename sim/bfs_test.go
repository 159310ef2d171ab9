package sim

import (
	"context"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim/config"
)

// bfs runs breadth-first search with a scheme and checks the answer.
func bfs(t testing.TB, d device.Device, g *graph.CSR, scheme string) {
	source, _ := g.MaxDegreeVertex()
	res, err := catalog.Run(context.Background(), d, catalog.Request{Algorithm: "bfs", Scheduler: scheme, Graph: g, Source: source, Verify: true})
	require.NoError(t, err)
	require.NoError(t, res.Mismatch)
}

var schemes = []string{"thread", "warp", "block"}

func openGraph(t testing.TB, spec string) *graph.CSR {
	g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	return g
}

func TestHeavyBFSOnEveryPreset(t *testing.T) {
	for _, spec := range []string{"rmat:scale=9,degree=8,seed=1", "grid:width=30,keep=0.7"} {
		g := openGraph(t, spec)
		for _, preset := range config.Presets() {
			for _, s := range schemes {
				d := open(t, preset)
				bfs(t, d, g, s)
				checkIdle(t, d)
			}
		}
	}
}

// cpu returns the CPU time of this process in seconds: on a busy machine, wall time says little.
func cpu(t testing.TB) float64 {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// BenchmarkBFS reports simulated warp instructions per second on one core.
func BenchmarkBFS(b *testing.B) {
	for _, spec := range []string{"rmat:scale=16,degree=16,seed=1", "grid:width=300,keep=0.9"} {
		g := openGraph(b, spec)
		for _, s := range schemes {
			b.Run(fmt.Sprintf("%s/%.4s", s, spec), func(b *testing.B) {
				d := open(b, "h200")
				b.ReportAllocs()
				before := cpu(b)
				for b.Loop() {
					bfs(b, d, g, s)
				}
				n := count(b, d.Total(), "smsp__inst_executed.sum")
				b.ReportMetric(n/b.Elapsed().Seconds()/1e6, "Mwinst/s")
				b.ReportMetric(n/(cpu(b)-before)/1e6, "Mwinst/cpu-s")
				b.ReportMetric(float64(d.Total().Cycles)/float64(b.N), "cycles/run")
			})
		}
	}
}
