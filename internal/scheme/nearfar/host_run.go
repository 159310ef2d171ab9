//go:build !kernel

package nearfar

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// memoryArg is a Memory as a launch argument.
type memoryArg struct{ Marks, Far, Pieces, Counts, Barrier, Status, History device.Buffer }

// peersArg is a Peers as a launch argument.
type peersArg struct {
	GPU, Others, First, End       uint32
	Begins, Degrees, Inbox, Heard device.Buffer
	Inboxes, Hearing              [scheduler.MostPeers]device.Buffer
}

// loop is a run of the scheme.
type loop struct {
	*scheduler.Loop // its memory stays empty
	group           device.Group
	kernel          *device.Kernel
	members         []*member
	total           scheduler.Communication
	run             Run
	history         int // iterations
}

// member is a GPU with its range of vertices, lo to hi (exclusive).
type member struct {
	index, lo, hi int
	memory        *scheduler.Memory
	instance      *scheduler.Instance
	launch        device.Launch
	stride        int  // Run.Stride
	long          bool // whether there are rows of more than PieceArcs arcs
	out           scheduler.GraphArg
	values        device.Buffer
	mem           memoryArg
	peers         peersArg
	status        [StatusWords]uint32
}

// run is the host loop.
func run(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	return scheduler.RunDivided(ctx, j, runAll)
}

// runAll runs a job whose graph has the numbers by which it is divided.
func runAll(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	group := device.Alone(j.Device)
	j.Device = group
	kind, _ := device.KindOfType(j.Algorithm.Value)
	if err := check(j.Graph, kind.Bytes()); err != nil {
		return nil, err
	}
	if err := scheduler.CheckPeers(group); err != nil {
		return nil, err
	}
	base, err := scheduler.Begin(j)
	if err != nil {
		return nil, err
	}
	l := &loop{Loop: base, group: group, history: j.Params.Int("history"), total: scheduler.Communication{Arcs: j.Graph.Arcs(), Pairs: scheduler.PairUses(group.GPUs())}}
	l.run = Run{Limit: uint32(j.Params.Int("max-iterations")), Alone: uint32(j.Params.Int("one-block")), Problem: scheduler.Problem{Source: j.Source, Vertices: uint32(l.Vertices())}}
	if l.run.Limit == 0 {
		l.run.Limit = uint32(l.Vertices() + 1000)
	}
	if l.kernel, err = l.Kernels.Kernel(ctx, entryPoint(j.Algorithm).Name, nil); err != nil {
		return nil, err
	}
	if err = l.place(ctx); err == nil {
		err = l.search(ctx)
	}
	var series []scheduler.Series
	if err == nil {
		series, err = l.recorded()
	}
	var shares []scheduler.GPUShare
	for _, m := range l.members {
		shares = append(shares, scheduler.GPUShare{Memory: m.memory, Instance: m.instance, Values: m.values, Lo: m.lo, Hi: m.hi})
	}
	out, err := l.FinishShares(err, shares)
	if out.Series = series; group.GPUs() > 1 {
		out.Communication = &l.total
	}
	return out, err
}

// place divides the vertices, by their incoming arcs, and places the arcs and everything else.
func (l *loop) place(ctx context.Context) error {
	gpus := l.group.GPUs()
	bounds := scheduler.Divide(l.Params, scheduler.ArcsBefore(l.Graph), gpus, gpu.WarpSize)
	var begins []uint32
	for _, lo := range bounds[:gpus] {
		begins = append(begins, uint32(lo))
	}
	if gpus > 1 {
		l.total.Cut = scheduler.CutArcs(l.Graph, bounds)
	}
	for i := range gpus {
		m := &member{index: i, lo: bounds[i], hi: bounds[i+1], memory: scheduler.NewMemory(l.group.GPU(i))}
		l.members = append(l.members, m)
		if err := l.placeOn(ctx, m, begins); err != nil {
			if gpus > 1 {
				err = fmt.Errorf("GPU %d: %w", i, err)
			}
			return err
		}
	}
	l.connect()
	return nil
}

