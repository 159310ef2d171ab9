//go:build !kernel

package multi

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// roundsArg is a Rounds as a launch argument.
type roundsArg struct {
	Vertices, Counts, Stamp, Barrier device.Buffer
	Most                             uint32
	Done                             device.Buffer
}

// peerArg is a Peer as a launch argument.
type peerArg struct {
	First, Vertices                               uint32
	List, Count, Sent, Outbox, Told, Inbox, Heard device.Buffer
}

// peersArg are those of one GPU: the others, in their order.
type peersArg [scheduler.MostPeers]peerArg

// rounds is a run in which one kernel on each GPU does all iterations.
type rounds struct {
	*run
	kernel, first *device.Kernel
	clear         bool
	frontiers     []roundsArg     // of each GPU
	peers         []peersArg      // of each GPU
	sent          []device.Buffer // of each GPU: pairs that went to each GPU
	barriers      []scheduler.GroupBarrierArg
}

// runRounds runs a push whose iterations the GPUs do by themselves.
func runRounds(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	r, err := begin(ctx, j, j.Graph)
	if r == nil {
		return nil, err
	}
	p := &rounds{run: r, clear: !j.Algorithm.Idempotent()}
	if err == nil {
		err = p.prepare(ctx, j.Params.Word("lanes"))
	}
	if err == nil {
		err = p.launch(ctx, j.Params.Int("blocks"))
	}
	return r.finish(err, func(m *member) device.Buffer { return m.values[0] })
}

// prepare gets the kernels, allocates queues, lists, inboxes and barriers, and finds the first frontiers.
func (p *rounds) prepare(ctx context.Context, lanes string) (err error) {
	if err := scheduler.CheckGroupBarrier(p.group); err != nil {
		return err
	}
	if p.kernel, err = p.run.kernel(ctx, pushingAll(p.Algorithm, lanes)); err != nil {
		return err
	}
	if p.first, err = p.run.kernel(ctx, beginning(p.Algorithm)); err != nil {
		return err
	}
	var memories []*scheduler.Memory
	for _, m := range p.members {
		n, own := p.Vertices(), m.hi-m.lo
		m.need = m.memory.Copy("need", []uint32{0}) // a push has no marks
		p.frontiers = append(p.frontiers, roundsArg{Vertices: m.memory.Alloc("queue", device.U32, 2*max(own, 1)), Counts: m.memory.Copy("queue.Counts", []uint32{0, 0}),
			Stamp: m.memory.Copy("queue.Stamp", make([]uint32, n)), Barrier: m.memory.Copy("barrier", []uint32{0}), Most: uint32(p.most), Done: m.memory.Copy("done", []uint32{0})})
		p.sent = append(p.sent, m.memory.Alloc("sent", device.U64, len(p.members)))
		memories = append(memories, m.memory)
	}
	p.join()
	if p.barriers, err = scheduler.NewGroupBarrier(p.group, memories); err != nil {
		return err
	}
	for i, m := range p.members {
		if err := m.memory.Err(); err != nil {
			return fmt.Errorf("GPU %d: %w", i, err)
		}
		if err := p.group.GPU(i).Write(p.sent[i], make([]uint64, len(p.members))); err != nil {
			return err
		}
	}
	if err := p.init(ctx); err != nil {
		return err
	}
	return p.setup(ctx, p.first, func(m *member) []any {
		f := p.frontiers[m.index]
		q := scheduler.QueueArg{Vertices: f.Vertices.Slice(0, f.Vertices.Len/2), Count: f.Counts.Slice(0, 1), Stamp: f.Stamp}
		return []any{m.instance.Arg, p.part(m), p.problem(), m.values[0], q, p.clear}
	})
}

// part returns the range of a GPU as a launch argument.
func (p *rounds) part(m *member) partArg {
	return partArg{Graph: m.graph, First: uint32(m.lo), OutRow: m.outRow, Need: m.need}
}

