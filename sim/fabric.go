package sim

import (
	akita "github.com/sarchlab/akita/v3/sim"

	"github.com/weft-gpu/weft/device"
)

// network is what carries messages between the GPUs of a group and the host.
type network interface {
	// send sends a message. It calls deliver with the time at which the message arrives, at an engine time that is
	// earlier by at least latency.
	send(m message)
	uses() []device.LinkUse
	latency() float64 // seconds
}

// message is data with an address. GPUs are numbered from 0.
type message struct {
	from, to int // hostNode for the host
	bytes    int // of data
	tag      uint64
	at       float64 // seconds: when it is sent; not before the engine's time
}

const hostNode = -1

// fabric joins all GPUs and the host in pairs, each with a link of its own in each direction.
type fabric struct {
	engine  *akita.SerialEngine
	deliver func(m message, at float64)
	gpus    int
	delay   float64
	rate    float64 // bytes per second
	pairs   []pair  // by from, to
	spare   []*fabricEvent
}

type pair struct {
	free  float64
	bytes uint64
	wire  uint64
	busy  float64
}

type fabricEvent struct {
	f *fabric
	m message
}

func (e *fabricEvent) Time() akita.VTimeInSec { return akita.VTimeInSec(e.m.at) }
func (e *fabricEvent) Handler() akita.Handler { return e.f }
func (e *fabricEvent) IsSecondary() bool      { return false }

func (f *fabric) at(from, to int) *pair { return &f.pairs[(from+1)*(f.gpus+1)+to+1] }

func (f *fabric) latency() float64 { return f.delay }

func (f *fabric) send(m message) {
	var e *fabricEvent
	if n := len(f.spare); n > 0 {
		e, f.spare = f.spare[n-1], f.spare[:n-1]
	} else {
		e = &fabricEvent{f: f}
	}
	e.m = m
	e.m.at = max(m.at, float64(f.engine.CurrentTime()))
	f.engine.Schedule(e)
}

// Handle transmits a message.
func (f *fabric) Handle(ev akita.Event) error {
	e := ev.(*fabricEvent)
	m := e.m
	f.spare = append(f.spare, e)
	p := f.at(m.from, m.to)
	wire := m.bytes + 16
	took := float64(wire) / f.rate
	p.free = max(p.free, m.at) + took
	p.bytes, p.wire, p.busy = p.bytes+uint64(m.bytes), p.wire+uint64(wire), p.busy+took
	f.deliver(m, p.free+f.delay)
	return nil
}

func (f *fabric) uses() (list []device.LinkUse) {
	for from := hostNode; from < f.gpus; from++ {
		for to := hostNode; to < f.gpus; to++ {
			if from != to {
				p := f.at(from, to)
				list = append(list, device.LinkUse{From: nodeName(from), To: nodeName(to), Kind: "direct", Bytes: p.bytes, Wire: p.wire, Busy: p.busy})
			}
		}
	}
	return list
}
