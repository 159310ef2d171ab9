package link

import (
	akita "github.com/sarchlab/akita/v3/sim"
)

// router is a switch or the root complex.
type router struct {
	*akita.ComponentBase
	net   *Network
	name  string
	route []hop // by destination
	// turn leads to the wire of the root complex to itself, which ends at turned: transfers between GPUs take it. With
	// other topologies there is none.
	turn   hop
	turned akita.Port
}

func newRouter(n *Network, name, akitaName string) *router {
	return &router{ComponentBase: akita.NewComponentBase(akitaName), net: n, name: name, route: make([]hop, n.gpus+1)}
}

func (r *router) label() string { return r.name }

// hop returns where a flight leaves that arrives at port f.meta.Dst.
func (r *router) hop(flight *flight) hop {
	if r.turn.port != nil && flight.msg.From != Host && flight.msg.To != Host && flight.meta.Dst != r.turned {
		return r.turn
	}
	return r.route[r.net.index(flight.msg.To)]
}

// NotifyRecv passes a flight on.
func (r *router) NotifyRecv(now akita.VTimeInSec, port akita.Port) {
	f := port.Retrieve(now).(*flight)
	f.leave(r.hop(f), now)
}

// NotifyPortFree does nothing: wires always accept a message.
func (r *router) NotifyPortFree(akita.VTimeInSec, akita.Port) {}

// Handle does nothing: a router has no events.
func (r *router) Handle(akita.Event) error { return nil }
