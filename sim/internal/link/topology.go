package link

import (
	"fmt"

	akita "github.com/sarchlab/akita/v3/sim"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/config"
)

// The names of switches in Uses.
const (
	nvSwitch    = "switch"
	rootComplex = "root complex"
)

const (
	giga = 1e9
	nano = 1e-9
)

// pcie is the kind of a link to the host beside other links; dword is what its payload is padded to.
const (
	pcie  = "PCIe"
	dword = 4
)

// medium are the properties of a wire.
type medium struct {
	kind    string
	rate    float64 // bytes per second in each direction, headers included
	latency akita.VTimeInSec
	packets
}

// packets is how a kind of link carries bytes.
type packets struct {
	header, payload, flit int
}

// wire returns how many bytes carry n bytes of payload.
func (p packets) wire(n int) int { return p.split(n, p.payload) }

// split returns how many bytes carry n bytes in packets of at most payload bytes.
func (p packets) split(n, payload int) int {
	count := max(1, (n+payload-1)/payload)
	return (n+p.flit-1)/p.flit*p.flit + count*p.header
}

// peers returns the links of a GPU to the others, all together.
func peers(c *config.Link) medium {
	return medium{c.Title(), float64(c.Links) * c.Bandwidth * giga, akita.VTimeInSec(c.Latency * nano), packets{c.Header, c.Payload, c.Flit}}
}

// host returns the link between a GPU and the host.
func host(c *config.Link) medium {
	if c.Topology == config.RootComplex {
		return peers(c)
	}
	return medium{pcie, c.HostBandwidth * giga, akita.VTimeInSec(c.HostLatency * nano), packets{c.HostHeader, c.HostPayload, dword}}
}

// halved returns the medium of each of two wires in a row.
func (m medium) halved() medium {
	m.latency /= 2
	return m
}

// connect makes the wires and switches, and the routes.
func (n *Network) connect() error {
	if n.gpus > 1 {
		switch n.cfg.Topology {
		case config.AllToAll:
			if err := n.mesh(); err != nil {
				return err
			}
		case config.Switch:
			n.star()
		case config.Cube:
			if err := n.cube(); err != nil {
				return err
			}
		}
	}
	n.tree()
	return nil
}

// mesh joins each two GPUs with a wire.
func (n *Network) mesh() error {
	c := &n.cfg
	each := c.Links / (n.gpus - 1)
	if each == 0 {
		joins := "link.topology=switch joins more"
		if n.gpus <= cubeGPUs && cubeLinks(c.Links) {
			joins = "link.topology=cube or switch joins more"
		}
		return fmt.Errorf("links of %d GPUs: %s has %d per GPU for %d others; %s", n.gpus, c.Title(), c.Links, n.gpus-1, joins)
	}
	m := peers(c)
	m.rate = float64(each) * c.Bandwidth * giga
	for i := range n.gpus {
		for j := i + 1; j < n.gpus; j++ {
			a, b := n.nodes[i], n.nodes[j]
			a.route[j], b.route[i] = n.wire(m, a, b)
		}
	}
	n.latency = m.latency
	return nil
}

// star joins all GPUs with a switch.
func (n *Network) star() {
	m := peers(&n.cfg)
	n.latency = m.latency
	sw := newRouter(n, nvSwitch, "Switch")
	for i, g := range n.nodes[:n.gpus] {
		up, down := n.wire(m.halved(), g, sw)
		for j := range n.gpus {
			g.route[j] = up
		}
		sw.route[i] = down
	}
}

// tree joins the GPUs with the host. With root-complex, they also reach each other through it, over a wire from the
// root complex to itself, which stands for the bandwidth that transfers between GPUs share.
func (n *Network) tree() {
	c, end := &n.cfg, n.nodes[n.gpus]
	m := host(c)
	if n.latency == 0 || m.latency < n.latency {
		n.latency = m.latency
	}
	root := newRouter(n, rootComplex, "RootComplex")
	for i, g := range n.nodes[:n.gpus] {
		up, down := n.wire(m.halved(), g, root)
		for j := range g.route {
			if g.route[j].port == nil {
				g.route[j] = up
			}
		}
		root.route[i] = down
	}
	m = m.halved()
	m.rate = c.Root * giga
	up, down := n.wire(m, root, end)
	root.route[n.gpus] = up
	for i := range n.gpus {
		end.route[i] = down
	}
	if c.Topology == config.RootComplex && n.gpus > 1 {
		m.latency = 0
		turn, turned := n.wire(m, root, root)
		root.turn, root.turned = turn, turned.port
	}
}

// wire joins two components and returns how each reaches the other one. A wire from a component to itself has one lane.
func (n *Network) wire(m medium, a, b end) (there, back hop) {
	w := &wire{}
	for i, e := range []end{a, b} {
		name := fmt.Sprintf("Wire%d.End%d", n.wires, i)
		w.PlugIn(akita.NewLimitNumMsgPortWithExternalBuffer(e, &slot{name: name + ".Slot"}, name), 1)
	}
	n.wires++
	w.lanes[0] = n.lane(m, a, b, w.ports[1])
	if a != b {
		w.lanes[1] = n.lane(m, b, a, w.ports[0])
	}
	return hop{w.ports[0], w.lanes[0]}, hop{w.ports[1], w.lanes[1]}
}

// lane makes a direction of a wire.
func (n *Network) lane(m medium, from, to end, port akita.Port) *lane {
	l := &lane{net: n, medium: m, index: len(n.lanes), port: port, to: to, turn: m.packets.wire(n.cfg.Chunk)}
	l.use = device.LinkUse{From: from.label(), To: to.label(), Kind: m.kind}
	l.event.lane = l
	if _, ok := to.(*node); ok && (n.notice == 0 || m.latency < n.notice) {
		n.notice = m.latency
	}
	n.lanes = append(n.lanes, l)
	return l
}
