package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/dram"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// The tests in this file look at one part at a time: what is beside it is missing, or played by the test.

// bench has the parts of a machine that a test is about, and its clock; the test takes the events.
type bench struct {
	*chip
	sms        []sm
	net        crossbar
	l2         *l2
	dispatcher dispatcher
}

// newBench returns a bench with some SMs, joined to a crossbar and a dispatcher of their own.
func newBench(t *testing.T, sms int, set ...string) *bench {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	for i := 0; i < len(set); i += 2 {
		require.NoError(t, cfg.Set(set[i], set[i+1]))
	}
	m, err := newMachine(cfg, 1)
	require.NoError(t, err)
	m.run = &running{}
	b := &bench{chip: &m.chip, sms: m.sms[:sms], net: m.net, l2: m.l2}
	b.dispatcher = newDispatcher(b.chip, b.sms, len(m.warps))
	for i := range b.sms {
		b.sms[i].net, b.sms[i].dispatcher = &b.net, &b.dispatcher
	}
	return b
}

// next goes to the next cycle in which something happens, and returns what.
func (b *bench) next(t *testing.T) []event {
	cycle, ok := b.wheel.Next()
	require.True(t, ok, "something is to come")
	b.wheel.Advance(cycle)
	b.now = cycle
	return append([]event(nil), b.wheel.Take()...)
}

// with makes a launch the one that runs.
func (b *bench) with(t *testing.T, k *device.Kernel, mem *simt.Memory, l device.Launch) *job {
	l.Kernel = k
	g, err := simt.Bind(mem, l, simt.Limits{Threads: 1024, Shared: 48 << 10})
	require.NoError(t, err)
	b.run = &running{job: job{grid: g, program: program{code: decode(g.Prog, b.cfg)}, occ: device.Occupancy{BlocksPerSM: 1, SMs: len(b.sms)}}}
	b.run.jobs, b.run.count, b.run.left = []*job{&b.run.job}, 1, 1
	b.run.size(&b.cfg.SM)
	b.dispatcher.begin()
	return &b.run.job
}

func TestPortAlone(t *testing.T) {
	p := newPort(&config.Xbar{SendFlit: 1, RecvFlit: 0.5, RecvHead: 2})
	cycle := timing.Tick(timing.TicksPerCycle)
	begun, took := p.out(10*cycle, 2, 3)
	assert.Equal(t, 12*cycle, begun, "the slice begins when the first flits have passed")
	assert.Equal(t, 5*cycle, took)
	begun, _ = p.out(11*cycle, 1, 0)
	assert.Equal(t, 16*cycle, begun, "the next packet comes behind all five flits")
	passed, took := p.in(20*cycle, 1, 4)
	assert.Equal(t, 24*cycle, passed, "head and four flits")
	assert.Equal(t, 4*cycle, took)
	passed, _ = p.in(20*cycle, 1, 4)
	assert.Equal(t, 28*cycle, passed, "behind the answer before it")
}

// TestCrossbarAlone sends packets of two SMs to the L2. What the crossbar says is when each reaches its slice.
func TestCrossbarAlone(t *testing.T) {
	b := newBench(t, 2)
	way := uint64(b.cfg.Xbar.Request)
	var sent []event
	for i, begun := range []uint64{30, 7} {
		u := &b.sms[i].lsu
		p := u.packets.get()
		u.packets.items[p] = packet{line: ir.LocalWindow + uint64(i)<<12, sm: int32(i), op: u.ops.get(), kind: packLoad, sectors: 1, local: true, waiters: -1}
		b.net.request(&b.sms[i], p, timing.At(begun), false, nil)
		sent = append(sent, evArrive|u.name(p))
	}
	assert.Equal(t, sent[1:], b.next(t))
	assert.Equal(t, 7+way, b.now, "the second packet left its SM first")
	assert.Equal(t, sent[:1], b.next(t))
	assert.Equal(t, 30+way, b.now)
}

// TestSliceAlone looks a line up twice: it is fetched once, and the port serves one sector after the other.
func TestSliceAlone(t *testing.T) {
	b := newBench(t, 1)
	l := newL2(b.chip, dram.New(&b.cfg.DRAM, b.cfg.DRAMTiming()))
	at := l.homeOf(1 << 12)
	start := l.reserve(at.slice, 4, 100)
	assert.EqualValues(t, 100, start, "an idle port")
	next := l.reserve(at.slice, 1, 100)
	assert.Equal(t, (timing.At(100)+4*timing.Ticks(b.cfg.L2.Sector))/timing.TicksPerCycle, timing.Tick(next), "behind four sectors")
	ready := l.read(at, 1<<12, 0b0001, false, start)
	assert.Greater(t, ready, start+uint64(b.cfg.DRAM.Latency)/2, "from device memory")
	assert.EqualValues(t, 1, l.stats.Misses)
	assert.Equal(t, ready, l.read(at, 1<<12, 0b0001, false, start+1), "in flight: no second fetch")
	assert.Equal(t, ready+50, l.read(at, 1<<12, 0b0001, true, ready+50), "a hit")
	assert.EqualValues(t, 1, l.stats.Misses)
	assert.EqualValues(t, 2, l.stats.Hits)
	assert.Nil(t, l.write(at, 1<<12, 0b0001, ready+60), "all bytes of the sector are there")
}

