//go:build !kernel

package unionfind

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
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
	both     *graph.CSR                // the graph with the opposite of each arc
	whole    bool                      // one kernel does everything
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
	if fusion := j.Params.Word("fusion"); fusion != fuseNone && group.GPUs() > 1 {
		why := refused(group, j.Graph)
		if why == nil {
			return l.runTogether(ctx, group)
		}
		if fusion == fuseAll {
			return nil, why
		}
	}
	l.whole = j.Params.Word("fusion") != fuseNone && group.GPUs() == 1
	switch j.Params.Word("skip") {
	case auto:
		l.skips = l.pays()
	case always:
		l.skips = true
	}
	l.skips = l.skips && both.Arcs() > 0
	if l.rounds == 0 {
		if l.rounds = evenRounds; !l.whole && uneven(both) {
			l.rounds = unevenRounds
		}
	}
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
	switch {
	case l.block > 0:
	case l.whole:
		l.block = l.wholeBlockSize(l.compiled[l.wholeKernel(entries(l.Algorithm)).Name])
	default:
		l.block = stepBlock
	}
	return l.connect(ctx, group)
}

// compile compiles all kernels that the run may launch, before the first launch.
func (l *loop) compile(ctx context.Context) error {
	k := entries(l.Algorithm)
	launched := k.steps()
	if l.whole {
		launched = []scheduler.EntryPoint{l.wholeKernel(k)}
	}
	return l.compileOnly(ctx, launched...)
}

// compileOnly compiles some kernels.
func (l *loop) compileOnly(ctx context.Context, list ...scheduler.EntryPoint) error {
	for _, e := range list {
		k, err := l.Kernels.Kernel(ctx, e.Name, nil)
		if err != nil {
			return err
		}
		l.compiled[e.Name] = k
	}
	return nil
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
	k, block := entries(l.Algorithm).tile, tileBlock
	if l.whole {
		k, block = entries(l.Algorithm).wholeAcross, gpu.WarpSize // tiles have a block that fits, see wholeBlockSize
	}
	occ, err := l.Device.Occupancy(l.compiled[k.Name], block) // for the number of SMs
	return tileOf(l.Vertices(), occ), err
}

// tileOf returns so many vertices per tile that each SM has two of so many vertices.
func tileOf(vertices int, occ device.Occupancy) int {
	return min(max(vertices/(tilesPerSM*max(occ.SMs, 1)), leastTile), mostTile)
}

// edges returns the kernels that hook the edges that begin has left, where no component is skipped, and what tells them these edges.
func (l *loop) edges(k kernels) (narrow, wide scheduler.EntryPoint, edges any) {
	if l.tile > 0 {
		return k.hookAcross, k.wideAcross, acrossArg{uint32(l.tile)}
	}
	return k.hookSmaller, k.wideSmaller, smallerArg{}
}

// rounds is the least number of launches of Sample.
type rounds int

// run calls sample for so many rounds, with flatten between them, and then compress, which flattens and returns the votes for the largest tree of so many, until
// the tree is large or its share has not doubled; see enough.
func (least rounds) run(of uint32, sample func(round int), flatten func(), compress func() (votes uint32, err error)) error {
	before := uint32(0)
	for round := 1; ; round++ {
		sample(round)
		if round < int(least) {
			flatten()
			continue
		}
		votes, err := compress()
		if err != nil || enough(before, votes, of, uint32(round)) {
			return err
		}
		before = votes
	}
}

// votes returns how many arcs of the sample end in the largest tree that Compress has found, of one for each thread of a block.
func (t *team) votes() uint32 { return t.parts[0].counted[Counts+1] }

// position is the element of Wide.Counts that has a quantity.
var position = map[string]int{visited: Visited, forWarps: ForWarps, forBlocks: ForBlocks, moved: Moved}

func (l *loop) configure(e scheduler.EntryPoint, args []any) (device.Launch, error) {
	k := l.compiled[e.Name]
	grid, err := l.Grid(k, l.block, scheduler.OneThread, l.Vertices())
	return device.Launch{Kernel: k, Grid: grid, Block: l.block, Args: args}, err
}
