package sim

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/timing"
	"github.com/weft-gpu/weft/sim/profile"
)

// observed opens a device with a profile and a trace.
func observed(t testing.TB, preset string, set ...string) (*Device, *profile.Profile, *profile.Trace) {
	p, tr := profile.New(0), profile.NewTrace(0, 0)
	cfg, err := config.Load(preset)
	require.NoError(t, err)
	for i := 0; i < len(set); i += 2 {
		require.NoError(t, cfg.Set(set[i], set[i+1]))
	}
	d, err := New(cfg, Options{Seed: 1, Profile: p, Trace: tr})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d, p, tr
}

// inst returns the only instruction with operation op of the kernel launched first.
func inst(t testing.TB, d *Device, p *profile.Profile, op ir.Op) *profile.Inst {
	k := p.Kernels[0]
	var found *profile.Inst
	for prog := range d.code {
		for pc := range prog.Code {
			if prog.Name == k.Name && prog.Code[pc].Op == op {
				require.Nil(t, found, "two of them")
				found = &k.Insts[pc]
			}
		}
	}
	require.NotNil(t, found)
	return found
}

// TestObservedBFS checks that a profile adds up to the counters, that neither it nor a trace changes them, and that
// the times in a trace are consistent.
func TestObservedBFS(t *testing.T) {
	g := openGraph(t, "rmat:scale=8,degree=8,seed=1")
	for _, preset := range []string{"tiny", "h200", "k40"} {
		for _, s := range []string{"thread", "block-queue", "warp"} {
			plain := open(t, preset)
			bfs(t, plain, g, s)
			d, p, tr := observed(t, preset)
			bfs(t, d, g, s)
			total := d.Total()
			require.Equal(t, plain.Total(), total, "observing changes nothing")
			var sum profile.Inst
			cycles := uint64(0)
			for _, kn := range p.Kernels {
				in := kn.Total()
				sum.Add(&in)
				cycles += kn.Cycles
			}
			c := d.m.snapshot()
			assert.Equal(t, c.Insts, sum.Issues)
			assert.Equal(t, c.ThreadInsts, sum.Lanes)
			for i := range counter.StallSelected {
				assert.Equal(t, c.Stalled[i], sum.Stalls[i], "stall %d of %s", i, preset)
			}
			assert.Equal(t, c.Load.Sectors+c.Store.Sectors+c.L2.FromSM[packRed]+c.L2.FromSM[packAtomic]+c.Local.Sectors, sum.Sectors)
			assert.Equal(t, c.Load.Insts+c.Store.Insts+c.Red.Insts+c.Atom.Insts+c.Local.Insts, sum.Requests)
			assert.Equal(t, c.L1Hits+c.L1Joined, sum.L1Hits)
			assert.Equal(t, c.SharedWays, sum.Passes)
			assert.Equal(t, total.Cycles, cycles)
			require.Len(t, p.Launches, total.Launches)
			require.Len(t, tr.Launches, total.Launches)
			end := 0.0
			for _, l := range tr.Launches {
				assert.GreaterOrEqual(t, l.Start, end, "launches follow each other")
				end = l.End
			}
			assert.LessOrEqual(t, end, total.Seconds)
			ops, byLaunch := uint64(0), uint64(0)
			for _, b := range p.Buffers() {
				ops += b.Ops
			}
			for _, l := range p.Launches {
				byLaunch += l.Global.Ops + l.Shared.Ops
			}
			assert.Equal(t, sum.Atomics, ops)
			assert.Equal(t, sum.Atomics, byLaunch)
		}
	}
}

