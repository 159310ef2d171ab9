package sim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
	"github.com/weft-gpu/weft/sim/config"
)

// jittered are the parameters that VarySchedules sets.
var jittered = []string{"jitter.sm", "300", "jitter.block", "200", "jitter.message", "150", "launch.order", "random", "issue.scheduler", "random"}

// seeded opens a small machine with a seed and parameters.
func seeded(t testing.TB, seed uint64, set ...string) *Device {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	for i := 0; i < len(set); i += 2 {
		require.NoError(t, cfg.Set(set[i], set[i+1]))
	}
	require.NoError(t, cfg.Validate())
	d, err := New(cfg, Options{Seed: seed})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// TestContractJitter checks that jitter changes times only: memory, barriers, faults and hangs are as on every device.
func TestContractJitter(t *testing.T) {
	devicetest.Contract(t, func(t *testing.T) device.Device {
		cfg, err := config.Load("tiny")
		require.NoError(t, err)
		cfg.VarySchedules()
		for i := 0; i < len(jittered); i += 2 {
			value, err := cfg.Get(jittered[i])
			require.NoError(t, err)
			require.Equal(t, jittered[i+1], value)
		}
		d, err := New(cfg, Options{Seed: 7})
		require.NoError(t, err)
		return d
	}, devicetest.Traits{Keeps: true, Faults: true, Hangs: true, Independent: false})
}

// racy returns a kernel with two races: the first thread of each block writes its block's number to last[0], and adds
// 1 to last[1] by a load and a store, so that updates get lost.
func racy(t testing.TB) *device.Kernel {
	a := newAsm("racy", 6, 1)
	last, _, root := a.slice("last", ir.U32)
	a.special(0, ir.TID)
	a.cmp(ir.OpNe, ir.U32, 0, 0, a.konst(ir.U32, 0))
	a.bra(0, "end", "end")
	a.special(1, ir.CTAID)
	a.op(ir.OpMov, ir.U32, 0, a.konst(ir.U32, 0))
	a.lea(2, last, 0, 4)
	a.mem(ir.OpStore, ir.U32, -1, root, 2, 1)
	a.op(ir.OpMov, ir.U32, 0, a.konst(ir.U32, 1))
	a.lea(2, last, 0, 4)
	a.mem(ir.OpLoad, ir.U32, 3, root, 2)
	a.op(ir.OpAdd, ir.U32, 3, 3, a.konst(ir.U32, 1))
	a.mem(ir.OpStore, ir.U32, -1, root, 2, 3)
	a.label("end")
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// contend runs the racy kernel and returns what it left, with the cycles that it took.
func contend(t testing.TB, k *device.Kernel, d *Device) (outcome [2]uint32, cycles uint64) {
	b := upload(t, d, "last", device.U32, make([]uint32, 2))
	r := launch(t, d, k, 8, 64, b)
	return [2]uint32(download[uint32](t, d, b)), r.Cycles
}

// TestSchedules checks that the outcome of a race depends on the seed with jitter, and on nothing without.
func TestSchedules(t *testing.T) {
	k := racy(t)
	seen := func(set ...string) (outcomes map[[2]uint32]int, last, added, cycles map[uint64]bool) {
		outcomes, last, added, cycles = map[[2]uint32]int{}, map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}
		for seed := range uint64(60) {
			o, c := contend(t, k, seeded(t, seed, set...))
			again, same := contend(t, k, seeded(t, seed, set...))
			require.Equal(t, o, again, "seed %d", seed)
			require.Equal(t, c, same, "seed %d", seed)
			outcomes[o]++
			last[uint64(o[0])], added[uint64(o[1])], cycles[c] = true, true, true
		}
		return
	}
	outcomes, last, added, cycles := seen(jittered...)
	t.Log(outcomes)
	assert.Len(t, last, 8, "every block is the last in some schedule")
	assert.Greater(t, len(added), 1, "different numbers of updates are lost")
	assert.Greater(t, len(cycles), 40)
	outcomes, _, _, cycles = seen()
	assert.Len(t, outcomes, 1, "a seed changes nothing by default")
	assert.Len(t, cycles, 1)
	for i := 0; i < len(jittered)-2; i += 2 { // each alone; random warps need several warps that are ready
		_, _, _, cycles = seen(jittered[i : i+2]...)
		assert.Greater(t, len(cycles), 1, "%v", jittered[i:i+2])
	}
}

// TestJitterOff checks that presets draw nothing.
func TestJitterOff(t *testing.T) {
	for _, preset := range config.Presets() {
		assert.Nil(t, open(t, preset).m.hooks, preset)
	}
}

// TestJitterBounds checks that delays are within their limits, that both limits occur, and that requests from one SM
// to one slice stay in order.
func TestJitterBounds(t *testing.T) {
	d := seeded(t, 3, "jitter.sm", "3", "jitter.block", "2", "jitter.message", "5")
	j := d.m.hooks.jitter
	starts, arrivals := map[uint64]bool{}, map[uint64]bool{}
	for range 200 {
		j.begin()
		starts[j.start(1, false)] = true
	}
	assert.Len(t, starts, 6, "0 to 3+2")
	assert.NotContains(t, starts, uint64(6))
	for i := range uint64(200) {
		arrivals[j.arrival(1, 2, 10*i)-10*i] = true
	}
	assert.Len(t, arrivals, 6, "0 to 5")
	overtaken, at := false, [2]uint64{}
	for range 200 { // all sent at cycle 5000
		for slice := range at {
			now := j.arrival(0, uint64(slice), 5000)
			require.GreaterOrEqual(t, now, at[slice])
			require.LessOrEqual(t, now, uint64(5005))
			at[slice] = now
		}
		overtaken = overtaken || at[1] < at[0]
	}
	assert.True(t, overtaken, "requests to different slices may overtake each other")
}

// TestJitterAndHangs checks that a kernel that hangs is found with jitter on every seed, and that delays that look
// like a hang are refused.
func TestJitterAndHangs(t *testing.T) {
	a := newAsm("stuck", 4, 1)
	flag, _, root := a.slice("flag", ir.U32)
	a.op(ir.OpMov, ir.U32, 0, a.konst(ir.U32, 0))
	a.lea(1, flag, 0, 4)
	a.label("again")
	a.mem(ir.OpLoad, ir.U32, 2, root, 1)
	a.cmp(ir.OpEq, ir.U32, 0, 2, a.konst(ir.U32, 0))
	a.bra(0, "again", "done")
	a.label("done")
	a.op(ir.OpExit, ir.Void, -1)
	k := a.kernel(t)
	for seed := range uint64(5) {
		d := seeded(t, seed, jittered...)
		_, err := d.Launch(context.Background(), device.Launch{Kernel: k, Grid: 3, Block: 64, Args: []any{upload(t, d, "flag", device.U32, make([]uint32, 1))}})
		var hang *device.HangError
		require.ErrorAs(t, err, &hang)
	}
}
