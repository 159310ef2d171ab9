package sim

import (
	"slices"

	"github.com/weft-gpu/weft/sim/internal/timing"
	"github.com/weft-gpu/weft/sim/policy"
)

// windows runs a machine whose SMs are simulated one by one, or several at the same time, for a window of cycles. Nothing
// that an SM sends in a window takes effect in it: a packet takes xbar.request cycles to the L2, and a block begins
// launch.start cycles after it was placed. So a window of that length has three parts:
//
//  1. What arrives at the L2 in the window takes effect there, in the order of arrival, and the L2 says when it answers. All
//     of it was sent before the window.
//  2. Each SM runs, with a clock and events of its own. It handles the arrival of its own packets, too, and learns then when
//     the answer comes. It notes what it sends, when its load-store unit is scheduled and which warps end.
//  3. The notes are replayed in the order in which one event after the other would have happened: the packets get their
//     place among the arrivals, and the dispatcher places blocks.
//
// Only one thing is known too late: a packet for an atomic unit whose queue is full keeps the port of its SM, and how full
// that is depends on what the other SMs have sent up to then. An SM that is about to send such a packet stops, and goes on in
// the third part, when it is its turn.
//
// The result does not depend on how many threads the second part has, and cycles and counters are those of the machine that
// runs cycle by cycle (machine.cycles), which is the one with observers, schedules, jitter and links.
type windows struct {
	m        *machine
	length   uint64
	chips    []chip       // of the SMs
	nexts    []uint64     // by SM: the cycle in which it has something to do
	tokens   timing.Wheel // steps of load-store units and of the dispatcher, in the order of all SMs
	given    []given      // by SM: when its step in tokens was scheduled
	turns    uint64       // steps and arrivals that have been scheduled
	from     uint64       // the first cycle of the window
	until    uint64       // the first cycle after it
	run      func(int)    // lets one of runs run
	arrived  []event      // packets that arrive in it, and the cycles
	arrivals []uint64
	runs     []*sm    // SMs that have something to do in it
	calls    [][]call // by cycle of the window: the SMs whose notes have a call; see call
	answers  [][]call
	leaves   [][]*warp // by cycle of the window
	busy     [maxWindow / 64]uint64
	team     team

	// wanted: the launch is simulated in windows, but for times in which the machine is put together; see turn. parted: it is
	// now. apart: the SMs run by themselves; with one thread, the machine runs cycle by cycle in windows, which is faster.
	wanted, parted, apart bool
	open                  bool   // a window has begun
	executed              uint64 // warp instructions until the last adapt
	older                 int    // accesses of earlier epochs in flight at the end of the last window
	recurs                recurrences
}

// given says in which cycle something was scheduled, and in which turn among all steps and arrivals.
type given struct{ in, turn uint64 }

// Windows that are shorter cost more than they save; longer ones are not needed.
const (
	minWindow = 16
	maxWindow = 256
)

// windowOf returns how many cycles of a machine an SM can run by itself.
func (m *machine) windowOf() uint64 {
	return uint64(min(m.cfg.Xbar.Request, m.cfg.Launch.Start, maxWindow))
}

// windowed reports whether the launches that begin are simulated in windows: what decides about a step of a launch from
// outside (a schedule, jitter, other GPUs, other launches) does so in each cycle.
func (m *machine) windowed(jobs []job) bool {
	h := m.hooks
	return (h == nil || h.gate == nil && h.jitter == nil) && m.links.group == nil && len(jobs) == 1 && jobs[0].order == nil && jobs[0].pieces == nil &&
		m.windowOf() >= minWindow
}

// partable reports whether SMs can run by themselves: nobody watches them, and nothing that a user has registered is shared
// by them.
func (m *machine) partable() bool {
	return m.hooks == nil && !m.strict && m.dispatcher.policy == nil && m.l2.hash == nil && m.sms[0].l1.Policy == nil &&
		policy.BuiltIn(m.cfg.Issue.Scheduler)
}

// newWindows prepares a machine for windows.
func newWindows(m *machine) *windows { return &windows{m: m, length: m.windowOf()} }

// room makes room for SMs that run by themselves.
func (w *windows) room() {
	m := w.m
	w.chips, w.nexts = make([]chip, len(m.sms)), make([]uint64, len(m.sms))
	w.given = make([]given, len(m.sms))
	per := len(m.subs) / len(m.sms)
	for i := range w.chips {
		c := &w.chips[i]
		c.cfg, c.its, c.strict, c.gpu = m.cfg, m.its, m.strict, m.gpu
		c.active, c.first, c.alone, c.search.spread = make([]uint64, (per+63)/64), int32(i*per), true, true
		c.wheel.Size(timing.PartSlots)
	}
	w.calls, w.answers, w.leaves = make([][]call, w.length), make([][]call, w.length), make([][]*warp, w.length)
	w.run = func(i int) {
		s := w.runs[i]
		m.askBefore(s, w.until)
		s.runAlone(w.until)
	}
}

