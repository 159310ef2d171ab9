package sim

import (
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/internal/timing"
	"github.com/weft-gpu/weft/sim/policy"
)

// encoder adds the state of a machine to a repeat.Record: everything that determines what the machine does from now on,
// except the contents of global memory. Times are relative to now; one that has passed is 0, since parts only wait for
// times to come or compare them with the present. Packets and accesses have numbers in the order in which they are met,
// since their index in a pool is by chance.
type encoder struct {
	m       *machine
	r       *repeat.Record
	ops     map[event]int // by SM and place in its pool, as events name packets
	packets map[event]int
	scratch []uint64
}

// begin prepares the encoder of a machine for a state.
func (e *encoder) begin(m *machine, r *repeat.Record) {
	e.m, e.r = m, r
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
	e.dispatcher()
	e.policies()
	for i := range l.m.subs {
		e.subcore(&l.m.subs[i])
	}
	for _, b := range l.m.dispatcher.slots {
		e.block(b)
	}
	e.events()
	for i := range l.m.sms {
		if r.Differs() {
			return
		}
		e.sm(&l.m.sms[i])
	}
	e.partitions()
}

func (e *encoder) time(t uint64)      { e.r.Word(t - min(t, e.m.now)) }
func (e *encoder) tick(t timing.Tick) { e.r.Word(uint64(t - min(t, timing.At(e.m.now)))) }

// policies adds the state of the policies. That of the block dispatch does not count: each of its decisions places a
// block, so that no state from before recurs.
func (e *encoder) policies() {
	if g := e.m.hooks.schedule(); g != nil {
		e.r.Word(g.order.State())
		for _, wp := range g.warps {
			e.r.Word(uint64(wp.id)<<32 | uint64(wp.pass))
		}
	}
	e.scratch = e.scratch[:0]
	for _, p := range e.m.policies {
		e.scratch = p.of.(policy.Stateful).AppendState(e.scratch)
		e.scratch = append(e.scratch, never)
	}
	for _, x := range e.scratch {
		e.r.Word(x)
	}
}

func (e *encoder) dispatcher() {
	d, r := &e.m.dispatcher, e.r
	e.tick(d.free)
	r.Bool(d.called)
	r.Int(d.turn)
	r.Int(d.full)
	r.Int(d.run.left)
	for _, j := range d.run.jobs {
		r.Int(j.next)
		r.Int(j.done)
	}
	for _, word := range e.m.active {
		r.Word(word)
	}
}

func (e *encoder) subcore(s *subcore) {
	r := e.r
	r.Word(s.resident)
	if s.resident == 0 {
		return
	}
	r.Word(s.ready)
	for _, t := range s.free {
		e.time(t)
	}
	q := &s.shared
	e.tick(q.path)
	for i := range q.leave {
		e.time(q.leave[(q.first+i)%len(q.leave)])
	}
	e.time(s.wakeAt)
	e.time(s.issueAt)
	for slot, age := range s.age {
		if s.resident>>slot&1 != 0 {
			r.Word(age)
		}
	}
}

func (e *encoder) block(b *block) {
	r := e.r
	r.Int(b.running)
	if b.running == 0 || r.Differs() {
		return
	}
	r.Int(b.ID)
	r.Int(b.arrived)
	r.Int(int(b.kind))
	r.Bool(b.mixed)
	r.Int(b.live)
	r.Bool(b.opening)
	for _, n := range b.named {
		r.Word(uint64(n.Threads)<<32 | uint64(n.Arrived))
	}
	r.Bytes(b.Shared)
	for _, wp := range b.warps {
		if wp.block == b && wp.state != warpFree {
			e.warp(wp)
		}
	}
}

func (e *encoder) warp(wp *warp) {
	r, w := e.r, wp.w
	r.Word(uint64(wp.id)<<8 | uint64(wp.state))
	r.Int(int(wp.under))
	for i, v := range wp.board.rows {
		if i < len(w.Regs) {
			r.Bytes(simt.RowBytes(&w.Regs[i]))
		} else {
			r.Word(uint64(w.Preds[i-len(w.Regs)]))
		}
		switch {
		case v == pending:
			r.Word(v)
		case v>>stallBits <= e.m.now:
			r.Word(0)
		default:
			r.Word(v - e.m.now<<stallBits)
		}
	}
	path := func(p *simt.Path) {
		r.Word(uint64(uint32(p.PC))<<32 | uint64(uint32(p.Recon)))
		r.Word(uint64(p.Mask))
	}
	path(&w.Path)
	r.Word(uint64(w.Exists)<<32 | uint64(w.Exited))
	r.Int(len(w.Stack))
	for i := range w.Stack {
		path(&w.Stack[i])
	}
	r.Int(len(w.Parts))
	for i := range w.Parts {
		path(&w.Parts[i].Path)
		r.Int(int(w.Parts[i].Wait))
	}
	r.Bytes(w.Local)
	e.time(wp.doneAt)
	e.time(wp.fenceEnd)
	r.Word(wp.fenceAfter)
	r.Bool(wp.ofSM)
	if wp.ofSM {
		r.Word(uint64(wp.behind - wp.sub.sm.order.first))
	}
	r.Word(wp.redLine)
	r.Bool(wp.acquire)
	r.Bool(wp.drained)
	r.Bool(wp.awaits)
	r.Word(uint64(wp.retry))
	e.time(wp.resume)
	r.Int(int(wp.named))
	e.time(wp.opens)
	s := &wp.spin
	r.Word(uint64(uint32(s.pc))<<32 | uint64(s.mask))
	r.Word(s.addr)
	r.Word(uint64(uint32(s.same))<<32 | uint64(uint32(s.other)))
	r.Int(int(s.backs))
}

