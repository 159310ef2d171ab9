package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

const results = "../../../results/multi"

// TestRecord checks that the record has a row for each run of the plan, that its rows agree with each other, and that the
// tables of the page are those of the record.
func TestRecord(t *testing.T) {
	var rec record
	require.NoError(t, load(filepath.Join(results, "record.json"), &rec))
	n := 0
	for _, c := range plan {
		for _, algorithm := range c.algorithms {
			for _, gpus := range c.gpus {
				for _, exchange := range c.exchanges {
					for _, w := range c.ways {
						n++
						r, ok := rec.find(row{Table: c.table, Device: c.device, Graph: c.graph, Algorithm: algorithm, GPUs: gpus}, exchange, w.transfer, w.overlap)
						require.True(t, ok, "%v: no row for %s, %d GPUs, %s, %v", c.graph, algorithm, gpus, exchange, w)
						agree(t, rec, r)
					}
				}
			}
		}
	}
	require.Len(t, rec.Rows, n, "rows that the plan does not have")
	page, err := os.ReadFile(filepath.Join(results, "README.md"))
	require.NoError(t, err)
	again, err := fill(string(page), rec)
	require.NoError(t, err)
	require.Equal(t, again, string(page), "run: go run ./internal/measure/multi --tables")
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

// TestMeasure runs a small plan, on both kinds of device.
func TestMeasure(t *testing.T) {
	small := []cases{
		{"bytes", "func", "rmat:scale=6,degree=6,seed=3", []string{"bfs"}, []int{2}, exchanges, peer},
		{"times", "tiny", "rmat:scale=6,degree=6,seed=3", []string{"bfs"}, []int{2}, compared, allWays},
	}
	var rec record
	require.NoError(t, measure(t.Context(), small, "", func(r row) error {
		rec.Rows = append(rec.Rows, r)
		return nil
	}))
	require.Len(t, rec.Rows, 13)
	for _, r := range rec.Rows {
		agree(t, rec, r)
	}
	file := filepath.Join(t.TempDir(), "record.json")
	require.NoError(t, save(file, rec))
	var again record
	require.NoError(t, load(file, &again))
	require.Equal(t, rec, again)
	require.Positive(t, rec.Rows[0].Useful)
	require.Contains(t, rec.bytes(), "| rmat:scale=6,degree=6,seed=3 | bfs | 2 |")
	require.Contains(t, rec.times(), "| peer, overlapped |")
	_, err := fill("no table", rec)
	require.ErrorContains(t, err, "the page has no place for table")
}

func TestRefuses(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "record.json"), []byte("{}"), 0o644))
	require.EqualError(t, run(t.Context(), "", folder, "speed", false), `there is no table "speed"; there are: bytes, times, scaling`)
	require.ErrorContains(t, run(t.Context(), folder, folder, "bytes", true), "README.md")
	wrong := []cases{{"bytes", "func", "absent.txt", []string{"bfs"}, []int{2}, exchanges, peer}}
	require.ErrorContains(t, measure(t.Context(), wrong, folder, nil), "absent.txt")
	require.True(t, slices.Contains(tables, plan[0].table))
}
