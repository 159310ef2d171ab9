//go:build !kernel

package multi

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// puller is a run that pulls.
type puller struct {
	*run
	step, send, empty, pack, unpack *device.Kernel
	parts                           [][]part   // of each GPU: what one launch processes
	boxes                           [2][]boxes // of each GPU; those of one run are sent while the next one fills the others
	cur                             int        // the array of values that the current iteration reads
	tolerant                        bool       // whether small changes are not sent
}

// part is a part of a GPU's range.
type part struct {
	arg    partArg
	lo, hi int           // vertices
	fixed  device.Buffer // the boundary vertices, for MS
}

// partArg is a Part as a launch argument, tallyArg a Tally and outboxArg an Outbox.
type (
	partArg struct {
		Graph        scheduler.GraphArg
		First        uint32
		OutRow, Need device.Buffer
	}
	tallyArg  struct{ Changed, Useful device.Buffer }
	outboxArg struct {
		Pairs, Top device.Buffer
		Begin      uint32
	}
)

// boxes are what a GPU sends from: pairs, or the values of fixed vertices.
type boxes struct {
	pairs outboxArg
	fixed device.Buffer
}

// newBoxes allocates boxes for n values, which the word top of the tally counts.
func (r *run) newBoxes(m *member, n int, top device.Buffer) (b boxes) {
	switch {
	case r.refines():
		b.pairs = outboxArg{Pairs: m.memory.Alloc("outbox", device.U64, r.pair(n)), Top: top}
		b.fixed = m.memory.Alloc("none", r.kind, 1)
		b.fixed.Len = 0
	default:
		b.pairs = outboxArg{Pairs: m.memory.Alloc("outbox", device.U64, 1), Top: top}
		b.fixed = m.memory.Alloc("outbox", r.kind, n)
	}
	return b
}

// runPull is the host loop of a pull. In an iteration each GPU computes the values of its
// range, in one part, or in two if transfers overlap; what a part changed is sent while the
// next one is computed. All values have arrived when an iteration begins, so that it reads
// those of the previous one, on any number of GPUs.
func runPull(ctx context.Context, j scheduler.Job, base string) (*scheduler.Outcome, error) {
	in, err := j.Graph.Transpose(ctx)
	if err != nil {
		return nil, err
	}
	r, err := begin(ctx, j, in)
	if r == nil {
		return nil, err
	}
	p := &puller{run: r}
	if err == nil {
		r.need = marks(in, r.bounds)
		err = p.prepare(ctx, base)
	}
	for i, changed := 1, r.Vertices(); changed > 0 && err == nil; i++ {
		if err = r.tooMany(i, changed); err == nil {
			changed, err = p.iterate(ctx, i)
		}
	}
	return r.finish(err, func(m *member) device.Buffer { return m.values[p.cur] })
}

// prepare gets the kernels, allocates the boxes, and sets the values.
func (p *puller) prepare(ctx context.Context, base string) (err error) {
	a := p.Algorithm
	send := sending(a, base)
	if tolerant, err := a.Tolerance(p.AlgorithmParams); err != nil {
		return err
	} else if tolerant && p.exchange == vrOnline {
		p.tolerant, send = true, refining(a, base)
	}
	for k, e := range map[**device.Kernel]scheduler.EntryPoint{&p.step: pulling(a, base), &p.send: send, &p.empty: emptying(a), &p.pack: packing(a), &p.unpack: unpacking(a)} {
		if *k, err = p.kernel(ctx, e); err != nil {
			return err
		}
	}
	for _, m := range p.members {
		m.values[1] = m.memory.Alloc("next", p.kind, p.Vertices())
		m.need = m.memory.Copy("need", p.need[m.lo:m.hi])
		if p.tolerant {
			m.known = m.memory.Alloc("known", p.kind, m.hi-m.lo)
		}
		p.divide(m)
	}
	for _, m := range p.members {
		if err := p.boxesOf(m); err != nil {
			return fmt.Errorf("GPU %d: %w", m.index, err)
		}
	}
	if err := p.init(ctx); err != nil {
		return err
	}
	if a.Turns() {
		turned, err := p.turned(ctx)
		if err == nil {
			err = p.setup(ctx, turned)
		}
		if err != nil {
			return err
		}
	}
	// Replicas of values that are not sent must be in both arrays.
	var b scheduler.Batch
	for _, m := range p.members {
		b.Add(scheduler.Control, device.Command{GPU: m.index, Copy: &device.Copy{Dst: m.values[1], Src: m.values[0]}})
		if p.tolerant && m.hi > m.lo { // all GPUs know the first values
			b.Add(scheduler.Control, device.Command{GPU: m.index, Copy: &device.Copy{Dst: m.known, Src: m.values[0].Slice(m.lo, m.hi)}})
		}
	}
	return b.Run(ctx, p.group, &scheduler.Spent{})
}