// events adds what is scheduled for later cycles. Every packet in flight is part of one event.
func (e *encoder) events() {
	e.m.wheel.Each(func(t uint64, ev event) {
		e.time(t)
		what := ev &^ eventPayload
		if what == evArrive || what == evReply || what == evAnswer {
			e.r.Word(uint64(what))
			e.packet(what, ev)
		} else {
			e.r.Word(uint64(ev))
		}
	})
	e.r.Word(^uint64(0))
}

func (e *encoder) packet(what, ev event) {
	from, p := e.m.packet(ev)
	u := &from.lsu
	r, pk := e.r, &u.packets.items[p]
	e.packets[u.name(p)] = len(e.packets)
	r.Word(pk.line)
	r.Word(pk.phys)
	r.Word(uint64(pk.sm)<<32 | uint64(pk.lanes))
	r.Word(uint64(pk.sectors)<<8 | uint64(pk.kind)) // its home follows from phys
	r.Bool(pk.local)
	r.Bool(pk.far)
	if pk.kind != packLoad {
		e.op(u, pk.op)
		return
	}
	r.Bool(pk.fill && pk.epoch == from.l1.Epoch)
	for i := pk.waiters; i >= 0; i = u.waiters.items[i].next {
		e.op(u, u.waiters.items[i].op)
		r.Word(uint64(u.waiters.items[i].lanes))
	}
	r.Word(^uint64(0))
	if what != evArrive && !pk.local {
		for sec := range sectorsPerLine {
			if pk.sectors>>sec&1 != 0 {
				r.Bytes(u.loaded[p][sec*sectorBytes:][:sectorBytes])
			}
		}
	}
}

// op adds an access: everything about it where it is met first, and its number after that.
func (e *encoder) op(u *lsu, i int32) {
	r := e.r
	n, met := e.ops[u.name(i)]
	if met {
		r.Int(n)
		return
	}
	n = len(e.ops)
	e.ops[u.name(i)] = n
	op := &u.ops.items[i]
	r.Int(n)
	r.Word(uint64(u.warpOf(op).id)<<32 | uint64(op.pc))
	r.Int(int(op.left))
	r.Word(uint64(op.epoch - u.sm.order.first))
	e.time(op.doneAt)
	r.Bytes(op.off[:])
	r.Int(int(op.numRows))
	for _, row := range op.rows[:op.numRows] {
		r.Bytes(simt.RowBytes(&u.rows.items[row]))
	}
}

func (e *encoder) sm(s *sm) {
	r := e.r
	r.Int(s.resident)
	if s.resident == 0 {
		return
	}
	e.tick(s.shared.stage.Free())
	e.tick(s.port.send)
	e.tick(s.port.recv)
	e.tick(s.barrier.free)
	for _, t := range s.shared.locks.held {
		e.time(t)
	}
	for _, t := range s.shared.locks.banks {
		e.time(t)
	}
	o := &s.order
	e.time(o.doneAt)
	for n := o.first; ; n++ {
		ep := o.at(n)
		r.Int(int(ep.under))
		e.time(ep.doneAt)
		r.Bool(ep.doneAt > o.doneAt)
		if n == o.now {
			break
		}
	}
	r.Int(len(o.fences))
	for _, wp := range o.fences {
		r.Int(int(wp.id))
	}
	l := &s.lsu
	e.tick(l.free)
	r.Bool(l.stalled)
	r.Int(l.n)
	for k := range l.n {
		en := &l.queue[(l.head+k)%len(l.queue)]
		e.op(l, en.op)
		r.Word(uint64(en.kind)<<16 | uint64(en.n)<<8 | uint64(en.next))
		r.Bool(en.cache)
		for i := range en.lines[en.next:en.n] {
			q := &en.lines[int(en.next)+i]
			r.Word(q.addr)
			r.Word(uint64(q.lanes)<<8 | uint64(q.sectors))
			r.Bool(q.local)
		}
	}
	c := &s.l1
	r.Int(c.held)
	for _, p := range c.pending {
		for ; p >= 0; p = l.packets.items[p].next {
			r.Int(e.packets[l.name(p)])
		}
		r.Word(^uint64(0))
	}
	c.L1.Encode(r)
}

// partitions adds the L2 and device memory.
func (e *encoder) partitions() {
	l := e.m.l2
	for i := range l.slices {
		s := &l.slices[i]
		e.tick(s.port)
		for k := range s.fills {
			if e.time(s.fills[(s.fill+k)%len(s.fills)]); e.r.Differs() {
				return
			}
		}
		u := &s.atomic
		e.tick(u.free)
		e.tick(u.promised)
		for _, line := range u.lines {
			e.r.Word(line)
		}
	}
	if g := e.m.net.merger; g != nil {
		for i := range g.reads {
			if r := &g.reads[i]; r.until >= e.m.now {
				e.r.Word(uint64(i)<<16 | uint64(r.sectors)<<8 | uint64(r.n))
				e.r.Word(r.line)
				e.r.Bool(r.far)
				e.time(r.until)
			}
		}
	}
	e.m.l2.mem.Encode(e.r.Word, timing.At(e.m.now))
	l.lines.Encode(e.r, e.m.now)
}
