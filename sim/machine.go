package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/hugepage"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/race"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/dram"
	"github.com/weft-gpu/weft/sim/internal/shared"
	"github.com/weft-gpu/weft/sim/internal/timing"
	"github.com/weft-gpu/weft/sim/policy"
)

// machine is the state of the GPU component. The state that survives a kernel (the contents of the L2, the clock) is
// kept for the next launch.
type machine struct {
	cfg      *config.GPU // with all times in SM cycles
	gpu      int         // number in the group; 0 outside one
	group    *Group      // nil outside a group
	away     int         // packets at other GPUs or on the way to and from them
	its      bool        // independent thread scheduling
	seed     uint64
	wheel    timing.Wheel
	now      uint64
	sms      []sm
	subs     []subcore
	active   []uint64 // one bit per sub-core: it has a warp that may issue
	warps    []warp   // by SM, sub-core, slot; see warpID
	l2       *l2
	merger   *merger // nil: no reads are merged
	dram     *dram.Memory
	ops      pool[memOp]
	packets  pool[packet]
	loaded   [][lineBytes]byte // by packet: the data that a load read
	waiters  pool[waiter]
	rows     pool[simt.Row]
	regs     store[simt.Row]  // for the registers of blocks
	simts    store[simt.Warp] // for the warps of blocks
	addrs    simt.Row         // of the instruction being issued
	banks    shared.Banks
	slots    []*block             // every block slot used so far, by id
	policy   policy.BlockDispatch // nil: launch.order breadth or depth
	policies []namedPolicy        // all others, of each part of the machine
	run      *running             // the current launch, or the last one
	stats    counters

	strict bool   // see Options.Strict
	hooks  *hooks // nil: nothing is attached

	// again makes a second run that explains a hang; nil if it cannot be made. try runs the launch again with a change.
	again func(h *waitfor.History) error
	try   func(c remedy.Change) remedy.Verdict
}

// sm is a multiprocessor.
type sm struct {
	id       int32
	subs     []subcore // a subslice of machine.subs
	blocks   []*block  // slots
	resident int
	warps    int // resident warps
	used     usage
	l1       l1
	lsu      lsu
	order    accessOrder
	stage    shared.Stage // delivers the data of shared memory, and of L1 if both are one array
	send     timing.Tick  // when the port to the crossbar is free
	recv     timing.Tick  // when the port from the crossbar is free
	barrier  timing.Tick  // when the barrier unit is free
	locks    lockTable

	ran        bool   // it has had a block since the launches began
	activeFrom uint64 // cycle since which blocks have been resident
	warpsFrom  uint64 // cycle of the last change of warps
}

// block is a block slot of an SM.
type block struct {
	simt.Block
	id      int32 // of the slot, in the machine
	sm      *sm
	job     *job
	warps   []*warp
	running int   // warps that have not ended
	arrived int   // threads that wait at the barrier
	kind    ir.Op // kind of barrier at which the first of them waits
	mixed   bool  // others wait at a different kind
	live    int   // threads that have not exited
	opening bool
	named   simt.Named
	meeting simt.Meeting // used if machine.strict is set
	written simt.Written // the same
	race    race.Block   // used by hooks.race
	began   uint64       // cycle at which it was placed
}

func newMachine(cfg *config.GPU, seed uint64) (*machine, error) {
	cfg = cfg.InSMCycles()
	m := &machine{cfg: cfg, its: cfg.SM.Divergence == "its", seed: seed, dram: dram.New(&cfg.DRAM, cfg.DRAMTiming()), merger: newMerger(&cfg.Xbar, cfg.SM.Count)}
	m.l2 = newL2(&cfg.L2, &cfg.Atomic, cfg.SM.Count, m.dram)
	if j := newJitter(cfg, seed); j != nil {
		m.hook().jitter = j
	}
	n, per := cfg.SM.Count, cfg.SM.SubCores
	slots := cfg.SM.Warps / per
	m.sms = make([]sm, n)
	m.subs = make([]subcore, n*per)
	m.active = make([]uint64, (len(m.subs)+63)/64)
	m.warps = hugepage.Make[warp](n * per * slots)
	m.regs = store[simt.Row]{piece: len(m.warps) / 2, most: 8 * len(m.warps)}
	m.simts = store[simt.Warp]{piece: len(m.warps) / 16, most: len(m.warps)}
	m.packets.items = hugepage.Make[packet](n * cfg.L1.MSHRs)[:0]
	m.loaded = hugepage.Make[[lineBytes]byte](n * cfg.L1.MSHRs)[:0]
	schedule, err := policy.WarpSchedulerMaker(cfg.Issue.Scheduler)
	if err != nil {
		return nil, err
	}
	queues := make([]uint64, len(m.subs)*cfg.Shared.Queue)
	for i := range m.subs {
		s := &m.subs[i]
		s.id, s.sm = int32(i), &m.sms[i/per]
		s.warps = m.warps[i*slots : (i+1)*slots]
		s.shared.leave = queues[i*cfg.Shared.Queue : (i+1)*cfg.Shared.Queue]
		if s.sched = schedule(m.seed + uint64(i)); s.sched == nil {
			return nil, noPolicy("issue.scheduler", cfg.Issue.Scheduler)
		}
		m.policies = append(m.policies, namedPolicy{"issue.scheduler", cfg.Issue.Scheduler, s.sched})
		for k := range s.warps {
			s.warps[k].id, s.warps[k].sub, s.warps[k].slot = int32(i*slots+k), s, uint8(k)
		}
	}
	for i := range m.sms {
		s := &m.sms[i]
		s.id = int32(i)
		s.l1.release()
		s.subs = m.subs[i*per : (i+1)*per]
		s.lsu.queue = make([]lsuEntry, cfg.LSU.Queue)
		s.order = newAccessOrder(cfg.SM.Warps)
		s.locks = newLockTable(&cfg.Shared)
	}
	return m, m.extend()
}

