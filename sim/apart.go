package sim

import (
	"cmp"
	"maps"
	"slices"

	"github.com/weft-gpu/weft/internal/core/repeat"
)

// begin is told that launches begin, and whether they can be simulated in windows.
func (w *windows) begin(m *machine, windowed bool) {
	if w == nil {
		w = newWindows(m)
		m.windows = w
	}
	w.wanted, w.recurs = windowed, recurrences{}
	if windowed {
		w.part()
	}
}

// recurrences says whether global memory returns to contents that it had before. A machine whose whole state recurs does so
// all the time. The search for that (see livelock) needs the machine as a whole, so a launch that is simulated in windows is
// put together only when its memory has not been new for some time, and parted again when it has.
type recurrences struct {
	memory repeat.Memory       // of the launch since hang.window, but for what searches have seen
	base   uint64              // what those add to the sum
	seen   map[uint64]struct{} // sums
	old    int                 // looks one after the other that found an old sum
	recent int                 // the same for a new one
	need   int                 // old ones for the machine to be put together
}

// The numbers of looks, one every quantum cycles, after which the machine is put together first, at most, and parted again;
// and how many sums are kept.
const (
	oldLooks    = 3
	mostLooks   = 64
	newLooks    = 4
	contentKept = 1 << 14
)

// look looks at the contents of memory.
func (r *recurrences) look(sum uint64) {
	if _, ok := r.seen[sum]; ok {
		r.old, r.recent = r.old+1, 0
		return
	}
	r.old, r.recent = 0, r.recent+1
	// To forget a sum only makes a recurrence be found later: it comes again.
	if len(r.seen) == contentKept {
		clear(r.seen)
	}
	r.seen[sum] = struct{}{}
}

// turn puts the machine together, or parts it again, when it is time.
func (w *windows) turn(d *diagnosis) {
	if w == nil || !w.wanted || d.run.over || d.now-d.run.start < uint64(d.cfg.Hang.Window) || d.unrepeatable() != "" {
		return
	}
	m, recurs := w.m, &w.recurs
	if recurs.seen == nil {
		recurs.seen, recurs.need = map[uint64]struct{}{}, oldLooks
		w.track()
	}
	sum := recurs.base + recurs.memory.Sum()
	if d.livelock != nil {
		sum += d.livelock.Memory.Sum()
	}
	recurs.look(sum)
	switch {
	// Several old contents one after the other: the machine may recur, which only the search over the whole machine can show.
	case w.parted && recurs.old >= recurs.need:
		m.together()
	// Contents that are new prove that it has not recurred. The next time needs twice as many old ones, so that a kernel which
	// returns to old contents now and then is not put together again and again.
	case !w.parted && recurs.recent >= newLooks:
		recurs.base += d.livelock.Memory.Sum()
		recurs.need = min(2*recurs.need, mostLooks)
		d.livelock, d.memory = nil, nil
		w.part()
	}
}

// part makes windows begin.
func (w *windows) part() {
	m := w.m
	w.parted, w.open, w.older = true, false, m.search.older
	m.search.spread = true
	w.executed, _ = m.steps()
	w.track()
	if m.threads < 0 && m.partable() {
		w.apart = true
		w.enter()
	}
}

// again makes windows begin after the machine was put together for something else than a search.
func (w *windows) again() {
	if w != nil && w.wanted && !w.parted {
		w.part()
	}
}

// The numbers of warp instructions in a quantum, of the machine and for each of its SMs, from which SMs run by themselves:
// with fewer, threads would wait for each other most of the time, and what a window costs for each SM would be more than
// what the SM does in it. With half of them, they stop to. Measured on two threads, with all numbers from 2,000 to 40,000.
const (
	apartFrom      = 4000
	apartFromPerSM = 120
)

// adapt lets SMs run by themselves while they have enough to do. It is called between two windows, every budget cycles, and changes no
// result.
func (w *windows) adapt(budget int) {
	if w.m.threads <= 1 || !w.m.partable() {
		return
	}
	all, _ := w.m.steps()
	executed := all - w.executed
	w.executed = all
	enough := uint64(max(apartFrom, apartFromPerSM*len(w.m.sms)) * budget / quantum)
	switch {
	case !w.apart && executed >= enough:
		w.apart = true
		w.enter()
		w.track()
	case w.apart && executed < enough/2:
		w.apart = false
		w.leave()
		w.track()
	}
}

