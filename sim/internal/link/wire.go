package link

import (
	akita "github.com/sarchlab/akita/v3/sim"

	"github.com/weft-gpu/weft/device"
)

// wire is a connection between two ports. It always accepts a message: what cannot be transmitted yet waits in its
// lane.
type wire struct {
	akita.HookableBase
	ports [2]akita.Port
	lanes [2]*lane // from each port to the other one
	count int
}

// PlugIn connects a port, the first or the second one.
func (w *wire) PlugIn(p akita.Port, _ int) {
	w.ports[w.count] = p
	w.count++
	p.SetConnection(w)
}

// Unplug is part of Akita's interface; wires stay as they are built.
func (w *wire) Unplug(akita.Port) { panic("link: wires stay as they are built") }

// CanSend returns true.
func (w *wire) CanSend(akita.Port) bool { return true }

// NotifyAvailable does nothing: components take what arrives at once.
func (w *wire) NotifyAvailable(akita.VTimeInSec, akita.Port) {}

// Send puts a flight on the lane from the port that sends it.
func (w *wire) Send(m akita.Msg) *akita.SendError {
	f := m.(*flight)
	l := w.lanes[0]
	if f.meta.Src != w.ports[0] {
		l = w.lanes[1]
	}
	l.accept(f, f.meta.SendTime)
	return nil
}

// lane is a direction of a wire.
type lane struct {
	net *Network
	medium
	index int
	port  akita.Port // the far end
	to    end
	use   device.LinkUse

	free    akita.VTimeInSec // when it has transmitted the last byte
	event   laneEvent        // wakes it then
	waiting int              // flights in queues
	queues  []queue
	next    int  // index of the queue whose turn it is; len(queues) for the first one
	began   bool // that queue has its bytes for this turn
	turn    int  // bytes of a turn
}

// queue are the flights of one input that wait for a lane; packets and transfers wait apart.
type queue struct {
	input    int // lane that they came from; -1 at their source
	transfer bool
	credit   int // bytes that it may still send in its turn
	flights  []*flight
	head     int
}

// laneEvent happens when a lane is free again and flights wait for it.
type laneEvent struct {
	lane *lane
	time akita.VTimeInSec
}

func (e *laneEvent) Time() akita.VTimeInSec { return e.time }
func (e *laneEvent) Handler() akita.Handler { return e }
func (e *laneEvent) IsSecondary() bool      { return false }

// Handle transmits the next flight.
func (e *laneEvent) Handle(akita.Event) error {
	l, now := e.lane, e.time
	flight := l.take()
	if l.waiting > 0 {
		l.wake(now + l.duration(flight))
	}
	l.transmit(flight, now)
	return nil
}

func (l *lane) wake(at akita.VTimeInSec) {
	l.event.time = at
	l.net.engine.Schedule(&l.event)
}

// size returns how many bytes a flight occupies the lane for.
func (l *lane) size(flight *flight) int {
	if flight.msg.Atomic {
		p := l.packets
		p.header = l.net.cfg.AtomicHeader
		return p.split(flight.bytes, min(p.payload, l.net.cfg.Atomic))
	}
	return l.medium.wire(flight.bytes)
}

// duration returns how long a flight occupies the lane.
func (l *lane) duration(f *flight) akita.VTimeInSec {
	return akita.VTimeInSec(float64(l.size(f)) / l.rate)
}

// accept transmits a flight now, or later if the lane is busy.
func (l *lane) accept(flight *flight, now akita.VTimeInSec) {
	i := l.queue(flight)
	if l.waiting == 0 && l.free <= now {
		l.next, l.began = i+1, false // that was its turn
		l.transmit(flight, now)
		return
	}
	if l.waiting == 0 {
		l.wake(l.free)
	}
	l.waiting++
	q := &l.queues[i]
	q.flights = append(q.flights, flight)
}

// queue returns the index of the queue of a flight.
func (l *lane) queue(flight *flight) int {
	for i := range l.queues {
		if queue := &l.queues[i]; queue.input == flight.input && queue.transfer == (flight.transfer != nil) {
			return i
		}
	}
	l.queues = append(l.queues, queue{input: flight.input, transfer: flight.transfer != nil})
	return len(l.queues) - 1
}

// take removes the flight whose turn it is: deficit round robin (Shreedhar and Varghese, SIGCOMM 1995), in which each
// queue may send as many bytes as a chunk has before the next one may.
func (l *lane) take() *flight {
	for {
		if l.next >= len(l.queues) {
			l.next = 0
		}
		queue := &l.queues[l.next]
		if queue.head < len(queue.flights) {
			// The credit is given once in a turn, and what is left of it stays for the next turn.
			if !l.began {
				queue.credit += l.turn
				l.began = true
			}
			flight := queue.flights[queue.head]
			if n := l.size(flight); n <= queue.credit {
				queue.credit -= n
				queue.pop()
				l.waiting--
				return flight
			}
		} else {
			queue.credit = 0 // an empty queue saves nothing
		}
		l.next, l.began = l.next+1, false
	}
}

// pop removes the first flight and reuses the space of those that have left.
func (q *queue) pop() {
	q.flights[q.head] = nil
	q.head++
	if q.head == len(q.flights) {
		q.flights, q.head = q.flights[:0], 0
	} else if q.head > 64 && q.head > len(q.flights)/2 {
		q.flights = q.flights[:copy(q.flights, q.flights[q.head:])]
		q.head = 0
	}
}

// transmit occupies the lane with a flight from now on.
func (l *lane) transmit(flight *flight, now akita.VTimeInSec) {
	bytes, took := l.size(flight), l.duration(flight)
	l.free = now + took
	l.use.Bytes += uint64(flight.bytes)
	l.use.Wire += uint64(bytes)
	l.use.Busy += float64(took)
	if l.net.Observe != nil {
		l.net.Observe(Sent{Lane: l.index, Start: now, End: l.free, Bytes: flight.bytes, Wire: bytes, Tag: flight.msg.Tag})
	}
	source := flight.input == noInput
	flight.meta.Src, flight.meta.Dst, flight.input = nil, l.port, l.index
	transfer := flight.transfer
	switch to := l.to.(type) {
	case *router:
		// The first byte, or later if the next lane is faster: that must not run dry.
		next := to.hop(flight).lane
		flight.time = max(now+l.latency, l.free+l.latency-next.duration(flight))
		l.net.engine.Schedule(flight)
	case *node:
		if flight.msg.To == to.id {
			flight.arrive(l.free + l.latency)
			break
		}
		flight.time = l.free + l.latency // a GPU passes on what has arrived whole
		l.net.engine.Schedule(flight)
	}
	if source && transfer != nil {
		transfer.more(now)
	}
}
