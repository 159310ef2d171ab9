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
	for i, task := range p.tasks {
		switch c := &cmds[i]; {
		case c.Copy != nil:
			task.copy.src, task.copy.dst = p.g.placeOf(c.Copy.Src), p.g.placeOf(c.Copy.Dst)
		case c.Write != nil:
			task.copy.dst = p.g.placeOf(c.Write.Buffer)
		case c.Read != nil:
			task.copy.src = p.g.placeOf(c.Read.Buffer)
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
	transfer := &transfer{from: link.Node(from), to: link.Node(to), src: g.placeOf(c.Src), dst: g.placeOf(c.Dst), bytes: c.Src.Bytes(), name: c.Src.Name, engine: 2 * gpu,
		spacing: 1 / (g.cfg.Link.CopyRate * 1e9)}
	if gpu == from {
		transfer.engine++
	}
	return transfer
}

// queueCopy begins a copy, or lets it wait for its engine.
func (p *plan) queueCopy(task *task) {
	e := &p.lanes[task.copy.engine]
	if e.busy {
		e.queue = append(e.queue, task)
		return
	}
	e.busy = true
	p.beginCopy(task)
}

func (p *plan) beginCopy(task *task) {
	p.soon++
	transfer := task.copy
	task.began = true
	task.start = max(task.ready, float64(p.g.engine.CurrentTime()))
	transfer.last = task.start
	switch {
	case transfer.bytes == 0:
		p.arrives(task, task.start+transfer.delay)
	case transfer.from == transfer.to:
		p.localCopy(task)
	default:
		for range p.g.inFlight(transfer) {
			p.sendChunk(task, task.start+transfer.delay)
		}
	}
}

// sendChunk sends the next chunk of a copy, not before a time.
func (p *plan) sendChunk(task *task, at float64) {
	transfer := task.copy
	n := min(chunkBytes, transfer.bytes-transfer.sent)
	if n == 0 {
		return
	}
	// A copy engine has a rate of its own, which may be less than that of the links.
	if transfer.sent > 0 {
		at = max(at, transfer.last+transfer.spacing*chunkBytes)
	}
	transfer.last = at
	if transfer.src.ok {
		p.g.gpus[transfer.from].m.l2.bulk(transfer.src.phys+uint64(transfer.sent), n, false, p.g.cycle(at))
	}
	transfer.sent += n
	to := transfer.to
	// Without a link, and without peer access over PCIe, the driver copies by way of the host.
	if !p.g.direct(transfer.from, transfer.to) {
		to = link.Host
	}
	p.g.net.Send(link.Message{From: transfer.from, To: to, Bytes: n, Tag: tagCopy | uint64(task.n), At: akita.VTimeInSec(at)})
}

// arrived is called when it is known at what time a chunk arrives.
func (p *plan) arrived(n int, m link.Message, at float64) {
	task := p.tasks[n]
	transfer := task.copy
	if m.To != transfer.to { // it passes through the memory of the host
		p.g.net.Send(link.Message{From: link.Host, To: transfer.to, Bytes: m.Bytes, Tag: m.Tag, At: akita.VTimeInSec(at)})
		return
	}
	if transfer.dst.ok {
		p.g.gpus[transfer.to].m.l2.bulk(transfer.dst.phys+uint64(transfer.arrived), m.Bytes, true, p.g.cycle(at))
	}
	transfer.arrived += m.Bytes
	if transfer.arrived == transfer.bytes {
		p.arrives(task, at)
		return
	}
	p.sendChunk(task, at)
}

// arrives records when the last byte of a copy arrives.
func (p *plan) arrives(t *task, at float64) {
	t.end = at
	p.soon--
	p.schedule(t)
}

// localCopy does a copy from one place of a GPU to another.
func (p *plan) localCopy(task *task) {
	x := task.copy
	l2, cycle := p.g.gpus[x.from].m.l2, p.g.cycle(task.start+x.delay)
	done := l2.bulk(x.src.phys, x.bytes, false, cycle)
	done = max(done, l2.bulk(x.dst.phys, x.bytes, true, cycle))
	p.arrives(task, p.g.time(float64(done)))
}

// endCopy makes a copy take effect, and lets the next one use the engine.
func (p *plan) endCopy(task *task) {
	transfer := task.copy
	if transfer.effect != nil {
		if err := transfer.effect(); err != nil {
			p.fail(task, err)
			return
		}
	}
	if p.races {
		p.g.m.hooks.race.Copy(task.n)
	}
	// Memory has changed behind the backs of all GPUs: what they keep of it, and what they have found out, is renewed.
	for _, d := range p.g.gpus {
		d.m.share()
	}
	p.g.changed()
	p.g.observeCopy(task)
	p.done(task, task.end)
	e := &p.lanes[transfer.engine]
	e.busy = false
	if len(e.queue) > 0 {
		next := e.queue[0]
		e.queue = e.queue[1:]
		// An engine does one copy at a time, in the order in which they came.
		next.ready = max(next.ready, task.end)
		e.busy = true
		p.beginCopy(next)
	}
}
