package sim

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/policy"
)

const scheduleSource = `package p

import "github.com/weft-gpu/weft/gpu"

// Wait makes thread 0 (of the grid, or of each warp if lanes is set) wait for thread 1 to set a flag.
func Wait(t gpu.Thread, x []uint32, lanes bool) {
	me := t.Block()
	if lanes {
		me = t.Lane()
	}
	if me == 0 {
		for gpu.Load(&x[0]) == 0 {
		}
		gpu.Store(&x[1], 1)
	} else if me == 1 {
		gpu.Store(&x[0], 1)
	}
}

// Toggle has two blocks each of which ends if the other does not come between two of its exchanges.
func Toggle(t gpu.Thread, x []uint32) {
	me := t.Block() + 1
	for gpu.AtomicExch(&x[0], me) != me {
	}
}

// Until makes block 0 change a word until block 1 sets another.
func Until(t gpu.Thread, x []uint32) {
	if t.Block() == 1 {
		gpu.Store(&x[0], 1)
		return
	}
	for gpu.Load(&x[0]) == 0 {
		gpu.AtomicXor(&x[1], 1)
	}
}

// Order notes in which order blocks come, and the SM of each.
func Order(t gpu.Thread, x []uint32) {
	if t.Idx() == 0 {
		x[1+gpu.AtomicAdd(&x[0], 1)] = t.Block()
	}
}

// Cross takes two locks, in the opposite order in thread 1 (of the grid, or of each warp if lanes is set).
func Cross(t gpu.Thread, x []uint32, lanes bool) {
	me := t.Block()
	if lanes {
		me = t.Lane()
	}
	for gpu.AtomicExch(&x[me], 1) != 0 {
	}
	for gpu.AtomicExch(&x[1-me], 1) != 0 {
	}
}

// Meet has warps that meet at a barrier until a word is set, which nobody does.
func Meet(t gpu.Thread, x []uint32) {
	for gpu.Load(&x[0]) == 0 {
		t.Sync()
	}
}

// Lost adds 1 to a word by a load and a store.
func Lost(t gpu.Thread, x []uint32) {
	if t.Idx() == 0 {
		gpu.Store(&x[0], gpu.Load(&x[0])+1)
	}
}
`

// compiled compiles a kernel of a package's source.
func compiled(t testing.TB, source, name string) *device.Kernel {
	c := compile.New()
	c.Mount("p", fstest.MapFS{"p.go": {Data: []byte(source)}})
	k, err := c.Kernel(t.Context(), "p."+name, nil)
	require.NoError(t, err)
	return k
}

// machineOf returns a small machine.
func machineOf(t testing.TB, set ...string) *config.GPU {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	for i := 0; i < len(set); i += 2 {
		require.NoError(t, cfg.Set(set[i], set[i+1]))
	}
	return cfg
}

