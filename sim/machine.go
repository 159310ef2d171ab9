package sim

import (
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/internal/base/hugepage"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/dram"
	"github.com/weft-gpu/weft/sim/policy"
)

// machine is the GPU component: it owns the parts, puts launches on them, and goes from cycle to cycle. The state that
// survives a kernel (the contents of the L2, the clock) is kept for the next launch.
type machine struct {
	chip
	seed       uint64
	sms        []sm
	subs       []subcore // of all SMs
	warps      []warp    // by SM, sub-core, slot; see warp.id
	net        crossbar
	l2         *l2
	links      linkPort
	dispatcher dispatcher
	diagnosis  diagnosis
	policies   []namedPolicy // of each part but the dispatcher
	windows    *windows      // nil: no launch could be simulated in windows
	threads    int           // that simulate a launch
	held       bool          // no warp issues, until nothing is in flight; see stretches
	stats      counters      // of launches that have ended, and of the host
	extra      counter.Raw   // estimates of what was not simulated
}

func newMachine(cfg *config.GPU, seed uint64) (*machine, error) {
	cfg = cfg.InSMCycles()
	m := &machine{chip: chip{cfg: cfg, its: cfg.SM.Divergence == "its"}, seed: seed}
	c := &m.chip
	m.l2 = newL2(c, dram.New(&cfg.DRAM, cfg.DRAMTiming()))
	m.links = linkPort{chip: c, l2: m.l2}
	m.net = crossbar{chip: c, l2: m.l2, merger: newMerger(&cfg.Xbar, cfg.SM.Count), links: &m.links}
	if j := newJitter(cfg, seed); j != nil {
		m.hook().jitter = j
	}
	n, per := cfg.SM.Count, cfg.SM.SubCores
	slots := cfg.SM.Warps / per
	m.sms = make([]sm, n)
	m.subs = make([]subcore, n*per)
	m.active = make([]uint64, (len(m.subs)+63)/64)
	m.warps = hugepage.Make[warp](n * per * slots)
	rest := hugepage.Make[seldom](len(m.warps))
	m.dispatcher = newDispatcher(c, m.sms, len(m.warps))
	m.diagnosis = diagnosis{chip: c, sms: m.sms, warps: m.warps, dispatcher: &m.dispatcher, links: &m.links, machine: m}
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
			wp := &s.warps[k]
			wp.id, wp.sub, wp.slot, wp.seldom = int32(i*slots+k), s, uint8(k), &rest[i*slots+k]
		}
	}
	times, flights := newSharedTimes(&cfg.Shared, &cfg.MBar), newInFlights(n, cfg.L1.MSHRs, m.warps)
	for i := range m.sms {
		s := &m.sms[i]
		s.subs, s.slots = m.subs[i*per:(i+1)*per], m.warps[i*per*slots:(i+1)*per*slots]
		s.init(c, i, &m.net, &m.dispatcher, &times, flights[i])
	}
	return m, m.extend()
}

// carry takes over the counters of another machine and its profile and trace.
func (m *machine) carry(from *machine) {
	m.extra, from.extra = from.extra, counter.Raw{}
	m.stats = from.snapshot()
	m.l2.stats, m.l2.words, m.l2.mem.Counts = from.l2.stats, from.l2.words, from.l2.mem.Counts
	m.strict, m.threads = from.strict, from.threads
	if h := from.hooks; h != nil && (h.prof != nil || h.trace != nil || h.race != nil) { // jitter begins anew
		m.hook().carry(h)
	}
	if from.links.group != nil {
		m.attach(from.links.group, from.gpu)
		m.skip(from.now)
	}
}

