package plot_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/series"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/internal/view/plot"
)

// traceOf returns the text of a trace of two launches, on a number of GPUs, that takes n microseconds.
func traceOf(n float64, gpus int) []byte {
	var b bytes.Buffer
	fmt.Fprint(&b, `{"otherData":{"device":"sim:tiny"},"traceEvents":[`)
	for g := range gpus {
		name := "GPU"
		if gpus > 1 {
			name = fmt.Sprintf("GPU %d", g)
		}
		fmt.Fprintf(&b, `{"name":"process_name","ph":"M","pid":%d,"args":{"name":"%s"}},`, g+2, name)
		fmt.Fprintf(&b, `{"name":"k","ph":"X","pid":%d,"ts":10,"dur":%g,"args":{"launch":0}},{"name":"k","ph":"X","pid":%d,"ts":%g,"dur":%g,"args":{"launch":1}},`, g+2, n/2, g+2, 10+n*0.75, n/4)
		for i := range 20 {
			for unit, counter := range []string{"occupancy", "warp instructions", "L2 bandwidth", "DRAM bandwidth", "longest atomic queue"} {
				fmt.Fprintf(&b, `{"name":"%s","ph":"C","pid":%d,"ts":%g,"args":{"%s":%d}},`, counter, g+2, 10+n*float64(i)/20, []string{"%", "G/s", "GB/s", "GB/s", "operations"}[unit], (i*i*(unit+1)+g*100)%97)
			}
		}
	}
	return append(bytes.TrimSuffix(b.Bytes(), []byte(",")), "]}"...)
}

// madeTraces returns a store with runs of which most keep a trace.
func madeTraces(t testing.TB) *store.Store {
	st, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "traces.db"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = st.Close() })
	for i, s := range []string{"thread", "warp", "none"} {
		for k, graph := range []string{"roads", "web"} {
			r := &store.Run{Point: fmt.Sprintf("%064x", 10*i+k), Status: store.OK, Algorithm: "bfs", Scheduler: s, Graph: graph, Device: "sim:tiny", Date: time.Unix(0, 0), Settings: map[string]string{"scheduler": s, "graph": graph},
				Metrics: []store.Metric{{Name: "cycles", Value: 1}}}
			if s != "none" {
				r.Attachments = map[string][]byte{series.Attachment: traceOf(float64(100*(i+1)), 1)}
			}
			_, err := st.Add(t.Context(), r)
			require.NoError(t, err)
		}
	}
	return st
}

func TestTime(t *testing.T) {
	st := madeTraces(t)
	p, err := drawn(t.Context(), st, "kind: time; series: scheduler; facet: graph; where: scheduler~r")
	require.NoError(t, err)
	assert.Equal(t, []string{"Each value is the mean over 500 ns."}, p.Notes)
	var svg bytes.Buffer
	require.NoError(t, p.Write(&svg, "svg"))
	golden.Check(t, "testdata/time.svg", svg.String())

	p, err = drawn(t.Context(), st, "kind: time; y: OCCUPANCY, longest-atomic-queue; series: scheduler; where: graph=web; where: scheduler!=thread")
	require.NoError(t, err)
	assert.Equal(t, []string{"Each value is the mean over 500 ns. Launches are shaded.", "Left out: 1 run that was not kept over time."}, p.Notes)

	for text, want := range map[string]string{
		"kind: time":                                          "study.yaml:1:1: plots: runs 1 and 2 differ in graph, and would be one line; tell them apart with series or facet, or select one with where",
		"kind: time; where: scheduler=none":                   "study.yaml:1:1: plots: none of the 2 runs that are selected was kept over time; sweep with the setting trace: 500",
		"kind: time; where: scheduler=nine":                   "study.yaml:1:1: plots: no run with status ok is selected by scheduler=nine",
		"kind: time; y: cycles; series: scheduler, graph":     `study.yaml:3:1: plots: y: a trace has no "cycles"; there are occupancy, warp instructions, L2 bandwidth, DRAM bandwidth, longest atomic queue`,
		"kind: time; y: ocupancy; series: scheduler, graph":   `study.yaml:3:1: plots: y: a trace has no "ocupancy"; did you mean occupancy?`,
		"kind: time; x: cycles":                               "study.yaml:3:1: plots: x does not go with kind: time",
		"kind: time; series: schedule":                        `study.yaml:3:1: plots: there is no column, setting or metric "schedule"; did you mean scheduler?`,
		"kind: time; y: a, b, c, d, e, f, g, h, i; facet: id": `study.yaml:3:1: plots: y: a trace has no "a"; there are occupancy, warp instructions, L2 bandwidth, DRAM bandwidth, longest atomic queue`,
	} {
		_, err := drawn(t.Context(), st, text)
		assert.EqualError(t, err, want, text)
	}
}

// TestTraces draws traces that are files: of a group each GPU is a line.
func TestTraces(t *testing.T) {
	var traces []*series.Trace
	for _, text := range [][]byte{traceOf(100, 2), traceOf(150, 1)} {
		tr, err := series.Read(bytes.NewReader(text))
		require.NoError(t, err)
		traces = append(traces, tr)
	}
	parse := func(text string) *plot.Spec {
		plots, err := plot.Parse([]spec.Section{section(text)})
		require.NoError(t, err)
		return plots[0]
	}
	p, err := plot.DrawTraces([]string{"two", "one"}, traces, parse("kind: time; y: occupancy; title: Both"))
	require.NoError(t, err)
	var svg bytes.Buffer
	require.NoError(t, p.Write(&svg, "svg"))
	for _, want := range []string{">two GPU 0<", ">two GPU 1<", ">one<", ">Both<", ">occupancy<", ">simulated time<"} {
		assert.Contains(t, svg.String(), want)
	}
	_, err = plot.DrawTraces([]string{"a"}, traces[:1], parse("kind: time; where: graph=web"))
	assert.EqualError(t, err, "study.yaml:3:1: plots: where selects runs of a store; a trace is one run")
	_, err = plot.DrawTraces([]string{"a"}, traces[:1], parse("kind: bars; x: graph; y: cycles"))
	assert.EqualError(t, err, "study.yaml:2:1: plots: kind: a trace is drawn over time, and cannot be as bars")
	traces[1].End = 0
	traces[1].Counters, traces[1].Launches = nil, nil
	_, err = plot.DrawTraces([]string{"a"}, traces[1:], parse("kind: time"))
	assert.EqualError(t, err, "study.yaml:1:1: plots: the traces take no time: nothing was launched")
}