// controlled opens a small machine whose launches a policy controls.
func controlled(t testing.TB, c policy.Control, set ...string) *Device {
	d, err := New(machineOf(t, set...), Options{Seed: 1, Control: c})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// follow launches a kernel of scheduleSource under a schedule and returns the words that it left.
func follow(t testing.TB, kernel, schedule string, grid, block int, set []string, args ...any) ([]uint32, error) {
	s, err := policy.ParseSchedule([]byte(schedule))
	require.NoError(t, err)
	d := controlled(t, s, set...)
	x := upload(t, d, "x", device.U32, make([]uint32, 16))
	_, err = d.Launch(context.Background(), device.Launch{Kernel: compiled(t, scheduleSource, kernel), Grid: grid, Block: block, Args: append([]any{x}, args...)})
	if err == nil {
		checkIdle(t, d)
	}
	return download[uint32](t, d, x), err
}

// TestScheduleOfBlocks checks that a schedule of steps is followed, and what is said about one that repeats for ever.
func TestScheduleOfBlocks(t *testing.T) {
	for _, schedule := range []string{
		`{}`,
		`{"steps":[{"block":1}]}`,
		`{"steps":[{"block":0,"times":5},{"block":1},{"block":0,"times":2}]}`,
		`{"steps":[{"block":0}],"loop":[{"block":0},{"block":1},{"block":0}]}`, // ends before it repeats
	} {
		x, err := follow(t, "Wait", schedule, 2, 1, nil, false)
		require.NoError(t, err, schedule)
		assert.Equal(t, []uint32{1, 1}, x[:2], schedule)
	}
	_, err := follow(t, "Wait", `{"steps":[{"block":0,"times":3}],"loop":[{"block":0}]}`, 2, 1, nil, false)
	var hang *device.HangError
	require.ErrorAs(t, err, &hang)
	assert.Equal(t, device.Starved, hang.Kind)
	assert.Equal(t, "the schedule repeats itself with the same values in memory and registers, so it does for ever; a warp could go on and never gets a turn", hang.What)
	require.Len(t, hang.Waiting, 2)
	assert.Equal(t, "could access memory, but the schedule does not let it go on", hang.Waiting[1].Why)
	require.Len(t, hang.Graph.Waiters, 2)
	held := hang.Graph.Waiters[0]
	assert.Equal(t, device.WaitHeld, held.Kind)
	assert.Equal(t, "could go on, and the schedule does not let it", held.What)
	assert.Equal(t, []device.Span{{First: 1, Last: 1}}, held.Blocks)
	assert.Equal(t, "x[0] != 0", hang.Graph.Waiters[1].Word.Until)
	assert.Equal(t, []device.WaitingCause{{Kind: device.CauseHeld, Text: "the schedule never lets [0] go on", Waiters: []int{0}}}, hang.Graph.Causes)

	_, err = follow(t, "Toggle", `{"loop":[{"block":0},{"block":1}]}`, 2, 1, nil)
	require.ErrorAs(t, err, &hang)
	assert.Equal(t, device.Livelock, hang.Kind)
	assert.Equal(t, "the schedule repeats itself with the same values in memory and registers, so it does for ever", hang.What)
	_, err = follow(t, "Toggle", `{"loop":[{"block":0},{"block":0},{"block":1},{"block":1}]}`, 2, 1, nil)
	assert.NoError(t, err)

	_, err = follow(t, "Wait", `{"steps":[{"block":1},{"block":1}]}`, 2, 1, nil, false)
	assert.EqualError(t, err, "schedule: steps[1] cannot be taken: block 1, warp 0 is not about to access memory; block 0, warp 0, lanes 00000001 is")
	_, err = follow(t, "Wait", `{"loop":[{"block":0},{"block":1},{"block":0}]}`, 2, 1, nil, false)
	assert.NoError(t, err)
	_, err = follow(t, "Wait", `{"steps":[{"block":2}]}`, 2, 1, nil, false)
	assert.EqualError(t, err, "schedule: there is no block 2, warp 0: the grid has 2 blocks of 1 warps")
	_, err = follow(t, "Wait", `{"dispatch":[2]}`, 2, 1, nil, false)
	assert.EqualError(t, err, "schedule: dispatch names block 2, but the grid has 2 blocks")
}

// TestHangUnderSchedule checks that a schedule that repeats itself is a hang if no order of events would help: each
// thread has a turn, and nothing changes.
func TestHangUnderSchedule(t *testing.T) {
	its := []string{"sm.divergence", "its"}
	const both = `{"steps":[{"block":0},{"block":1}],"loop":[{"block":0},{"block":1,"times":2}]}`
	for _, c := range []struct {
		kernel, schedule string
		grid, block      int
		kind             device.HangKind
		args             []any
	}{
		{"Cross", both, 2, 1, device.Hang, []any{false}},
		{"Cross", `{"steps":[{"block":0,"lanes":[0]},{"block":0,"lanes":[1]}],"loop":[{"block":0,"lanes":[1]},{"block":0,"lanes":[0]}]}`, 1, 2, device.Hang, []any{true}},
		{"Cross", `{"steps":[{"block":0},{"block":1}],"loop":[{"block":0}]}`, 2, 1, device.Starved, []any{false}},
		{"Toggle", `{"loop":[{"block":0},{"block":1}]}`, 2, 1, device.Livelock, nil},
		{"Meet", `{"loop":[{"block":0},{"block":0,"warp":1}]}`, 1, 64, device.Livelock, nil}, // the barrier opens each time
	} {
		_, err := follow(t, c.kernel, c.schedule, c.grid, c.block, its, c.args...)
		var hang *device.HangError
		require.ErrorAs(t, err, &hang, c.schedule)
		assert.Equal(t, c.kind, hang.Kind, "%s %s", c.kernel, c.schedule)
		assert.Equal(t, c.kind == device.Hang, hang.What == "no value in memory has changed, and every warp repeats itself or waits for one that does")
	}
}

// TestScheduleOfLanes checks the same for lanes of one warp.
func TestScheduleOfLanes(t *testing.T) {
	its := []string{"sm.divergence", "its"}
	for _, schedule := range []string{
		`{"steps":[{"block":0,"lanes":[1]}]}`,
		`{"steps":[{"block":0,"lanes":[0],"times":5},{"block":0,"lanes":[1]},{"block":0,"lanes":[0],"times":2}]}`,
	} {
		x, err := follow(t, "Wait", schedule, 1, 2, its, true)
		require.NoError(t, err, schedule)
		assert.Equal(t, []uint32{1, 1}, x[:2], schedule)
	}
	_, err := follow(t, "Wait", `{"loop":[{"block":0,"lanes":[0]}]}`, 1, 2, its, true)
	var hang *device.HangError
	require.ErrorAs(t, err, &hang)
	assert.Equal(t, device.Starved, hang.Kind)
	// Lanes that come to a step together may take it one by one, and repeat it apart.
	x, err := follow(t, "Order", `{"steps":[{"block":0,"lanes":[0]}]}`, 1, 2, its)
	require.NoError(t, err)
	assert.Equal(t, []uint32{1, 0}, x[:2])
	_, err = follow(t, "Wait", `{"steps":[{"block":0,"lanes":[0,1]}]}`, 1, 2, its, true)
	assert.EqualError(t, err, "schedule: steps[0] cannot be taken: block 0, warp 0, lanes 00000003 is not about to access memory; block 0, warp 0, lanes 00000002 is; block 0, warp 0, lanes 00000001 is")
}

// TestScheduleOfDispatch checks the order in which blocks are placed.
func TestScheduleOfDispatch(t *testing.T) {
	one := []string{"sm.count", "1", "sm.blocks", "1"} // one block after the other
	x, err := follow(t, "Order", `{"dispatch":[3,1]}`, 5, 32, one)
	require.NoError(t, err)
	assert.Equal(t, []uint32{5, 3, 1, 0, 2, 4}, x[:6])
	x, err = follow(t, "Order", `{"shuffle":true}`, 5, 32, one)
	require.NoError(t, err)
	assert.NotEqual(t, []uint32{5, 0, 1, 2, 3, 4}, x[:6])
	assert.ElementsMatch(t, []uint32{0, 1, 2, 3, 4}, x[1:6])
}

// TestPausesAndLivelocks checks that a pause ends if the others change memory for ever while they wait for its block, and
// what is said if a model lets the block wait for ever.
func TestPausesAndLivelocks(t *testing.T) {
	x, err := follow(t, "Until", `{"pauses":[{"block":1,"step":0}]}`, 2, 1, nil)
	require.NoError(t, err)
	assert.Equal(t, uint32(1), x[0])
	starved := 0
	for seed := range uint64(20) {
		err := underModel(t, compiled(t, scheduleSource, "Until"), "hsa", seed, 2)
		if err == nil {
			continue
		}
		var hang *device.HangError
		require.ErrorAs(t, err, &hang)
		assert.Equal(t, device.Starved, hang.Kind)
		assert.Contains(t, hang.What, "values in global memory change")
		assert.Contains(t, hang.What, "progress model hsa never lets a warp go on")
		assert.Equal(t, device.WaitHeld, hang.Graph.Waiters[0].Kind)
		assert.Equal(t, "could go on, and progress model hsa does not let it", hang.Graph.Waiters[0].What)
		starved++
	}
	assert.Greater(t, starved, 4)
}

// TestPauses checks that a pause between a load and a store loses updates of the other blocks, and that a block that
// others wait for goes on after all.
func TestPauses(t *testing.T) {
	one := []string{"sm.count", "1", "sm.blocks", "4"}
	x, err := follow(t, "Lost", `{"pauses":[{"block":2,"step":1}]}`, 20, 32, one)
	require.NoError(t, err)
	assert.LessOrEqual(t, x[0], uint32(2))
	x, err = follow(t, "Wait", `{"pauses":[{"block":1,"step":0}]}`, 2, 1, nil, false)
	require.NoError(t, err)
	assert.Equal(t, []uint32{1, 1}, x[:2])
}
