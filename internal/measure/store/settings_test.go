package store_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// rowsOf returns columns of the selected runs.
func rowsOf(t *testing.T, s *store.Store, where []string, columns ...string) [][]any {
	t.Helper()
	got, err := s.Query(t.Context(), store.Query{Where: where, Columns: columns, Order: []string{"id"}})
	require.NoError(t, err)
	return got.Rows
}

// TestDefaults queries settings that a specification left out, and parameters of machines.
func TestDefaults(t *testing.T) {
	s := create(t, filepath.Join(t.TempDir(), "r.db"))
	require.NoError(t, s.AddMachine(t.Context(), "m1", []byte(`{"l2.latency": 66, "dram.share": 0.5, "l1.enabled": true, "name": "tiny"}`)))
	one, two := sample(1), sample(2)
	one.Settings, one.Defaults = map[string]string{"scheduler": "thread"}, map[string]string{"param.block": "128", "verify": "true"}
	two.Settings, two.Defaults = map[string]string{"scheduler": "warp", "param.block": "64", "l2.latency": "90"}, map[string]string{"verify": "true"}
	_, err := s.Add(t.Context(), one, two)
	require.NoError(t, err)
	require.Equal(t, [][]any{{"thread", "128", "66", "true", "0.5", "true", "tiny"}, {"warp", "64", "90", "true", "0.5", "true", "tiny"}},
		rowsOf(t, s, nil, "scheduler", "param.block", "l2.latency", "verify", "dram.share", "l1.enabled", "name"))
	require.Len(t, rowsOf(t, s, []string{"param.block=128", "l2.latency<70", "dram.share=0.5"}, "id"), 1)
	written, _, err := s.Names(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"l2.latency", "param.block", "scheduler"}, written)
	unwritten, parameters, err := s.Unwritten(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"verify"}, unwritten)
	require.Equal(t, []string{"dram.share", "l1.enabled", "name"}, parameters)
	var got []*store.Run
	require.NoError(t, s.Runs(t.Context(), nil, func(_ int64, r *store.Run) error { got = append(got, r); return nil }))
	require.Equal(t, map[string]string{"scheduler": "thread", "param.block": "128", "l2.latency": "66"}, got[0].Settings, "with what the other run writes")
	require.Equal(t, map[string]string{"verify": "true"}, got[0].Defaults)
	require.Equal(t, []map[string]string{{"scheduler": "thread"}}, got[0].Spellings)
}

// TestSpell says a second time how a run is written.
func TestSpell(t *testing.T) {
	a, b := create(t, filepath.Join(t.TempDir(), "a.db")), create(t, filepath.Join(t.TempDir(), "b.db"))
	r := sample(1)
	r.Settings, r.Defaults = map[string]string{"scheduler": "thread"}, map[string]string{"param.block": "128"}
	_, err := a.Add(t.Context(), r)
	require.NoError(t, err)
	again := map[string]string{"scheduler": "thread", "param.block": "0128"}
	for range 2 {
		require.NoError(t, a.Spell(t.Context(), map[store.Key][]map[string]string{{Point: r.Point}: {again, r.Settings}, {Point: "none"}: {{"verify": "false"}}}))
	}
	spelled := func(s *store.Store) {
		got, err := s.Spellings(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[int64][]map[string]string{1: {again, r.Settings}}, got)
		names, _, err := s.Names(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"param.block", "scheduler"}, names)
	}
	spelled(a)
	_, err = b.Add(t.Context(), r)
	require.NoError(t, err)
	n, err := b.Merge(t.Context(), a)
	require.NoError(t, err)
	require.Zero(t, n)
	spelled(b) // although the run was there
	require.NoError(t, b.Replace(t.Context(), r))
	spelled(b) // although another run is there
}