// cycles runs the launch until it ends, about budget active cycles have passed, or nothing happens up to cycle until.
// more is false at the end; m.run.err then says whether the launch failed.
func (m *machine) cycles(budget int, until uint64) (more bool) {
	w := m.windows
	parted := w.isParted()
	if parted {
		if w.adapt(budget); w.apart {
			return w.cycles(budget)
		}
	}
	for budget > 0 {
		next, ok := m.next()
		if m.held { // warps may be ready
			if next, ok = m.wheel.Next(); !ok {
				return true
			}
		}
		if parted && w.open && (!ok || next >= w.until) {
			if w.close(m.broken); m.run.over {
				return false
			}
			budget -= int(w.length)
			continue
		}
		if !ok {
			// Everything is at rest. A schedule may hold the next step back; else threads wait for each other.
			if m.hooks.schedule().letGo(true) {
				budget--
				continue
			}
			if m.links.away > 0 && !m.run.over {
				return true // other GPUs will answer
			}
			if m.resumed() {
				return !m.run.over
			}
			if !m.run.over {
				m.diagnosis.stuck()
			}
			return !m.run.over // the group has been asked
		}
		if next > until {
			return true
		}
		if parted && !w.open {
			w.open, w.until = true, next+w.length
		}
		m.wheel.Advance(next)
		m.now = next
		m.cycle(m.wheel.Take())
		if h := m.hooks; h != nil && m.now >= h.sampleAt {
			h.sample()
		}
		// At the end of a cycle, when all parts are in the state in which the next one begins.
		if !parted {
			budget--
			if m.search.due && !m.held {
				m.search.due = false
				if !m.resumed() {
					m.diagnosis.judge()
					m.diagnosis.revisit()
				}
				if m.links.ask != askNothing {
					return true
				}
			}
		}
		if m.run.over {
			return false
		}
	}
	return true
}

// cycle simulates a cycle: first what has arrived, then what issues, so that an access that is answered in this cycle can be
// used in it.
func (m *machine) cycle(events []event) {
	if m.links.group != nil {
		linksLast(events)
	}
	if m.broken {
		events = m.without(events)
	}
	m.handleAll(events)
	if m.held {
		return
	}
	for i, word := range m.active {
		for ; word != 0; word &= word - 1 {
			if s := &m.subs[i<<6+bits.TrailingZeros64(word)]; !m.broken || s.sm.failed == nil || s.sm.failedIn == m.now {
				s.issue()
			}
		}
	}
}

// without removes the events of SMs that have failed before this cycle: these do nothing more, until the launch ends with
// the window.
func (m *machine) without(events []event) []event {
	return slices.DeleteFunc(events, func(event event) bool {
		switch event &^ eventPayload {
		case evDispatch:
			return false
		case evArrive: // it was sent before
			return false
		}
		return m.owner(event).failed != nil
	})
}

// handle executes an event.
func (m *machine) handle(event event) {
	switch event &^ eventPayload {
	case evArrive:
		s, p := m.packet(event)
		m.net.arrive(&s.lsu, p)
		if s.failed == nil {
			s.lsu.accepted(p)
		}
	case evDispatch:
		m.dispatcher.dispatch()
	case evRemote:
		m.links.serve(event)
	default:
		m.owner(event).handle(event)
	}
}

// packet returns the packet that an event is about, and its SM.
func (m *machine) packet(e event) (s *sm, p int32) {
	return &m.sms[e>>packetShift&packetSM], int32(uint32(e))
}

// idle handles what other GPUs ask of a machine without launches, up to a cycle.
func (m *machine) idle(until uint64) {
	for {
		cycle, ok := m.wheel.Next()
		if !ok || cycle > until {
			return
		}
		m.wheel.Advance(cycle)
		m.now = cycle
		es := m.wheel.Take()
		linksLast(es)
		for _, e := range es {
			m.handle(e)
		}
	}
}

// settle removes what is left in the wheel of launches that have ended.
func (m *machine) settle() {
	m.wheel.Retain(func(e event) bool { return e&^eventPayload == evRemote })
	m.allRest()
}

// skip advances the clock of an idle machine to a cycle, at most to the next event.
func (m *machine) skip(to uint64) {
	if t, ok := m.wheel.Next(); ok {
		to = min(to, t-1)
	}
	if to > m.now {
		m.wheel.Advance(to)
		m.now = to
	}
}

// abandon removes everything of launches that did not end from the machine.
func (m *machine) abandon() {
	m.together()
	m.wheel.Reset()
	m.search.flight, m.broken, m.held = 0, false, false
	m.allRest()
	for i := range m.sms {
		m.sms[i].abandon()
	}
}
