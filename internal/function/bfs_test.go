package function

import (
	"context"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

func sources(t testing.TB) *compile.Compiler {
	c := compile.New(catalog.Sources()...)
	return c
}

// bfs runs breadth-first search with a scheme and checks the answer.
func bfs(t testing.TB, d device.Device, g *graph.CSR, scheme string) {
	source, _ := g.MaxDegreeVertex()
	res, err := catalog.Run(context.Background(), d, catalog.Request{Algorithm: "bfs", Scheduler: scheme, Graph: g, Source: source, Verify: true})
	require.NoError(t, err)
	require.NoError(t, res.Mismatch)
}

var schemes = []string{"thread", "warp", "block"}

func TestBFSAgreesWithTheReference(t *testing.T) {
	for _, spec := range []string{"rmat:scale=10,degree=8,seed=1", "grid:width=40,keep=0.7"} {
		g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
		require.NoError(t, err)
		for _, s := range schemes {
			d := New(Options{})
			bfs(t, d, g, s)
			n, ok := d.Total().Counter("smsp__inst_executed.sum")
			require.True(t, ok)
			require.Positive(t, n)
			require.NoError(t, d.Close())
		}
	}
}

// cpuSeconds returns the CPU time that the process has used.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// BenchmarkBFS reports warp-instructions per second on one core.
func BenchmarkBFS(b *testing.B) {
	for _, spec := range []string{"rmat:scale=16,degree=16,seed=1", "grid:width=300,keep=0.9"} {
		g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
		require.NoError(b, err)
		for _, s := range schemes {
			b.Run(fmt.Sprintf("%s/%.4s", s, spec), func(b *testing.B) {
				d := New(Options{})
				b.ReportAllocs()
				before := cpuSeconds()
				for b.Loop() {
					bfs(b, d, g, s)
				}
				n, _ := d.Total().Counter("smsp__inst_executed.sum")
				lanes, _ := d.Total().Counter("smsp__thread_inst_executed.sum")
				b.ReportMetric(n/b.Elapsed().Seconds()/1e6, "Mwinst/s")
				// The rate per second of CPU time, which does not depend on
				// other load on the machine.
				b.ReportMetric(n/(cpuSeconds()-before)/1e6, "Mwinst/cpu-s")
				b.ReportMetric(lanes/n, "lanes/winst")
			})
		}
	}
}
