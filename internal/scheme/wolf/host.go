//go:build !kernel

package wolf

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// The values of the parameters variant, edges and order.
const (
	shared = "shared"
	direct = "direct"

	active = "active"
	every  = "all"

	bySource = "source"
	byFile   = "file"
)

// New returns the scheme. It accepts every algorithm that can be pushed.
func New() scheduler.Scheme {
	return scheduler.Scheme{
		Name:    "wolf",
		Doc:     "edge-centric (WolfGraph), one thread per edge, updates combined in shared memory",
		Sources: []gpu.Package{Sources},
		Params: []scheduler.Param{
			scheduler.BlockParam(),
			{Name: "destinations-per-block", Type: scheduler.IntParam, Unit: "vertex", Default: "0", Max: 1 << 16,
				Doc: "most different destinations of an edge block (variant shared): the block ends there, so that its local values fit into shared memory however many edges it has; 0: no limit but the number of edges"},
			{Name: "edges", Type: scheduler.WordParam, Words: []string{active, every}, Default: active,
				Doc: "what an iteration processes: the edges whose source changed in the one before, while blocks without any are skipped; or all edges, as in the chapter"},
			{Name: "conflicts", Type: scheduler.BoolParam, Default: "false",
				Doc: "count how many updates of an edge block meet (variant shared), by a further launch per iteration that is not part of the kernel time"},
			{Name: "edges-per-block", Type: scheduler.IntParam, Unit: "edge", Default: "0", Max: 1 << 16,
				Doc: "edges of a block; in variant shared their updates meet in shared memory; 0: as many as leave the occupancy as it is"},
			scheduler.MaxIterationsParam(),
			{Name: "order", Type: scheduler.WordParam, Words: []string{bySource, byFile}, Default: bySource,
				Doc: "order of the edge list: by source, or that of the graph's file, as in the chapter (figure 5.2)"},
			{Name: "variant", Type: scheduler.WordParam, Words: []string{shared, direct}, Default: shared,
				Doc: "where updates meet: in shared memory, followed by a kernel that writes them back, or directly in global memory"},
		},
		Quantities: append([]scheduler.Quantity{
			{Name: "edges", Unit: "edge", Doc: "edges processed: those whose source changed in the iteration before"},
			{Name: "changed", Unit: "update", Doc: "updates that changed the value of a vertex; of Init: vertices that are active first"},
		}, conflictQuantities()...),
		Takes: func(a scheduler.Type, p scheduler.Values) error {
			if err := suits(p); err != nil {
				return err
			}
			if p.Word("edges") == every && !a.Idempotent() && !a.OwnTake() {
				return fmt.Errorf("edges=all sends what was sent before, and updates of %s add up; use edges=active", a.Name)
			}
			return cmp.Or(a.Unphased(), a.Pushes())
		},
		Kernels: func(a scheduler.Type) []scheduler.EntryPoint {
			list := entries(a, "").all()
			for _, plan := range []string{listed, all} {
				list = append(list, entries(a, plan).all()...)
			}
			return list
		},
		Run: run,
	}
}

// suits returns an error if parameters ask for what the variant does not have.
func suits(p scheduler.Values) error {
	switch {
	case p.Word("variant") != direct:
		return nil
	case p.Bool("conflicts"):
		return errors.New("conflicts=true counts the updates that meet in shared memory; in variant=direct none do")
	case p.Int("destinations-per-block") > 0:
		return fmt.Errorf("destinations-per-block=%d limits the values in shared memory; variant=direct has none there", p.Int("destinations-per-block"))
	}
	return nil
}

// The plans besides Blocks, as type arguments.
const (
	listed = "wolf.Listed"
	all    = "wolf.Every"
)

// planOf returns the plan that parameters ask for; "" for Blocks.
func planOf(p scheduler.Values) string {
	switch {
	case p.Word("edges") == every:
		return all
	case p.Word("order") == byFile || p.Int("destinations-per-block") > 0:
		return listed
	}
	return ""
}

// kernels are the entry points for an algorithm.
type kernels struct {
	gather, writeBack, direct, conflicts, take, init scheduler.EntryPoint
	takes                                            bool // the kernel take is needed
}

