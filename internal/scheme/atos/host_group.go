//go:build !kernel

package atos

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// PeersArg is a Peers as a launch argument, and EndingArg an Ending.
type (
	PeersArg struct {
		Bounds       device.Buffer
		First, Count uint32
		Boxes, Bits  uint32
		Outbox       [scheduler.MostPeers]device.Buffer
		Taken        [scheduler.MostPeers]device.Buffer
		Inbox, Took  device.Buffer
		Sent, Seen   device.Buffer
	}
	EndingArg struct {
		GPU                         uint32
		Asked, Told, Answered, Kept device.Buffer
		Peers                       [scheduler.MostPeers]device.Buffer
	}
)

// The names of the buffers that GPUs access in the memory of others.
const (
	inboxName    = "inbox"
	tookName     = "inbox.Took"
	askedName    = "ending.Asked"
	toldName     = "ending.Told"
	answeredName = "ending.Answered"
)

// remote says what is moved between GPUs.
func remote() map[string]scheduler.Cause {
	return map[string]scheduler.Cause{inboxName: scheduler.ForValues, tookName: scheduler.ForCounters, askedName: scheduler.ForCounters, toldName: scheduler.ForCounters, answeredName: scheduler.ForCounters}
}

// takesGroup says why several GPUs do not run an algorithm, or not with these parameters.
func takesGroup(a scheduler.Type, p scheduler.Values) error {
	refuse := func(param, why string) error {
		return &scheduler.ParamError{Scheme: "atos", Param: param, Err: fmt.Errorf("several GPUs need %s", why)}
	}
	switch {
	case a.Speculates():
		return fmt.Errorf("scheduler atos runs %s on one GPU, since a vertex chooses its value by those of its neighbors, which other GPUs have", a.Name)
	case p.Word("kernel") != persistentKernel:
		return refuse("kernel", "kernel=persistent, whose workers take what other GPUs send")
	case !p.Bool("merge"):
		return refuse("merge", "merge=true, by which what is sent is put together while it waits")
	case p.Int("check") > 0:
		return refuse("check", "check=0: a look at all vertices does not see what is on its way")
	case p.Int("history") > 0:
		return refuse("history", "history=0: each has a clock of its own")
	}
	return nil
}

// team is a run on several GPUs.
type team struct {
	*scheduler.Loop // of GPU 0
	scheduler.TaskLayout
	group   device.Group
	members []*member
	move    bool
	kernel  *device.Kernel
	first   *device.Kernel
	message uint64                     // bytes
	sums    [scheduler.TaskSums]uint64 // what all GPUs did
	total   scheduler.Communication
}

// member is a GPU with its range of vertices, lo to hi (exclusive).
type member struct {
	index, lo, hi, grid int
	memory              *scheduler.Memory
	instance            *scheduler.Instance
	graph               scheduler.GraphArg
	row, values         device.Buffer
	queue               QueueArg
	done                device.Buffer
	peers               PeersArg
	ending              EndingArg
	sums                [scheduler.TaskSums]uint64 // what done holds at the end
	sent                []uint32                   // what Peers.Sent holds at the end
}

// runGroup runs a persistent kernel on each GPU of a group.
func runGroup(ctx context.Context, j scheduler.Job, group device.Group) (*scheduler.Outcome, error) {
	if err := takesGroup(j.Algorithm, j.Params); err != nil {
		return nil, err
	}
	if err := scheduler.CheckPeers(group); err != nil {
		return nil, err
	}
	j.Device = group
	base, err := scheduler.Begin(j)
	if err != nil {
		return nil, err
	}
	t := &team{Loop: base, group: group, move: !j.Algorithm.Idempotent()}
	if err = t.prepare(ctx); err == nil {
		err = t.launch(ctx)
	}
	var shares []scheduler.GPUShare
	for _, p := range t.members {
		shares = append(shares, scheduler.GPUShare{Memory: p.memory, Instance: p.instance, Values: p.values, Lo: p.lo, Hi: p.hi})
	}
	out, err := t.FinishShares(err, shares)
	out.Rounds, out.Communication = int(t.sums[scheduler.TaskMost]), &t.total
	return out, err
}