// TestAtomicUnitAlone serves lanes on one word, and lanes on words of one sector.
func TestAtomicUnitAlone(t *testing.T) {
	unit := newAtomicUnit(&config.Atomic{Step: 2, Replay: 3, Latency: 10})
	var same, apart [simt.Lanes]uint8
	for i := range apart {
		apart[i] = uint8(4 * (i % 8))
	}
	one, words := atomicSteps(0xff, &same), atomicSteps(0xff, &apart)
	assert.EqualValues(t, 8, one.times(), "lanes on one word take turns")
	assert.EqualValues(t, 1, words.times(), "lanes on eight words of a sector are served at once")
	done := unit.serve(0, one, 8, false, false, 100)
	assert.EqualValues(t, 100+7*2+10, done, "the first step is part of the latency")
	assert.EqualValues(t, 116+10, unit.serve(1, words, 8, false, false, 100), "behind the work before it")
}

// TestAtomicUnitTurns loads a line behind atomics: the answer comes when the line's time is over, and the unit turns to one load for each
// operation, and to others for nothing.
func TestAtomicUnitTurns(t *testing.T) {
	unit := newAtomicUnit(&config.Atomic{Step: 2, Load: 3, Latency: 10, After: 20})
	var off [simt.Lanes]uint8
	one := atomicSteps(1, &off)
	for range 3 {
		unit.serve(0, one, 1, false, false, 100)
	}
	for load, free := range []uint64{109, 112, 115, 115, 115} {
		at, kept := unit.load(0, 100)
		assert.True(t, kept)
		assert.EqualValues(t, 106+20, at, "load %d", load)
		assert.Equal(t, timing.At(free), unit.free, "load %d", load)
	}
	at, kept := unit.load(0, 200)
	assert.Equal(t, uint64(200), at, "the time is over, and the unit has nothing to do")
	assert.True(t, kept)
	unit.serve(0, one, 1, false, false, 200)
	unit.serve(1, one, 1, false, false, 200)
	at, _ = unit.load(0, 200)
	assert.Equal(t, uint64(202+20), at, "a line that another one has followed")
	at, _ = unit.load(1, 200)
	assert.Equal(t, uint64(204+20), at)
	assert.Equal(t, timing.At(204+3+3), unit.free, "one turn for each of both lines")
	at, kept = unit.load(2, 200)
	assert.Equal(t, uint64(200), at, "a line on which it has not worked")
	assert.False(t, kept)
}

// TestSecondHalf gives each half of the L2 half of the SMs: the first eight are in one half, those that follow in the other, and no
// TPC is in both.
func TestSecondHalf(t *testing.T) {
	for _, m := range []struct{ sms, groups int }{{132, 8}, {108, 8}, {108, 0}, {16, 1}, {4, 0}, {2, 0}} {
		second, n := secondHalf(m.sms, m.groups), 0
		for sm, is := range second {
			if is {
				n++
				assert.GreaterOrEqual(t, sm, min(together, m.sms/2), "%v", m)
			}
		}
		assert.Equal(t, m.sms/2, n, "%v", m)
		if m.sms > 2*together {
			assert.True(t, second[together], "%v", m)
			for sm := 0; sm < m.sms && m.groups > 2; sm += 2 {
				assert.Equal(t, second[sm], second[sm+1], "%v: SM %d", m, sm)
			}
		}
	}
}

// TestSubcoresTakeTurns fills the queue of a load-store unit, of which all sub-cores want the places that come free, one at a time: each gets
// one in four, although the first always looks first.
func TestSubcoresTakeTurns(t *testing.T) {
	b := newBench(t, 1)
	unit := &b.sms[0]
	queue := &unit.lsu
	for queue.n < len(queue.queue) {
		queue.push(&unit.subs[0])
	}
	got := make([]int, len(unit.subs))
	looks := func() {
		for i := range unit.subs {
			if queue.takes(&unit.subs[i]) {
				queue.push(&unit.subs[i])
				got[i]++
			}
		}
	}
	for range 5 * len(unit.subs) {
		looks()
		queue.n--
		looks()
	}
	for i := range got {
		assert.Equal(t, 5, got[i], "sub-core %d", i)
	}
	// A place that nobody takes whose turn it is keeps no one from an empty queue.
	queue.n = 0
	assert.True(t, queue.takes(&unit.subs[1]))
}

