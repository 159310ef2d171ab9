package sim

import (
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/sim/internal/timing"
	"github.com/weft-gpu/weft/sim/policy"
)

// encoder adds the state of a machine to a repeat.Record, to which each part adds its own (encode): everything that determines what the machine does from now on,
// except the contents of global memory. Times are relative to now; one that has passed is 0, since parts only wait for
// times to come or compare them with the present. Packets and accesses have numbers in the order in which they are met,
// since their index in a pool is by chance.
type encoder struct {
	now     uint64
	r       *repeat.Record
	ops     map[event]int // by SM and place in its pool, as events name packets
	packets map[event]int
	scratch []uint64
}

// begin prepares the encoder for a state of a machine.
func (e *encoder) begin(m *machine, r *repeat.Record) {
	e.now, e.r = m.now, r
	if e.ops == nil {
		e.ops, e.packets = map[event]int{}, map[event]int{}
	}
	clear(e.ops)
	clear(e.packets)
}

// Core implements repeat.Subject: the positions of all warps, and when what is scheduled.
func (l *livelock) Core(r *repeat.Record) {
	e := &l.encoder
	e.begin(l.m, r)
	for _, b := range l.m.dispatcher.slots {
		for _, wp := range b.warps {
			if b.running > 0 && wp.block == b && wp.state != warpFree {
				r.Word(uint64(wp.state)<<32 | uint64(wp.w.Mask))
				r.Word(uint64(uint32(wp.w.PC))<<32 | uint64(wp.under))
			}
		}
	}
	l.m.wheel.Each(func(t uint64, ev event) {
		e.time(t)
		if what := ev &^ eventPayload; what == evArrive || what == evReply || what == evAnswer {
			from, p := l.m.packet(ev)
			pk := &from.lsu.packets.items[p]
			ev = what | event(pk.kind)
			r.Word(pk.line)
		}
		r.Word(uint64(ev))
	})
}

// Encode implements repeat.Subject.
func (l *livelock) Encode(r *repeat.Record) {
	e := &l.encoder
	e.begin(l.m, r)
	m := l.m
	m.dispatcher.encode(e)
	e.policies(m)
	for i := range m.subs {
		m.subs[i].encode(e)
	}
	for _, b := range m.dispatcher.slots {
		b.encode(e)
	}
	e.events(m)
	for i := range m.sms {
		if r.Differs() {
			return
		}
		m.sms[i].encode(e)
	}
	if m.l2.encodeSlices(e); r.Differs() {
		return
	}
	m.net.merger.encode(e)
	m.l2.encodeLines(e)
}

func (e *encoder) time(t uint64)      { e.r.Word(t - min(t, e.now)) }
func (e *encoder) tick(t timing.Tick) { e.r.Word(uint64(t - min(t, timing.At(e.now)))) }

// policies adds the state of the policies. That of the block dispatch does not count: each of its decisions places a
// block, so that no state from before recurs.
func (e *encoder) policies(m *machine) {
	if g := m.hooks.schedule(); g != nil {
		e.r.Word(g.order.State())
		for _, wp := range g.warps {
			e.r.Word(uint64(wp.id)<<32 | uint64(wp.pass))
		}
	}
	e.scratch = e.scratch[:0]
	for _, p := range m.policies {
		e.scratch = p.of.(policy.Stateful).AppendState(e.scratch)
		e.scratch = append(e.scratch, never)
	}
	for _, x := range e.scratch {
		e.r.Word(x)
	}
}

// events adds what is scheduled for later cycles. Every packet in flight is part of one event.
func (e *encoder) events(m *machine) {
	m.wheel.Each(func(t uint64, ev event) {
		e.time(t)
		what := ev &^ eventPayload
		if what == evArrive || what == evReply || what == evAnswer {
			e.r.Word(uint64(what))
			from, p := m.packet(ev)
			from.lsu.encodePacket(e, what, p)
		} else {
			e.r.Word(uint64(ev))
		}
	})
	e.r.Word(^uint64(0))
}