// divide makes the parts of a GPU's range.
func (p *puller) divide(m *member) {
	cuts := []int{0, m.hi - m.lo}
	if p.overlap {
		cuts = halves(m.rows)
	}
	var list []part
	for i := range len(cuts) - 1 {
		lo, hi := cuts[i], cuts[i+1]
		x := part{lo: m.lo + lo, hi: m.lo + hi}
		if m.memory.Err() == nil {
			x.arg = partArg{Graph: m.graph, First: uint32(x.lo), OutRow: m.outRow, Need: m.need.Slice(lo, max(hi, lo))}
			x.arg.Graph.Row = m.graph.Row.Slice(lo, hi+1)
		}
		if fixed := boundary(p.need, x.lo, x.hi); p.exchange == ms && len(fixed) > 0 {
			x.fixed = m.memory.Copy("boundary", fixed)
		}
		list = append(list, x)
	}
	p.parts = append(p.parts, list)
}

// boxesOf allocates the outboxes and the inbox of a GPU.
func (p *puller) boxesOf(m *member) error {
	room := len(boundary(p.need, m.lo, m.hi))
	for i := range p.boxes {
		var b boxes
		if p.exchange != all {
			b = p.newBoxes(m, room, m.word(p.top(0)))
		}
		p.boxes[i] = append(p.boxes[i], b)
	}
	// The inbox has room for the boundary vertices of all other GPUs; MS sends them in this
	// order.
	var others []uint32
	for i := range p.parts[m.index] {
		for _, from := range p.members {
			if from != m {
				x := p.parts[from.index][i]
				others = append(others, boundary(p.need, x.lo, x.hi)...)
			}
		}
	}
	if p.exchange == all {
		return nil
	}
	m.inbox = p.newInbox(m, len(others))
	if p.refines() || len(others) == 0 || m.memory.Err() != nil {
		return m.memory.Err()
	}
	return p.group.GPU(m.index).Write(m.inbox.vertices, others)
}

// iterate runs one iteration and returns the number of vertices that changed.
func (p *puller) iterate(ctx context.Context, i int) (changed int, err error) {
	if p.mail.unread() { // what was changed last, and how much, was known only at the end
		var b scheduler.Batch
		p.mail.reads(&b, func(sheet) []int { return nil })
		if err := b.Run(ctx, p.group, &p.spent); err != nil {
			return 0, err
		}
	}
	for at := range p.parts[0] {
		var b scheduler.Batch
		arrives, err := p.mail.deliver(&b, len(p.members), p.sent)
		if err != nil {
			return 0, err
		}
		p.mail.reads(&b, func(sheet) []int { return nil })
		last := make([]int, len(p.members))
		for _, m := range p.members {
			if at > 0 {
				arrives[m.index] = nil // needed by the next iteration
			}
			if last[m.index], err = p.compute(&b, m, at, arrives[m.index]); err != nil {
				return 0, err
			}
		}
		if !p.refines() { // how much is sent is known
			p.post(at)
			p.mail.reads(&b, func(s sheet) []int { return []int{last[s.from]} })
		}
		for _, m := range p.members {
			m.listen(&b)
		}
		if err := b.Run(ctx, p.group, &p.spent); err != nil {
			p.record(p.main(), i, p.Vertices(), changed)
			return 0, err
		}
		for _, m := range p.members {
			changed += m.grown(0)
		}
		if p.refines() {
			p.post(at)
		}
		p.credit()
		for k := range p.boxes[0] {
			p.boxes[0][k], p.boxes[1][k] = p.boxes[1][k], p.boxes[0][k]
		}
	}
	p.record(p.main(), i, p.Vertices(), changed)
	p.cur = 1 - p.cur
	return changed, nil
}