// carry takes over the counters of another machine and its profile and trace.
func (m *machine) carry(from *machine) {
	m.stats = from.snapshot()
	m.l2.stats = from.l2.stats
	m.dram.Counts.Read, m.dram.Counts.Written = from.dram.Counts.Read, from.dram.Counts.Written
	m.dram.Counts.RowHits, m.dram.Counts.RowMisses = from.dram.Counts.RowHits, from.dram.Counts.RowMisses
	m.strict = from.strict
	if h := from.hooks; h != nil && (h.prof != nil || h.trace != nil || h.race != nil) { // jitter begins anew
		m.hook().carry(h)
	}
	if from.group != nil {
		m.attach(from.group, from.gpu)
		m.skip(from.now)
	}
}

// cycles runs the launch until it ends, about budget active cycles have passed, or nothing happens up to cycle until.
// more is false at the end; m.run.err then says whether the launch failed.
func (m *machine) cycles(budget int, until uint64) (more bool) {
	for ; budget > 0; budget-- {
		t, ok := m.next()
		if !ok {
			if m.letGo(true) {
				continue
			}
			if m.away > 0 && !m.run.over {
				return true // other GPUs will answer
			}
			if !m.run.over {
				m.stuck()
			}
			return false
		}
		if t > until {
			return true
		}
		m.wheel.Advance(t)
		m.now = t
		es := m.wheel.Take()
		if m.group != nil {
			linksLast(es)
		}
		for _, e := range es {
			m.handle(e)
		}
		for i, word := range m.active {
			for ; word != 0; word &= word - 1 {
				m.issue(&m.subs[i<<6+bits.TrailingZeros64(word)])
			}
		}
		if h := m.hooks; h != nil && m.now >= h.sampleAt {
			h.sample()
		}
		if m.run.search.due {
			m.run.search.due = false
			m.judge()
			m.revisit()
		}
		if m.run.over {
			return false
		}
	}
	return true
}

// next returns the next cycle in which something can happen.
func (m *machine) next() (uint64, bool) {
	for _, word := range m.active {
		if word != 0 {
			return m.now + 1, true
		}
	}
	return m.wheel.Next()
}

// handle executes an event.
func (m *machine) handle(e event) {
	who := int32(e & eventPayload)
	switch e &^ eventPayload {
	case evWake:
		m.wake(&m.warps[who])
	case evSubcore:
		m.rouse(&m.subs[who])
	case evLSU:
		m.lsuStep(&m.sms[who])
	case evArrive:
		m.arrive(who)
	case evReply, evAnswer:
		m.reply(who)
	case evDispatch:
		m.dispatch()
	case evAcked:
		m.acked(&m.warps[who])
	case evBarrier:
		m.openBarrier(m.slots[who])
	case evNamed:
		m.openNamed(m.slots[who])
	case evRemote:
		m.serve(int(e&eventPayload>>remoteShift), who)
	}
}

// at schedules e for cycle t, but at the earliest for the next cycle.
func (m *machine) at(t uint64, e event) { m.wheel.At(max(t, m.now+1), e) }

// rouse makes a sub-core look for a warp to issue.
func (m *machine) rouse(s *subcore) {
	if s.ready != 0 {
		m.active[s.id>>6] |= 1 << (s.id & 63)
	}
}

// fail ends the launch with an error.
func (m *machine) fail(err error) {
	if m.run.err == nil {
		m.run.err = err
	}
	m.run.over = true
}

// fault ends the launch with an error caused by a thread.
func (m *machine) fault(f *device.Fault) { m.fail(f) }
