package sweep_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
)

// BenchmarkSweep runs 12 points of about a second on one graph, by one job and by two. Its metrics:
// what the sweep costs beside launches, as a share of all that its jobs do (outside%), the part of
// it that each point has once the graph and the answer of the CPU are there (each%), and how many
// times as quick two jobs are (2jobs). They mean little while other programs run.
func BenchmarkSweep(b *testing.B) {
	const study = `
set: {algorithm: bfs, scheduler: warp, device: sim:tiny, graph: "rmat:scale=17,degree=8,seed=1"}
vary: {l2.latency: "100:210:10"}
`
	var wall [3]time.Duration // by number of jobs
	var sum [3]sweep.Summary
	var each, points time.Duration // without the first, which reads the graph
	for b.Loop() {
		for jobs := 1; jobs <= 2; jobs++ {
			began := time.Now()
			p := planOf(b, study)
			st, err := store.Create(b.Context(), filepath.Join(b.TempDir(), "r.db"))
			require.NoError(b, err)
			s, err := p.Run(b.Context(), st, p.Tasks, sweep.Running{Jobs: jobs, Progress: func(p sweep.Progress) {
				if jobs == 1 && p.Ended != nil && p.Done > 1 {
					inside, _ := p.Run.Metric("launch_wall_seconds")
					each += time.Duration((p.Run.Wall - inside) * float64(time.Second))
					points += time.Duration(p.Run.Wall * float64(time.Second))
				}
			}})
			require.NoError(b, err)
			require.Equal(b, map[store.Status]int{store.OK: 12}, s.ByStatus)
			wall[jobs] += time.Since(began)
			sum[jobs].Launches += s.Launches
			sum[jobs].Outside += s.Outside
			require.NoError(b, st.Close())
		}
	}
	b.ReportMetric(100*sum[1].Outside.Seconds()/(sum[1].Outside+sum[1].Launches).Seconds(), "outside%")
	b.ReportMetric(100*each.Seconds()/points.Seconds(), "each%")
	b.ReportMetric(wall[1].Seconds()/wall[2].Seconds(), "2jobs")
}