// main returns the kernel that does the work.
func (p *puller) main() *device.Kernel {
	if p.refines() {
		return p.send
	}
	return p.step
}

// compute adds the launches of a part on a GPU. The first part waits for what arrives. It
// returns the last command that it waits for.
func (p *puller) compute(b *scheduler.Batch, m *member, at int, arrives []int) (last int, err error) {
	values, next := m.values[p.cur], m.values[1-p.cur]
	if n := m.inbox.filled; at == 0 && n > 0 {
		k, args := p.empty, []any{m.inbox.room.Slice(0, n), values, next}
		if !p.refines() {
			k, args = p.unpack, []any{m.inbox.vertices.Slice(0, n), m.inbox.room.Slice(0, n), values}
		}
		m.inbox.filled = 0
		if _, err = p.launch(b, m, k, scheduler.OneThread, n, arrives, args...); err != nil {
			return 0, err
		}
		arrives = nil // the stream has an order
	}
	x := p.parts[m.index][at]
	if x.lo == x.hi {
		return 0, nil
	}
	tally := tallyArg{Changed: m.word(0), Useful: m.words.Slice(p.used(0), p.used(0))}
	if p.count {
		tally.Useful = m.words.Slice(p.used(0), p.used(len(p.members)))
	}
	args := []any{m.instance.Arg, x.arg, values, next, tally}
	box := p.boxes[0][m.index]
	if p.refines() {
		box.pairs.Begin = m.now[p.top(0)]
		args = append(args, box.pairs)
		if p.tolerant {
			args = append(args, m.known.Slice(x.lo-m.lo, x.hi-m.lo))
		} else {
			args = append(args, p.exchange == vrOffline)
		}
	}
	if last, err = p.launch(b, m, p.main(), scheduler.OneThread, x.hi-x.lo, arrives, args...); err == nil && x.fixed.Len > 0 {
		last, err = p.launch(b, m, p.pack, scheduler.OneThread, x.fixed.Len, nil, x.fixed, next, box.fixed.Slice(0, x.fixed.Len))
	}
	return last, err
}

// post posts what all GPUs send of a part.
func (p *puller) post(at int) {
	for _, m := range p.members {
		x, box := p.parts[m.index][at], p.boxes[0][m.index]
		s := sheet{from: m.index, uncredited: true}
		switch {
		case p.exchange == all:
			s.src = m.values[1-p.cur].Slice(x.lo, x.hi)
		case p.exchange == ms:
			s.src = box.fixed.Slice(0, x.fixed.Len)
		default:
			s.src = box.pairs.Pairs.Slice(0, p.pair(m.grown(p.top(0))))
		}
		for _, other := range p.members {
			switch {
			case other == m:
			case p.exchange == all:
				s.to = append(s.to, receiver{gpu: other.index, dst: other.values[1-p.cur].Slice(x.lo, x.hi)})
			default:
				s.to = append(s.to, receiver{gpu: other.index, dst: other.inbox.take(s.src.Len)})
			}
		}
		p.mail.post(s)
	}
}

// credit notes how much of what was posted last is useful.
func (p *puller) credit() {
	size := uint64(p.kind.Bytes())
	for i := range p.mail.sheets {
		s := &p.mail.sheets[i]
		if !s.uncredited {
			continue
		}
		for k := range s.to {
			s.to[k].useful = size * uint64(p.members[s.from].grown(p.used(s.to[k].gpu)))
		}
		s.uncredited = false
	}
}
