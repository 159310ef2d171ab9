//go:build !kernel

package multi

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// roundsArg is a Rounds as a launch argument.
type roundsArg struct {
	Vertices, Heavy, Counts, Stamp, Barrier device.Buffer
	Most                                    uint32
	Done                                    device.Buffer
}

// listsArg is a Lists as a launch argument, and boxesArg a Boxes.
type (
	listsArg struct{ Bounds, List, Begin, Counts, Sent device.Buffer }
	boxesArg struct {
		Outbox, Told, Inbox, Heard [scheduler.MostPeers]device.Buffer
	}
)

// mirrorArg is a Mirror as a launch argument.
type mirrorArg struct {
	Known         device.Buffer
	There, Values [scheduler.MostPeers]device.Buffer
	Found, Stored device.Buffer
	Above         uint32
}

// rounds is a run in which one kernel on each GPU does all iterations.
type rounds struct {
	*run
	kernel, first *device.Kernel
	before        []preparing
	clear         bool
	frontiers     []roundsArg // of each GPU
	lists         []listsArg  // of each GPU
	boxes         []boxesArg  // of each GPU
	barriers      []scheduler.GroupBarrierArg
	ends          []device.Buffer      // of each GPU: what the host reads at the end in one copy; see end
	incoming      []scheduler.GraphArg // of each GPU: the rows of its range; nil if nothing is pulled
	mirrors       []mirrorArg          // of each GPU, if it pulls
}

// runRounds runs pushes, and perhaps pulls, whose iterations the GPUs do by themselves.
func runRounds(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	var in *graph.CSR
	if pullsToo(j.Algorithm, j.Params) {
		var err error
		if in, err = j.Graph.Transpose(ctx); err != nil {
			return nil, err
		}
	}
	r, err := begin(ctx, j, j.Graph)
	if r == nil {
		return nil, err
	}
	p := &rounds{run: r, clear: !j.Algorithm.Idempotent()}
	if err == nil {
		err = p.prepare(ctx, in)
	}
	if err == nil {
		err = p.launch(ctx, j.Params.Int("blocks"))
	}
	return r.finish(err, func(m *member) device.Buffer { return m.values[0] })
}

// prepare gets the kernels, allocates queues, lists, inboxes and barriers, and finds the first frontiers.
func (p *rounds) prepare(ctx context.Context, in *graph.CSR) (err error) {
	lanes := p.Params.Word("lanes")
	all := pushingAll(p.Algorithm, lanes)
	if in != nil {
		all = pushingAndPulling(p.Algorithm, lanes)
	}
	if p.kernel, err = p.run.kernel(ctx, all); err != nil {
		return err
	}
	if p.first, err = p.run.kernel(ctx, beginningAll(p.Algorithm)); err != nil {
		return err
	}
	var memories []*scheduler.Memory
	for _, m := range p.members {
		m.need = m.memory.Copy("need", []uint32{0}) // a push has no marks
		words := m.memory.Copy("end", make([]uint32, endWords))
		p.ends = append(p.ends, words)
		p.frontiers = append(p.frontiers, roundsArg{Vertices: m.memory.Alloc("queue", device.U32, 2*max(m.hi-m.lo, 1)), Heavy: m.memory.Alloc("queue.Heavy", device.U64, 2*max(p.chunks(m), 1)),
			Counts: words.Slice(0, endDone), Stamp: m.memory.Copy("queue.Stamp", make([]uint32, p.Vertices())), Barrier: m.memory.Copy("barrier", []uint32{0}),
			Most: uint32(p.most), Done: words.Slice(endDone, endStored)})
		memories = append(memories, m.memory)
	}
	// It also says whether the GPUs can wait for each other, and that there are no more of them than boxes.
	if p.barriers, err = scheduler.NewGroupBarrier(p.group, memories); err != nil {
		return err
	}
	p.join()
	if in != nil {
		p.mirror(in)
	}
	for i, m := range p.members {
		if err := m.memory.Err(); err != nil {
			return fmt.Errorf("GPU %d: %w", i, err)
		}
		if err := p.group.GPU(i).Write(p.lists[i].Sent, make([]uint64, p.lists[i].Sent.Len)); err != nil {
			return err
		}
	}
	initial, err := p.initial(ctx)
	p.before = []preparing{initial, {p.first, func(m *member) []any {
		return []any{m.instance.Arg, p.part(m), p.problem(), m.values[0], p.frontiers[m.index], p.clear}
	}}}
	return err
}