// placeOn allocates what a GPU has.
func (l *loop) placeOn(ctx context.Context, m *member, begins []uint32) error {
	part, gpus := l.Graph, l.group.GPUs()
	var err error
	if gpus > 1 {
		if part, err = scheduler.ArcsInto(ctx, l.Graph, m.lo, m.hi); err != nil {
			return err
		}
	}
	for v := range part.Vertices() {
		m.long = m.long || part.Degree(uint32(v)) > PieceArcs
	}
	if m.launch, err = l.shape(l.group.GPU(m.index)); err != nil {
		return err
	}
	n, memory := l.Vertices(), m.memory
	m.out = scheduler.GraphArg{Row: memory.Rows("g.Row", part)}
	if m.stride = strideOf(part, l.Algorithm.Weighted); m.stride == 2 {
		both := memory.Copy("arcs", interleaved(part))
		m.out.Col, m.out.Weight = both, both
	} else {
		m.out.Col, m.out.Weight = memory.Copy("g.Col", part.Col), memory.Copy("g.Weight", part.Weight)
	}
	degrees := m.out.Row
	if gpus > 1 {
		degrees = memory.Rows("degrees", l.Graph)
	}
	kind, _ := device.KindOfType(l.Algorithm.Value)
	bitmap := max((n+gpu.WarpSize-1)/gpu.WarpSize, 1)
	counts := make([]uint32, CountWords)
	for i := FirstPhaseWord; i < EndPhaseWord; i++ {
		counts[i] = scheduler.NoPhase
	}
	m.values = memory.Alloc("values", kind, n)
	m.mem = memoryArg{Marks: memory.Alloc("marks", device.U32, bitmap), Far: memory.Alloc("far", device.U32, bitmap),
		Pieces: memory.Alloc("pieces", device.U32, PieceWords*room(part.Arcs(), m.launch.Grid*m.launch.Block/gpu.WarpSize)),
		Counts: memory.Copy("counts", counts), Barrier: memory.Copy("barrier", make([]uint32, 1)), Status: memory.Copy("status", m.status[:]),
		History: memory.Alloc("history", device.U32, HistoryWords*l.history)}
	m.peers = peersArg{GPU: uint32(m.index), Others: uint32(gpus - 1), First: uint32(m.lo / gpu.WarpSize), End: uint32((m.hi + gpu.WarpSize - 1) / gpu.WarpSize),
		Begins: memory.Copy("begins", begins), Degrees: degrees,
		Inbox: memory.Alloc("inbox", device.U64, 2*n*words(kind.Bytes())), Heard: memory.Copy("heard", make([]uint32, HeardWords*gpus))}
	if err := memory.Err(); err != nil {
		return err
	}
	m.instance, err = l.Algorithm.New(memory, n, l.AlgorithmParams)
	return err
}

// strideOf returns Run.Stride: the target of an arc and its weight lie together if weights are needed, so that a short row is one place in memory, and not two. Their places must have numbers of 32 bits.
func strideOf(g *graph.CSR, weighted bool) int {
	if weighted && len(g.Weight) > 0 && uint64(g.Arcs()) <= scheduler.MaxArcs/2 {
		return 2
	}
	return 1
}

// interleaved returns targets and weights in turn.
func interleaved(g *graph.CSR) []uint32 {
	both := make([]uint32, 2*g.Arcs())
	for i, v := range g.Col {
		both[2*i], both[2*i+1] = v, g.Weight[i]
	}
	return both
}

// connect tells each GPU what the others have.
func (l *loop) connect() {
	for i, m := range l.members {
		p, k := &m.peers, 0
		for at := range p.Inboxes { // those that are not there
			p.Inboxes[at], p.Hearing[at] = p.Inbox.Slice(0, 0), p.Heard.Slice(0, 0)
		}
		for other, o := range l.members {
			if other != i {
				p.Inboxes[k], p.Hearing[k] = o.peers.Inbox, o.peers.Heard
				k++
			}
		}
	}
}

// shape returns a launch without arguments: one block on each SM, as large as fits, or what the user wants.
func (l *loop) shape(dev device.Device) (device.Launch, error) {
	p := l.Params
	d := device.Launch{Kernel: l.kernel, Block: p.Int("block"), Cooperative: true}
	if d.Block == 0 {
		d.Block = mostThreads
	}
	occ, err := dev.Occupancy(l.kernel, d.Block)
	for p.Int("block") == 0 && d.Block > gpu.WarpSize && (err != nil || occ.BlocksPerSM == 0) {
		d.Block = max(d.Block/2/gpu.WarpSize, 1) * gpu.WarpSize
		occ, err = dev.Occupancy(l.kernel, d.Block)
	}
	if err != nil {
		return d, err
	}
	const pieceBytes = 4 * PieceWords
	d.DynamicShared = min(p.Int("stage"), occ.SharedFree/pieceBytes) * pieceBytes
	if d.Grid = occ.SMs; p.Int("blocks") > 0 {
		d.Grid = min(p.Int("blocks"), occ.Resident())
	}
	if occ.BlocksPerSM == 0 {
		return d, &device.ArgError{Kernel: l.kernel.Name, What: fmt.Sprintf("no block of %d threads fits on an SM", d.Block)}
	}
	d.Grid = max(min(d.Grid, (l.Vertices()+d.Block-1)/d.Block), 1)
	return d, nil
}