func entries(a scheduler.Type, plan string) kernels {
	entry := func(kernel, what string) scheduler.EntryPoint {
		args := a.Name
		if plan != "" {
			kernel, args = kernel+"By", args+", "+plan
		}
		return scheduler.EntryPoint{Name: fmt.Sprintf("wolf.%s[%s, %s]", kernel, args, a.Value), What: what}
	}
	return kernels{
		gather:    entry("Gather", "one iteration: edges to local values in shared memory"),
		writeBack: entry("WriteBack", "one iteration: local values to global ones"),
		direct:    entry("Direct", "one iteration: edges to global values"),
		conflicts: entry("Conflicts", "the degrees of conflict of one iteration"),
		take:      entry("Take", "one iteration: what the active vertices send"),
		init:      entry("Init", "initial values and active vertices"),
		takes:     a.OwnTake(),
	}
}

// all returns the kernels that may be launched.
func (k kernels) all() []scheduler.EntryPoint {
	list := []scheduler.EntryPoint{k.gather, k.writeBack, k.direct, k.conflicts}
	if k.takes {
		list = append(list, k.take)
	}
	return append(list, k.init)
}

// loop is a run of the scheme.
type loop struct {
	*scheduler.Loop
	block, maxIterations int

	gather, writeBack, direct, conflicts, take, init *device.Kernel // nil if not needed

	graph     scheduler.GraphArg
	edges     edgesArg
	blocks    any              // the plan: a blocksArg, a listedArg or an everyArg
	grid      int              // of the kernels over edges
	slots     int              // most local values of a block
	dynamic   int              // bytes of these
	taken     device.Buffer    // what the active vertices send, if Take modifies them
	local     device.Buffer    // the local values of all blocks
	stamps    [2]device.Buffer // of the vertices
	awake     [2]device.Buffer // of the edge blocks
	conflict  device.Buffer    // what Conflicts counts
	count     device.Buffer    // edges processed and updates that changed a value, over all iterations
	lastCount [2]uint32        // count before this iteration
	thisCount [2]uint32        // count after the last launch that read it
}

// edgesArg is Edges as a launch argument, and so are the others the type of their name.
type (
	edgesArg struct {
		Source, Slot device.Buffer
		Count        uint32
	}
	blocksArg struct {
		Size          uint32
		First, Vertex device.Buffer
	}
	listedArg struct{ Begin, First, Vertex, HomeRow, Home device.Buffer }
	everyArg  struct{ Begin, First, Vertex device.Buffer }

	activityArg struct {
		Iteration                                  uint32
		Now, Next, Awake, Wake, Processed, Changed device.Buffer
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
	k, inShared := entries(l.Algorithm, planOf(l.Params)), l.Params.Word("variant") == shared
	l.init, l.take = find(k.init, true), find(k.take, k.takes)
	l.gather, l.writeBack, l.direct = find(k.gather, inShared), find(k.writeBack, inShared), find(k.direct, !inShared)
	l.conflicts = find(k.conflicts, l.Params.Bool("conflicts"))
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
			return l.Unfinished(l.activity(i).Now, i, l.maxIterations)
		}
		changed, err = l.iteration(ctx, i)
	}
	return err
}

// start launches Init and returns the number of active vertices.
func (l *loop) start(ctx context.Context) (active int, err error) {
	grid, err := l.Grid(l.init, l.block, scheduler.OneThread, l.Vertices())
	if err != nil {
		return 0, err
	}
	in := scheduler.Problem{Source: l.Source, Vertices: uint32(l.Vertices())}
	rep, err := l.launchRead(ctx, l.init, grid, 0, l.Instance.Arg, l.graph, l.blocks, in, l.Values, l.activity(1))
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
	if l.conflicts != nil {
		if err := l.countConflicts(ctx, i); err != nil {
			return 0, err
		}
	}
	if l.direct != nil {
		rep, err := l.launchRead(ctx, l.direct, l.grid, 0, l.Instance.Arg, l.graph, l.edges, l.blocks, l.Values, l.taken, l.activity(i))
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
	written, err := l.launchRead(ctx, l.writeBack, l.grid, 0, l.Instance.Arg, l.graph, l.blocks, l.Values, l.local, l.activity(i))
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