// TestSMAlone runs a block on an SM whose memory is the test: it adds one to a word that comes back after 1,000 cycles.
func TestSMAlone(t *testing.T) {
	b := newBench(t, 1)
	a := newAsm("increment", 6, 0)
	x, _, root := a.slice("x", ir.U32)
	a.op(ir.OpMov, ir.U64, 0, x)
	a.mem(ir.OpLoad, ir.U32, 1, root, 0).Mem.Cache = ir.CacheStreaming
	a.op(ir.OpAdd, ir.U32, 2, 1, a.konst(ir.U32, 1))
	a.mem(ir.OpStore, ir.U32, -1, root, 0, 2)
	a.op(ir.OpExit, ir.Void, -1)
	mem := simt.NewMemory(1 << 20)
	buffer, err := mem.Alloc("x", device.U32, 1)
	require.NoError(t, err)
	require.NoError(t, mem.Write(buffer, []uint32{0}))
	j := b.with(t, a.kernel(t), mem, device.Launch{Grid: 1, Block: 1, Args: []any{buffer}})
	b.dispatcher.roomFor(1, 1)
	s := &b.sms[0]
	s.l1.configure(&b.cfg.L1, 0)
	b.dispatcher.place(j, s, 0)
	j.next = 1

	var asked, answered, stored uint64
	for !b.run.over {
		if s.subs[0].ready|s.subs[len(s.subs)-1].ready == 0 {
			for _, e := range b.next(t) {
				u, p := &s.lsu, int32(uint32(e))
				switch e &^ eventPayload {
				case evWake:
					s.wake(&s.slots[int32(e&eventPayload)])
				case evLSU:
					u.step()
				case evAcked:
					s.acked(&s.slots[int32(e&eventPayload)])
				case evArrive: // the memory
					pk := &u.packets.items[p]
					if pk.kind == packLoad {
						asked = b.now
						u.loaded[p][0] = 41
						b.at(b.now+1000, evReply|u.name(p))
						continue
					}
					stored = uint64(u.rows.items[u.ops.items[pk.op].rows[0]][0])
					op := pk.op
					u.packets.put(p)
					u.partDone(op, b.now)
				case evReply:
					answered = b.now
					u.answer(p)
				}
			}
		} else {
			b.now++
			b.wheel.Advance(b.now)
		}
		for i := range s.subs {
			s.subs[i].issue()
		}
	}
	require.NoError(t, b.run.err)
	assert.Equal(t, asked+1000, answered)
	assert.EqualValues(t, 42, stored, "what the memory answered, plus one")
	assert.EqualValues(t, 2, s.stats.Packets, "a load and a store")
	assert.Greater(t, s.stats.Stalled[counter.StallLong], uint64(900), "the addition waits for the load")
	assert.Zero(t, s.lsu.ops.inUse())
	assert.Equal(t, j.insts, s.stats.Insts)
}

// TestDispatcherAlone places three blocks on two SMs that have room for one each: the third waits for the end of one.
func TestDispatcherAlone(t *testing.T) {
	b := newBench(t, 2, "launch.order", "breadth")
	a := newAsm("nothing", 2, 0)
	a.op(ir.OpExit, ir.Void, -1)
	j := b.with(t, a.kernel(t), simt.NewMemory(1<<20), device.Launch{Grid: 3, Block: 64})
	d := &b.dispatcher
	d.roomFor(3, 1)
	d.call(5)
	for j.next < 2 {
		for _, e := range b.next(t) {
			if e == evDispatch {
				d.dispatch()
			}
		}
	}
	assert.Equal(t, [2]int{1, 1}, [2]int{b.sms[0].resident, b.sms[1].resident})
	d.dispatch()
	assert.Equal(t, 2, j.next, "no room")
	first := b.sms[1].blocks[0]
	assert.Equal(t, 1, first.ID)
	d.blockDone(first)
	for j.next < 3 {
		for _, e := range b.next(t) {
			if e == evDispatch {
				d.dispatch()
			}
		}
	}
	assert.Equal(t, 2, b.sms[1].blocks[0].ID, "on the SM that has room again")
}

// TestBarrierUnitAlone lets the two warps of a block arrive in cycles 20 and 30: the barrier opens after the second.
func TestBarrierUnitAlone(t *testing.T) {
	b := newBench(t, 1)
	a := newAsm("sync", 2, 0)
	a.op(ir.OpBar, ir.Void, -1)
	a.op(ir.OpExit, ir.Void, -1)
	j := b.with(t, a.kernel(t), simt.NewMemory(1<<20), device.Launch{Grid: 1, Block: 64})
	b.dispatcher.roomFor(1, 1)
	s := &b.sms[0]
	b.dispatcher.place(j, s, 0)
	bl := s.blocks[0]
	b.wheel.Reset()
	for i, at := range []uint64{20, 30} {
		b.now = at
		b.wheel.Advance(at)
		wp := bl.warps[i]
		s.setReady(wp)
		s.barrier.arrive(wp, &j.code[0], simt.Full)
		assert.Equal(t, warpBarrier, wp.state)
		assert.Equal(t, i == 1, bl.opening)
	}
	assert.Equal(t, []event{evBarrier | event(bl.id)}, b.next(t))
	assert.EqualValues(t, 30+b.cfg.Barrier.Warp+b.cfg.Barrier.Base-1, b.now, "the second warp is counted, then the barrier opens")
	s.barrier.open(bl)
	for _, wp := range bl.warps {
		assert.Equal(t, warpTimed, wp.state)
		assert.EqualValues(t, 1, wp.w.PC)
	}
	assert.EqualValues(t, 1, s.stats.Barriers)
}
