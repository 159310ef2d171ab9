//go:build !kernel

package unionfind

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// forestArg is a Forest as a launch argument, restArg a Rest and wideArg a Wide. Smaller has
// no data.
type (
	forestArg  struct{ Parents device.Buffer }
	restArg    struct{ Largest device.Buffer }
	largestArg struct{ Root, Votes device.Buffer }
	wideArg    struct{ Vertices, Counts device.Buffer }
	smallerArg struct{}
	acrossArg  struct{ Vertices uint32 }
)

// loop is a run of the scheme.
type loop struct {
	*scheduler.Loop
	block    int
	skips    bool // leave out the largest component
	wides    bool // some vertex is too wide for a thread
	tile     int  // vertices per tile, 0 for none
	rounds   rounds
	compiled map[string]*device.Kernel // by the name of the entry point

	both    *graph.CSR // the graph with the opposite of each arc
	graph   scheduler.GraphArg
	outRow  device.Buffer // row offsets of the outgoing arcs
	forest  forestArg
	largest device.Buffer // two words: Largest
	wide    wideArg
	found   [2]uint32      // largest after the last launch that read it
	counted [Counts]uint32 // Wide.Counts after the last launch that read it
}

// run is the host loop.
func run(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	group := device.Alone(j.Device)
	j.Device = group
	base, err := scheduler.Begin(j)
	if err != nil {
		return nil, err
	}
	both, err := j.Graph.Symmetrize(ctx)
	if err != nil {
		return nil, err
	}
	l := &loop{Loop: base, both: both, block: j.Params.Int("block"), rounds: rounds(j.Params.Int("rounds")), compiled: map[string]*device.Kernel{}}
	switch j.Params.Word("skip") {
	case auto:
		l.skips = pays(both)
	case always:
		l.skips = true
	}
	l.skips = l.skips && both.Arcs() > 0
	hub, _ := both.MaxDegreeVertex() // before the first launch, since it looks at all vertices
	l.wides = both.Degree(hub) > ThreadDegree
	if err := l.compile(ctx); err != nil {
		return nil, err
	}
	if !l.skips {
		if l.tile, err = l.tileSize(); err != nil {
			return nil, err
		}
	}
	if group.GPUs() > 1 {
		return l.connectGroup(ctx, group)
	}
	return l.Finish(l.connect(ctx))
}

// compile compiles all kernels that the run may launch, before the first launch.
func (l *loop) compile(ctx context.Context) error {
	for _, e := range entries(l.Algorithm).all() {
		k, err := l.Kernels.Kernel(ctx, e.Name, nil)
		if err != nil {
			return err
		}
		l.compiled[e.Name] = k
	}
	return nil
}

// place copies the graph to the device and allocates the other buffers.
func (l *loop) place() error {
	m := l.Memory
	l.graph = m.Graph(l.both)
	l.outRow = l.graph.Row
	if !l.Graph.Symmetric {
		l.outRow = m.Rows("outRow", l.Graph)
	}
	l.Values = l.AllocValues()
	l.forest = forestArg{m.Alloc("forest.Parents", device.U32, l.Vertices())}
	l.largest = m.Alloc("largest", device.U32, 2)
	l.wide = wideArg{m.Alloc("wide.Vertices", device.U32, l.Vertices()), m.Copy("wide.Counts", l.counted[:])}
	return l.Place()
}

// connect finds the components and the values of their vertices.
func (l *loop) connect(ctx context.Context) error {
	if err := l.place(); err != nil {
		return err
	}
	k := entries(l.Algorithm)
	if err := l.begin(ctx, k); err != nil {
		return err
	}
	if err := l.hook(ctx, k); err != nil {
		return err
	}
	return l.finish(ctx, k)
}

// finish launches the kernels that give each vertex the value of its component.
func (l *loop) finish(ctx context.Context, k kernels) error {
	if err := l.launchRead(ctx, k.flatten, []string{moved}, l.Instance.Arg, l.forest, l.Values, l.wide.Counts.Slice(Moved, Moved+1)); err != nil {
		return err
	}
	if l.counted[Moved] == 0 {
		return nil
	}
	return l.launch(ctx, k.spread, l.forest, l.Values)
}

// begin launches the kernel that sets the first values and parents.
func (l *loop) begin(ctx context.Context, k kernels) error {
	in := scheduler.Problem{Source: l.Source, Vertices: uint32(l.Vertices())}
	args := []any{l.Instance.Arg, l.graph, l.outRow, in, l.forest, l.Values}
	if l.tile == 0 {
		return l.launch(ctx, k.init, args...)
	}
	d := l.tiles(k, args)
	rep, err := l.Launch(ctx, d)
	l.Record(d.Kernel, rep, scheduler.Step{})
	return err
}

// tiles returns the launch of Tile.
func (l *loop) tiles(k kernels, args []any) device.Launch {
	return device.Launch{Kernel: l.compiled[k.tile.Name], Grid: max((l.Vertices()+l.tile-1)/l.tile, 1), Block: min(tileBlock, l.tile),
		DynamicShared: l.tile * device.U32.Bytes(), Args: args}
}

