package sim

import "github.com/weft-gpu/weft/internal/base/prefetch"

// A simulated GPU has more state than the caches of the host, and each event of a cycle is about another part of it. The
// host would wait for its memory once for each. All events of a cycle are known before the first one is handled: what
// they need is asked for some events in advance, first the record that an event names, and then, when that has come, what
// the record names.

const (
	// ahead is how many events are handled while the host's memory delivers what is asked for.
	ahead = 4
	// few is the number of events up to which asking costs more than it saves: where little is going on, it is in the caches.
	few = 2 * ahead
)

// handleAll handles the events of a cycle in order.
func (m *machine) handleAll(events []event) {
	if len(events) <= few {
		for _, e := range events {
			m.handle(e)
		}
		return
	}
	for i, e := range events {
		m.ask(events, i)
		m.handle(e)
	}
}

// ask asks for what the events some places behind number i of several need, and for what the first ones need if i is 0.
func (m *machine) ask(events []event, i int) {
	if i == 0 {
		for _, e := range events[:min(2*ahead, len(events))] {
			m.askRecord(e)
		}
		for _, e := range events[:min(ahead, len(events))] {
			m.askNamed(e)
		}
	}
	if i+2*ahead < len(events) {
		m.askRecord(events[i+2*ahead])
	}
	if i+ahead < len(events) {
		m.askNamed(events[i+ahead])
	}
}

// askBefore asks for what the events need that an SM has before a cycle.
func (m *machine) askBefore(s *sm, until uint64) {
	s.wheel.Before(until, m.askRecord)
	s.wheel.Before(until, m.askOwn)
}

// askOwn is askNamed for an SM that runs by itself: of a packet that arrives, it needs what the L2 says.
func (m *machine) askOwn(event event) {
	if event&^eventPayload == evArrive {
		prefetch.Value(&m.sms[event>>packetShift&packetSM].lsu.answers[uint32(event)])
		return
	}
	m.askNamed(event)
}

// askRecord asks for the record that an event names.
func (m *machine) askRecord(event event) {
	who := int32(event & eventPayload)
	switch event &^ eventPayload {
	case evWake, evAcked, evSuspended:
		prefetch.Value(&m.warps[who])
	case evLSU:
		u := &m.sms[who].lsu
		prefetch.Value(&u.sm)
		prefetch.Value(&u.queue[u.head].lines[0])
	case evArrive, evReply, evAnswer:
		prefetch.Value(&m.sms[event>>packetShift&packetSM].lsu.packets.items[uint32(event)])
	}
}

// askNamed asks for what the record of an event names.
func (m *machine) askNamed(event event) {
	switch event &^ eventPayload {
	case evWake, evAcked, evSuspended:
		if wp := &m.warps[event&eventPayload]; wp.w != nil {
			prefetch.Value(&wp.w.Path)
		}
	case evArrive:
		pk := &m.sms[event>>packetShift&packetSM].lsu.packets.items[uint32(event)]
		m.askEffect(pk)
		m.askAccess(pk)
	case evReply, evAnswer:
		pk := &m.sms[event>>packetShift&packetSM].lsu.packets.items[uint32(event)]
		if pk.kind == packLoad {
			prefetch.Value(&m.sms[pk.sm].lsu.loaded[uint32(event)])
			m.sms[pk.sm].l1.Prefetch(pk.line)
		}
		m.askAccess(pk)
	}
}

// askEffect asks for the memory that a packet reads or changes, and for its place in the L2.
func (m *machine) askEffect(pk *packet) {
	if data, off := m.bytes(pk); off < len(data) {
		prefetch.Bytes(data[off:min(off+lineBytes, len(data))])
	}
	m.l2.lines.Prefetch(pk.home.slice, pk.home.set)
}

// askAccess asks for the access of a packet, or for the first one that waits for it.
func (m *machine) askAccess(pk *packet) {
	if pk.kind != packLoad {
		prefetch.Value(&m.sms[pk.sm].lsu.ops.items[pk.op])
	} else if pk.waiters >= 0 {
		prefetch.Value(&m.sms[pk.sm].lsu.waiters.items[pk.waiters])
	}
}