// next returns the next cycle in which something can happen.
func (w *windows) next() (first uint64, ok bool) {
	first = slices.Min(w.nexts)
	if t, some := w.m.wheel.Next(); some {
		first = min(first, t)
	}
	if t, some := w.tokens.Next(); some {
		first = min(first, t)
	}
	return first, first != never
}

// cycles is machine.cycles for a machine whose SMs run by themselves.
func (w *windows) cycles(budget int) (more bool) {
	m := w.m
	for ; budget > 0 && !m.run.over; budget -= int(w.length) {
		from, ok := w.next()
		if !ok {
			w.settle()
			m.diagnosis.stuck()
			return false
		}
		w.window(from)
	}
	w.settle()
	return !m.run.over
}

// window simulates a window that begins in a cycle.
func (w *windows) window(from uint64) {
	m, until := w.m, from+w.length
	w.from, w.until = from, until
	w.arrive(until)
	last, broken := m.now, false
	w.runs = w.runs[:0]
	for i, t := range w.nexts {
		if t < until {
			w.runs = append(w.runs, &m.sms[i])
		}
	}
	w.team.do(len(w.runs), w.run, len(w.runs) < 4)
	for _, s := range w.runs {
		w.collect(s)
	}
	w.replay(from, until)
	m.l2.tell(never, never)
	if m.run.over {
		return
	}
	for _, s := range w.runs {
		last, broken = max(last, s.now), broken || s.broken
		s.notes.reset()
		w.wakes(s)
	}
	m.now = max(last, m.now)
	w.close(broken)
}

// close ends a window: with an error of an SM in it, or with the search for a hang, which looks at the machine between two
// windows.
func (w *windows) close(broken bool) {
	m := w.m
	w.open = false
	if broken {
		var first *sm
		for i := range m.sms {
			if s := &m.sms[i]; s.failed != nil && (first == nil || s.failedIn < first.failedIn) {
				first = s
			}
		}
		m.fail(first.failed)
		return
	}
	w.search()
}

// wakes notes when an SM has something to do.
func (w *windows) wakes(s *sm) {
	t, ok := s.chip.next()
	if !ok {
		t = never
	}
	w.nexts[s.id] = t
}

// arrive lets everything take effect that arrives at the L2 before a cycle.
func (w *windows) arrive(until uint64) {
	m := w.m
	m.l2.late, m.l2.toldLate = m.l2.late[:0], 0
	w.arrived, w.arrivals = w.arrived[:0], w.arrivals[:0]
	for {
		t, ok := m.wheel.Next()
		if !ok || t >= until {
			break
		}
		m.wheel.Advance(t)
		for _, e := range m.wheel.Take() {
			w.arrived, w.arrivals = append(w.arrived, e), append(w.arrivals, t)
		}
	}
	for i, e := range w.arrived {
		m.ask(w.arrived, i)
		s, p := m.packet(e)
		m.now = w.arrivals[i]
		m.net.arrive(s, p)
	}
}

// settle sets the clocks of the SMs to that of the machine.
func (w *windows) settle() {
	now := w.m.now
	for i := range w.chips {
		if c := &w.chips[i]; c.now < now {
			c.wheel.Advance(now)
			c.now = now
		}
	}
}

// search does between two windows what the search for a hang does at the end of a cycle.
func (w *windows) search() {
	m, all := w.m, &w.m.search
	for _, s := range w.runs {
		c := &s.search
		all.flight, all.older = all.flight+c.flight-c.flightBefore, all.older+c.older-c.olderBefore
		c.flightBefore, c.olderBefore = c.flight, c.older
		all.changes += c.changes
		all.changed, all.due = all.changed || c.changed, all.due || c.due
		c.changes, c.changed, c.due = 0, false, false
	}
	epoch, phase := all.epoch, all.phase
	switch ended := w.older > 0 && all.older == 0; {
	case all.changed:
		all.changed = false
		m.searchAnew()
	case ended && all.phase == 0:
		all.phase, all.from = 1, all.epoch
	case ended:
		all.due = true
	}
	if all.due {
		all.due = false
		m.diagnosis.judge()
	}
	if w.apart && (all.epoch != epoch || all.phase != phase) {
		w.tell()
	}
	w.older = all.older
}

