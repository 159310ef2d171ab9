package sim

import (
	"sync"
	"sync/atomic"

	"github.com/weft-gpu/weft/internal/base/prefetch"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// arrivals are the packets that reach the L2 in a window. They take effect one after the other, on one thread, while others
// run SMs: an SM can run up to the arrival of a packet of its own, and beyond when that has taken effect, since it learns then
// when the answer comes.
type arrivals struct {
	events []event
	cycles []uint64
	// flights are, by SM, the records of its accesses as it had them when the window began: it may get more while these are in use.
	flights []lsu
	// before is called before those of a cycle take effect; nil: nothing is. Tests let SMs run then as far as they can.
	before func()

	_       [64]byte      // what is written here is not in one cache line of the host with what others read
	reached atomic.Uint64 // those before this cycle have taken effect
	_       [56]byte
}

// fewArrivals take effect before any SM runs: that takes less time than the SMs would take to wait for them.
const fewArrivals = 32

// take takes what arrives before a cycle out of a machine's wheel: all of it, so that it is known what comes next.
func (a *arrivals) take(m *machine, until uint64) {
	a.events, a.cycles = a.events[:0], a.cycles[:0]
	for {
		cycle, ok := m.wheel.Next()
		if !ok || cycle >= until {
			return
		}
		m.wheel.Advance(cycle)
		for _, arrival := range m.wheel.Take() {
			a.events, a.cycles = append(a.events, arrival), append(a.cycles, cycle)
		}
	}
}

// keep keeps where the records of some SMs are now. What is written to them must not move before all arrivals have taken effect, so
// there has to be room for some more.
func (a *arrivals) keep(units []*sm) {
	for _, unit := range units {
		records := &unit.lsu.inFlight
		for records.room() < 2*mostPackets {
			records.extend()
		}
		a.flights[unit.id].inFlight = *records
	}
}

// mostPackets is how many packets a step of a load-store unit sends at most.
const mostPackets = simt.Lanes

// effect lets all of them take effect.
func (a *arrivals) effect(m *machine) {
	for number := range min(2*ahead, len(a.events)) {
		a.askPacket(number)
	}
	for number := range min(ahead, len(a.events)) {
		a.askNamed(m, number)
	}
	for number, cycle := range a.cycles {
		if number+2*ahead < len(a.events) {
			a.askPacket(number + 2*ahead)
		}
		if number+ahead < len(a.events) {
			a.askNamed(m, number+ahead)
		}
		if cycle != m.now {
			m.now = cycle
			a.reached.Store(cycle)
			if a.before != nil {
				a.before()
			}
		}
		from, index := a.packet(number)
		m.net.arrive(from, index)
	}
	a.reached.Store(never)
}

// packet returns the packet that arrives in a place, and the records that have it.
func (a *arrivals) packet(number int) (from *lsu, index int32) {
	event := a.events[number]
	return &a.flights[event>>packetShift&packetSM], int32(uint32(event))
}

// askPacket asks for a packet; see ahead.
func (a *arrivals) askPacket(number int) {
	from, index := a.packet(number)
	prefetch.Value(&from.packets.items[index])
}

// askNamed asks for what a packet needs when it takes effect.
func (a *arrivals) askNamed(m *machine, number int) {
	from, index := a.packet(number)
	pk := &from.packets.items[index]
	m.askEffect(pk)
	if pk.kind != packLoad {
		prefetch.Value(&from.ops.items[pk.op])
	}
}

// runs are the SMs that have something to do in a window. The threads take one after the other. An SM that has to wait for an
// arrival goes to the end of the line.
type runs struct {
	units []*sm
	mutex sync.Mutex
	line  []*sm // a ring with room for all
	first int
	left  int
}

// begin puts all into the line.
func (r *runs) begin() {
	r.line, r.first, r.left = append(r.line[:0], r.units...), 0, len(r.units)
}

// take takes the first of the line, or returns nil.
func (r *runs) take() (unit *sm) {
	r.mutex.Lock()
	if r.left > 0 {
		unit = r.line[r.first]
		r.left--
		if r.first++; r.first == len(r.line) {
			r.first = 0
		}
	}
	r.mutex.Unlock()
	return unit
}

// put puts an SM at the end of the line.
func (r *runs) put(unit *sm) {
	r.mutex.Lock()
	r.line[(r.first+r.left)%len(r.line)] = unit
	r.left++
	r.mutex.Unlock()
}

// lineSpins is how many looks at one word of memory a look at the line takes.
const lineSpins = 16

// do is what a thread does in a window: number 0 lets arrivals take effect first, if that has not been done.
func (w *windows) do(number int) {
	if number == 0 && w.arrivals.reached.Load() != never {
		w.arrivals.effect(w.m)
	}
	for tries := 1; ; tries++ {
		// Looked at first: when all arrivals have taken effect, no SM comes back into an empty line but from a thread that takes it
		// out again.
		reached := w.arrivals.reached.Load()
		switch ran, some := w.runNext(reached); {
		case ran:
			tries = 0
		case !some && reached == never:
			return
		default:
			makeWay(tries * lineSpins)
		}
	}
}

// runNext lets the first SM of the line run as far as it can, and reports whether it could, and whether there was one.
func (w *windows) runNext(reached uint64) (ran, some bool) {
	unit := w.runs.take()
	if unit == nil {
		return false, false
	}
	if !unit.inCycle {
		w.m.askBefore(unit, w.until)
	}
	if ran = !unit.inCycle || unit.waitsFor < reached; !ran || unit.runAlone(w.until) {
		w.runs.put(unit)
	}
	return ran, true
}

// runEach lets each SM of the line run as far as it can.
func (w *windows) runEach() {
	for range w.runs.units {
		w.runNext(w.arrivals.reached.Load())
	}
}