// chunks returns how many entries for blocks a frontier of a GPU has at most.
func (p *rounds) chunks(m *member) (n int) {
	for i := range m.rows[1:] {
		if degree := int(m.rows[i+1] - m.rows[i]); degree >= heavy {
			n += (degree + chunk - 1) / chunk
		}
	}
	return n
}

// join allocates what GPUs send each other, and tells each where that is. A GPU to which no arc of another one leads gets no pairs from
// it, and hears how much it has to do all the same.
func (p *rounds) join() {
	p.lists, p.boxes = make([]listsArg, len(p.members)), make([]boxesArg, len(p.members))
	for i, m := range p.members {
		q, boxes := &p.lists[i], &p.boxes[i]
		others := len(p.members) - 1
		// A group of one has no peers: the lengths of the lists say so.
		words, pairs := m.memory.Copy("others.Counts", make([]uint32, others)), m.memory.Alloc("others.Sent", device.U64, others)
		q.Counts, q.Sent = words.Slice(0, others), pairs.Slice(0, others)
		for k := range boxes.Outbox {
			boxes.Outbox[k], boxes.Told[k], boxes.Inbox[k], boxes.Heard[k] = pairs.Slice(0, 0), words.Slice(0, 0), pairs.Slice(0, 0), words.Slice(0, 0)
		}
	}
	for from, m := range p.members {
		list := targets([]*graph.CSR{p.Graph}, m.lo, m.hi, false)
		total := len(list)
		var firsts, lasts, begins []uint32
		at := 0
		for to, other := range p.members {
			n := 0
			for ; len(list) > 0 && int(list[0]) < other.hi; list = list[1:] {
				n++
			}
			if from == to {
				continue
			}
			firsts, lasts, begins = append(firsts, uint32(other.lo)), append(lasts, uint32(other.hi)), append(begins, uint32(at))
			at += n
			there, here := &p.boxes[from], &p.boxes[to]
			heard := other.memory.Copy("heard", make([]uint32, 2*words))
			there.Told[among(from, to)], here.Heard[among(to, from)] = heard, heard
			if n > 0 {
				inbox := other.memory.Alloc("inbox", device.U64, 2*p.pair(n))
				there.Outbox[among(from, to)], here.Inbox[among(to, from)] = inbox, inbox
			}
		}
		q := &p.lists[from]
		q.Bounds, q.Begin, q.List = m.memory.Copy("others.Bounds", append(firsts, lasts...)), m.memory.Copy("others.Begin", begins), m.memory.Alloc("others.List", device.U32, total)
	}
}

// mirror places the incoming arcs, and allocates what pulls need.
func (p *rounds) mirror(in *graph.CSR) {
	words := (p.Vertices() + gpu.WarpSize - 1) / gpu.WarpSize
	for _, m := range p.members {
		arcs := m.graph
		if in != p.Graph {
			lo, hi := in.Row[m.lo], in.Row[m.hi]
			arcs = scheduler.GraphArg{Row: m.memory.Copy("in.Row", rowsOf(in, m.lo, m.hi)), Col: m.memory.Copy("in.Col", in.Col[lo:hi])}
			var weight []uint32
			if len(in.Weight) > 0 {
				weight = in.Weight[lo:hi]
			}
			arcs.Weight = m.memory.Copy("in.Weight", weight)
		}
		p.incoming = append(p.incoming, arcs)
		a := mirrorArg{Known: m.memory.Copy("known", make([]uint32, 2*words)), Found: m.memory.Copy("found", make([]uint32, 6)), Stored: p.ends[m.index].Slice(endStored, endWords),
			Above: uint32(p.Params.Float("pull-above") * float64(p.Graph.Arcs()))}
		for k := range a.There {
			a.There[k], a.Values[k] = a.Known.Slice(0, 0), m.values[0].Slice(0, 0)
		}
		p.mirrors = append(p.mirrors, a)
	}
	for i := range p.members {
		for k, other := range p.members {
			if k != i {
				p.mirrors[i].There[among(i, k)], p.mirrors[i].Values[among(i, k)] = p.mirrors[k].Known, other.values[0]
			}
		}
	}
}

