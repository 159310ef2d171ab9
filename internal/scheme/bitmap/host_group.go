//go:build !kernel

package bitmap

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// peersArg is a Peers as a launch argument.
type peersArg struct {
	GPU, Others, First, End                      uint32
	Begins, Degrees, Inbox, Heard                device.Buffer
	Inboxes, Hearing, Firsts, Seconds, AllValues [scheduler.MostPeers]device.Buffer
}

// groupLoop is a run on several GPUs.
type groupLoop struct {
	*loop   // its memory stays empty
	group   device.Group
	members []*member
	total   scheduler.Communication
}

// member is a GPU with its range of vertices.
type member struct {
	index, lo, hi int
	memory        *scheduler.Memory
	instance      *scheduler.Instance
	out, in       scheduler.GraphArg
	values        device.Buffer
	mem           memoryArg
	peers         peersArg
}

// runGroup is the host loop on several GPUs.
func runGroup(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	group := device.Alone(j.Device)
	j.Device = group
	if err := scheduler.CheckPeers(group); err != nil {
		return nil, err
	}
	l, err := begin(ctx, j, groupEntryPoint(j.Algorithm))
	if err != nil {
		return nil, err
	}
	g := &groupLoop{loop: l, group: group, total: scheduler.Communication{Arcs: j.Graph.Arcs(), Pairs: scheduler.PairUses(group.GPUs())}}
	var series []scheduler.Series
	err = g.place(ctx)
	if err == nil {
		err = g.search(ctx)
	}
	if err == nil {
		series, err = l.recorded(group.GPU(0), g.members[0].mem.History)
	}
	var shares []scheduler.GPUShare
	for _, m := range g.members {
		shares = append(shares, scheduler.GPUShare{Memory: m.memory, Instance: m.instance, Values: m.values, Lo: m.lo, Hi: m.hi, Read: func() error { return g.count(m) }})
	}
	out, err := l.FinishShares(err, shares)
	out.Communication, out.Series = &g.total, series
	return out, err
}

// place divides the vertices, by their incoming arcs, and places the arcs and everything else.
func (g *groupLoop) place(ctx context.Context) error {
	before := g.in.Row
	if g.in == g.Graph {
		before = scheduler.ArcsBefore(g.Graph)
	}
	bounds := scheduler.Divide(g.Params, before, g.group.GPUs(), gpu.WarpSize)
	g.total.Cut = scheduler.CutArcs(g.Graph, bounds)
	var begins []uint32
	for _, lo := range bounds[:g.group.GPUs()] {
		begins = append(begins, uint32(lo))
	}
	for i := range g.group.GPUs() {
		m := &member{index: i, lo: bounds[i], hi: bounds[i+1], memory: scheduler.NewMemory(g.group.GPU(i))}
		g.members = append(g.members, m)
		if err := g.placeOn(ctx, m, begins); err != nil {
			return fmt.Errorf("GPU %d: %w", i, err)
		}
	}
	g.connect()
	return nil
}

// placeOn allocates what a GPU has.
func (g *groupLoop) placeOn(ctx context.Context, m *member, begins []uint32) (err error) {
	n, memory := g.Vertices(), m.memory
	part, err := scheduler.ArcsInto(ctx, g.Graph, m.lo, m.hi)
	if err != nil {
		return err
	}
	r, err := roomFor(part)
	if err != nil {
		return err
	}
	m.out = memory.Graph(part)
	m.in = m.out
	if g.run.Pulls {
		lo, hi := g.in.Row[m.lo], g.in.Row[m.hi]
		var weight []uint32
		if len(g.in.Weight) > 0 {
			weight = g.in.Weight[lo:hi]
		}
		m.in = scheduler.GraphArg{Row: memory.Copy("in.Row", scheduler.RowsWithin(g.in, m.lo, m.hi)), Col: memory.Copy("in.Col", g.in.Col[lo:hi]), Weight: memory.Copy("in.Weight", weight)}
	}
	kind, _ := device.KindOfType(g.Algorithm.Value)
	m.values = memory.Alloc("values", kind, n)
	m.mem = g.share(memory, n, r)
	m.peers = peersArg{GPU: uint32(m.index), Others: uint32(g.group.GPUs() - 1), First: uint32(m.lo / gpu.WarpSize), End: uint32((m.hi + gpu.WarpSize - 1) / gpu.WarpSize),
		Begins: memory.Copy("begins", begins), Degrees: memory.Rows("degrees", g.Graph),
		Inbox: memory.Alloc("inbox", device.U64, 2*n*max(kind.Bytes()/4, 1)), Heard: memory.Copy("heard", make([]uint32, HeardWords*g.group.GPUs()))}
	if err := memory.Err(); err != nil {
		return err
	}
	m.instance, err = g.Algorithm.New(memory, n, g.AlgorithmParams)
	return err
}

