//go:build !kernel

package multi

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// pusher is a run that pushes.
type pusher struct {
	*run
	step, collect, merge, mergeFixed *device.Kernel
	far                              [][]far // of each GPU, for each other GPU
	queues                           []queue // of each GPU
	clear                            bool
	sizes                            []int // of the frontiers
	phases                           phases
}

// far is what a GPU sends to another one.
type far struct {
	vertices []uint32      // of the other GPU, that it may send updates to
	targets  device.Buffer // the same on the device
	box      boxes
}

// queue has the frontiers of a GPU: the one that is read and the one that is filled.
type queue struct {
	in, out, count, stamp device.Buffer
	found                 []uint32  // the value of count
	single                outboxArg // of updates that do not combine, before they are divided among the other GPUs
}

// runPush is the host loop of a push. In an iteration each GPU sends the updates of its active
// vertices; those to vertices of other GPUs it collects in replicas. Then the replicas are sent
// to the owners, which combine them into the values and so complete the next frontiers. An
// owner is the only one that receives, so all exchanges differ only in what is sent to it. When no
// GPU has an active vertex, the next phase begins.
func runPush(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	r, err := begin(ctx, j, j.Graph)
	if r == nil {
		return nil, err
	}
	p := &pusher{run: r, clear: !j.Algorithm.Idempotent()}
	if err == nil {
		err = p.prepare(ctx)
	}
	for i := 1; err == nil; i++ {
		if p.active() == 0 {
			if err = p.nextPhase(ctx, i); p.active() == 0 || err != nil {
				break
			}
		}
		if err = r.tooMany(i, p.active()); err == nil {
			err = p.iterate(ctx, i)
		}
	}
	return r.finish(err, func(m *member) device.Buffer { return m.values[0] })
}

// active returns the number of active vertices of all GPUs.
func (p *pusher) active() (n int) {
	for _, size := range p.sizes {
		n += size
	}
	return n
}

// prepare gets the kernels, allocates boxes and queues, and finds the first frontiers.
func (p *pusher) prepare(ctx context.Context) (err error) {
	var first *device.Kernel
	a := p.Algorithm
	for k, e := range map[**device.Kernel]scheduler.EntryPoint{&first: beginning(a), &p.step: pushing(a), &p.collect: collecting(a), &p.merge: merging(a, "Merge"), &p.mergeFixed: merging(a, "MergeFixed")} {
		if *k, err = p.kernel(ctx, e); err != nil {
			return err
		}
	}
	if err := p.beginPhases(ctx); err != nil {
		return err
	}
	incoming := make([]int, len(p.members))
	for _, m := range p.members {
		n := p.Vertices()
		m.need = m.memory.Copy("need", []uint32{0}) // a push has no marks
		p.queues = append(p.queues, queue{in: m.memory.Alloc("queue", device.U32, m.hi-m.lo), out: m.memory.Alloc("queue", device.U32, m.hi-m.lo),
			count: m.memory.Copy("queue.Count", []uint32{0}), stamp: m.memory.Copy("queue.Stamp", make([]uint32, n)), found: make([]uint32, 1)})
		for i, room := range p.reach(m) {
			incoming[i] += room
		}
	}
	for i, m := range p.members {
		m.inbox = p.newInbox(m, incoming[i])
		if err := m.memory.Err(); err != nil {
			return fmt.Errorf("GPU %d: %w", i, err)
		}
	}
	if err := p.init(ctx); err != nil {
		return err
	}
	err = p.setup(ctx, preparing{first, func(m *member) []any {
		return []any{m.instance.Arg, p.part(m), p.problem(), m.values[0], p.filling(m, 0), p.clear}
	}})
	if err != nil {
		return err
	}
	if !p.refines() { // the owners know which vertices are sent
		if err := p.tell(); err != nil {
			return err
		}
	}
	return p.advance(ctx, new(scheduler.Batch), &p.spent)
}

// reach finds the vertices of each other GPU to which a GPU may send updates and allocates what it sends from. It returns for how many
// updates the other GPUs must have room: one for each vertex, or for each arc if updates do not combine.
func (p *pusher) reach(m *member) (rooms []int) {
	list := targets(p.phases.graphs, m.lo, m.hi, p.exchange == all)
	to, all := make([]far, len(p.members)), 0
	for i, other := range p.members {
		var own []uint32
		for ; len(list) > 0 && int(list[0]) < other.hi; list = list[1:] {
			own = append(own, list[0])
		}
		room := len(own)
		if p.Algorithm.Counts() {
			room = arcsTo(p.phases.graphs, m.lo, m.hi, other.lo, other.hi)
		}
		if len(own) > 0 && other != m {
			to[i] = far{vertices: own, targets: m.memory.Copy("boundary", own), box: p.newBoxes(m, room, m.word(p.top(i)))}
			rooms, all = append(rooms, room), all+room
		} else {
			rooms = append(rooms, 0)
		}
	}
	q := &p.queues[m.index]
	q.single = outboxArg{Pairs: m.memory.Alloc("outbox", device.U64, 1), Top: m.word(p.top(m.index))} // nothing goes to the own GPU, so that its word is free
	if p.Algorithm.Counts() {
		q.single.Pairs = m.memory.Alloc("outbox", device.U64, max(p.pair(all), 1))
	}
	p.far = append(p.far, to)
	return rooms
}

