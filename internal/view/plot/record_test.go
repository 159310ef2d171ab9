package plot_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/testing/golden"
)

// TestRecord draws runs of a store over recorded times: a run has the time of the recorded one with the same parameters on a
// graph of the same size.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	record := filepath.Join(dir, "record.json")
	require.NoError(t, os.WriteFile(record, []byte(`{"sessions": [{"gpu": "Some GPU"}], "rows": [
		{"graph": "a", "algorithm": "bfs", "scheduler": "warp", "params": "", "vertices": 10, "arcs": 20, "checked": "reference", "kernel_seconds": [1e-5, 2e-5, 3e-5]},
		{"graph": "a", "algorithm": "bfs", "scheduler": "warp", "params": "block=256", "vertices": 10, "arcs": 20, "checked": "values", "kernel_seconds": [4e-5]},
		{"graph": "a", "algorithm": "bfs", "scheduler": "thread", "params": "", "vertices": 10, "arcs": 20, "checked": "", "error": "out of memory"},
		{"graph": "b", "algorithm": "bfs", "scheduler": "thread", "params": "", "vertices": 11, "arcs": 20, "checked": "values", "kernel_seconds": [9e-5], "solve_seconds": [1e-4]}]}`), 0o644))
	st, err := store.Create(t.Context(), filepath.Join(dir, "r.db"))
	require.NoError(t, err)
	defer st.Close()
	for i, r := range []struct {
		scheduler, block, source string
		vertices                 int
		seconds                  float64
	}{{"warp", "", "", 10, 2.2e-5}, {"warp", "256", "", 10, 4e-5}, {"warp", "64", "", 10, 5e-5}, {"thread", "", "max-degree", 10, 1e-5}, {"thread", "", "max-degree", 11, 4.5e-5}, {"thread", "", "5", 11, 6e-5}} {
		settings, defaults, block := map[string]string{}, map[string]string{"param.block": "128"}, "128"
		if r.block != "" {
			settings["param.block"], defaults, block = r.block, nil, r.block
		}
		if r.source != "" {
			settings["source"] = r.source
		}
		_, err := st.Add(t.Context(), &store.Run{Point: fmt.Sprintf("%064x", i), Status: store.OK, Algorithm: "bfs", Scheduler: r.scheduler, Graph: "dir/graph.mtx", Vertices: r.vertices, Arcs: 20, Device: "sim:h200",
			Date: time.Unix(0, 0), Settings: settings, Defaults: defaults, Metrics: []store.Metric{{Name: "kernel_seconds", Unit: "s", Value: r.seconds}, {Name: "cycles", Unit: "cycle", Value: 1}},
			Attachments: map[string][]byte{"result": []byte(`{"scheduler_parameters": {"block": "` + block + `"}}`)}})
		require.NoError(t, err)
	}
	p, err := drawn(t.Context(), st, "kind: correlation; y: kernel_seconds; series: scheduler; record: "+record)
	require.NoError(t, err)
	assert.Equal(t, []string{"3 points, mean error 20.0%, correlation of logarithms 0.915; farthest off: 128 thread max-degree (y/x 0.5).", "Left out: 3 runs that are not in the record."}, p.Notes, "errors of 10%, 0 and 50%")
	var svg bytes.Buffer
	require.NoError(t, p.Write(&svg, "svg"))
	golden.Check(t, "testdata/record.svg", svg.String())
	assert.Contains(t, svg.String(), ">kernel_seconds, recorded on Some GPU<")
	assert.Contains(t, svg.String(), ">kernel_seconds, on sim:h200<")

	empty := filepath.Join(dir, "empty.json")
	require.NoError(t, os.WriteFile(empty, []byte("{}"), 0o644))
	for text, want := range map[string]string{
		"kind: correlation; y: cycles; record: " + record:                                "study.yaml:3:1: plots: y: a record has kernel_seconds, algorithm_seconds, solve_seconds, not cycles",
		"kind: correlation; y: algorithm_seconds; record: " + record:                     `study.yaml:3:1: plots: there is no column, setting or metric "algorithm_seconds"`,
		"kind: correlation; y: kernel_seconds; record: h20":                              `study.yaml:4:1: plots: record: there is no record and no file "h20"; there are records of h100, h200`,
		"kind: correlation; y: kernel_seconds; record: " + empty:                         "study.yaml:4:1: plots: record: " + empty + `: not a file of "weft results --record" or the runs.json of a record: it has no rows`,
		"kind: correlation; y: kernel_seconds; record: h200; a: device=hw":               "study.yaml:1:1: plots: record and a are both for the horizontal axis; use one of them",
		"kind: correlation; y: kernel_seconds; record: h200; where: status=hang":         "study.yaml:1:1: plots: no run with status ok is selected by status=hang",
		"kind: correlation; y: kernel_seconds; record: h200":                             "study.yaml:4:1: plots: record: h200 has none of the 6 runs that are selected: no kernel_seconds of the same algorithm, scheduler, parameters and size of the graph",
		"kind: lines; x: vertices; y: kernel_seconds; record: h200":                      "study.yaml:5:1: plots: record does not go with kind: lines",
		"kind: correlation; y: kernel_seconds, solve_seconds; record: h200; where: id=1": "study.yaml:3:1: plots: y: a correlation shows one metric",
	} {
		_, err := drawn(t.Context(), st, text)
		assert.EqualError(t, err, want, text)
	}
}
