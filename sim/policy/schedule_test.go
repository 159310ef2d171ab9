package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestParseSchedule checks the form of a schedule, and the message for each mistake in it.
func TestParseSchedule(t *testing.T) {
	s, err := ParseSchedule([]byte(`{"dispatch":[1,0],"steps":[{"block":1,"lanes":[3,0],"times":2}],"loop":[{"block":0,"warp":1}]}`))
	require.NoError(t, err)
	assert.Equal(t, &Schedule{Dispatch: []int{1, 0}, Steps: []Turn{{Block: 1, Lanes: []int{3, 0}, Times: 2}}, Loop: []Turn{{Warp: 1}}}, s)
	assert.Equal(t, uint32(9), s.Steps[0].lanes())
	for text, want := range map[string]string{
		``:                                     "the JSON object is not complete",
		`{"steps":[`:                           "the JSON object is not complete",
		`{} {}`:                                "there is more after the JSON object",
		`{"step":[]}`:                          `unknown field "step"`,
		`{"dispatch":[0,0]}`:                   "dispatch: block 0 stands there twice",
		`{"dispatch":[-1]}`:                    "dispatch: block -1 is negative",
		`{"dispatch":[1],"shuffle":true}`:      "shuffle draws the order that dispatch gives; leave one out",
		`{"launch":-1}`:                        "launch: -1 is negative",
		`{"steps":[{"block":0},{"block":-1}]}`: "steps[1]: a number is negative",
		`{"loop":[{"block":0,"lanes":[32]}]}`:  "loop[0]: lane 32 is not from 0 to 31",
		`{"pauses":[{"block":0,"step":-1}]}`:   "pauses[0]: a number is negative",
		`{"pauses":[{"block":0,"step":1}],"loop":[{"block":0}]}`: "pauses are for warps that run at the same time; leave out either them or steps and loop",
	} {
		_, err := ParseSchedule([]byte(text))
		assert.EqualError(t, err, want, text)
	}
}

// TestAppendTurn checks that a turn that follows itself is one entry with a count.
func TestAppendTurn(t *testing.T) {
	var list []Turn
	for _, x := range []Turn{{Block: 1}, {Block: 1}, {Block: 1, Times: 3}, {Block: 1, Warp: 1}, {Block: 1, Warp: 1, Lanes: []int{2}}, {Block: 1, Warp: 1, Lanes: []int{2}}, {Block: 1}} {
		list = AppendTurn(list, x)
	}
	assert.Equal(t, []Turn{{Block: 1, Times: 5}, {Block: 1, Warp: 1}, {Block: 1, Warp: 1, Lanes: []int{2}, Times: 2}, {Block: 1}}, list)
}

// TestPausesState checks that the state of pauses changes with every step towards one, and is the same when all are
// over.
func TestPausesState(t *testing.T) {
	p := newPauses([]Pause{{Block: 1, Step: 2}, {Block: 2, Step: 9}}, 0)
	require.Nil(t, newPauses([]Pause{{Block: 1, Step: 2}}, 1), "of another launch")
	seen := map[uint64]bool{p.State(): true}
	for n := range 3 {
		assert.Equal(t, n == 2, p.Holds(&Step{Block: 1, Number: n}))
		assert.Equal(t, n == 0, seen[p.State()], "step %d", n)
		seen[p.State()] = true
	}
	assert.False(t, p.Holds(&Step{Block: 3, Number: 2}), "a warp without a pause")
	assert.True(t, p.Holds(&Step{Block: 2, Number: 9}))
	assert.Zero(t, p.State())
	waiting := []Step{{Block: 1, Waits: 10}, {Block: 2, Waits: 10}}
	for idle, want := range map[bool][]int{false: nil, true: {1}} {
		chosen, err := p.Next(waiting, idle)
		require.NoError(t, err)
		assert.Equal(t, want, chosen)
	}
	waiting[0].Waits = LongestPause
	chosen, err := p.Next(waiting, false)
	require.NoError(t, err)
	assert.Equal(t, []int{0}, chosen)
}
