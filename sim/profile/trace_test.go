package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBounds fills a trace with more than it can hold.
func TestBounds(t *testing.T) {
	tr := NewTrace(8, 16)
	next := uint64(0)
	for l := range 100 {
		tr.Begin(float64(l), 0, 1e-3)
		next = 0
		for next < 10_000 {
			next = tr.Sampled(next, Sample{Instructions: next})
		}
		for b := range 40 {
			tr.BlockEnded("k", b, b%2, 0, 10, 20)
		}
		tr.Copy("x", false, 4, float64(l), float64(l))
		tr.LaunchEnded("k", 0, 40, 32, 0, 1000)
	}
	assert.Less(t, len(tr.Samples), 8)
	assert.Less(t, len(tr.Blocks), 16)
	assert.Less(t, len(tr.Launches), 16)
	assert.Less(t, len(tr.Copies), 16)
	assert.Greater(t, tr.Interval, uint64(64))
	assert.Equal(t, 8, tr.SpanStep)
	for i, l := range tr.Launches {
		assert.Equal(t, 8*i, l.N)
		assert.Equal(t, float64(8*i), l.Start)
		assert.InDelta(t, float64(8*i)+1, l.End, 1e-9)
	}
	for i := 1; i < len(tr.Samples); i++ {
		assert.Greater(t, tr.Samples[i].At, tr.Samples[i-1].At)
	}
}

// chrome is a trace file in the viewers' format.
type chrome struct {
	DisplayTimeUnit string            `json:"displayTimeUnit"`
	OtherData       map[string]string `json:"otherData"`
	TraceEvents     []traceEvent      `json:"traceEvents"`
}

func TestWriteJSON(t *testing.T) {
	tr := NewTrace(0, 0)
	tr.Copy("x", true, 4096, 0, 2e-6)
	tr.Begin(10e-6, 500, 1e-9)
	tr.Sampled(500, Sample{Warps: 4, Busy: 1})
	tr.BlockEnded("k", 1, 3, 2, 600, 1500)
	tr.Sampled(1500, Sample{Instructions: 2000, L2Sectors: 10, DRAMBytes: 5000, LSUQueue: 3})
	tr.LaunchEnded("k", 1, 2, 32, 500, 1500)
	var out bytes.Buffer
	require.NoError(t, tr.WriteJSON(&out, 16, map[string]string{"command": `weft "run"`}))
	var c chrome
	require.NoError(t, json.Unmarshal(out.Bytes(), &c))
	assert.Equal(t, `weft "run"`, c.OtherData["command"])
	find := func(phase, name string) (found []traceEvent) {
		for _, e := range c.TraceEvents {
			if e.Phase == phase && e.Name == name {
				found = append(found, e)
			}
		}
		return found
	}
	b := find("X", "block 1")
	require.Len(t, b, 1)
	assert.InDelta(t, 10.1, b[0].At, 1e-9)
	assert.InDelta(t, 0.9, *b[0].Dur, 1e-9)
	assert.Equal(t, processSM+3, b[0].Proc)
	assert.Equal(t, 2, b[0].Track)
	require.Len(t, find("X", "k"), 1)
	assert.Equal(t, 1, find("X", "k")[0].Track, "its stream")
	require.Len(t, find("X", "to the host: x"), 1)
	occ := find("C", "occupancy")
	require.Len(t, occ, 2)
	assert.Equal(t, 25.0, occ[0].Args["%"])
	assert.InDelta(t, 5.0, find("C", "DRAM bandwidth")[0].Args["GB/s"], 1e-9, "5000 bytes in 1 us")
	assert.InDelta(t, 0.32, find("C", "L2 bandwidth")[0].Args["GB/s"], 1e-9)
	assert.InDelta(t, 2.0, find("C", "warp instructions")[0].Args["G/s"], 1e-9)
	assert.Equal(t, 3.0, find("C", "load-store queues")[1].Args["instructions"])
	named := map[any]bool{}
	for _, e := range find("M", "process_name") {
		named[e.Args["name"]] = true
	}
	assert.Equal(t, map[any]bool{"host": true, "GPU": true, "SM 3": true}, named)
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriteFails(t *testing.T) {
	tr := NewTrace(0, 0)
	require.EqualError(t, tr.WriteJSON(broken{}, 1, nil), "full")
	require.Error(t, filled().WritePprof(broken{}, nil, 0))
}
