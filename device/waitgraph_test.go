package device

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWaitGraphJSON checks the names in JSON, which scripts depend on, and that reading returns
// what was written.
func TestWaitGraphJSON(t *testing.T) {
	g := WaitGraph{
		Device: "sim:k40", Kernel: "k", Grid: [3]int{61, 1, 1}, Block: [3]int{128, 1, 1},
		Waiters: []Waiter{{
			Threads: Threads{Blocks: []Span{{0, 59}}, Warps: []Span{{0, 3}}, Lanes: 0xff, Count: 1920}, Kind: WaitMemory, What: "until a[0] == 1; it is 0",
			At:      []Frame{{File: "a.go", Line: 1, Col: 2, Func: "f"}},
			Word:    &Word{Space: "global", Buffer: "a", Indices: []Span{{0, 0}}, Until: "a[0] == 1", Values: []string{"0"}},
			Writers: []Writer{{Op: "Store", Value: "1", Guard: "t.Block() == 60", Holders: []Holder{{Threads: Threads{Blocks: []Span{{60, 60}}, Count: 1}, Cause: CauseNotResident, Waiter: -1}}}},
		}},
		Residency: &Residency{Blocks: 61, Placed: 60, PerSM: 4, SMs: 15, Limit: "registers", LargestGrid: 60, Registers: 110, FewerRegisters: 96},
		Causes:    []WaitingCause{{Kind: CauseNotResident, Text: "x", Waiters: []int{0}}},
		Advice:    []Advice{{Text: "y", Tried: true, Trial: "with that the launch ends"}, {Text: "or x"}}, Text: "z",
	}
	text, err := json.Marshal(&g)
	require.NoError(t, err)
	for _, part := range []string{
		`"grid":[61,1,1]`, `"blocks":[{"first":0,"last":59}]`, `"lanes":"000000ff"`, `"kind":"memory"`, `"until":"a[0] == 1"`,
		`"cause":"not resident"`, `"largest_safe_grid":60`, `"limit":"registers"`, `"what_to_change":[{"text":"y","tried":true,"trial":"with that the launch ends"},{"text":"or x","tried":false}]`, `"causes":[{"kind":"not resident"`,
	} {
		assert.Contains(t, string(text), part)
	}
	var back WaitGraph
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, g, back)
}

// TestAdvice checks what is said of advice that was tried and of advice that was not, and that the advice of stores of
// earlier versions, which is a text, can be read.
func TestAdvice(t *testing.T) {
	assert.Equal(t, "y (checked: with that the launch ends)", Advice{Text: "y", Tried: true, Trial: "with that the launch ends"}.String())
	assert.Equal(t, "y (not tried)", Advice{Text: "y"}.String())
	assert.Equal(t, "y (not tried: the launch is too long to be run again)", Advice{Text: "y", Trial: "the launch is too long to be run again"}.String())
	var g WaitGraph
	require.NoError(t, json.Unmarshal([]byte(`{"what_to_change":["y"]}`), &g))
	assert.Equal(t, []Advice{{Text: "y"}}, g.Advice)
}

// TestErrorHasTheGraphsText checks that an error explains itself by the graph, and without one
// by the list of waits.
func TestErrorHasTheGraphsText(t *testing.T) {
	h := &HangError{Kernel: "k", What: "why", Waiting: []Wait{{Why: "spins on x[0]", Threads: 1}}}
	assert.Equal(t, "kernel k hangs: why\n\tblock 0, warp 0, lanes 00000001: spins on x[0]", h.Error())
	h.Graph = &WaitGraph{Text: "  who waits\n"}
	assert.Equal(t, "kernel k hangs: why\n  who waits", h.Error())
	u := &UndecidedError{Kernel: "k", Budget: "9 cycles", Graph: h.Graph}
	assert.Equal(t, "kernel k: undecided: it did not end within its budget of 9 cycles, and it was not shown to hang\n  who waits", u.Error())
}
