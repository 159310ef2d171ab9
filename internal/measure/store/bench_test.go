package store_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// BenchmarkRuns reads 2,000 runs with 100 metrics each.
func BenchmarkRuns(b *testing.B) {
	s, err := store.Create(b.Context(), filepath.Join(b.TempDir(), "r.db"))
	require.NoError(b, err)
	defer s.Close()
	const runs, metrics = 2000, 100
	var list []*store.Run
	for i := range runs {
		r := sample(i)
		r.Attachments, r.Metrics = nil, nil
		for m := range metrics {
			r.Metrics = append(r.Metrics, store.Metric{Name: fmt.Sprintf("counter%d", m), Unit: "inst", Value: float64(i * m)})
		}
		list = append(list, r)
	}
	_, err = s.Add(b.Context(), list...)
	require.NoError(b, err)
	for name, where := range map[string][]string{"all": nil, "half": {"scheduler=warp"}, "one": {"l2.latency=50000"}} {
		b.Run(name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n = 0
				require.NoError(b, s.Runs(b.Context(), where, func(_ int64, r *store.Run) error {
					n++
					require.Len(b, r.Metrics, metrics)
					return nil
				}))
			}
			b.ReportMetric(float64(n), "runs")
		})
	}
}