// tileSize returns the number of vertices per tile: as the user wants it, or so many that each SM
// has two tiles.
func (l *loop) tileSize() (int, error) {
	if n := l.Params.Int("tile"); n >= 0 {
		return n, nil
	}
	occ, err := l.Device.Occupancy(l.compiled[entries(l.Algorithm).tile.Name], tileBlock)
	return min(max(l.Vertices()/(tilesPerSM*max(occ.SMs, 1)), leastTile), mostTile), err
}

// hook launches the kernels that hook the edges that begin has left.
func (l *loop) hook(ctx context.Context, k kernels) error {
	if !l.skips {
		narrow, wide, edges := l.edges(k)
		if !l.wides {
			return l.launch(ctx, narrow, l.graph, l.forest, edges, l.wide) // the list stays empty
		}
		return l.hookAll(ctx, narrow, wide, edges, forWarps, forBlocks)
	}
	if err := l.sample(ctx, k); err != nil {
		return err
	}
	return l.hookAll(ctx, k.hookRest, k.wideRest, restArg{l.largest.Slice(0, 1)}, visited, forWarps, forBlocks)
}

// edges returns the kernels that hook the edges that begin has left, where no component is skipped, and what tells them these edges.
func (l *loop) edges(k kernels) (narrow, wide scheduler.EntryPoint, edges any) {
	if l.tile > 0 {
		return k.hookAcross, k.wideAcross, acrossArg{uint32(l.tile)}
	}
	return k.hookSmaller, k.wideSmaller, smallerArg{}
}

// sample launches Sample, and then Compress, until the largest tree is large.
func (l *loop) sample(ctx context.Context, k kernels) error {
	return l.rounds.run(func(round int) error {
		return l.launch(ctx, k.sample, l.graph, l.forest, uint32(round))
	}, func() (float64, error) { return l.compress(ctx, k) })
}

// rounds is the least number of launches of Sample.
type rounds int

// run calls sample for so many rounds, and then compress, which returns the share of the arcs in the largest tree, until the tree is large or its
// share has not doubled: then the graph has no component that large, or its trees merge slowly.
func (least rounds) run(sample func(round int) error, compress func() (percent float64, err error)) error {
	before := 0.0
	for round := 1; ; round++ {
		if err := sample(round); err != nil {
			return err
		}
		if round < int(least) {
			continue
		}
		now, err := compress()
		if err != nil || now >= largeShare || now < 2*before || round >= maxRounds {
			return err
		}
		before = now
	}
}

// compress launches Compress and returns the share of the largest tree.
func (l *loop) compress(ctx context.Context, k kernels) (percent float64, err error) {
	d, err := l.configure(k.compress, []any{l.graph, l.forest, largestArg{l.largest.Slice(0, 1), l.largest.Slice(1, 2)}})
	if err != nil {
		return 0, err
	}
	rep, err := l.LaunchRead(ctx, d, device.Answer{Buffer: l.largest, To: l.found[:]})
	l.Record(d.Kernel, rep, scheduler.Step{Numbers: []scheduler.Number{{Name: share, Value: l.percent()}}})
	return l.percent(), err
}

// percent returns the share of the largest tree that Compress has found.
func (l *loop) percent() float64 { return 100 * float64(l.found[1]) / float64(l.block) }

// hookAll launches Hook, and HookWide if there are vertices for it.
func (l *loop) hookAll(ctx context.Context, narrow, wide scheduler.EntryPoint, edges any, quantities ...string) error {
	if err := l.launchRead(ctx, narrow, quantities, l.graph, l.forest, edges, l.wide); err != nil {
		return err
	}
	if l.counted[ForWarps]+l.counted[ForBlocks] == 0 {
		return nil
	}
	return l.launch(ctx, wide, l.graph, l.forest, edges, l.wide)
}

// launch runs a kernel, whose threads stride over the vertices, and records it.
func (l *loop) launch(ctx context.Context, e scheduler.EntryPoint, args ...any) error {
	d, err := l.configure(e, args)
	if err != nil {
		return err
	}
	rep, err := l.Launch(ctx, d)
	l.Record(d.Kernel, rep, scheduler.Step{})
	return err
}

// launchRead is launch with a read of the counts, of which it records some.
func (l *loop) launchRead(ctx context.Context, e scheduler.EntryPoint, quantities []string, args ...any) error {
	d, err := l.configure(e, args)
	if err != nil {
		return err
	}
	rep, err := l.LaunchRead(ctx, d, device.Answer{Buffer: l.wide.Counts, To: l.counted[:]})
	s := scheduler.Step{}
	for _, q := range quantities {
		s.Numbers = append(s.Numbers, scheduler.Number{Name: q, Value: float64(l.counted[position[q]])})
	}
	l.Record(d.Kernel, rep, s)
	return err
}

// position is the element of Wide.Counts that has a quantity.
var position = map[string]int{visited: Visited, forWarps: ForWarps, forBlocks: ForBlocks, moved: Moved}

func (l *loop) configure(e scheduler.EntryPoint, args []any) (device.Launch, error) {
	k := l.compiled[e.Name]
	grid, err := l.Grid(k, l.block, scheduler.OneThread, l.Vertices())
	return device.Launch{Kernel: k, Grid: grid, Block: l.block, Args: args}, err
}
