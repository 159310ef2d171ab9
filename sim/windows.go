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
//     the answer comes. It notes what it sends, when its load-store unit is scheduled and which warps end. Other threads begin
//     with that while one does the first part; see arrivals.
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
	arrivals arrivals
	runs     runs
	work     func(int) // do
	calls    [][]call  // by cycle of the window: the SMs whose notes have a call; see call
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
	return (h == nil || h.gate == nil && h.jitter == nil) && m.links.group == nil && len(jobs) == 1 && jobs[0].order == nil && jobs[0].pieces == nil && jobs[0].grid.Cluster == 1 && !jobs[0].clusters &&
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
		part := &w.chips[i]
		part.cfg, part.its, part.strict, part.gpu = m.cfg, m.its, m.strict, m.gpu
		part.active, part.first, part.alone, part.search.spread = make([]uint64, (per+63)/64), int32(i*per), true, true
		part.wheel.Size(timing.PartSlots)
		part.arrivals = &w.arrivals
	}
	w.calls, w.answers, w.leaves = make([][]call, w.length), make([][]call, w.length), make([][]*warp, w.length)
	w.arrivals.flights = make([]lsu, len(m.sms))
	for i := range m.sms {
		w.arrivals.flights[i].sm = &m.sms[i]
	}
	w.arrivals.reached.Store(never)
	w.work = w.do
	if m.threads < 0 {
		w.arrivals.before = w.runEach
	}
}

// next returns the next cycle in which something can happen.
func (w *windows) next() (first uint64, ok bool) {
	first = slices.Min(w.nexts)
	if cycle, some := w.m.wheel.Next(); some {
		first = min(first, cycle)
	}
	if cycle, some := w.tokens.Next(); some {
		first = min(first, cycle)
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
	units := w.runs.units[:0]
	for number, next := range w.nexts {
		if next < until {
			units = append(units, &m.sms[number])
		}
	}
	w.runs.units = units
	w.runs.begin()
	m.l2.late, m.l2.toldLate = m.l2.late[:0], 0
	w.arrivals.take(m, until)
	w.arrivals.keep(units)
	w.arrivals.reached.Store(from)
	// The SMs share nothing in a window, so that they may run in any order; few of them take less time than to wake others.
	alone := len(units) < 4
	if alone || len(w.arrivals.events) < fewArrivals && m.threads > 0 {
		w.arrivals.effect(m)
	}
	w.team.do(w.team.threads, w.work, alone)
	last, broken := m.now, false
	// Notes are collected in the order of SMs, whichever ended first: the result must not depend on threads.
	for _, unit := range units {
		w.collect(unit)
	}
	w.replay(from, until)
	m.l2.tell(never, never)
	if m.run.over {
		return
	}
	for _, unit := range units {
		last, broken = max(last, unit.now), broken || unit.broken
		unit.notes.reset()
		w.wakes(unit)
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
		// As if one event after the other had happened: the earliest error, and of several in a cycle that of the first SM.
		var first *sm
		for number := range m.sms {
			if unit := &m.sms[number]; unit.failed != nil && (first == nil || unit.failedIn < first.failedIn) {
				first = unit
			}
		}
		m.fail(first.failed)
		return
	}
	w.search()
}

// wakes notes when an SM has something to do.
func (w *windows) wakes(unit *sm) {
	next, ok := unit.chip.next()
	if !ok {
		next = never
	}
	w.nexts[unit.id] = next
}

// settle sets the clocks of the SMs to that of the machine.
func (w *windows) settle() {
	now := w.m.now
	for i := range w.chips {
		// An SM that had nothing to do has not looked at the clock.
		if part := &w.chips[i]; part.now < now {
			part.wheel.Advance(now)
			part.now = now
		}
	}
}

// search does between two windows what the search for a hang does at the end of a cycle.
func (w *windows) search() {
	m, all := w.m, &w.m.search
	for _, unit := range w.runs.units {
		// An SM counts from what it had at the end of the last window: only the difference is new to the machine.
		part := &unit.search
		all.flight, all.older = all.flight+part.flight-part.flightBefore, all.older+part.older-part.olderBefore
		part.flightBefore, part.olderBefore = part.flight, part.older
		all.changes += part.changes
		all.changed, all.due = all.changed || part.changed, all.due || part.due
		part.changes, part.changed, part.due = 0, false, false
	}
	// The machine learns of changes at the end of a window only, also where it runs cycle by cycle: a hang lasts, and the cycle of
	// its verdict must not depend on threads.
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
		// All accesses that are in flight began before this epoch.
		if to.epoch != from.epoch {
			to.older = to.flight
		}
		to.phase, to.epoch, to.from = from.phase, from.epoch, from.from
		to.flightBefore, to.olderBefore = to.flight, to.older
	}
}

