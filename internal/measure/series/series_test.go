package series_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/series"
	"github.com/weft-gpu/weft/sim/profile"
)

// TestRead reads what a simulator's trace writes.
func TestRead(t *testing.T) {
	tr := profile.NewTrace(0, 0)
	tr.Copies = []profile.CopySpan{{Buffer: "x", Bytes: 4096, End: 2e-6}}
	tr.Launches = []profile.LaunchSpan{{N: 1, Kernel: "b", Start: 15e-6, End: 30e-6}, {Kernel: "a", Start: 10e-6, End: 14e-6}}
	tr.Samples = []profile.Sample{{At: 10e-6}, {At: 20e-6, WarpSeconds: 40e-6, DRAMBytes: 5000, AtomicQueue: 3}}
	var b bytes.Buffer
	require.NoError(t, tr.WriteJSON(&b, 16, map[string]string{"device": "sim:tiny"}))
	got, err := series.Read(&b)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"device": "sim:tiny"}, got.About)
	assert.Equal(t, []string{"occupancy", "SMs with blocks", "warp instructions", "thread instructions", "L2 bandwidth", "L2 atomics", "DRAM bandwidth",
		"load-store queues", "longest atomic queue", "longest L2 queue", "DRAM backlog"}, got.Names())
	assert.InDelta(t, 30e-6, got.End, 1e-12)
	assert.InDelta(t, 10e-6, got.Begin(), 1e-12)
	require.Len(t, got.Launches, 2)
	assert.Equal(t, "a", got.Launches[0].Kernel)
	assert.InDelta(t, 14e-6, got.Launches[0].End, 1e-12)
	occ := got.Counters[0]
	assert.Equal(t, "%", occ.Unit)
	assert.Equal(t, "GPU", occ.GPU)
	assert.Equal(t, []float64{25, 0}, occ.Values)
	assert.False(t, got.Missing)
	assert.InDeltaSlice(t, []float64{25, 25, 0, 0}, occ.Means(10e-6, 30e-6, 4), 1e-9)
	assert.InDeltaSlice(t, []float64{12.5}, occ.Means(10e-6, 30e-6, 1), 1e-9)
	assert.Equal(t, []float64{0, 0}, occ.Means(1, 1, 2))
}

// TestMeans checks that means over any number of intervals have the same sum.
func TestMeans(t *testing.T) {
	c := series.Counter{At: []float64{0, 1, 1.5, 4}, Values: []float64{2, 8, 1, 5}}
	const whole = 2*1 + 8*0.5 + 1*2.5 + 5*3 // until 7
	for _, n := range []int{1, 2, 3, 7, 100} {
		sum := 0.0
		for _, v := range c.Means(0, 7, n) {
			sum += v * 7 / float64(n)
		}
		assert.InDelta(t, whole, sum, 1e-9, n)
	}
}

func TestMissing(t *testing.T) {
	tr := profile.NewTrace(0, 0)
	tr.SpanStep = 4
	tr.Launches = []profile.LaunchSpan{{Kernel: "a", End: 1e-6}}
	tr.Samples = []profile.Sample{{At: 1e-6}}
	var b bytes.Buffer
	require.NoError(t, tr.WriteJSON(&b, 16, nil))
	got, err := series.Read(&b)
	require.NoError(t, err)
	assert.True(t, got.Missing)
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":   "not a trace: EOF",
		"{}": `not a trace of "weft run --trace": it has no counters`,
		`{"traceEvents":[{"ph":"C","name":"x","args":{"a":"b"}}]}`:     "not a trace: x: json: cannot unmarshal string into Go value of type float64",
		`{"traceEvents":[{"ph":"M","name":"process_name","args":{}}]}`: "not a trace: process_name: unexpected end of JSON input",
		`{"traceEvents":[{"ph":"C","name":"x","args":{"a":1,"b":2}}]}`: `not a trace of "weft run --trace": it has no counters`,
		`{"traceEvents":[{"ph":"X","name":"x","ts":"now"}]}`:           "not a trace: json: cannot unmarshal string into Go struct field event.traceEvents.ts of type float64",
	} {
		_, err := series.Read(strings.NewReader(text))
		require.EqualError(t, err, want, text)
	}
}
