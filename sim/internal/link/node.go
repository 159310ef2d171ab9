package link

import (
	"math"
	"strconv"

	akita "github.com/sarchlab/akita/v3/sim"
)

// hop is a port, and the lane that leads away from it.
type hop struct {
	port akita.Port
	lane *lane
}

// end is a component that wires join.
type end interface {
	akita.Component
	label() string // in Uses
}

// noInput is the input of what starts at a node.
const noInput = -1

// flight is a packet, or a chunk of a transfer, on its way.
type flight struct {
	meta     akita.MsgMeta
	msg      Message
	bytes    int // payload
	last     bool
	transfer *transfer        // nil for a packet
	input    int              // lane that it took last, or noInput
	time     akita.VTimeInSec // when it arrives
}

// Meta returns what Akita's ports need.
func (f *flight) Meta() *akita.MsgMeta { return &f.meta }

// Time returns when a flight arrives at a switch: it is the event of its own arrival.
func (f *flight) Time() akita.VTimeInSec { return f.time }

// Handler returns the flight.
func (f *flight) Handler() akita.Handler { return f }

// IsSecondary returns false.
func (f *flight) IsSecondary() bool { return false }

// Handle puts the flight into the port at the end of its lane.
func (f *flight) Handle(akita.Event) error {
	f.arrive(f.time)
	return nil
}

func (f *flight) arrive(at akita.VTimeInSec) {
	f.meta.RecvTime = at
	if err := f.meta.Dst.Recv(f); err != nil {
		panic("link: a port is not empty") // its component takes each message at once
	}
}

// leave sends a flight out of a port.
func (f *flight) leave(h hop, now akita.VTimeInSec) {
	f.meta.Src, f.meta.SendTime = h.port, now
	h.port.Send(f) // a wire accepts everything
}

// transfer is a long message at its source. One chunk at a time waits there, so that transfers take turns.
type transfer struct {
	node *node
	msg  Message
	sent int // bytes that have left, or wait
}

// more sends the next chunk, if there is one.
func (t *transfer) more(now akita.VTimeInSec) {
	if n := min(t.node.net.cfg.Chunk, t.msg.Bytes-t.sent); n > 0 {
		t.sent += n
		t.node.send(t.msg, n, t, now)
	}
}

// node is a GPU or the host, where messages start and end. In a cube, a GPU also passes messages on.
type node struct {
	*akita.ComponentBase
	net     *Network
	id      Node
	route   []hop     // by destination
	pending []Message // by time, from head
	head    int
	wake    akita.VTimeInSec // of the next event; +Inf if there is none
	spare   []*nodeEvent
}

// nodeEvent sends what is due.
type nodeEvent struct {
	node *node
	time akita.VTimeInSec
}

func (e *nodeEvent) Time() akita.VTimeInSec { return e.time }
func (e *nodeEvent) Handler() akita.Handler { return e.node }
func (e *nodeEvent) IsSecondary() bool      { return false }

func newNode(n *Network, id Node) *node {
	name := "Host"
	if id != Host {
		name = "Node" + strconv.Itoa(int(id))
	}
	return &node{ComponentBase: akita.NewComponentBase(name), net: n, id: id,
		route: make([]hop, n.gpus+1), wake: akita.VTimeInSec(math.Inf(1))}
}

func (v *node) label() string { return v.id.String() }

// submit takes a message that is to be sent at a time.
func (v *node) submit(m Message) {
	m.At = max(m.At, v.net.engine.CurrentTime())
	if v.head > 64 && v.head > len(v.pending)/2 {
		v.pending = v.pending[:copy(v.pending, v.pending[v.head:])]
		v.head = 0
	}
	v.pending = append(v.pending, m)
	i := len(v.pending) - 1
	for ; i > v.head && v.pending[i-1].At > m.At; i-- {
		v.pending[i] = v.pending[i-1]
	}
	v.pending[i] = m
	v.schedule()
}

// schedule makes sure that an event sends the first message in time.
func (v *node) schedule() {
	if v.head < len(v.pending) && v.pending[v.head].At < v.wake {
		v.wake = v.pending[v.head].At
		var e *nodeEvent
		if n := len(v.spare); n > 0 {
			e, v.spare = v.spare[n-1], v.spare[:n-1]
		} else {
			e = &nodeEvent{node: v}
		}
		e.time = v.wake
		v.net.engine.Schedule(e)
	}
}

// Handle sends what is due.
func (v *node) Handle(e akita.Event) error {
	now := e.Time()
	v.spare = append(v.spare, e.(*nodeEvent))
	for v.head < len(v.pending) && v.pending[v.head].At <= now {
		m := v.pending[v.head]
		v.head++
		v.start(m, now)
	}
	if v.head == len(v.pending) {
		v.pending, v.head = v.pending[:0], 0
	}
	if now >= v.wake {
		v.wake = akita.VTimeInSec(math.Inf(1))
	}
	v.schedule()
	return nil
}

// start sends a packet or the first chunk of a transfer.
func (v *node) start(m Message, now akita.VTimeInSec) {
	if m.Bytes <= v.net.cfg.Payload {
		v.send(m, m.Bytes, nil, now)
		return
	}
	(&transfer{node: v, msg: m}).more(now)
}

// send puts a packet or chunk on the first lane of its way.
func (v *node) send(m Message, bytes int, t *transfer, now akita.VTimeInSec) {
	f := v.net.flight()
	*f = flight{msg: m, bytes: bytes, transfer: t, last: t == nil || t.sent == m.Bytes, input: noInput}
	f.leave(v.route[v.net.index(m.To)], now)
}

// NotifyRecv takes a flight that arrives at time at, and reports the end of a message, or passes on what is for another node.
func (v *node) NotifyRecv(at akita.VTimeInSec, port akita.Port) {
	f := port.Retrieve(at).(*flight)
	if f.msg.To != v.id {
		f.leave(v.route[v.net.index(f.msg.To)], at)
		return
	}
	m, last := f.msg, f.last
	v.net.free = append(v.net.free, f)
	if last && v.net.Deliver != nil {
		v.net.Deliver(m, at)
	}
}

// NotifyPortFree does nothing: wires always accept a message.
func (v *node) NotifyPortFree(akita.VTimeInSec, akita.Port) {}

// flight returns an unused flight.
func (n *Network) flight() *flight {
	if k := len(n.free); k > 0 {
		f := n.free[k-1]
		n.free = n.free[:k-1]
		return f
	}
	return new(flight)
}