// tell writes the vertices of fixed messages to the inboxes, in the order in which they are
// sent.
func (p *pusher) tell() error {
	for _, other := range p.members {
		var list []uint32
		for _, to := range p.far {
			list = append(list, to[other.index].vertices...)
		}
		if len(list) > 0 {
			if err := p.group.GPU(other.index).Write(other.inbox.vertices, list); err != nil {
				return err
			}
		}
	}
	return nil
}

// filling returns the queue that iteration i fills.
func (p *pusher) filling(m *member, i int) scheduler.QueueArg {
	q := p.queues[m.index]
	return scheduler.QueueArg{Vertices: q.out, Count: q.count, Stamp: q.stamp, Iteration: uint32(i)}
}

// advance runs a batch, adds what it took to s, and then the queues that were filled are the frontiers.
func (p *pusher) advance(ctx context.Context, b *scheduler.Batch, s *scheduler.Spent) error {
	for i := range p.queues {
		b.Add(scheduler.Control, device.Command{GPU: i, Read: &device.HostCopy{Buffer: p.queues[i].count, Host: p.queues[i].found}})
	}
	if err := b.Run(ctx, p.group, s); err != nil {
		return err
	}
	p.sizes = p.sizes[:0]
	for i := range p.queues {
		q := &p.queues[i]
		q.in, q.out = q.out, q.in
		p.sizes = append(p.sizes, int(q.found[0]))
	}
	return nil
}

// iterate runs iteration i.
func (p *pusher) iterate(ctx context.Context, i int) (err error) {
	work, next := p.active(), 0
	defer func() { p.record(p.step, i, work, next) }()
	var b scheduler.Batch
	for _, m := range p.members {
		if err := p.push(&b, m, i); err != nil {
			return err
		}
		m.listen(&b)
	}
	if err := b.Run(ctx, p.group, &p.spent); err != nil {
		return err
	}
	p.post()
	if p.mail.unread() {
		var b scheduler.Batch
		p.mail.reads(&b, func(sheet) []int { return nil })
		if err := b.Run(ctx, p.group, &p.spent); err != nil {
			return err
		}
	}
	b = scheduler.Batch{}
	arrives, err := p.mail.deliver(&b, len(p.members), p.sent)
	if err != nil {
		return err
	}
	for _, m := range p.members {
		n := m.inbox.filled
		if m.inbox.filled = 0; n == 0 {
			continue
		}
		k, args := p.merge, []any{m.instance.Arg, m.inbox.room.Slice(0, n), m.values[0], p.phases.now, p.filling(m, i)}
		if !p.refines() {
			k, args = p.mergeFixed, []any{m.instance.Arg, m.inbox.vertices.Slice(0, n), m.inbox.room.Slice(0, n), m.values[0], p.phases.now, p.filling(m, i)}
		}
		if _, err := p.launch(&b, m, k, scheduler.OneThread, n, arrives[m.index], args...); err != nil {
			return err
		}
	}
	if err := p.advance(ctx, &b, &p.spent); err != nil {
		return err
	}
	next = p.active()
	return nil
}

// push adds the launches of iteration i on a GPU: Push over its frontier, and Collect for each
// other GPU. A GPU without active vertices has nothing to do, unless all values are sent anyway.
func (p *pusher) push(b *scheduler.Batch, m *member, i int) error {
	q, n := p.queues[m.index], p.sizes[m.index]
	b.Add(scheduler.Control, device.Command{GPU: m.index, Write: &device.HostCopy{Buffer: q.count, Host: []uint32{0}}})
	if n > 0 {
		in := scheduler.FrontierArg{Vertices: q.in, Count: uint32(n), Phase: p.phases.now}
		q.single.Begin = m.now[p.top(m.index)]
		if _, err := p.launch(b, m, p.step, scheduler.OneWarp, n, nil, m.instance.Arg, p.current(m), m.values[0], in, p.filling(m, i), q.single); err != nil {
			return err
		}
	}
	if n == 0 && p.exchange == vrOnline {
		return nil
	}
	for to := range p.far[m.index] {
		f := p.far[m.index][to]
		if f.targets.Len == 0 {
			continue
		}
		f.box.pairs.Begin = m.now[p.top(to)]
		args := []any{m.instance.Arg, f.targets, m.values[0], q.stamp, uint32(i), m.word(p.used(to)), f.box.fixed, f.box.pairs, p.exchange != vrOnline, p.clear}
		work := f.targets.Len
		if p.Algorithm.Counts() {
			other := p.members[to]
			args, work = []any{q.single, uint32(other.lo), uint32(other.hi), m.word(p.used(to)), f.box.pairs}, q.single.Pairs.Len
		}
		if _, err := p.launch(b, m, p.collect, scheduler.OneThread, work, nil, args...); err != nil {
			return err
		}
	}
	return nil
}

// post posts what all GPUs send.
func (p *pusher) post() {
	size := uint64(p.kind.Bytes())
	for _, m := range p.members {
		for to := range p.members {
			f := p.far[m.index][to]
			if f.targets.Len == 0 {
				continue
			}
			src := f.box.fixed
			if p.refines() {
				src = f.box.pairs.Pairs.Slice(0, p.pair(m.grown(p.top(to))))
			}
			r := receiver{gpu: to, dst: p.members[to].inbox.take(src.Len)}
			if p.count {
				r.useful = size * uint64(m.grown(p.used(to)))
			}
			p.mail.post(sheet{from: m.index, src: src, to: []receiver{r}})
		}
	}
}