// tell gives the SMs the state of the search for a hang.
func (w *windows) tell() {
	from := &w.m.search
	for i := range w.chips {
		to := &w.chips[i].search
		if to.epoch != from.epoch {
			to.older = to.flight
		}
		to.phase, to.epoch, to.from = from.phase, from.epoch, from.from
		to.flightBefore, to.olderBefore = to.flight, to.older
	}
}

// collect sorts the notes of an SM, from some on, by cycle.
func (w *windows) collect(s *sm) {
	n := &s.notes
	for _, c := range n.calls {
		i := c.in - w.from
		w.busy[i>>6] |= 1 << (i & 63)
		if c.order != 0 {
			w.answers[i] = append(w.answers[i], c)
		} else {
			w.calls[i] = append(w.calls[i], c)
		}
	}
	for _, l := range n.leaves {
		i := l.in - w.from
		w.busy[i>>6] |= 1 << (i & 63)
		w.leaves[i] = append(w.leaves[i], l.wp)
	}
	n.calls, n.leaves = n.calls[:0], n.leaves[:0]
}

// replay puts what the SMs did into the order in which it happened, one cycle after the other.
func (w *windows) replay(from, until uint64) {
	m := w.m
	for t := from; t < until; t++ {
		i := t - from
		next, ok := w.tokens.Next()
		if (!ok || next != t) && w.busy[i>>6]>>(i&63)&1 == 0 {
			continue
		}
		m.now = t
		w.tokens.Advance(t)
		dispatch := false
		answers := w.answers[i]
		slices.SortFunc(answers, func(x, y call) int { return int(x.order) - int(y.order) })
		if ok && next == t {
			for _, e := range w.tokens.Take() {
				if e == evDispatch {
					dispatch = true
					continue
				}
				id := int32(e & eventPayload)
				// Answers that were scheduled before this step: when their packets reached the L2.
				for len(answers) > 0 && answers[0].came <= w.given[id].in {
					w.token(answers[0].at, answers[0].sm)
					answers = answers[1:]
				}
				m.l2.tell(t, w.given[id].turn)
				w.step(&m.sms[id], until)
			}
		}
		for _, c := range answers {
			w.token(c.at, c.sm)
		}
		w.answers[i] = w.answers[i][:0]
		m.l2.tell(t, never)
		w.blocks(i, dispatch)
		if m.run.over {
			return
		}
		if c := w.calls[i]; len(c) > 0 {
			if !slices.IsSortedFunc(c, bySM) { // some went on in this part
				slices.SortFunc(c, bySM)
			}
			for _, c := range c {
				w.token(c.at, c.sm)
			}
			w.calls[i] = c[:0]
		}
		w.busy[i>>6] &^= 1 << (i & 63)
	}
}

// token schedules a step of the load-store unit of an SM for the replay.
func (w *windows) token(at uint64, sm int32) {
	w.turns++
	w.given[sm] = given{w.m.now, w.turns}
	w.tokens.At(at, evLSU|event(sm))
}

func bySM(a, b call) int { return int(a.sm) - int(b.sm) }

// step replays a step of the load-store unit of an SM. If the SM waits to take it, it does so now, and goes on to the end
// of the window.
func (w *windows) step(s *sm, until uint64) {
	m, n := w.m, &s.notes
	if n.next == len(n.steps) {
		if s.failed != nil {
			return
		}
		s.granted = true
		s.runAlone(until)
		w.collect(s)
	}
	note := n.steps[n.next]
	n.next++
	for ; n.told < len(n.works) && n.works[n.told].send < int32(n.first)+note.sends; n.told++ {
		x := &n.works[n.told]
		m.l2.slices[x.slice].atomic.room(timing.At(m.now), &x.work)
	}
	for _, x := range n.sends[n.first:][:note.sends] {
		w.turns++
		s.lsu.answers[uint32(x.event)].turn = w.turns
		m.wheel.At(x.at, x.event)
	}
	n.first += int(note.sends)
	if note.next != 0 {
		w.token(note.next, s.id)
	}
}

// blocks replays what happens to blocks in a cycle: a warp that ends makes room before the dispatcher places blocks if it
// was known earlier that it would.
func (w *windows) blocks(i uint64, dispatch bool) {
	m := w.m
	d := &m.dispatcher
	if dispatch {
		called := d.calledIn
		w.vacate(i, called)
		if !m.run.over {
			d.dispatch()
		}
	}
	w.vacate(i, never)
	w.leaves[i] = w.leaves[i][:0]
}

// vacate makes room where warps have ended whose end was known before a cycle.
func (w *windows) vacate(i, before uint64) {
	for k, wp := range w.leaves[i] {
		if wp != nil && wp.ackedIn < before {
			w.leaves[i][k] = nil
			wp.sub.sm.vacate(wp, w.m.now)
		}
	}
}
