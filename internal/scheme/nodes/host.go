//go:build !kernel

package nodes

import (
	"cmp"
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// New returns the scheme. It accepts every algorithm that can be pushed without phases.
func New() scheduler.Scheme {
	return scheduler.Scheme{
		Name:    "nodes",
		Doc:     "one thread per vertex of the graph in each iteration, with marks instead of queues (Harish and Narayanan, HiPC 2007)",
		Sources: []gpu.Package{Sources},
		Params:  []scheduler.Param{scheduler.BlockParam(), scheduler.MaxIterationsParam()},
		Quantities: []scheduler.Quantity{
			{Name: "frontier", Unit: "vertex", Doc: "vertices of the frontier; every iteration looks at all vertices"},
			{Name: "found", Unit: "update", Doc: "updates that made a vertex active; of Init: vertices of the first frontier"},
		},
		Takes:   func(a scheduler.Type, _ scheduler.Values) error { return cmp.Or(a.Unphased(), a.Pushes()) },
		Kernels: func(a scheduler.Type) []scheduler.EntryPoint { return []scheduler.EntryPoint{pushing(a), starting(a)} },
		Run:     run,
	}
}

func pushing(a scheduler.Type) scheduler.EntryPoint { return entry("Push", "one push iteration", a) }

func starting(a scheduler.Type) scheduler.EntryPoint {
	return entry("Init", "initial values and first frontier", a)
}

func entry(kernel, what string, a scheduler.Type) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: fmt.Sprintf("nodes.%s[%s, %s]", kernel, a.Name, a.Value), What: what}
}

// marksArg is Marks as a launch argument.
type marksArg struct {
	Iteration                   uint32
	Now, Next, Processed, Found device.Buffer
}

// loop is a run of the scheme.
type loop struct {
	*scheduler.Loop
	block, maxIterations int
	push, init           *device.Kernel
	graph                scheduler.GraphArg
	marks                [2]device.Buffer
	count                device.Buffer // vertices of frontiers, and updates that made a vertex active
	before, now          [2]uint32     // count before and after the last launch
}

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
	if l.push, err = j.Kernels.Kernel(ctx, pushing(j.Algorithm).Name, nil); err != nil {
		return nil, err
	}
	if l.init, err = j.Kernels.Kernel(ctx, starting(j.Algorithm).Name, nil); err != nil {
		return nil, err
	}
	return l.Finish(l.iterate(ctx))
}

// place copies the graph to the device and allocates the other buffers.
func (l *loop) place() error {
	m := l.Memory
	l.graph = m.Graph(l.Graph)
	l.Values = l.AllocValues()
	for i := range l.marks {
		l.marks[i] = m.Alloc("marks", device.U32, l.Vertices())
	}
	l.count = m.Copy("count", l.now[:])
	return l.Place()
}

// iterate launches iterations until no vertex was marked.
func (l *loop) iterate(ctx context.Context) error {
	if err := l.place(); err != nil {
		return err
	}
	in := scheduler.Problem{Source: l.Source, Vertices: uint32(l.Vertices())}
	found, err := l.launch(ctx, 0, l.init, l.Instance.Arg, l.graph, in, l.Values, l.at(1))
	for i := 1; found > 0 && err == nil; i++ {
		if i > l.maxIterations {
			return l.Unfinished(l.at(i).Now, i, l.maxIterations)
		}
		found, err = l.launch(ctx, i, l.push, l.Instance.Arg, l.graph, l.Values, l.at(i))
	}
	return err
}

// at returns the marks of iteration i. The two arrays take turns.
func (l *loop) at(i int) marksArg {
	return marksArg{Iteration: uint32(i), Now: l.marks[i%2], Next: l.marks[(i+1)%2], Processed: l.count.Slice(0, 1), Found: l.count.Slice(1, 2)}
}

// launch runs iteration i, or Init if i is 0, and returns how many updates made a vertex active.
func (l *loop) launch(ctx context.Context, i int, k *device.Kernel, args ...any) (found int, err error) {
	grid, err := l.Grid(k, l.block, scheduler.OneThread, l.Vertices())
	if err != nil {
		return 0, err
	}
	l.before = l.now
	rep, err := l.LaunchRead(ctx, device.Launch{Kernel: k, Grid: grid, Block: l.block, Args: args}, device.Answer{Buffer: l.count, To: l.now[:]})
	processed, found := int(l.now[0]-l.before[0]), int(l.now[1]-l.before[1])
	s := scheduler.Step{Iteration: i, Numbers: []scheduler.Number{{Name: "frontier", Value: float64(processed)}, {Name: "found", Value: float64(found)}}}
	if i == 0 {
		s.Setup, s.Numbers = true, s.Numbers[1:]
	}
	l.Record(k, rep, s)
	return found, err
}