// adder is a kernel in which each lane adds 1 to x[lane>>per] in global or shared memory.
func adder(t testing.TB, shared bool, per uint64) *device.Kernel {
	a := newAsm("adder", 4, 0)
	x, _, root := a.slice("x", ir.U32)
	if shared {
		x, root = a.shared("s", ir.U32, 32)
	}
	a.special(0, ir.LaneID)
	a.op(ir.OpShr, ir.U32, 0, 0, a.konst(ir.U32, per)) // per: 5 gives one address, 0 all different addresses
	a.lea(1, x, 0, 4)
	a.mem(ir.OpAtomAdd, ir.U32, 2, root, 1, a.konst(ir.U32, 1))
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// TestContention checks the degree, the queue and the serial time against the machine's parameters: one step of the
// atomic unit for each lane on one address, and additional time if the unit switches to the line.
func TestContention(t *testing.T) {
	for _, c := range []struct {
		shift     uint64
		addresses int
		degree    uint32
	}{{5, 1, 32}, {4, 2, 16}, {0, 32, 1}} {
		d, p, _ := observed(t, "tiny")
		x := upload(t, d, "x", device.U32, make([]uint32, 64))
		launch(t, d, adder(t, false, c.shift), 1, 32, x)
		in := inst(t, d, p, ir.OpAtomAdd)
		assert.EqualValues(t, 32, in.Atomics)
		assert.Equal(t, c.degree, in.Degree)
		assert.Equal(t, c.degree, in.Queue, "one warp: its lanes are the queue")
		// All on one address: one step each. Two addresses in a sector: one step, and replays. Eight: one step for the
		// sector, and the results of the seven others.
		step, replay, result := uint64(timing.Ticks(d.cfg.Atomic.Step)), uint64(timing.Ticks(d.cfg.Atomic.Replay)), uint64(timing.Ticks(d.cfg.Atomic.Result))
		serial := map[uint32]uint64{32: 32 * (step + result), 16: step + result + 15*replay + result/7, 1: 4*(step+result) + 28*result/7}[c.degree]
		step = serial / uint64(c.degree) // for each operation on an address
		if c.degree == 1 {
			step /= 4 // the sectors, one after the other
		}
		assert.Equal(t, step*32, in.Serial)
		n := uint64(c.degree)
		assert.GreaterOrEqual(t, in.Waited, uint64(c.addresses)*step*n*(n-1)/2, "the second lane waits for the first")
		all := p.Addresses(0)
		require.Len(t, all, c.addresses)
		assert.Equal(t, profile.Global, all[0].Space)
		assert.Equal(t, "x", all[0].Buffer)
		assert.Zero(t, all[0].Index)
		assert.EqualValues(t, n, all[0].Ops)
		assert.Equal(t, n*step, all[0].Serial)
		assert.Equal(t, 0, all[0].Kernel)
		l := p.Launches[0]
		assert.EqualValues(t, 32, l.Global.Ops)
		assert.Equal(t, c.degree, l.Global.Highest)
		assert.EqualValues(t, c.addresses, l.Global.Count[c.degree])
		assert.Zero(t, l.Shared.Ops)
	}
}

// TestQueueAcrossWarps checks that warps that arrive while the unit serves the lanes of others queue behind them.
func TestQueueAcrossWarps(t *testing.T) {
	d, p, _ := observed(t, "tiny")
	x := upload(t, d, "x", device.U32, make([]uint32, 64))
	launch(t, d, adder(t, false, 5), 2, 256, x)
	in := inst(t, d, p, ir.OpAtomAdd)
	assert.EqualValues(t, 512, in.Atomics)
	assert.EqualValues(t, 32, in.Degree)
	assert.Greater(t, in.Queue, uint32(64))
	assert.LessOrEqual(t, in.Queue, uint32(512))
	assert.Equal(t, in.Queue, p.Buffers()[0].Queue)
	assert.EqualValues(t, 16, p.Launches[0].Global.Count[32])
}

// TestSharedContention tests shared memory, with native atomics and with a loop of locks; the threads of a block are
// counted over its lifetime.
func TestSharedContention(t *testing.T) {
	for _, preset := range []string{"tiny", "k40"} {
		d, p, _ := observed(t, preset)
		x := upload(t, d, "x", device.U32, make([]uint32, 64))
		launch(t, d, adder(t, true, 4), 3, 96, x)
		in := inst(t, d, p, ir.OpAtomAdd)
		assert.EqualValues(t, 288, in.Atomics, preset)
		assert.EqualValues(t, 16, in.Degree)
		assert.EqualValues(t, 9, in.Ways[16])
		l := p.Launches[0]
		assert.EqualValues(t, 288, l.Shared.Ops)
		assert.EqualValues(t, 18, l.Shared.Count[16])
		assert.EqualValues(t, 48, l.BlockDegree, "three warps of a block with 16 lanes each")
		all := p.Addresses(0)
		require.Len(t, all, 2, "the same word of all blocks")
		assert.Equal(t, profile.Shared, all[0].Space)
		assert.Equal(t, "s", all[0].Buffer)
		assert.EqualValues(t, 144, all[0].Ops)
		assert.Equal(t, []int{0, 1}, []int{all[0].Index, all[1].Index})
	}
}

// TestSectorsByInstruction loads with lanes that are stride elements apart.
func TestSectorsByInstruction(t *testing.T) {
	for _, c := range []struct{ stride, sectors uint64 }{{0, 1}, {1, 4}, {2, 8}, {8, 32}, {32, 32}} {
		d, p, _ := observed(t, "tiny")
		x := upload(t, d, "x", device.U32, make([]uint32, 32*32))
		a := newAsm("strided", 4, 0)
		b, _, root := a.slice("x", ir.U32)
		a.special(0, ir.LaneID)
		a.lea(1, b, 0, int64(4*c.stride))
		a.mem(ir.OpLoad, ir.U32, 2, root, 1)
		a.op(ir.OpExit, ir.Void, -1)
		launch(t, d, a.kernel(t), 1, 32, x)
		in := inst(t, d, p, ir.OpLoad)
		assert.EqualValues(t, 1, in.Requests, "stride %d", c.stride)
		assert.Equal(t, c.sectors, in.Sectors, "stride %d", c.stride)
		assert.EqualValues(t, 1, in.Issues)
		assert.EqualValues(t, 32, in.Lanes)
	}
}

func TestWaysByInstruction(t *testing.T) {
	for _, ways := range []int{1, 2, 4, 32} {
		d, p, _ := observed(t, "tiny")
		a := newAsm("banks", 4, 0)
		x, root := a.shared("s", ir.U32, 32*32)
		a.special(0, ir.LaneID)
		a.lea(1, x, 0, int64(4*ways))
		a.mem(ir.OpStore, ir.U32, -1, root, 1, 0)
		a.op(ir.OpExit, ir.Void, -1)
		launch(t, d, a.kernel(t), 1, 64)
		in := inst(t, d, p, ir.OpStore)
		assert.EqualValues(t, 2*ways, in.Passes)
		assert.EqualValues(t, 2*(ways-1), in.Conflicts)
		assert.EqualValues(t, 2, in.Ways[ways])
	}
}

// TestWhereWarpsWait checks that a load's latency is charged to the instruction that needs its result, a barrier's
// wait to the barrier, and the final wait for accesses to the exit.
func TestWhereWarpsWait(t *testing.T) {
	d, p, _ := observed(t, "tiny")
	x := upload(t, d, "x", device.U32, make([]uint32, 64))
	a := newAsm("waits", 4, 0)
	b, _, root := a.slice("x", ir.U32)
	a.special(0, ir.LaneID)
	a.lea(1, b, 0, 4)
	a.mem(ir.OpLoad, ir.U32, 2, root, 1)
	a.op(ir.OpAdd, ir.U32, 3, 2, 2)
	a.op(ir.OpBar, ir.Void, -1)
	a.mem(ir.OpStore, ir.U32, -1, root, 1, 3)
	a.op(ir.OpExit, ir.Void, -1)
	launch(t, d, a.kernel(t), 1, 64, x)
	load, add, bar, exit := inst(t, d, p, ir.OpLoad), inst(t, d, p, ir.OpAdd), inst(t, d, p, ir.OpBar), inst(t, d, p, ir.OpExit)
	assert.Zero(t, load.Stalls[counter.StallLong])
	assert.Greater(t, add.Stalls[counter.StallLong], uint64(2*d.cfg.L2.Latency), "two warps, each the way to the L2 and back")
	assert.Positive(t, bar.Stalls[counter.StallBarrier])
	assert.Positive(t, exit.Stalls[counter.StallDrain], "the store is under way")
	all := p.Kernels[0].Total()
	assert.Equal(t, bar.Stalls[counter.StallBarrier], all.Stalls[counter.StallBarrier])
	assert.Equal(t, add.Stalls[counter.StallLong], all.Stalls[counter.StallLong])
	assert.Equal(t, exit.Stalls[counter.StallDrain], all.Stalls[counter.StallDrain])
}

// TestTrace checks the blocks of a grid that is larger than the machine, and that the file is valid JSON.
func TestTrace(t *testing.T) {
	d, _, tr := observed(t, "tiny")
	x := upload(t, d, "x", device.U32, make([]uint32, 64))
	const grid = 100
	r := launch(t, d, adder(t, false, 5), grid, 256, x)
	require.Len(t, tr.Copies, 1)
	assert.Equal(t, 256, tr.Copies[0].Bytes)
	require.Len(t, tr.Launches, 1)
	l := tr.Launches[0]
	c := d.cfg.Launch
	assert.InDelta(t, tr.Copies[0].End+(c.Cold*256/hostCache+c.First+c.Kernel)*1e-6, l.Start, 1e-12)
	assert.Equal(t, r.Cycles, l.Cycles)
	require.Len(t, tr.Blocks, grid)
	type place struct{ sm, slot int }
	free := map[place]float64{}
	for _, b := range tr.Blocks {
		at := place{b.SM, b.Slot}
		assert.GreaterOrEqual(t, b.Start, free[at], "one block at a time in a slot")
		assert.GreaterOrEqual(t, b.Start, l.Start)
		assert.LessOrEqual(t, b.End, l.End+1e-12)
		free[at] = b.End
	}
	require.NotEmpty(t, tr.Samples)
	most := 0
	for i, s := range tr.Samples {
		most = max(most, s.Warps)
		if i > 0 {
			assert.GreaterOrEqual(t, s.At, tr.Samples[i-1].At)
			assert.GreaterOrEqual(t, s.L2Sectors, tr.Samples[i-1].L2Sectors)
		}
	}
	assert.LessOrEqual(t, most, d.cfg.SM.Warps*d.cfg.SM.Count)
	assert.Greater(t, most, 8)
	last := tr.Samples[len(tr.Samples)-1]
	second := d.cfg.Clock.SM * 1e6
	assert.InDelta(t, float64(d.m.stats.WarpCycles)/second, last.WarpSeconds, 1e-12)
	assert.InDelta(t, float64(d.m.stats.SMActive)/second, last.SMSeconds, 1e-12)
	assert.Equal(t, d.m.stats.ThreadInsts, last.ThreadInstructions)
	var out bytes.Buffer
	require.NoError(t, tr.WriteJSON(&out, 64, map[string]string{"command": `a "quoted" one`}))
	require.True(t, json.Valid(out.Bytes()))
}

func TestObservedFault(t *testing.T) {
	d, p, tr := observed(t, "tiny")
	x, y := upload(t, d, "x", device.U32, make([]uint32, 100)), upload(t, d, "y", device.U32, make([]uint32, 50))
	_, err := d.Launch(t.Context(), device.Launch{Kernel: saxpy(t), Grid: 2, Block: 64, Args: []any{x, y}})
	require.Error(t, err)
	assert.NotZero(t, p.Kernels[0].Total().Issues, "what happened before the fault")
	assert.Len(t, tr.Launches, 1)
}

// TestObservedTogether checks that each of several concurrent launches has its own profile, and that their spans
// overlap.
func TestObservedTogether(t *testing.T) {
	d, p, tr := observed(t, "tiny")
	x, y := upload(t, d, "x", device.U32, make([]uint32, 4096)), upload(t, d, "y", device.U32, make([]uint32, 4096))
	one, two := adder(t, true, 5), saxpy(t)
	rs, err := d.LaunchAll(t.Context(), []device.Launch{
		{Kernel: one, Grid: 4, Block: 64, Args: []any{x}, Stream: 0},
		{Kernel: two, Grid: 16, Block: 256, Args: []any{x, y}, Stream: 1},
	})
	require.NoError(t, err)
	require.Len(t, p.Kernels, 2)
	for i, k := range p.Kernels {
		in := k.Total()
		assert.Equal(t, count(t, rs[i], "smsp__inst_executed.sum"), float64(in.Issues), k.Name)
		assert.Equal(t, rs[i].Cycles, k.Cycles)
	}
	assert.EqualValues(t, 256, p.Launches[0].Shared.Ops)
	assert.EqualValues(t, 64, p.Launches[0].BlockDegree)
	assert.Zero(t, p.Launches[1].Shared.Ops)
	require.Len(t, tr.Launches, 2)
	assert.Equal(t, []int{0, 1}, []int{tr.Launches[0].Stream, tr.Launches[1].Stream})
	assert.Less(t, tr.Launches[1].Start, tr.Launches[0].End)
	require.Len(t, tr.Blocks, 20)
	c := d.m.snapshot()
	a, b := p.Kernels[0].Total(), p.Kernels[1].Total()
	a.Add(&b)
	for i := range counter.StallSelected {
		assert.Equal(t, c.Stalled[i], a.Stalls[i])
	}
}
