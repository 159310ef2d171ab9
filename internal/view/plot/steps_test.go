package plot_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/view/plot"
)

// JSON of three runs: one with launches of iterations, one whose iterations have two launches, one that recorded intervals.
var histories = map[string]string{
	"thread": `{"kernel_seconds": 4, "solve_seconds": 6, "quantities": [{"name": "frontier", "unit": "vertex"}], "per_iteration": [
		{"iteration": 1, "kernel": "k", "frontier": 10, "seconds": 1}, {"iteration": 2, "kernel": "k", "frontier": 40, "seconds": 3}]}`,
	"bsp": `{"kernel_seconds": 4, "solve_seconds": 4, "per_iteration": [
		{"iteration": 1, "setup": true, "conflict": 5, "seconds": 9}, {"iteration": 1, "visited": 20, "seconds": 1}, {"iteration": 1, "next": 3, "seconds": 3, "overwork": 2}]}`,
	"atos": `{"series": [{"name": "throughput", "unit": "vertex/s", "interval_seconds": 2, "values": [5, 7]},
		{"name": "normalised-throughput", "unit": "vertex/s", "interval_seconds": 2, "values": [2.5, 3.5]}]}`,
	"simdx": `{"per_iteration": [{"iteration": 3, "frontier": 9, "seconds": 1}], "series": [{"name": "ballots", "unit": "iteration", "interval_seconds": 0, "values": [0, 1, 0]}]}`,
}

// TestSteps: a picture of what happened within runs has these points.
func TestSteps(t *testing.T) {
	st, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "steps.db"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = st.Close() })
	for _, scheduler := range []string{"thread", "bsp", "atos", "simdx"} {
		points++
		_, err := st.Add(t.Context(), &store.Run{Point: scheduler, Status: store.OK, Algorithm: "bfs", Scheduler: scheduler, Device: "sim:tiny", Date: time.Unix(0, 0).UTC(),
			Attachments: map[string][]byte{"result": []byte(histories[scheduler])}})
		require.NoError(t, err)
	}
	for _, c := range []struct {
		text string
		want map[string][]plot.XY
		unit string
	}{
		{"kind: lines; x: step; y: step.frontier; series: scheduler", map[string][]plot.XY{"thread": {{X: 1, Y: 10}, {X: 2, Y: 40}}}, "vertex"},
		{"kind: lines; x: step; y: step.conflict; series: scheduler", map[string][]plot.XY{"bsp": {{X: 1, Y: 5}}}, ""},
		{"kind: lines; x: step; y: step.seconds; series: scheduler; where: scheduler=bsp", map[string][]plot.XY{"bsp": {{X: 1, Y: 4}}}, "s"},
		{"kind: lines; x: step; y: step.ballots; series: scheduler", map[string][]plot.XY{"simdx": {{X: 1, Y: 0}, {X: 2, Y: 1}, {X: 3, Y: 0}}}, "iteration"},
		// A second of waiting for each of the two iterations of thread.
		{"kind: lines; x: step.time; y: step.normalised-throughput; series: scheduler", map[string][]plot.XY{
			"thread": {{X: 2, Y: 5}, {X: 6, Y: 10}}, "bsp": {{X: 4, Y: 2.5}}, "atos": {{X: 2, Y: 2.5}, {X: 4, Y: 3.5}}}, "vertex/s"},
	} {
		got, unit, err := plot.Points(t.Context(), st, section(c.text))
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, got, c.text)
		require.Equal(t, c.unit, unit, c.text)
	}
	points++
	_, err = st.Add(t.Context(), &store.Run{Point: "kernel", Status: store.OK, Kernel: "./dir.K", Device: "sim:tiny", Date: time.Unix(0, 0).UTC(), Attachments: map[string][]byte{"result": []byte("{}")}})
	require.NoError(t, err)
	for text, want := range map[string]string{
		"kind: lines; x: step; y: step.nothing":                          "study.yaml:4:1: plots: no iteration of the selected runs has a number called step.nothing; there are step, step.ballots, step.conflict, step.frontier, step.next, step.normalised-throughput, step.seconds, step.throughput, step.time, step.visited",
		"kind: lines; x: step; y: step.frontir; where: scheduler=thread": "study.yaml:4:1: plots: no iteration of the selected runs has a number called step.frontir; did you mean step.frontier?",
		"kind: lines; x: step; y: cycles; where: kernel=./dir.K":         "study.yaml:4:1: plots: there is no column, setting or metric \"cycles\"",
		"kind: lines; x: step; y: step.seconds; where: kernel=./dir.K":   "study.yaml:3:1: plots: no selected run has iterations; those of algorithms have, those of kernels have not",
	} {
		_, err = drawn(t.Context(), st, text)
		assert.EqualError(t, err, want, text)
	}
}
