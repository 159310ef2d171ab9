package papers

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
)

// TestInside checks the metric of what happens in the middle of a run alone.
func TestInside(t *testing.T) {
	const metric = "series.inside.ballots"
	for values, want := range map[string]float64{"[0, 1, 1, 0]": 2, "[0, 0, 0]": 0, "[1, 1, 0]": 0, "[0, 1, 1]": 0, "[0]": 0, "[1]": 0} {
		got := map[string]float64{}
		require.NoError(t, inside(got, []byte(`{"series": [{"name": "frontier", "values": [0, 5, 0]}, {"name": "ballots", "values": `+values+`}]}`), []string{metric}))
		require.Equal(t, map[string]float64{metric: want}, got, values)
	}
	got := map[string]float64{}
	require.NoError(t, inside(got, []byte(`{"series": [{"name": "ballots", "values": []}]}`), []string{metric}))
	require.Empty(t, got, "a run without the series has no such metric")
	require.NoError(t, inside(got, []byte(`{}`), []string{metric}))
	require.Empty(t, got)
	require.Error(t, inside(got, []byte(`{`), []string{metric}))
}

// TestRepeatedRows checks that a point that was measured several times by its last program counts with the medians, and that
// points without a run are named.
func TestRepeatedRows(t *testing.T) {
	s, err := spec.Parse("s.yaml", []byte("set: {algorithm: bfs}\nvary: {scheduler: [a, b, c]}\n"), nil)
	require.NoError(t, err)
	st, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "s.db"))
	require.NoError(t, err)
	defer st.Close()
	for i, r := range []struct {
		scheduler, version string
		status             store.Status
		seconds            float64
	}{
		{"a", "old", store.OK, 100}, {"a", "old", store.OK, 200}, {"a", "new", store.OK, 9}, {"a", "new", store.OK, 2}, {"a", "new", store.OK, 4},
		{"b", "new", store.OK, 1}, {"b", "new", store.Hang, 0},
	} {
		require.NoError(t, st.Replace(t.Context(), &store.Run{Point: fmt.Sprint(r.scheduler, r.version), Repeat: i, Status: r.status, Algorithm: "bfs", Scheduler: r.scheduler, Version: r.version, Date: time.Now(),
			Settings: map[string]string{"algorithm": "bfs", "scheduler": r.scheduler}, Spellings: []map[string]string{{"algorithm": "bfs", "scheduler": r.scheduler}},
			Metrics: []store.Metric{{Name: "seconds", Value: r.seconds}}}))
	}
	rows, missing, err := Rows(t.Context(), st, s, []string{"seconds"})
	require.NoError(t, err)
	require.Equal(t, []string{"algorithm=bfs;scheduler=c;"}, missing)
	require.Len(t, rows, 2)
	require.Equal(t, map[string]float64{"seconds": 4}, rows[0].Metrics)
	require.Equal(t, "new", rows[0].Fields["version"])
	require.Equal(t, "hang", rows[1].Fields["status"])
}