// prepare gets the kernels, divides the graph and places it.
func (t *team) prepare(ctx context.Context) (err error) {
	if t.TaskLayout, err = newLayout(t.Algorithm, t.Params); err != nil {
		return err
	}
	if t.kernel, err = t.Kernels.Kernel(ctx, spreadEntry(t.Algorithm, t.TaskLayout).Name, nil); err != nil {
		return err
	}
	if t.first, err = t.Kernels.Kernel(ctx, initSpreadEntry(t.Algorithm).Name, nil); err != nil {
		return err
	}
	bounds := scheduler.Divide(t.Params, t.Graph.Row, t.group.GPUs(), 1)
	t.total = scheduler.Communication{Arcs: t.Graph.Arcs(), Iterations: 1, Cut: scheduler.CutArcs(t.Graph, bounds)}
	for i := range t.group.GPUs() {
		p := &member{index: i, lo: bounds[i], hi: bounds[i+1], memory: scheduler.NewMemory(t.group.GPU(i))}
		t.members = append(t.members, p)
		if err := t.place(p); err != nil {
			return fmt.Errorf("GPU %d: %w", i, err)
		}
	}
	if err := t.connect(bounds); err != nil {
		return err
	}
	return t.meet()
}

// place copies the arcs of a range to its GPU, with row offsets of all vertices, of which those of other GPUs have no arcs, and allocates the values of all vertices and the queue.
func (t *team) place(p *member) (err error) {
	m, d, n := p.memory, t.group.GPU(p.index), t.Vertices()
	lo, hi := t.Graph.Row[p.lo], t.Graph.Row[p.hi]
	var weight []uint32
	if len(t.Graph.Weight) > 0 {
		weight = t.Graph.Weight[lo:hi]
	}
	p.graph = scheduler.GraphArg{Row: m.Copy("g.Row", scheduler.RowsWithin(t.Graph, p.lo, p.hi)), Col: m.Copy("g.Col", t.Graph.Col[lo:hi]), Weight: m.Copy("g.Weight", weight)}
	p.row = m.Rows("row", t.Graph)
	kind, _ := device.KindOfType(t.Algorithm.Value)
	p.values = m.Alloc("values", kind, n)
	if p.queue, err = allocQueue(m, d, n, n, 2*n); err != nil {
		return err
	}
	if p.done, err = allocSums(m, d); err != nil {
		return err
	}
	if p.grid = t.Params.Int("blocks"); p.grid == 0 {
		if p.grid, err = t.Blocks(d, t.kernel); err != nil {
			return err
		}
	}
	p.instance, err = t.Algorithm.New(m, n, t.AlgorithmParams)
	return err
}

// Workers for each box, and limits of the number of boxes of an inbox and of the places of a box. A warp reserves as many places as it has lanes at once.
const (
	workersPerBox           = 4
	mostBoxes               = 32
	leastPlaces, mostPlaces = 32, 4096
)

// connect allocates the inboxes and tells each GPU where those of the others are.
func (t *team) connect(bounds []int) error {
	others := len(t.members) - 1
	workers, longest := t.members[0].grid*t.Block/t.Threads(), 0
	for i := range t.members {
		longest = max(longest, bounds[i+1]-bounds[i])
	}
	boxes := 1 << (bits.Len(uint(min(max(workers/(workersPerBox*others), 1), mostBoxes))) - 1)
	places := t.Params.Int("inbox")
	if places == 0 {
		places = min(2*longest/boxes, mostPlaces)
	}
	log := bits.Len(uint(max(places, leastPlaces) - 1))
	words := 1
	if kind, _ := device.KindOfType(t.Algorithm.Value); kind.Bytes() == 8 {
		words = 2
	}
	t.message = uint64(8 * words)
	size := words * boxes << log // of an inbox
	for _, p := range t.members {
		m := p.memory
		var ends []uint32
		for i := range t.members {
			if i != p.index {
				ends = append(ends, uint32(bounds[i+1]))
			}
		}
		p.peers = PeersArg{Bounds: m.Copy("inbox.Bounds", ends), First: uint32(p.lo), Count: uint32(p.hi - p.lo), Boxes: uint32(boxes), Bits: uint32(log),
			Inbox: m.Alloc(inboxName, device.U64, others*size), Took: m.Copy(tookName, make([]uint32, others*boxes)),
			Sent: m.Copy("outbox.Sent", make([]uint32, others*boxes)), Seen: m.Copy("outbox.Seen", make([]uint32, others*boxes))}
		p.sent = make([]uint32, others*boxes)
		if err := m.Err(); err != nil {
			return fmt.Errorf("GPU %d: %w", p.index, err)
		}
		if err := t.group.GPU(p.index).Write(p.peers.Inbox, make([]uint64, others*size)); err != nil {
			return err
		}
	}
	for _, p := range t.members {
		for k := range p.peers.Outbox {
			p.peers.Outbox[k], p.peers.Taken[k] = p.peers.Inbox.Slice(0, 0), p.peers.Took.Slice(0, 0)
		}
		for k := range others {
			to := t.members[k]
			if k >= p.index {
				to = t.members[k+1]
			}
			at := p.index // the place of the sender among those that the receiver is not
			if p.index > to.index {
				at--
			}
			p.peers.Outbox[k], p.peers.Taken[k] = to.peers.Inbox.Slice(at*size, (at+1)*size), to.peers.Took.Slice(at*boxes, (at+1)*boxes)
		}
	}
	return nil
}

