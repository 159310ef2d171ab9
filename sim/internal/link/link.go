package link

import (
	"fmt"

	akita "github.com/sarchlab/akita/v3/sim"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/config"
)

// Node is the number of a GPU, or Host.
type Node int

// Host is the host's memory.
const Host Node = -1

// String returns "GPU 0" or "host".
func (n Node) String() string {
	if n == Host {
		return "host"
	}
	return fmt.Sprintf("GPU %d", int(n))
}

// Message is what a node sends to another one. Up to a packet's payload (link.payload), a message is one packet; a
// longer one is a transfer. Packets from one node to another arrive in the order of their times At, and those of one
// time in the order of Send; transfers may arrive in any order.
type Message struct {
	From, To Node
	Bytes    int              // payload; 0 for a request or an acknowledgement, which is a header alone
	Atomic   bool             // operands of atomics, of which a packet carries less (link.atomic)
	At       akita.VTimeInSec // when it is sent, now or later; an earlier time means now
	Tag      uint64           // for the receiver
}

// Sent is a message, or a part of a transfer, on a lane.
type Sent struct {
	Lane       int // index in Uses
	Start, End akita.VTimeInSec
	Bytes      int // payload
	Wire       int // payload and headers
	Tag        uint64
}

// Network joins the GPUs of a group and the host. It runs on the engine's events and is not safe for concurrent use.
type Network struct {
	// Deliver is called once for each message, before the last byte arrives at time at: at least Notice earlier. It may
	// call Send.
	Deliver func(m Message, at akita.VTimeInSec)
	// Observe, if not nil, is called for everything that is transmitted, when the transmission starts.
	Observe func(Sent)

	engine  akita.Engine
	cfg     config.Link
	gpus    int
	nodes   []*node // the GPUs, and the host at the end
	lanes   []*lane // in the order of Uses
	wires   int
	free    []*flight // for reuse
	latency akita.VTimeInSec
	notice  akita.VTimeInSec
}

// New builds the network of a group. The error says why the links cannot join that many GPUs.
func New(engine akita.Engine, cfg config.Link, gpus int) (*Network, error) {
	if gpus < 1 {
		return nil, fmt.Errorf("links: %d GPUs", gpus)
	}
	n := &Network{engine: engine, cfg: cfg, gpus: gpus}
	for i := range gpus {
		n.nodes = append(n.nodes, newNode(n, Node(i)))
	}
	n.nodes = append(n.nodes, newNode(n, Host))
	if err := n.connect(); err != nil {
		return nil, err
	}
	return n, nil
}

// Latency returns the smallest time from a message's At to its arrival.
func (n *Network) Latency() akita.VTimeInSec { return n.latency }

// Notice returns the smallest time between a call of Deliver and the arrival: a component that simulates no further
// ahead than that never misses a message.
func (n *Network) Notice() akita.VTimeInSec { return n.notice }

// Send sends a message. It panics if the nodes are not two different nodes of the network.
func (n *Network) Send(m Message) {
	if m.From == m.To || !n.has(m.From) || !n.has(m.To) {
		panic(fmt.Sprintf("link: message from %v to %v, of %d GPUs and the host", m.From, m.To, n.gpus))
	}
	n.nodes[n.index(m.From)].submit(m)
}

func (n *Network) has(v Node) bool { return v == Host || v >= 0 && int(v) < n.gpus }

// index returns the place of a node among nodes and routes.
func (n *Network) index(v Node) int {
	if v == Host {
		return n.gpus
	}
	return int(v)
}

// Peer returns how GPU from reaches the memory of GPU to over these links.
func (n *Network) Peer(from, to int) device.Peer {
	if from == to {
		return device.Peer{Copy: true, Access: true, Atomics: true}
	}
	c := &n.cfg
	return device.Peer{Copy: c.PeerCopy, Access: c.PeerAccess, Atomics: c.PeerAccess && c.PeerAtomics, Link: c.Title()}
}

// Uses returns what each lane has carried, in a fixed order.
func (n *Network) Uses() []device.LinkUse {
	list := make([]device.LinkUse, len(n.lanes))
	for i, l := range n.lanes {
		list[i] = l.use
	}
	return list
}