// collect sorts the notes of an SM, from some on, by cycle.
func (w *windows) collect(unit *sm) {
	notes := &unit.notes
	for _, call := range notes.calls {
		slot := call.in - w.from
		w.busy[slot>>6] |= 1 << (slot & 63)
		if call.order != 0 {
			w.answers[slot] = append(w.answers[slot], call)
		} else {
			w.calls[slot] = append(w.calls[slot], call)
		}
	}
	for _, leave := range notes.leaves {
		slot := leave.in - w.from
		w.busy[slot>>6] |= 1 << (slot & 63)
		w.leaves[slot] = append(w.leaves[slot], leave.wp)
	}
	notes.calls, notes.leaves = notes.calls[:0], notes.leaves[:0]
}

// replay puts what the SMs did into the order in which it happened, one cycle after the other.
func (w *windows) replay(from, until uint64) {
	m := w.m
	for cycle := from; cycle < until; cycle++ {
		slot := cycle - from
		next, ok := w.tokens.Next()
		// Most cycles of a window have nothing to replay: no step is due, and no SM left a note.
		if (!ok || next != cycle) && w.busy[slot>>6]>>(slot&63)&1 == 0 {
			continue
		}
		m.now = cycle
		w.tokens.Advance(cycle)
		dispatch := false
		answers := w.answers[slot]
		slices.SortFunc(answers, func(x, y call) int { return int(x.order) - int(y.order) })
		if ok && next == cycle {
			for _, step := range w.tokens.Take() {
				if step == evDispatch {
					dispatch = true
					continue
				}
				id := int32(step & eventPayload)
				// Answers that were scheduled before this step: when their packets reached the L2.
				for len(answers) > 0 && answers[0].came <= w.given[id].in {
					w.token(answers[0].at, answers[0].sm)
					answers = answers[1:]
				}
				m.l2.tell(cycle, w.given[id].turn)
				w.step(&m.sms[id], until)
			}
		}
		for _, c := range answers {
			w.token(c.at, c.sm)
		}
		w.answers[slot] = w.answers[slot][:0]
		// A cycle has two halves: events of the memory system first, and then sub-cores, whose calls come last; so they do when the
		// machine runs cycle by cycle.
		m.l2.tell(cycle, never)
		w.blocks(slot, dispatch)
		if m.run.over {
			return
		}
		if c := w.calls[slot]; len(c) > 0 {
			if !slices.IsSortedFunc(c, bySM) { // some went on in this part
				slices.SortFunc(c, bySM)
			}
			for _, c := range c {
				w.token(c.at, c.sm)
			}
			w.calls[slot] = c[:0]
		}
		w.busy[slot>>6] &^= 1 << (slot & 63)
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
func (w *windows) step(unit *sm, until uint64) {
	m, notes := w.m, &unit.notes
	if notes.next == len(notes.steps) {
		if unit.failed != nil {
			return
		}
		// Every step of the other SMs before this one has been replayed, so that the queue of the atomic unit is known now.
		unit.granted = true
		unit.runAlone(until)
		w.collect(unit)
	}
	note := notes.steps[notes.next]
	notes.next++
	// The promises of atomic work that this step's packets made, in the order of the packets, so that a step of another SM that
	// asks sees them.
	for ; notes.told < len(notes.works) && notes.works[notes.told].send < int32(notes.first)+note.sends; notes.told++ {
		waits := &notes.works[notes.told]
		m.l2.slices[waits.slice].atomic.room(timing.At(m.now), &waits.work)
	}
	for _, waits := range notes.sends[notes.first:][:note.sends] {
		w.turns++
		unit.lsu.answers[uint32(waits.event)].turn = w.turns
		m.wheel.At(waits.at, waits.event)
	}
	notes.first += int(note.sends)
	if note.next != 0 {
		w.token(note.next, unit.id)
	}
}

// blocks replays what happens to blocks in a cycle: a warp that ends makes room before the dispatcher places blocks if it
// was known earlier that it would.
func (w *windows) blocks(slot uint64, dispatch bool) {
	m := w.m
	d := &m.dispatcher
	if dispatch {
		called := d.calledIn
		w.vacate(slot, called)
		if !m.run.over {
			d.dispatch()
		}
	}
	w.vacate(slot, never)
	w.leaves[slot] = w.leaves[slot][:0]
}

// vacate makes room where warps have ended whose end was known before a cycle.
func (w *windows) vacate(slot, before uint64) {
	for number, wp := range w.leaves[slot] {
		if wp != nil && wp.ackedIn < before {
			w.leaves[slot][number] = nil
			wp.sub.sm.vacate(wp, w.m.now)
		}
	}
}