// meet allocates the words of the endings.
func (t *team) meet() error {
	for _, p := range t.members {
		m, d := p.memory, t.group.GPU(p.index)
		p.ending = EndingArg{GPU: uint32(p.index), Asked: m.Copy(askedName, []uint32{0}), Kept: m.Alloc("ending.Kept", device.U64, 2)}
		if p.index == 0 {
			p.ending.Told, p.ending.Answered = m.Alloc(toldName, device.U64, len(t.members)), m.Copy(answeredName, make([]uint32, len(t.members)))
		}
		err := m.Err()
		if err == nil {
			err = d.Write(p.ending.Kept, make([]uint64, 2))
		}
		if err == nil && p.index == 0 {
			err = d.Write(p.ending.Told, make([]uint64, len(t.members)))
		}
		if err != nil {
			return fmt.Errorf("GPU %d: %w", p.index, err)
		}
	}
	first := &t.members[0].ending
	for _, p := range t.members {
		p.ending.Told, p.ending.Answered = first.Told, first.Answered
		for k := range p.ending.Peers {
			p.ending.Peers[k] = p.ending.Asked.Slice(0, 0)
		}
	}
	for k, p := range t.members[1:] {
		first.Peers[k] = p.ending.Asked
	}
	return nil
}

// launch runs the kernels.
func (t *team) launch(ctx context.Context) error {
	problem := scheduler.Problem{Source: t.Source, Vertices: uint32(t.Vertices())}
	var b scheduler.Batch
	for _, p := range t.members {
		grid, err := t.Grid(t.first, t.Block, scheduler.OneThread, t.Vertices())
		if err != nil {
			return err
		}
		b.Add(scheduler.Apart, device.Command{GPU: p.index, Launch: &device.Launch{Kernel: t.first, Grid: grid, Block: t.Block,
			Args: []any{p.instance.Arg, p.row, problem, p.values, p.queue, p.peers, t.move}}})
	}
	for _, p := range t.members {
		b.Add(scheduler.Compute, device.Command{GPU: p.index, Launch: &device.Launch{Kernel: t.kernel, Grid: p.grid, Block: t.Block, DynamicShared: t.Shared, Cooperative: true,
			Args: []any{p.instance.Arg, p.graph, p.values, p.queue, t.Shape, p.done, p.peers, p.ending, t.move}}})
	}
	for _, p := range t.members {
		b.Add(scheduler.Control, device.Command{GPU: p.index, Read: &device.HostCopy{Buffer: p.done, Host: p.sums[:]}})
		b.Add(scheduler.Control, device.Command{GPU: p.index, Read: &device.HostCopy{Buffer: p.peers.Sent, Host: p.sent}})
	}
	var s scheduler.Spent
	err := b.Run(ctx, t.group, &s)
	t.total.Compute = s.Compute
	for _, apart := range b.Apart() {
		t.Record(t.first, apart.Report(), scheduler.Step{Setup: true})
	}
	t.count()
	t.Record(t.kernel, s.Report(), scheduler.Step{Numbers: numbers(t.sums, float64(t.sums[scheduler.TaskVisits]))})
	return err
}

// count adds up what the GPUs did and sent.
func (t *team) count() {
	for _, p := range t.members {
		for i, n := range p.sums {
			if i == scheduler.TaskMost {
				t.sums[i] = max(t.sums[i], n)
			} else {
				t.sums[i] += n
			}
		}
		for k := range len(t.members) - 1 {
			use := scheduler.PairUse{From: p.index, To: k}
			if k >= p.index {
				use.To++
			}
			boxes := int(p.peers.Boxes)
			for _, n := range p.sent[k*boxes : (k+1)*boxes] {
				use.Bytes += uint64(n) * t.message
			}
			t.total.Pairs = append(t.total.Pairs, use)
		}
	}
}