// search launches the kernel on all GPUs and records what it says.
func (l *loop) search(ctx context.Context) error {
	var memories []*scheduler.Memory
	for _, m := range l.members {
		memories = append(memories, m.memory)
	}
	all, err := scheduler.NewGroupBarrier(l.group, memories)
	if err != nil {
		return err
	}
	one, err := scheduler.NewGroupBarrier(l.group, memories)
	if err != nil {
		return err
	}
	var b scheduler.Batch
	for i, m := range l.members {
		run := l.run
		run.Long, run.Stride = m.long, uint32(m.stride)
		m.launch.Args = []any{m.instance.Arg, m.out, m.values, m.mem, run, m.peers, all[i], one[i]}
		b.Add(scheduler.Compute, device.Command{GPU: i, Launch: &m.launch})
	}
	for i, m := range l.members {
		b.Add(scheduler.Control, device.Command{GPU: i, Read: &device.HostCopy{Buffer: m.mem.Status, Host: m.status[:]}})
	}
	var spent scheduler.Spent
	err = b.Run(ctx, l.group, &spent)
	l.total.Compute, l.total.Transfer, l.total.Overlap = spent.Compute, spent.Transfer, spent.Overlap
	if err != nil {
		l.Record(l.kernel, spent.Report(), scheduler.Step{Iteration: 1})
		return err
	}
	return l.ended(spent.Report())
}

// ended records the step that the status of the first GPU tells of, and what each GPU has sent each other one.
func (l *loop) ended(rep *device.Report) error {
	s := l.members[0].status
	number := func(name string, at int) scheduler.Number { return scheduler.Number{Name: name, Value: float64(s[at])} }
	long := func(name string, at int) scheduler.Number {
		return scheduler.Number{Name: name, Value: float64(sum(s, at))}
	}
	l.Record(l.kernel, rep, scheduler.Step{Iteration: max(int(s[IterationStatus]), 1), Numbers: []scheduler.Number{long("frontier", VerticesStatus), number("next", ActiveStatus),
		long(arcs, ArcsStatus), number(iterations, IterationStatus), number(phases, PhaseStatus), number(aloneOnes, AloneStatus)}})
	l.total.Iterations = int(s[IterationStatus])
	kind, _ := device.KindOfType(l.Algorithm.Value)
	for i := range l.total.Pairs {
		p := &l.total.Pairs[i]
		p.Bytes = 8 * uint64(words(kind.Bytes())) * sum(l.members[p.From].status, PairsStatus)
	}
	if s[EndStatus] == TooMany {
		return &scheduler.NotConverged{Algorithm: l.Algorithm.Name, Iterations: int(l.run.Limit), Active: int(s[ActiveStatus])}
	}
	return nil
}

// sum returns a number of two words.
func sum(s [StatusWords]uint32, at int) uint64 { return uint64(s[at]) | uint64(s[at+1])<<32 }

// recorded returns what the kernel recorded of its iterations on the first GPU.
func (l *loop) recorded() ([]scheduler.Series, error) {
	m := l.members[0]
	return scheduler.ReadSeries(l.group.GPU(0), m.mem.History, int(m.status[IterationStatus]), []scheduler.Series{
		VerticesHistory: {Name: "frontier", Unit: "vertex", Doc: "vertices processed in each iteration"},
		ArcsHistory:     {Name: arcs, Unit: "arc", Doc: "arcs of these vertices"},
		PhaseHistory:    {Name: "phase", Unit: "phase", Doc: "the phase to which they belong, from 0"},
		HowHistory:      {Name: "how", Unit: "code", Doc: "0: by all blocks, 1: by one block of each GPU alone"},
		CyclesHistory:   {Name: "iteration-cycles", Unit: "cycle", Doc: "cycles of an iteration on the SM of the first block, until all GPUs know the next one"},
	})
}