// launch runs the kernel on all GPUs, with at most so many blocks on each, 0 for all that fit. What prepares is in the same list, so that the host waits
// once: no GPU stores into the memory of another one before the first barrier of the group but in its inbox, which those kernels do not touch.
func (p *rounds) launch(ctx context.Context, blocks int) error {
	var b scheduler.Batch
	for i, m := range p.members {
		grid, err := p.resident(i, p.kernel, blocks)
		if err != nil {
			return err
		}
		args := []any{m.instance.Arg, p.part(m), m.values[0], p.frontiers[i], p.lists[i], p.boxes[i], p.clear, p.barriers[i]}
		if p.mirrors != nil {
			args = []any{m.instance.Arg, p.part(m), p.incoming[i], m.values[0], p.frontiers[i], p.lists[i], p.boxes[i], p.mirrors[i], p.barriers[i]}
		}
		b.Add(scheduler.Compute, device.Command{GPU: i, Launch: &device.Launch{Kernel: p.kernel, Grid: grid, Block: p.block, Cooperative: true, Args: args}})
	}
	ends := p.reads(&b)
	if err := p.prepared(ctx, &b, p.before...); err != nil {
		return err
	}
	iterations := int(ends[0].words[endDone])
	active := p.count(ends, iterations)
	p.record(p.kernel, iterations, 0, active)
	if iterations > p.most {
		return &scheduler.NotConverged{Algorithm: p.Algorithm.Name, Iterations: p.most, Active: active}
	}
	return nil
}

// end is what the host reads of a GPU at the end: Rounds.Counts and Done, and Mirror.Stored; and Lists.Sent.
type end struct {
	words []uint32
	sent  []uint64
}

// Where these words begin: Counts comes first.
const (
	endDone   = 4
	endStored = 5
	endWords  = 7
)

// reads adds the reads of the ends of all GPUs.
func (p *rounds) reads(b *scheduler.Batch) (ends []end) {
	for i := range p.members {
		e := end{words: make([]uint32, endWords), sent: make([]uint64, len(p.members)-1)}
		ends = append(ends, e)
		b.Add(scheduler.Control, device.Command{GPU: i, Read: &device.HostCopy{Buffer: p.ends[i], Host: e.words}})
		if len(e.sent) > 0 {
			b.Add(scheduler.Control, device.Command{GPU: i, Read: &device.HostCopy{Buffer: p.lists[i].Sent, Host: e.sent}})
		}
	}
	return ends
}

// count adds up what was sent, and returns how many entries the frontiers had after the last iteration.
func (p *rounds) count(ends []end, iterations int) (active int) {
	for i, e := range ends {
		active += int(e.words[iterations%2] + e.words[2+iterations%2])
		for k, n := range e.sent {
			use := &p.total.Pairs[i*len(e.sent)+k]
			words := (p.members[i].hi - p.members[i].lo + gpu.WarpSize - 1) / gpu.WarpSize
			bytes := n*8*uint64(p.pair(1)) + uint64(e.words[endStored])*uint64(4*words) + uint64(e.words[endStored+1])*uint64(p.kind.Bytes())
			use.Bytes, p.bytes = use.Bytes+bytes, p.bytes+bytes
			if p.run.count {
				useful := n * uint64(p.kind.Bytes())
				use.Useful, p.useful = use.Useful+useful, p.useful+useful
			}
		}
	}
	return active
}