// track lets changes of memory be recorded if recurrences are looked for.
func (w *windows) track() {
	to := &w.recurs.memory
	if w.recurs.seen == nil {
		to = nil
	}
	w.m.memory = to
	for i := range w.chips {
		w.chips[i].memory = to
	}
}

// together ends what part began.
func (m *machine) together() {
	w := m.windows
	if !w.isParted() {
		return
	}
	w.parted = false
	if w.apart {
		w.apart = false
		w.leave()
	}
	m.search.spread, m.memory = false, nil
}

// isParted reports whether the machine runs in windows.
func (w *windows) isParted() bool { return w != nil && w.parted }

// enter parts the machine: each SM gets its events and its share of the search for a hang.
func (w *windows) enter() {
	m := w.m
	if w.chips == nil {
		w.room()
	}
	w.runs.units = w.runs.units[:0]
	for i := range m.sms {
		unit, part := &m.sms[i], &w.chips[i]
		part.wheel.Reset()
		part.wheel.Advance(m.now)
		part.now, part.run, part.broken = m.now, m.run, false
		clear(part.active)
		part.awake = 0
		part.search = search{spread: true, epoch: m.search.epoch, phase: m.search.phase, from: m.search.from}
		part.search.flight, part.search.older = unit.lsu.underway(m.search.epoch)
		unit.chip, unit.l1.chip = part, part
		unit.notes.reset()
		unit.events, unit.handled, unit.inCycle, unit.granted = nil, 0, false, false
	}
	for i := range m.subs {
		// A sub-core that is awake is so in its SM's own clock now.
		if id := int32(i); m.active[id>>6]>>(id&63)&1 != 0 {
			m.subs[i].sm.awaken(id)
		}
	}
	m.allRest()
	for i := range w.calls {
		w.calls[i], w.answers[i], w.leaves[i] = w.calls[i][:0], w.answers[i][:0], w.leaves[i][:0]
	}
	w.busy = [len(w.busy)]uint64{}
	w.team.threads = max(m.threads, -m.threads)
	w.tokens.Reset()
	w.tokens.Advance(m.now)
	m.dispatcher.orders = &w.tokens
	// What one event after the other would have done in a cycle, all do in the order of their own wheel.
	m.wheel.Each(func(cycle uint64, scheduled event) {
		what := scheduled &^ eventPayload
		switch what {
		case evLSU:
			w.token(cycle, int32(scheduled&eventPayload))
		case evDispatch:
			w.tokens.At(cycle, scheduled)
		case evArrive:
			unit, index := m.packet(scheduled)
			w.turns++
			unit.lsu.answers[index].turn = w.turns
		}
		if what != evDispatch {
			m.owner(scheduled).wheel.At(cycle, scheduled)
		}
	})
	// Arrivals are handled twice: at the L2 in the first part of a window, and by the SM, which learns of the answer.
	m.wheel.Retain(func(scheduled event) bool { return scheduled&^eventPayload == evArrive })
	for i := range m.sms {
		w.wakes(&m.sms[i])
	}
	m.dispatcher.nexts = w.nexts
	m.l2.tellLate(true)
	w.tell()
}

// leave puts the machine together again.
func (w *windows) leave() {
	m := w.m
	w.team.dismiss()
	// Of a launch that is over nothing is scheduled that anybody waits for.
	var events []timed
	if !m.run.over {
		events = w.inOrder()
	}
	m.search.flight, m.search.older = 0, 0
	w.runs.units = w.runs.units[:0]
	m.wheel.Reset()
	m.wheel.Advance(m.now)
	for i := range m.sms {
		unit, part := &m.sms[i], &w.chips[i]
		m.search.flight += part.search.flight
		m.search.older += part.search.older
		m.search.clocks += part.search.clocks
		part.search.clocks = 0
		m.wheel.Taken += part.wheel.Taken
		part.wheel.Taken = 0
		unit.chip, unit.l1.chip = &m.chip, &m.chip
		for k := range unit.subs {
			if part.active[k>>6]>>(k&63)&1 != 0 {
				m.awaken(unit.subs[k].id)
			}
		}
	}
	m.dispatcher.orders, m.dispatcher.nexts = &m.wheel, nil
	m.l2.tellLate(false)
	// Last, when every SM has the clock of the machine again.
	for _, scheduled := range events {
		m.wheel.At(scheduled.at, scheduled.event)
	}
}

