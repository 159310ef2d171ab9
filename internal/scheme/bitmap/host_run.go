//go:build !kernel

package bitmap

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// memoryArg is a Memory as a launch argument.
type memoryArg struct {
	First, Second                    device.Buffer
	Words                            uint32
	Queue                            device.Buffer
	Room, Spare                      uint32
	Counts, Barrier, Status, History device.Buffer
}

// loop is a run of the scheme.
type loop struct {
	*scheduler.Loop
	kernel  *device.Kernel
	in      *graph.CSR // with the incoming arcs
	outArg  scheduler.GraphArg
	inArg   scheduler.GraphArg
	mem     memoryArg
	run     Run
	status  [StatusWords]uint32
	history int // iterations
}

// run is the host loop.
func run(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	if device.Alone(j.Device).GPUs() > 1 {
		return scheduler.RunDivided(ctx, j, runGroup)
	}
	l, err := begin(ctx, j, entryPoint(j.Algorithm))
	if err != nil {
		return nil, err
	}
	r, err := roomFor(j.Graph)
	if err != nil {
		return nil, err
	}
	l.place(r)
	if err := l.Place(); err != nil {
		return nil, err
	}
	d, err := l.launch(l.Instance.Arg, l.outArg, l.inArg, l.Values, l.mem, l.run)
	if err == nil {
		err = l.search(ctx, d)
	}
	var series []scheduler.Series
	if err == nil {
		series, err = l.recorded(l.Device, l.mem.History)
	}
	out, err := l.Finish(err)
	out.Series = series
	return out, err
}

// begin returns a loop with a kernel, what Run says, and the incoming arcs if iterations may pull.
func begin(ctx context.Context, j scheduler.Job, e scheduler.EntryPoint) (*loop, error) {
	base, err := scheduler.Begin(j)
	if err != nil {
		return nil, err
	}
	l := &loop{Loop: base, in: j.Graph, run: runOf(base), history: j.Params.Int("history")}
	l.run.Limit = uint32(j.Params.Int("max-iterations"))
	if l.run.Limit == 0 {
		l.run.Limit = uint32(l.Vertices() + 1000)
	}
	l.run.Same, l.run.Alike = j.Graph.Symmetric, j.Algorithm.Alike
	if l.run.Pulls = j.Params.Word("direction") == auto && j.Algorithm.Pulls() == nil; l.run.Pulls {
		if l.in, err = j.Graph.Transpose(ctx); err != nil {
			return nil, err
		}
	}
	l.kernel, err = l.Kernels.Kernel(ctx, e.Name, nil)
	return l, err
}

// runOf returns what the parameters say that all schemes of this package have.
func runOf(l *scheduler.Loop) Run {
	p := l.Params
	return Run{Alone: uint32(p.Int("one-block")), Rest: uint32(p.Int("rest")), Above: float32(p.Float("pull-above")), Below: float32(p.Float("push-below")),
		Problem: scheduler.Problem{Source: l.Source, Vertices: uint32(l.Vertices())}}
}

// room is how many pieces a frontier has room for, and how many of these warps may leave empty.
type room struct{ all, spare int }

// There is room for as many spare pieces as the largest frontier has, up to manySpare, and for more only if they are less than a part of its pieces, of which spareShare is the inverse: some
// hundred for each warp of a large GPU.
const (
	manySpare  = 1 << 20
	spareShare = 8
)

// roomFor returns the room for a graph: in a frontier, and in a pull, each vertex is once. The words of two frontiers have numbers of
// 32 bits.
func roomFor(g *graph.CSR) (room, error) {
	const most = 1<<32/(2*pieceWords) - 1
	pieces := g.Vertices() + g.Arcs()/PieceArcs + 1
	if pieces > most {
		return room{}, fmt.Errorf("graph %s may have frontiers of %d pieces of rows; scheme bitmap has room for %d", g.Name, pieces, most)
	}
	spare := min(max(pieces/spareShare, min(pieces, manySpare)), most-pieces)
	return room{pieces + spare, spare}, nil
}

// place allocates memory, with so much room for a frontier.
func (l *loop) place(r room) {
	m, n := l.Memory, l.Vertices()
	l.outArg = m.Graph(l.Graph)
	l.inArg = l.outArg
	if l.in != l.Graph {
		l.inArg = m.Graph(l.in)
	}
	l.Values = l.AllocValues()
	l.mem = l.share(m, n, r)
}