// join allocates what GPUs send each other, and tells each where that is. A GPU to which no arc of another one leads gets no pairs from
// it, and hears how much it has to do all the same.
func (p *rounds) join() {
	p.peers = make([]peersArg, len(p.members))
	for i := range p.peers {
		empty := p.frontiers[i].Counts.Slice(0, 0)
		none := p.sent[i].Slice(0, 0)
		for k := range p.peers[i] {
			p.peers[i][k] = peerArg{List: empty, Count: p.frontiers[i].Counts.Slice(0, 1), Sent: p.sent[i].Slice(i, i+1), Outbox: none, Told: empty, Inbox: none, Heard: empty}
		}
	}
	for from, m := range p.members {
		list := targets(p.Graph, m.lo, m.hi, false)
		for to, other := range p.members {
			n := 0
			for ; len(list) > 0 && int(list[0]) < other.hi; list = list[1:] {
				n++
			}
			if from == to {
				continue
			}
			there, here := &p.peers[from][place(from, to)], &p.peers[to][place(to, from)]
			heard := other.memory.Copy("heard", make([]uint32, 4))
			there.Told, here.Heard = heard, heard
			there.Count, there.Sent = m.memory.Copy("list.Count", []uint32{0}), p.sent[from].Slice(to, to+1)
			if n == 0 {
				continue
			}
			inbox := other.memory.Alloc("inbox", device.U64, 2*p.pair(n))
			there.First, there.Vertices = uint32(other.lo), uint32(other.hi-other.lo)
			there.List = m.memory.Alloc("list", device.U32, n)
			there.Outbox, here.Inbox = inbox, inbox
		}
	}
}

// place returns the place of another GPU among the peers of a GPU.
func place(of, other int) int {
	if other > of {
		return other - 1
	}
	return other
}

// launch runs the kernel on all GPUs, with at most so many blocks on each, 0 for all that fit.
func (p *rounds) launch(ctx context.Context, blocks int) error {
	var b batch
	for i, m := range p.members {
		occ, err := p.group.GPU(i).Occupancy(p.kernel, p.block)
		if err != nil {
			return err
		}
		grid := max(occ.Resident(), 1)
		if blocks > 0 {
			grid = min(grid, blocks)
		}
		b.add(compute, device.Command{GPU: i, Launch: &device.Launch{Kernel: p.kernel, Grid: grid, Block: p.block, Cooperative: true,
			Args: []any{m.instance.Arg, p.part(m), m.values[0], p.frontiers[i], p.peers[i], p.clear, p.barriers[i]}}})
	}
	done := make([]uint32, 1)
	b.add(control, device.Command{GPU: 0, Read: &device.HostCopy{Buffer: p.frontiers[0].Done, Host: done}})
	if err := b.run(ctx, p.group, &p.spent); err != nil {
		return err
	}
	active, err := p.count(int(done[0]))
	if err != nil {
		return err
	}
	p.record(p.kernel, int(done[0]), 0, active)
	if int(done[0]) > p.most {
		return &scheduler.NotConverged{Algorithm: p.Algorithm.Name, Iterations: p.most, Active: active}
	}
	return nil
}

// count adds up what was sent, and returns how many vertices were active in the last iteration.
func (p *rounds) count(iterations int) (active int, err error) {
	for i := range p.members {
		pairs, counts := make([]uint64, len(p.members)), make([]uint32, 2)
		if err := p.group.GPU(i).Read(p.sent[i], pairs); err != nil {
			return 0, err
		}
		if err := p.group.GPU(i).Read(p.frontiers[i].Counts, counts); err != nil {
			return 0, err
		}
		active += int(counts[iterations%2])
		for to, n := range pairs {
			if to == i {
				continue
			}
			use := &p.total.Pairs[i*(len(p.members)-1)+place(i, to)]
			bytes := n * 8 * uint64(p.pair(1))
			use.Bytes, use.Useful = use.Bytes+bytes, use.Useful+n*uint64(p.kind.Bytes())
			p.bytes, p.useful = p.bytes+bytes, p.useful+n*uint64(p.kind.Bytes())
		}
	}
	return active, nil
}
