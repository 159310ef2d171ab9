//go:build !kernel

package wolf

import (
	"cmp"
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// The values of the parameter variant.
const (
	shared = "shared"
	direct = "direct"
)

// New returns the scheme. It accepts every algorithm that can be pushed.
func New() scheduler.Scheme {
	return scheduler.Scheme{
		Name:    "wolf",
		Doc:     "edge-centric (WolfGraph), one thread per edge, updates combined in shared memory",
		Sources: []gpu.Package{Sources},
		Params: []scheduler.Param{
			scheduler.BlockParam(),
			{Name: "edges-per-block", Type: scheduler.IntParam, Unit: "edge", Default: "0", Max: 1 << 16,
				Doc: "edges of a block whose updates meet in shared memory (variant shared); 0: as many as leave the occupancy as it is"},
			scheduler.MaxIterationsParam(),
			{Name: "variant", Type: scheduler.WordParam, Words: []string{shared, direct}, Default: shared,
				Doc: "where updates meet: in shared memory, followed by a kernel that writes them back, or directly in global memory"},
		},
		Quantities: []scheduler.Quantity{
			{Name: "edges", Unit: "edge", Doc: "edges processed: those whose source changed in the iteration before"},
			{Name: "changed", Unit: "update", Doc: "updates that changed the value of a vertex; of Init: vertices that are active first"},
		},
		Takes:   func(a scheduler.Type, _ scheduler.Values) error { return cmp.Or(a.Unphased(), a.Pushes()) },
		Kernels: func(a scheduler.Type) []scheduler.EntryPoint { return entries(a).all() },
		Run:     run,
	}
}

// kernels are the entry points for an algorithm.
type kernels struct {
	gather, writeBack, direct, take, init scheduler.EntryPoint
	takes                                 bool // the kernel take is needed
}

func entries(a scheduler.Type) kernels {
	entry := func(kernel, what string) scheduler.EntryPoint {
		return scheduler.EntryPoint{Name: fmt.Sprintf("wolf.%s[%s, %s]", kernel, a.Name, a.Value), What: what}
	}
	return kernels{
		gather:    entry("Gather", "one iteration: edges to local values in shared memory"),
		writeBack: entry("WriteBack", "one iteration: local values to global ones"),
		direct:    entry("Direct", "one iteration: edges to global values"),
		take:      entry("Take", "one iteration: what the active vertices send"),
		init:      entry("Init", "initial values and active vertices"),
		takes:     a.OwnTake(),
	}
}

// all returns the kernels that may be launched.
func (k kernels) all() []scheduler.EntryPoint {
	list := []scheduler.EntryPoint{k.gather, k.writeBack, k.direct}
	if k.takes {
		list = append(list, k.take)
	}
	return append(list, k.init)
}

// loop is a run of the scheme.
type loop struct {
	*scheduler.Loop
	block, maxIterations int

	gather, writeBack, direct, take, init *device.Kernel // nil if not needed

	graph     scheduler.GraphArg
	edges     edgesArg
	blocks    blocksArg
	grid      int           // of the kernels over edges
	dynamic   int           // bytes of local values of a block
	taken     device.Buffer // what the active vertices send, if Take modifies them
	local     device.Buffer // the local values of all blocks
	stamps    [2]device.Buffer
	count     device.Buffer // edges processed and updates that changed a value, over all iterations
	lastCount [2]uint32     // count before this iteration
	thisCount [2]uint32     // count after the last launch that read it
}

// edgesArg is Edges as a launch argument, blocksArg Blocks and activityArg Activity.
type (
	edgesArg struct {
		Source, Slot device.Buffer
		Count        uint32
	}
	blocksArg struct {
		Size                uint32
		First, Vertex, Busy device.Buffer
	}
	activityArg struct {
		Iteration                     uint32
		Now, Next, Processed, Changed device.Buffer
	}
)

// run is the host loop.
func run(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	base, err := scheduler.Begin(j)
	if err != nil {
		return nil, err
	}
	l := &loop{Loop: base, block: j.Params.Int("block"), maxIterations: j.Params.Int("max-iterations")}
	if l.maxIterations == 0 {
		l.maxIterations = l.Vertices() + 1000
	}
	if err := l.compile(ctx); err != nil {
		return nil, err
	}
	return l.Finish(l.iterate(ctx))
}

// compile finds the kernels that the run launches.
func (l *loop) compile(ctx context.Context) (err error) {
	find := func(e scheduler.EntryPoint, needed bool) (k *device.Kernel) {
		if err == nil && needed {
			k, err = l.Kernels.Kernel(ctx, e.Name, e.Bind)
		}
		return k
	}
	k, inShared := entries(l.Algorithm), l.Params.Word("variant") == shared
	l.init, l.take = find(k.init, true), find(k.take, k.takes)
	l.gather, l.writeBack, l.direct = find(k.gather, inShared), find(k.writeBack, inShared), find(k.direct, !inShared)
	return err
}

// iterate prepares the run and launches iterations until no value changes.
func (l *loop) iterate(ctx context.Context) error {
	if err := l.place(ctx); err != nil {
		return err
	}
	changed, err := l.start(ctx)
	for i := 1; changed > 0 && err == nil; i++ {
		if i > l.maxIterations {
			return l.notConverged(i)
		}
		changed, err = l.iteration(ctx, i)
	}
	return err
}

// notConverged is the error of a run whose next iteration would be i. It counts the active
// vertices, since a vertex may have changed several times.
func (l *loop) notConverged(i int) error {
	stamps := make([]uint32, l.Vertices())
	if err := l.Device.Read(l.activity(i).Now, stamps); err != nil {
		return err
	}
	active := 0
	for _, s := range stamps {
		if s == uint32(i) {
			active++
		}
	}
	return &scheduler.NotConverged{Algorithm: l.Algorithm.Name, Iterations: l.maxIterations, Active: active}
}

// place copies the edge list to the device and allocates the other buffers.
func (l *loop) place(ctx context.Context) error {
	m := l.Memory
	l.graph = m.Graph(l.Graph)
	l.edges = edgesArg{Source: m.Copy("edges.Source", sources(l.Graph)), Count: uint32(l.Graph.Arcs())}
	l.Values = l.AllocValues()
	l.taken, l.edges.Slot = l.Values, l.edges.Source // placeholders for what the run does not need
	if l.take != nil {
		l.taken = m.Alloc("taken", l.Values.Elem, l.Vertices())
	}
	for i := range l.stamps {
		l.stamps[i] = m.Alloc("stamps", device.U32, l.Vertices())
	}
	l.count = m.Copy("count", l.lastCount[:])
	l.grid = blocksOf(l.Graph.Arcs(), l.block)
	if l.gather != nil {
		if err := l.placeBlocks(ctx); err != nil {
			return err
		}
	}
	return l.Place()
}

// placeBlocks splits the edge list into edge blocks.
func (l *loop) placeBlocks(ctx context.Context) error {
	size, err := l.blockSize()
	if err != nil {
		return err
	}
	s, err := newSplit(ctx, l.Graph, size)
	if err != nil {
		return err
	}
	m := l.Memory
	l.grid, l.dynamic = len(s.first)-1, size*l.Values.Elem.Bytes()
	l.edges.Slot = m.Copy("edges.Slot", s.slot)
	l.blocks = blocksArg{Size: uint32(size), First: m.Copy("blocks.First", s.first), Vertex: m.Copy("blocks.Vertex", s.vertex),
		Busy: m.Alloc("blocks.Busy", device.U32, l.grid)}
	l.local = m.Alloc("local", l.Values.Elem, len(s.vertex))
	return m.Err()
}

// blockSize returns the number of edges per edge block.
func (l *loop) blockSize() (int, error) {
	if n := l.Params.Int("edges-per-block"); n > 0 {
		return n, nil
	}
	occ, err := l.Device.Occupancy(l.gather, l.block)
	if err != nil {
		return 0, err
	}
	kind, _ := device.KindOfType(l.Algorithm.Value)
	return edgesPerBlock(occ, l.block, kind.Bytes(), l.Graph.Arcs()), nil
}

// edgesPerBlock is the rule for the size of an edge block: as many edges as local values fit
// into the shared memory that occupancy leaves to each block, but no more than give every SM
// its number of blocks. It is a multiple of the number of threads, and at least that.
func edgesPerBlock(occ device.Occupancy, threads, valueBytes, arcs int) int {
	fits := occ.SharedFree / valueBytes / threads
	resident := max(occ.BlocksPerSM*occ.SMs, 1)
	fills := (arcs/resident + threads - 1) / threads
	return threads * max(min(fits, fills), 1)
}

// activity returns the argument of an iteration. The two arrays of stamps take turns.
func (l *loop) activity(i int) activityArg {
	return activityArg{Iteration: uint32(i), Now: l.stamps[i%2], Next: l.stamps[(i+1)%2],
		Processed: l.count.Slice(0, 1), Changed: l.count.Slice(1, 2)}
}

// start launches Init and returns the number of active vertices.
func (l *loop) start(ctx context.Context) (active int, err error) {
	grid, err := l.Grid(l.init, l.block, scheduler.OneThread, l.Vertices())
	if err != nil {
		return 0, err
	}
	in := scheduler.Problem{Source: l.Source, Vertices: uint32(l.Vertices())}
	rep, err := l.launchRead(ctx, l.init, grid, 0, l.Instance.Arg, l.graph, in, l.Values, l.activity(1))
	_, active = l.counted()
	l.Record(l.init, rep, scheduler.Step{Setup: true, Numbers: []scheduler.Number{{Name: "changed", Value: float64(active)}}})
	return active, err
}

// iteration runs iteration i and returns the number of updates that changed a value.
func (l *loop) iteration(ctx context.Context, i int) (changed int, err error) {
	if l.take != nil {
		if err := l.takeAll(ctx, i); err != nil {
			return 0, err
		}
	}
	if l.direct != nil {
		rep, err := l.launchRead(ctx, l.direct, l.grid, 0, l.Instance.Arg, l.graph, l.edges, l.Values, l.taken, l.activity(i))
		edges, changed := l.counted()
		l.record(l.direct, rep, i, scheduler.Number{Name: "edges", Value: float64(edges)}, scheduler.Number{Name: "changed", Value: float64(changed)})
		return changed, err
	}
	gathered, err := l.Launch(ctx, device.Launch{Kernel: l.gather, Grid: l.grid, Block: l.block, DynamicShared: l.dynamic,
		Args: []any{l.Instance.Arg, l.graph, l.edges, l.blocks, l.Values, l.taken, l.local, l.activity(i)}})
	if err != nil {
		l.record(l.gather, gathered, i)
		return 0, err
	}
	written, err := l.launchRead(ctx, l.writeBack, l.grid, 0, l.Instance.Arg, l.blocks, l.Values, l.local, l.activity(i))
	edges, changed := l.counted()
	l.record(l.gather, gathered, i, scheduler.Number{Name: "edges", Value: float64(edges)})
	l.record(l.writeBack, written, i, scheduler.Number{Name: "changed", Value: float64(changed)})
	return changed, err
}

// takeAll launches Take.
func (l *loop) takeAll(ctx context.Context, i int) error {
	grid, err := l.Grid(l.take, l.block, scheduler.OneThread, l.Vertices())
	if err != nil {
		return err
	}
	rep, err := l.Launch(ctx, device.Launch{Kernel: l.take, Grid: grid, Block: l.block,
		Args: []any{l.Instance.Arg, l.graph, l.Values, l.taken, l.activity(i)}})
	l.record(l.take, rep, i)
	return err
}

func (l *loop) record(k *device.Kernel, rep *device.Report, i int, numbers ...scheduler.Number) {
	l.Record(k, rep, scheduler.Step{Iteration: i, Numbers: numbers})
}

// launchRead runs a kernel and reads count.
func (l *loop) launchRead(ctx context.Context, k *device.Kernel, grid, dynamic int, args ...any) (*device.Report, error) {
	return l.LaunchRead(ctx, device.Launch{Kernel: k, Grid: grid, Block: l.block, DynamicShared: dynamic, Args: args},
		device.Answer{Buffer: l.count, To: l.thisCount[:]})
}

// counted returns by how much the two numbers of count have grown since the last call.
func (l *loop) counted() (edges, changed int) {
	edges, changed = int(l.thisCount[0]-l.lastCount[0]), int(l.thisCount[1]-l.lastCount[1])
	l.lastCount = l.thisCount
	return edges, changed
}
