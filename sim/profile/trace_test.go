package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chrome is a trace file in the viewers' format.
type chrome struct {
	DisplayTimeUnit string            `json:"displayTimeUnit"`
	OtherData       map[string]string `json:"otherData"`
	TraceEvents     []traceEvent      `json:"traceEvents"`
}

func TestWriteJSON(t *testing.T) {
	tr := NewTrace(0, 0)
	tr.Copies = []CopySpan{{Buffer: "x", ToHost: true, Bytes: 4096, End: 2e-6}}
	tr.Samples = []Sample{{At: 10e-6}, {At: 11e-6, WarpSeconds: 4e-6, SMSeconds: 5e-7, Instructions: 2000, ThreadInstructions: 30000, L2Atomics: 500, L2Sectors: 10, DRAMBytes: 5000, LSUQueue: 3}}
	tr.Blocks = []BlockSpan{{Kernel: "k", Block: 1, SM: 3, Slot: 2, Start: 10.1e-6, End: 11e-6}}
	tr.Launches = []LaunchSpan{{Kernel: "k", Stream: 1, Grid: 2, Block: 32, Start: 10e-6, End: 11e-6, Cycles: 1000}}
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
	assert.Equal(t, processGPU+1+3, b[0].Proc)
	assert.Equal(t, 2, b[0].Track)
	require.Len(t, find("X", "k"), 1)
	assert.Equal(t, 1, find("X", "k")[0].Track, "its stream")
	require.Len(t, find("X", "to the host: x"), 1)
	occ := find("C", "occupancy")
	require.Len(t, occ, 2)
	assert.Equal(t, 25.0, occ[0].Args["%"])
	assert.Equal(t, 0.5, find("C", "SMs with blocks")[0].Args["SMs"])
	assert.Equal(t, 30.0, find("C", "thread instructions")[0].Args["G/s"])
	assert.Equal(t, 0.5, find("C", "L2 atomics")[0].Args["G/s"])
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
	require.Error(t, filled().WritePprof(broken{}, nil, 0, nil))
}

// TestTraceOfGroup checks that each GPU and each link of a group has rows of its own.
func TestTraceOfGroup(t *testing.T) {
	tr := NewTrace(0, 0)
	tr.Links = []string{"GPU 0 to GPU 1"}
	tr.Launches = []LaunchSpan{{Kernel: "a", Start: 0, End: 1e-6}, {GPU: 1, Kernel: "b", Start: 0, End: 2e-6}}
	tr.Blocks = []BlockSpan{{GPU: 1, SM: 2, Kernel: "b", End: 1e-6}}
	tr.Copies = []CopySpan{{Way: "GPU 0 to GPU 1", Buffer: "x", Bytes: 8, Start: 1e-6, End: 3e-6}, {GPU: 1, Way: "GPU 0 to GPU 1", Buffer: "y", Start: 2e-6, End: 3e-6},
		{Way: "GPU 0 to GPU 1", Buffer: "z", Start: 3e-6, End: 4e-6}, {Way: "host to GPU 0", Buffer: "w", Start: 0, End: 1e-6}}
	tr.Samples = []Sample{{At: 0, LinkBytes: []uint64{0}}, {GPU: 1, At: 1e-6, Instructions: 10, LinkBytes: []uint64{1000}}, {At: 2e-6, Instructions: 4000, LinkBytes: []uint64{5000}}}
	var out bytes.Buffer
	require.NoError(t, tr.WriteJSON(&out, 64, nil))
	var got struct {
		TraceEvents []struct {
			Name string
			Ph   string
			Pid  int
			Tid  int
			Ts   float64
			Args map[string]any
		}
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	names, rows, at := map[int]string{}, map[[2]int]string{}, map[string]string{}
	rates := map[string][]float64{}
	for _, e := range got.TraceEvents {
		switch {
		case e.Name == "process_name":
			names[e.Pid] = e.Args["name"].(string)
		case e.Name == "thread_name":
			rows[[2]int{e.Pid, e.Tid}] = e.Args["name"].(string)
		case e.Ph == "X":
			at[e.Name] = names[e.Pid] + ": " + rows[[2]int{e.Pid, e.Tid}]
		case e.Name == "GPU 0 to GPU 1":
			rates["link"] = append(rates["link"], e.Args["GB/s"].(float64))
		case e.Name == "warp instructions":
			rates[names[e.Pid]] = append(rates[names[e.Pid]], e.Args["G/s"].(float64))
		}
	}
	assert.Equal(t, map[string]string{
		"a": "GPU 0: launches of stream 0", "b": "GPU 1: launches of stream 0", "block 0": "GPU 1 SM 2: slot 0",
		"x": "links: GPU 0 to GPU 1", "y": "links: GPU 0 to GPU 1", "z": "links: GPU 0 to GPU 1", "w": "links: host to GPU 0",
	}, at)
	assert.Len(t, rows, 2+1+3, "the second copy overlaps the first one, so it has a row of its own")
	assert.InDeltaSlice(t, []float64{1, 4, 0}, rates["link"], 1e-9)
	assert.InDeltaSlice(t, []float64{2, 0}, rates["GPU 0"], 1e-9)
	assert.Equal(t, []float64{0}, rates["GPU 1"])
}