// share allocates a Memory for n vertices, with room for frontiers.
func (l *loop) share(m *scheduler.Memory, n int, r room) memoryArg {
	words := max((n+gpu.WarpSize-1)/gpu.WarpSize, 1)
	return memoryArg{Words: uint32(words), Room: uint32(r.all), Spare: uint32(r.spare),
		First: m.Alloc("first", device.U32, words), Second: m.Alloc("second", device.U32, words), Queue: m.Alloc("queue", device.U32, 2*pieceWords*r.all),
		Counts:  m.Copy("counts", make([]uint32, CountWords)),
		Barrier: m.Copy("barrier", make([]uint32, 1)), Status: m.Copy("status", make([]uint32, StatusWords)),
		History: m.Alloc("history", device.U32, HistoryWords*l.history)}
}

// launch returns the launch on a GPU alone.
func (l *loop) launch(args ...any) (device.Launch, error) {
	d, err := l.shape(l.Device)
	d.Args = args
	return d, err
}

// shape returns a launch without arguments: one block on each SM, as large as fits, or what the user wants.
func (l *loop) shape(dev device.Device) (device.Launch, error) {
	p := l.Params
	d := device.Launch{Kernel: l.kernel, Block: p.Int("block")}
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
	d.DynamicShared = min(2*p.Int("stage"), occ.SharedFree/pieceBytes) * pieceBytes
	if d.Grid = occ.SMs; p.Int("blocks") > 0 {
		d.Grid = min(p.Int("blocks"), occ.Resident())
	}
	if occ.BlocksPerSM == 0 {
		return d, &device.ArgError{Kernel: l.kernel.Name, What: fmt.Sprintf("no block of %d threads fits on an SM", d.Block)}
	}
	// More warps than words of the bitmaps would have nothing to do in a pull, and little in a push.
	d.Grid = max(min(d.Grid, (l.Vertices()+d.Block-1)/d.Block), 1)
	return d, nil
}

// pieceBytes is the size of a piece in shared memory.
const pieceBytes = 4 * pieceWords

// search launches the kernel and records what it says.
func (l *loop) search(ctx context.Context, d device.Launch) error {
	rep, err := l.LaunchRead(ctx, d, device.Answer{Buffer: l.mem.Status, To: l.status[:]})
	if err != nil {
		l.Record(l.kernel, rep, scheduler.Step{Iteration: 1})
		return err
	}
	return l.ended(rep)
}

// ended records the step that the status tells of.
func (l *loop) ended(rep *device.Report) error {
	s := l.status
	number := func(name string, at int) scheduler.Number { return scheduler.Number{Name: name, Value: float64(s[at])} }
	l.Record(l.kernel, rep, scheduler.Step{Iteration: max(int(s[IterationStatus]), 1), Numbers: []scheduler.Number{
		number("frontier", VerticesStatus), number("next", ActiveStatus), number(arcs, ArcsStatus), number(iterations, IterationStatus), number(pulls, PullStatus), number(aloneOnes, AloneStatus), number(start, StartStatus)}})
	if s[EndStatus] == TooMany {
		return &scheduler.NotConverged{Algorithm: l.Algorithm.Name, Iterations: int(l.run.Limit), Active: int(s[ActiveStatus])}
	}
	return nil
}

// recorded returns what the kernel recorded of its iterations, in memory of a device.
func (l *loop) recorded(dev device.Device, history device.Buffer) ([]scheduler.Series, error) {
	return scheduler.ReadSeries(dev, history, int(l.status[IterationStatus]), []scheduler.Series{
		VerticesHistory: {Name: "frontier", Unit: "vertex", Doc: "vertices processed in each iteration"},
		ArcsHistory:     {Name: arcs, Unit: "arc", Doc: "arcs of these vertices"},
		HowHistory:      {Name: "how", Unit: "code", Doc: "0: a push, 1: a pull, 2: a push by one block alone, 3: a wide push, after which the bitmaps have what was found"},
		CyclesHistory:   {Name: "iteration-cycles", Unit: "cycle", Doc: "cycles of an iteration on the SM of the first block, from barrier to barrier"},
	})
}
