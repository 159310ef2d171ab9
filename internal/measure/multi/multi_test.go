package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
)

const results = "../../../results/multi"

// TestRecord checks that the record has a row for each run of the plan, that its rows agree with each other, and that the
// tables of the page are those of the record.
func TestRecord(t *testing.T) {
	var rec record
	require.NoError(t, load(filepath.Join(results, "record.json"), &rec))
	s, err := spec.Load(t.Context(), filepath.Join("..", "..", "..", "experiments", "studies", "exchanges.yaml"), sweep.Check)
	require.NoError(t, err)
	keys, err := planned(s)
	require.NoError(t, err)
	require.Len(t, rec.Rows, len(keys))
	for i, r := range rec.Rows {
		require.Equal(t, keys[i], r.key())
		agree(t, rec, r)
	}
	page, err := os.ReadFile(filepath.Join(results, "README.md"))
	require.NoError(t, err)
	again, err := fill(string(page), rec)
	require.NoError(t, err)
	require.Equal(t, again, string(page), "run: go run ./internal/measure/multi")
}

// agree checks a row, also against those of the other exchanges.
func agree(t *testing.T, rec record, r row) {
	t.Helper()
	require.Positive(t, r.Iterations, "%+v", r)
	require.LessOrEqual(t, r.Useful, r.Sent, "%+v", r)
	require.Equal(t, r.GPUs > 1, r.Sent > 0, "%+v", r)
	require.LessOrEqual(t, r.Overlapped, min(r.Compute, r.Transfers), "%+v", r)
	if r.Device == "func" {
		require.Zero(t, r.Solve, "%+v", r)
	} else {
		require.GreaterOrEqual(t, r.Solve*1.000001, r.Compute+r.Transfers-r.Overlapped, "%+v", r)
	}
	all, ok := rec.find(r, "all", r.Transfer, r.Overlap)
	if !ok {
		return
	}
	ms, _ := rec.find(r, "ms", r.Transfer, r.Overlap)
	require.Equal(t, all.Iterations, r.Iterations, "iterations do not depend on the exchange: %+v", r)
	require.Equal(t, all.Useful, r.Useful, "nor does what is useful: %+v", r)
	require.LessOrEqual(t, ms.Sent, all.Sent, "%+v", r)
	if offline, ok := rec.find(r, "vr-offline", r.Transfer, r.Overlap); ok {
		require.Equal(t, 2*ms.Sent, offline.Sent, "the same vertices, with their numbers: %+v", r)
	}
	if r.Exchange == "vr-online" {
		require.LessOrEqual(t, r.Sent, 2*ms.Sent, "%+v", r)
		require.LessOrEqual(t, r.efficiency(), 0.5, "half of a pair is a number: %+v", r)
	}
	if r.Exchange == "all" && !r.Overlap {
		// After each iteration but the last, each value goes to all GPUs but its owner.
		require.EqualValues(t, 4*r.Vertices*(r.GPUs-1)*(r.Iterations-1), r.Sent, "%+v", r)
	}
}

// TestStore runs a few points, on both kinds of device, and adds them to a record.
func TestStore(t *testing.T) {
	s, err := spec.Parse("small.yaml", []byte(`
set: {scheduler: multi, graph: "rmat:scale=6,degree=6,seed=3", gpus: 2, param.transfer: peer, param.overlap: false}
runs:
  - set: {device: func, algorithm: bfs, param.useful: true}
    vary: {param.exchange: [all, ms, vr-offline, vr-online]}
  - set: {device: func, algorithm: cc, graph: demo, param.useful: true}
    vary: {param.exchange: [all, ms, vr-online]}
  - set: {device: sim:gtx780, algorithm: bfs, param.useful: false}
    vary: {param.exchange: [all, ms, vr-online]}
    zip: {param.transfer: [host, peer, peer], param.overlap: [false, false, true]}
`), sweep.Check)
	require.NoError(t, err)
	p, err := sweep.NewPlan(t.Context(), s)
	require.NoError(t, err)
	folder := t.TempDir()
	name := filepath.Join(folder, "small.db")
	st, err := store.Create(t.Context(), name)
	require.NoError(t, err)
	_, err = p.Run(t.Context(), st, p.Tasks, sweep.Running{Jobs: 2})
	require.NoError(t, err)
	require.NoError(t, st.Close())

	old := row{Table: "bytes", Device: "func", Graph: "rmat:scale=6,degree=6,seed=3", Algorithm: "bfs", GPUs: 2, Exchange: "all", Transfer: "peer"}
	file := filepath.Join(folder, "record.json")
	require.NoError(t, save(file, record{Rows: []row{old}}))
	page, err := os.ReadFile(filepath.Join(results, "README.md"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "README.md"), page, 0o644))
	require.NoError(t, run(t.Context(), folder, []string{name}))
	var rec record
	require.NoError(t, load(file, &rec))
	require.Len(t, rec.Rows, 16)
	for _, r := range rec.Rows {
		agree(t, rec, r)
	}
	require.Positive(t, rec.Rows[0].Useful)
	cc, ok := rec.find(row{Table: "bytes", Device: "func", Graph: "demo", Algorithm: "cc", GPUs: 2}, "all", "peer", false)
	require.True(t, ok)
	require.Equal(t, 201524, cc.Arcs, "of the symmetric closure")
	filled, err := os.ReadFile(filepath.Join(folder, "README.md"))
	require.NoError(t, err)
	require.Contains(t, string(filled), "| rmat:scale=6,degree=6,seed=3 | bfs | 2 |")
	require.Contains(t, string(filled), "| peer, overlapped |")
	_, err = fill("no table", rec)
	require.ErrorContains(t, err, "the page has no place for table")
}

func TestRefuses(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "record.json"), []byte("{}"), 0o644))
	require.ErrorContains(t, run(t.Context(), folder, nil), "README.md")
	require.ErrorContains(t, run(t.Context(), folder, []string{filepath.Join(folder, "none.db")}), "none.db")
	_, err := keyOf(map[string]string{"device": "sim:tiny"})
	require.EqualError(t, err, "device sim:tiny belongs to no table")
	_, err = rowOf(&store.Run{Status: store.Wrong, Error: "wrong answer", Algorithm: "bfs", Graph: "g", Settings: map[string]string{"device": "func", "algorithm": "bfs", "param.exchange": "ms"}})
	require.EqualError(t, err, "bfs on g, 1 GPUs, ms: wrong answer")
}

// planned returns the keys of the rows that a specification asks for, in order.
func planned(s *spec.Spec) (keys []row, err error) {
	for _, p := range s.Points {
		var r row
		if r, err = keyOf(p.Map()); err != nil {
			return nil, err
		}
		keys = append(keys, r)
	}
	return keys, nil
}