// connect tells each GPU what the others have.
func (g *groupLoop) connect() {
	for i, m := range g.members {
		p, k := &m.peers, 0
		for at := range p.Inboxes { // those that are not there
			p.Inboxes[at], p.Hearing[at], p.Firsts[at], p.Seconds[at], p.AllValues[at] = p.Inbox.Slice(0, 0), p.Heard.Slice(0, 0), m.mem.First.Slice(0, 0), m.mem.Second.Slice(0, 0), m.values.Slice(0, 0)
		}
		for other, o := range g.members {
			if other != i {
				p.Inboxes[k], p.Hearing[k], p.Firsts[k], p.Seconds[k], p.AllValues[k] = o.peers.Inbox, o.peers.Heard, o.mem.First, o.mem.Second, o.values
				k++
			}
		}
	}
}

// search launches the kernel on all GPUs and records what it says.
func (g *groupLoop) search(ctx context.Context) error {
	var memories []*scheduler.Memory
	var launches []device.Launch
	grid := 0
	for i, m := range g.members {
		d, err := g.shape(g.group.GPU(i))
		if err != nil {
			return err
		}
		memories, launches = append(memories, m.memory), append(launches, d)
		if grid = min(grid, d.Grid); i == 0 {
			grid = d.Grid
		}
	}
	group, err := scheduler.NewGroupBarrier(g.group, memories)
	if err != nil {
		return err
	}
	one, err := scheduler.NewGroupBarrier(g.group, memories)
	if err != nil {
		return err
	}
	var b scheduler.Batch
	for i, m := range g.members {
		d := &launches[i]
		d.Grid, d.Cooperative = grid, true // all decide by the number of threads
		d.Args = []any{m.instance.Arg, m.out, m.in, m.values, m.mem, g.run, m.peers, group[i], one[i]}
		b.Add(scheduler.Compute, device.Command{GPU: i, Launch: d})
	}
	b.Add(scheduler.Control, device.Command{Read: &device.HostCopy{Buffer: g.members[0].mem.Status, Host: g.status[:]}})
	var spent scheduler.Spent
	err = b.Run(ctx, g.group, &spent)
	g.total.Compute, g.total.Transfer, g.total.Overlap = spent.Compute, spent.Transfer, spent.Overlap
	if err != nil {
		g.Record(g.kernel, spent.Report(), scheduler.Step{Iteration: 1})
		return err
	}
	g.total.Iterations = int(g.status[IterationStatus])
	return g.ended(spent.Report())
}

// count adds up what a GPU has sent each other one, of which only it knows.
func (g *groupLoop) count(m *member) error {
	var status [StatusWords]uint32
	if err := g.group.GPU(m.index).Read(m.mem.Status, status[:]); err != nil {
		return err
	}
	kind, _ := device.KindOfType(g.Algorithm.Value)
	bytes, pair := uint64(kind.Bytes()), uint64(8*max(kind.Bytes()/4, 1))
	words := uint64(m.peers.End-min(m.peers.First, m.peers.End)) * uint64(status[RangeStatus])
	for i := range g.total.Pairs {
		if p := &g.total.Pairs[i]; p.From == m.index {
			p.Bytes = pair*uint64(status[PairsStatus]) + bytes*uint64(status[ValuesStatus]) + 4*words
		}
	}
	return nil
}
