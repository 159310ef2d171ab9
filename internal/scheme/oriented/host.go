//go:build !kernel

package oriented

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// New returns the scheme. It accepts the algorithms whose answer is the number of triangles of each vertex.
func New() scheduler.Scheme {
	return scheduler.Scheme{
		Name:       "oriented",
		Doc:        "triangles by arcs to the end of the larger degree, each found once (forward: Schank and Wagner, WEA 2005)",
		Sources:    []gpu.Package{Sources},
		Params:     []scheduler.Param{scheduler.BlockParam()},
		Quantities: []scheduler.Quantity{{Name: forBlocks, Unit: "vertex", Doc: fmt.Sprintf("vertices of more than %d arcs, for a block each", WideDegree)}},
		WholeRows:  true,
		Takes:      takes,
		Kernels:    func(a scheduler.Type) []scheduler.EntryPoint { return entries(a).all() },
		Run:        run,
	}
}

// forBlocks is the quantity of a step.
const forBlocks = "block-vertices"

// takes says why the scheme does not run an algorithm.
func takes(a scheduler.Type, _ scheduler.Values) error {
	if !a.Triangles {
		return fmt.Errorf("%s has no method Triangles that returns true: its answer is not the number of triangles of each vertex", a.Name)
	}
	return nil
}

// kernels are the entry points for an algorithm.
type kernels struct{ orient, wide, count scheduler.EntryPoint }

func entries(a scheduler.Type) kernels {
	return kernels{
		orient: scheduler.EntryPoint{Name: fmt.Sprintf("oriented.Orient[%s]", a.Value), What: "initial values, and the arcs of each vertex to those of larger degree"},
		wide:   scheduler.EntryPoint{Name: "oriented.OrientWide", What: "the same, for vertices of many arcs"},
		count:  scheduler.EntryPoint{Name: fmt.Sprintf("oriented.Count[%s]", a.Value), What: "adds the triangles of each arc to their vertices"},
	}
}

// all returns the kernels that may be launched.
func (k kernels) all() []scheduler.EntryPoint {
	return []scheduler.EntryPoint{k.count, k.orient, k.wide}
}

// arcsArg is Arcs as a launch argument, and wideArg a Wide.
type (
	arcsArg struct{ End, Src, Col device.Buffer }
	wideArg struct{ Vertices, Count device.Buffer }
)

// run is the host loop.
func run(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	l, err := scheduler.Begin(j)
	if err != nil {
		return nil, err
	}
	both, err := j.Graph.Symmetrize(ctx)
	if err != nil {
		return nil, err
	}
	k, compiled := entries(l.Algorithm), map[string]*device.Kernel{}
	for _, e := range k.all() { // before the first launch
		if compiled[e.Name], err = l.Kernels.Kernel(ctx, e.Name, nil); err != nil {
			return nil, err
		}
	}
	wides := 0
	for v := range uint32(both.Vertices()) {
		if both.Degree(v) > WideDegree {
			wides++
		}
	}
	m := l.Memory
	g := m.Graph(both)
	l.Values = l.AllocValues()
	arcs := arcsArg{m.Alloc("arcs.End", device.U32, both.Vertices()), m.Alloc("arcs.Src", device.U32, both.Arcs()), m.Alloc("arcs.Col", device.U32, both.Arcs())}
	wide := wideArg{m.Alloc("wide.Vertices", device.U32, max(wides, 1)), m.Copy("wide.Count", []uint32{0})}
	if err := l.Place(); err != nil {
		return nil, err
	}
	launch := func(e scheduler.EntryPoint, team scheduler.Team, work int, s scheduler.Step, args ...any) {
		if err != nil {
			return
		}
		d := device.Launch{Kernel: compiled[e.Name], Block: j.Params.Int("block"), Args: args}
		if d.Grid, err = l.Grid(d.Kernel, d.Block, team, work); err != nil {
			return
		}
		var rep *device.Report
		rep, err = l.Launch(ctx, d)
		l.Record(d.Kernel, rep, s)
	}
	launch(k.orient, scheduler.OneWarp, both.Vertices(), scheduler.Step{}, g, arcs, wide, l.Values)
	if wides > 0 {
		s := scheduler.Step{Numbers: []scheduler.Number{{Name: forBlocks, Value: float64(wides)}}}
		launch(k.wide, scheduler.OneBlock, wides, s, g, arcs, wide)
	}
	launch(k.count, scheduler.OneThread, both.Arcs(), scheduler.Step{}, g, arcs, l.Values)
	return l.Finish(err)
}
