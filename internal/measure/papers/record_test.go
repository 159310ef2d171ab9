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

	// Rows that were kept stand for points without a run, and for no others.
	kept := func(scheduler string) Row {
		return Row{Fields: map[string]string{"algorithm": "bfs", "scheduler": scheduler, "status": "ok", "version": "kept"}}
	}
	all, missing := WithKept(rows, []Row{kept("b"), kept("c"), kept("gone")}, s)
	require.Empty(t, missing)
	var versions []string
	for _, r := range all {
		versions = append(versions, r.Fields["scheduler"]+" "+r.Fields["version"])
	}
	require.Equal(t, []string{"a new", "b new", "c kept"}, versions)
	all, missing = WithKept(nil, []Row{kept("a")}, s)
	require.Len(t, all, 1)
	require.Equal(t, []string{"algorithm=bfs;scheduler=b;", "algorithm=bfs;scheduler=c;"}, missing)
}

// TestSampled checks that a run that was simulated in part counts for the point of the specification, which does not say so, and that
// a page can say how many there are and how far off their times may be.
func TestSampled(t *testing.T) {
	s, err := spec.Parse("s.yaml", []byte("set: {algorithm: bfs}\nvary: {scheduler: [a, b]}\n"), nil)
	require.NoError(t, err)
	st, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "s.db"))
	require.NoError(t, err)
	defer st.Close()
	for scheduler, set := range map[string]map[string]string{
		"a": {"algorithm": "bfs", "scheduler": "a", "sample": "5%"},
		"b": {"algorithm": "bfs", "scheduler": "b"},
	} {
		require.NoError(t, st.Replace(t.Context(), &store.Run{Point: scheduler, Status: store.OK, Algorithm: "bfs", Scheduler: scheduler, Version: "v", Date: time.Now(),
			Settings: set, Spellings: []map[string]string{set}, Metrics: []store.Metric{{Name: "seconds", Value: 1}, {Name: "sample_error", Value: 0.04}}}))
	}
	rows, missing, err := Rows(t.Context(), st, s, []string{"seconds"})
	require.NoError(t, err)
	require.Empty(t, missing)
	require.Equal(t, map[string]float64{"seconds": 1, "sample_error": 0.04}, rows[0].Metrics)
	require.Equal(t, map[string]float64{"seconds": 1}, rows[1].Metrics)

	all, missing := WithKept(nil, rows, s) // as numbers that were kept
	require.Empty(t, missing)
	require.Equal(t, rows, all)
	e, err := JudgeOn("m", s, nil, all)
	require.NoError(t, err)
	require.Equal(t, 1, e.Sampled)
	require.InDelta(t, 0.04, e.Within, 0)
}

// TestLow checks the part of the time in which little is done: iterations with the waits between them, and intervals.
func TestLow(t *testing.T) {
	const metric = "steps.low.throughput"
	for text, want := range map[string]float64{
		// 10, 100 and 49 vertices per second, in 1, 2 and 3 seconds
		`{"kernel_seconds": 6, "solve_seconds": 6, "per_iteration": [{"iteration": 1, "frontier": 10, "seconds": 1},
			{"iteration": 2, "frontier": 200, "seconds": 2}, {"iteration": 3, "frontier": 147, "seconds": 3}]}`: 4.0 / 6,
		// With a second of waiting for each, 5, 66.7 and 36.8, which is more than half, in 2, 3 and 4 seconds
		`{"kernel_seconds": 6, "solve_seconds": 9, "per_iteration": [{"iteration": 1, "visited": 10, "seconds": 1},
			{"iteration": 2, "visited": 200, "seconds": 2}, {"iteration": 3, "visited": 147, "seconds": 3}]}`: 2.0 / 9,
		`{"series": [{"name": "throughput", "interval_seconds": 5, "values": [0, 10, 5, 4, 0]}]}`: 3.0 / 5,
		`{"series": [{"name": "throughput", "interval_seconds": 5, "values": [7]}]}`:              0,
	} {
		got := map[string]float64{}
		require.NoError(t, low(got, []byte(text), []string{metric, "cycles"}))
		require.Len(t, got, 1)
		require.InDelta(t, want, got[metric], 1e-12, text)
	}
	got := map[string]float64{}
	require.NoError(t, low(got, []byte(`{"per_iteration": [{"iteration": 1, "seconds": 1}]}`), []string{metric}))
	require.Empty(t, got, "a run without throughput has no such metric")
	require.Error(t, low(got, []byte(`{`), []string{metric}))
}
