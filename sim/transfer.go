package sim

import (
	akita "github.com/sarchlab/akita/v3/sim"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/internal/link"
)

// Copies. A copy takes one of the two copy engines of its GPU: one brings data, the other takes it away. Its data
// travel in chunks, so that other messages on the same links pass between them, and go through the memory of the host
// if no link joins the two GPUs. Memory changes when the last chunk has arrived.

// chunkBytes is the size of a chunk.
const chunkBytes = 64 << 10

// copyEngine does one copy after another.
type copyEngine struct {
	busy  bool
	queue []*task
}

// transfer is a copy that a task does.
type transfer struct {
	engine   int // in plan.lanes
	from, to link.Node
	src, dst spot
	bytes    int
	sent     int // bytes that have left
	arrived  int
	delay    float64 // seconds before the first byte leaves
	spacing  float64 // seconds between the first bytes of two chunks, at least
	last     float64 // when the last chunk was sent
	effect   func() error
	name     string // of the buffer
	toHost   bool
}

// spot is where data are on a GPU.
type spot struct {
	phys uint64
	ok   bool // on a GPU
}

// placeOf returns where a buffer is.
func (d *Device) placeOf(b device.Buffer) spot {
	a, off, err := d.mem.Find(b)
	if err != nil {
		return spot{}
	}
	return spot{d.aliases.Of(a).Phys + uint64(off), true}
}

// place sets where the data of the copies of commands are, which a launch that asks for a fresh device changes.
func (p *plan) place(cmds []device.Command) {
	for i, t := range p.tasks {
		switch c := &cmds[i]; {
		case c.Copy != nil:
			t.copy.src, t.copy.dst = p.g.placeOf(c.Copy.Src), p.g.placeOf(c.Copy.Dst)
		case c.Write != nil:
			t.copy.dst = p.g.placeOf(c.Write.Buffer)
		case c.Read != nil:
			t.copy.src = p.g.placeOf(c.Read.Buffer)
		}
	}
}

// hostCopy returns the transfer of a copy between the host and a buffer of GPU d.
func (g *Group) hostCopy(d *Device, b device.Buffer, toHost bool) *transfer {
	c := &transfer{bytes: b.Bytes(), spacing: 1 / (g.cfg.Copy.Rate * 1e9), name: b.Name, toHost: toHost}
	at := g.placeOf(b)
	if toHost {
		c.from, c.to, c.src, c.engine = link.Node(d.m.gpu), link.Host, at, 2*d.m.gpu+1
	} else {
		c.from, c.to, c.dst, c.engine = link.Host, link.Node(d.m.gpu), at, 2*d.m.gpu
	}
	return c
}

// peerCopy returns the transfer of a copy that GPU gpu does.
func (g *Group) peerCopy(gpu int, c *device.Copy) *transfer {
	from, _ := g.mem.Where(c.Src) // CheckCommands has found them
	to, _ := g.mem.Where(c.Dst)
	x := &transfer{from: link.Node(from), to: link.Node(to), src: g.placeOf(c.Src), dst: g.placeOf(c.Dst), bytes: c.Src.Bytes(), name: c.Src.Name, engine: 2 * gpu,
		spacing: 1 / (g.cfg.Link.CopyRate * 1e9)}
	if gpu == from {
		x.engine++
	}
	return x
}

// queueCopy begins a copy, or lets it wait for its engine.
func (p *plan) queueCopy(t *task) {
	e := &p.lanes[t.copy.engine]
	if e.busy {
		e.queue = append(e.queue, t)
		return
	}
	e.busy = true
	p.beginCopy(t)
}

func (p *plan) beginCopy(t *task) {
	p.soon++
	x := t.copy
	t.began = true
	t.start = max(t.ready, float64(p.g.engine.CurrentTime()))
	x.last = t.start
	switch {
	case x.bytes == 0:
		p.arrives(t, t.start+x.delay)
	case x.from == x.to:
		p.localCopy(t)
	default:
		for range p.g.inFlight(x) {
			p.sendChunk(t, t.start+x.delay)
		}
	}
}

// sendChunk sends the next chunk of a copy, not before a time.
func (p *plan) sendChunk(t *task, at float64) {
	x := t.copy
	n := min(chunkBytes, x.bytes-x.sent)
	if n == 0 {
		return
	}
	// A copy engine has a rate of its own, which may be less than that of the links.
	if x.sent > 0 {
		at = max(at, x.last+x.spacing*chunkBytes)
	}
	x.last = at
	if x.src.ok {
		p.g.gpus[x.from].m.l2.bulk(x.src.phys+uint64(x.sent), n, false, p.g.cycle(at))
	}
	x.sent += n
	to := x.to
	// Without a link, and without peer access over PCIe, the driver copies by way of the host.
	if !p.g.direct(x.from, x.to) {
		to = link.Host
	}
	p.g.net.Send(link.Message{From: x.from, To: to, Bytes: n, Tag: tagCopy | uint64(t.n), At: akita.VTimeInSec(at)})
}

// arrived is called when it is known at what time a chunk arrives.
func (p *plan) arrived(n int, m link.Message, at float64) {
	t := p.tasks[n]
	x := t.copy
	if m.To != x.to { // it passes through the memory of the host
		p.g.net.Send(link.Message{From: link.Host, To: x.to, Bytes: m.Bytes, Tag: m.Tag, At: akita.VTimeInSec(at)})
		return
	}
	if x.dst.ok {
		p.g.gpus[x.to].m.l2.bulk(x.dst.phys+uint64(x.arrived), m.Bytes, true, p.g.cycle(at))
	}
	x.arrived += m.Bytes
	if x.arrived == x.bytes {
		p.arrives(t, at)
		return
	}
	p.sendChunk(t, at)
}

// arrives records when the last byte of a copy arrives.
func (p *plan) arrives(t *task, at float64) {
	t.end = at
	p.soon--
	p.schedule(t)
}

// localCopy does a copy from one place of a GPU to another.
func (p *plan) localCopy(t *task) {
	x := t.copy
	l2, cycle := p.g.gpus[x.from].m.l2, p.g.cycle(t.start+x.delay)
	done := l2.bulk(x.src.phys, x.bytes, false, cycle)
	done = max(done, l2.bulk(x.dst.phys, x.bytes, true, cycle))
	p.arrives(t, p.g.time(float64(done)))
}

// endCopy makes a copy take effect, and lets the next one use the engine.
func (p *plan) endCopy(t *task) {
	x := t.copy
	if x.effect != nil {
		if err := x.effect(); err != nil {
			p.fail(t, err)
			return
		}
	}
	if p.races {
		p.g.m.hooks.race.Copy(t.n)
	}
	// Memory has changed behind the backs of all GPUs: what they keep of it, and what they have found out, is renewed.
	for _, d := range p.g.gpus {
		d.m.share()
	}
	p.g.changed()
	p.g.observeCopy(t)
	p.done(t, t.end)
	e := &p.lanes[x.engine]
	e.busy = false
	if len(e.queue) > 0 {
		next := e.queue[0]
		e.queue = e.queue[1:]
		// An engine does one copy at a time, in the order in which they came.
		next.ready = max(next.ready, t.end)
		e.busy = true
		p.beginCopy(next)
	}
}