// TestMergeFailed merges runs that failed with better ones, and the other way round.
func TestMergeFailed(t *testing.T) {
	for _, c := range []struct {
		name     string
		had, got store.Status
		later    time.Duration // of what is merged
		want     store.Status
	}{
		{"newer makes failed give way", store.Failed, store.OK, time.Second, store.OK},
		{"newer makes undecided give way", store.Undecided, store.Hang, time.Second, store.Hang},
		{"failed twice", store.Failed, store.Undecided, time.Second, store.Undecided},
		{"older changes nothing", store.Failed, store.OK, -time.Second, store.Failed},
		{"a result stays", store.OK, store.Failed, time.Second, store.OK},
		{"a wrong answer is a result", store.Wrong, store.OK, time.Second, store.Wrong},
		{"a hang is a result", store.Hang, store.OK, time.Second, store.Hang},
	} {
		a, b := create(t, filepath.Join(t.TempDir(), "a.db")), create(t, filepath.Join(t.TempDir(), "b.db"))
		had, got := sample(1), sample(1)
		had.Status, got.Status = c.had, c.got
		got.Date = had.Date.Add(c.later)
		got.Metrics = []store.Metric{{Name: "fresh", Value: 1}}
		_, err := a.Add(t.Context(), had, sample(2))
		require.NoError(t, err)
		_, err = b.Add(t.Context(), got, sample(3))
		require.NoError(t, err)
		n, err := a.Merge(t.Context(), b)
		require.NoError(t, err)
		replaced := c.want == c.got && c.had != c.got
		require.Equal(t, map[bool]int{true: 2, false: 1}[replaced], n, c.name)
		rows, err := a.SQL(t.Context(), "SELECT status, (SELECT count(*) FROM measured m WHERE m.id = r.id AND metric = 'fresh') FROM runs r WHERE point = ?", had.Point)
		require.NoError(t, err)
		require.Equal(t, [][]any{{string(c.want), map[bool]int64{true: 1}[replaced]}}, rows.Rows, c.name)
		keys, err := a.Keys(t.Context())
		require.NoError(t, err)
		require.Len(t, keys, 3, c.name)
	}
}

// TestMigration opens a file of schema version 1.
func TestMigration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "old.db")
	result, err := store.Pack([]byte(`{"algorithm_parameters": {"delta": "0", "both": "1"}, "scheduler_parameters": {"block": "128", "fusion": "push-pull", "both": "2"}}`))
	require.NoError(t, err)
	row := func(id int, algorithm, device string) string {
		return fmt.Sprintf("INSERT INTO runs VALUES (%d, 'p%d', 0, '', 'ok', '', '%s', 'simdx', '', '', 'demo', '--graph demo', 0, 0, '%s', 'm', '', '1', 'v', '2026-01-02T03:04:05Z', '', '', 1)", id, id, algorithm, device)
	}
	require.NoError(t, store.CreateOld(t.Context(), file, 1, row(1, "sssp", "sim:tinyx2"), row(2, "sssp", "sim:tiny"), row(3, "", "hw:0,1"),
		"UPDATE runs SET graph_hash = 'abc' WHERE id = 2",
		`INSERT INTO machines VALUES ('m', '{"l2.latency": 100, "l2.share": 0.25, "l1.on": false}')`,
		`INSERT INTO settings VALUES (1, 'l2.latency', '1e2'), (1, 'scheduler', 'simdx'), (2, 'scheduler', 'simdx'), (2, 'param.block', '64'), (3, 'grid', '4')`,
		fmt.Sprintf("INSERT INTO attachments VALUES (1, 'result', x'%x'), (2, 'result', 'damaged')", result)))
	for range 2 { // the second time there is nothing to change
		s, err := store.Open(t.Context(), file)
		require.NoError(t, err)
		require.Equal(t, [][]any{
			{"100", "0.25", "false", "128", "push-pull", "0", "2", "max-degree", "true", nil},
			{"100", "0.25", "false", "64", nil, nil, "1", "max-degree", "true", nil},
			{"100", "0.25", "false", nil, nil, nil, "2", nil, nil, "false"},
		}, rowsOf(t, s, nil, "l2.latency", "l2.share", "l1.on", "param.block", "param.fusion", "param.delta", "gpus", "source", "verify", "cooperative"))
		require.Len(t, rowsOf(t, s, []string{"param.fusion=push-pull"}, "id"), 1)
		require.Equal(t, [][]any{{""}, {"abc"}, {""}}, rowsOf(t, s, nil, "graph_hash"), "what named the graph is no hash")
		names, _, err := s.Names(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"grid", "l2.latency", "param.block", "scheduler"}, names)
		spelled, err := s.Spellings(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[int64][]map[string]string{1: {{"l2.latency": "1e2", "scheduler": "simdx"}}, 2: {{"param.block": "64", "scheduler": "simdx"}}, 3: {{"grid": "4"}}}, spelled)
		require.NoError(t, s.Close())
	}
}