// timed is an event and its cycle.
type timed struct {
	at    uint64
	event event
}

// inOrder returns the events of all wheels in an order in which one wheel could have had them: that of the arrivals, that of
// the steps of load-store units, and that of each SM.
func (w *windows) inOrder() (all []timed) {
	m := w.m
	arrivals, tokens := byCycle(m.wheel.Each), byCycle(w.tokens.Each)
	cycles := map[uint64]bool{}
	parts := make([]map[uint64][]event, len(w.chips))
	for number := range w.chips {
		parts[number] = byCycle(w.chips[number].wheel.Each)
		for cycle := range parts[number] {
			cycles[cycle] = true
		}
	}
	for cycle := range tokens {
		cycles[cycle] = true
	}
	for _, cycle := range slices.Sorted(maps.Keys(cycles)) {
		// Of a cycle: what all SMs have in common has one order, by the turns in which it was scheduled, and what an SM has alone
		// has that of its wheel, in which the common events stand, too. So the two are merged at the common events.
		global := append(arrivals[cycle], tokens[cycle]...)
		slices.SortFunc(global, func(one, other event) int { return cmp.Compare(w.turnOf(one), w.turnOf(other)) })
		for more := true; more; {
			more = false
			for len(global) > 0 && global[0] == evDispatch {
				all, global, more = append(all, timed{cycle, evDispatch}), global[1:], true
			}
			for number := range parts {
				left := parts[number][cycle]
				for len(left) > 0 {
					if first := left[0]; first&^eventPayload == evArrive || first&^eventPayload == evLSU {
						if global[0] != first {
							break // it is the turn of another SM
						}
						global = global[1:]
					}
					all, left, more = append(all, timed{cycle, left[0]}), left[1:], true
				}
				parts[number][cycle] = left
			}
		}
	}
	return all
}

// turnOf returns the turn in which an arrival or a step was scheduled.
func (w *windows) turnOf(scheduled event) uint64 {
	switch scheduled &^ eventPayload {
	case evArrive:
		unit, index := w.m.packet(scheduled)
		return unit.lsu.answers[index].turn
	case evLSU:
		return w.given[scheduled&eventPayload].turn
	}
	return 0 // the dispatcher: what it does has an order with blocks that end, and with nothing else
}

// byCycle sorts the events of a wheel by cycle.
func byCycle(each func(func(uint64, event))) map[uint64][]event {
	all := map[uint64][]event{}
	each(func(t uint64, e event) { all[t] = append(all[t], e) })
	return all
}

// owner returns the SM that an event is about.
func (m *machine) owner(scheduled event) *sm {
	who := int32(scheduled & eventPayload)
	switch scheduled &^ eventPayload {
	case evWake, evAcked, evCopied, evSuspended:
		return m.warps[who].sub.sm
	case evSubcore:
		return m.subs[who].sm
	case evLSU:
		return &m.sms[who]
	case evBarrier, evNamed:
		return m.dispatcher.slots[who].sm
	}
	unit, _ := m.packet(scheduled)
	return unit
}

// underway returns how many accesses are in flight, and how many of them began before an epoch of the search for a hang.
func (u *lsu) underway(epoch uint32) (flight, older int) {
	began := func(search uint32) {
		flight++
		// An access has the number of the epoch in which it began.
		if search != epoch {
			older++
		}
	}
	if u.ops.inUse() > 0 {
		u.ops.each(func(op *memOp) { began(op.search) })
	}
	for i := range u.sm.slots {
		if wp := &u.sm.slots[i]; wp.state != warpFree {
			wp.copies.eachArrival(func(a *asyncCopy) { began(a.search) })
		}
	}
	return flight, older
}
