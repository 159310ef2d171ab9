//go:build !kernel

package simdx

import (
	"cmp"
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// runner is a run.
type runner struct {
	*scheduler.FrontierLoop
	choice
	out, in scheduler.GraphArg // outgoing and incoming arcs
	phases  scheduler.Phases   // without fusion; the persistent kernels have their own
	next    device.Buffer      // the second array of values, if the run may pull
	taken   device.Buffer      // what the vertices of the frontier send, for the batch filter of an algorithm whose Take modifies them
	mem     MemoryArg
	run     Run // of the next launch
	stage   int // bytes of the lists of a block in shared memory

	// pushKernel is that of all phases with levels.
	pushKernel, pullKernel, allKernel *device.Kernel
	wide                              bool // whether the first frontier has all vertices
	grid                              map[*device.Kernel]int
	most                              int // the largest grid
	status                            [StatusWords]uint32
}

// run is the host loop.
func run(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	r := &runner{grid: map[*device.Kernel]int{}}
	var err error
	if r.choice, err = plan(j.Algorithm, j.Params); err != nil {
		return nil, err
	}
	if err = r.load(ctx, j); err != nil {
		return nil, err
	}
	in := j.Graph
	if r.pull || j.Algorithm.Reverses() && !r.levels {
		if in, err = j.Graph.Transpose(ctx); err != nil {
			return nil, err
		}
	}
	// All that the host has to prepare comes before the first launch, since the time of a run
	// begins with that.
	var active int
	var unprepared error
	r.FrontierLoop, active, err = scheduler.BeginFrontier(ctx, j, func(m *scheduler.Memory) device.Buffer {
		r.out = m.Graph(j.Graph)
		if r.pull || r.fusion != fuseNone {
			r.in = transposed(m, j.Graph, in, r.out)
		}
		unprepared = r.prepare(ctx, j, m, in)
		if r.fusion == fuseNone {
			unprepared = cmp.Or(unprepared, r.phases.Begin(ctx, j, m, r.out))
		}
		return r.out.Row
	})
	if r.FrontierLoop == nil {
		return nil, err
	}
	if err = cmp.Or(unprepared, err); err == nil {
		r.begin(active)
	}
	if err == nil && (active > 0 || j.Algorithm.Phased) { // a later phase may have the first frontier
		if r.fusion == fuseNone {
			err = r.separately(ctx)
		} else {
			err = r.fused(ctx)
		}
	}
	var series []scheduler.Series
	if err == nil {
		series, err = r.history()
	}
	out, err := r.Finish(err)
	out.Series = series
	return out, err
}

// history returns what the persistent kernels recorded of their iterations, which is what
// figure 7 shows.
func (r *runner) history() ([]scheduler.Series, error) {
	n := min(r.Params.Int("history"), int(r.run.Iteration)-1)
	if n == 0 || r.fusion == fuseNone {
		return nil, nil
	}
	words := make([]uint32, n*historyWords)
	if err := r.Device.Read(r.mem.History.Slice(0, len(words)), words); err != nil {
		return nil, err
	}
	list := []scheduler.Series{
		{Name: "frontier", Unit: "vertex", Doc: "entries processed in each iteration"},
		{Name: arcs, Unit: "arc", Doc: "arcs of these entries"},
		{Name: ballots, Unit: "iteration", Doc: "1 if the ballot filter collected the next frontier"},
		{Name: pulls, Unit: "iteration", Doc: "1 if the iteration pulled"},
		{Name: aloneOnes, Unit: "iteration", Doc: "1 if one block ran the iteration alone"},
	}
	for i := range n {
		w := words[i*historyWords:]
		bit := func(mask uint32) uint32 { return min(w[HowHistory]&mask, 1) }
		for s, x := range []uint32{w[EntriesHistory], w[ArcsHistory], bit(BallotBit), bit(PullBit), bit(OneBlockBit)} {
			list[s].Values = append(list[s].Values, float64(x))
		}
	}
	return list, nil
}

// load gets the persistent kernels.
func (r *runner) load(ctx context.Context, j scheduler.Job) (err error) {
	get := func(name string) *device.Kernel {
		var k *device.Kernel
		if err == nil {
			k, err = j.Kernels.Kernel(ctx, entryPoint(name, "", j.Algorithm).Name, nil)
		}
		return k
	}
	switch {
	case r.fusion == fuseNone:
		return nil
	case r.fusion == fuseAll && r.push && r.pull:
		r.allKernel = get(r.named("All"))
		return err
	}
	if r.push {
		r.pushKernel = get(r.named("Push"))
	}
	if r.pull {
		r.pullKernel = get("Pull")
	}
	return err
}

// named returns the name of the persistent kernel that pushes, or pushes and pulls.
func (c choice) named(kernel string) string {
	switch {
	case c.levels:
		return "Levels"
	case c.scatter && kernel == "Push":
		return "Scatter"
	case c.scatter:
		return kernel + "Scatter"
	case c.baseline():
		return kernel + "Baseline"
	}
	return kernel
}

// pullFirst reports whether a run begins with a pull. With direction=auto it begins with a
// push, whose first step finds out whether to pull; with direction=both the rule is applied
// to the first frontier where its size alone says that it has all arcs, as in PageRank, which
// begins with pulls in the paper.
func (r *runner) pullFirst() bool {
	return !r.push || r.pull && r.both && (r.scatter || r.wide && r.run.PullAbove < uint32(r.Graph.Arcs()))
}

// levelArcs is how many arcs a thread of a block has at most, with levels, of a vertex that blocks share.
const levelArcs = 2

// prepare determines the lists and the grids, and allocates memory.
func (r *runner) prepare(ctx context.Context, j scheduler.Job, m *scheduler.Memory, in *graph.CSR) error {
	p := j.Params
	medium, large, split := p.Int("small"), p.Int("large"), p.Int("split")
	if j.Algorithm.Consumes() {
		split = 0 // only one team may take what the vertex sends
	}
	if r.levels { // the arcs of the largest vertices are a level's longest work, on the way back with three dependent loads each
		large, split = min(large, levelArcs*p.Int("block")), min(split, levelArcs*p.Int("block"))
	}
	if r.push {
		r.mem.Push = shape(j.Graph, medium, large, split)
		if j.Algorithm.Reverses() && !r.levels {
			r.mem.Push.extend(shape(in, medium, large, split))
		}
	}
	if r.pull {
		r.mem.Pull = shape(in, medium, large, 0)
	}
	var err error
	if r.fusion == fuseNone {
		err = r.separateGrid(ctx, j)
	} else {
		err = r.persistentGrids(j)
	}
	if err != nil {
		return err
	}
	if err := r.memory(j, m); err != nil {
		return err
	}
	if r.pull || r.scatter {
		kind, _ := device.KindOfType(j.Algorithm.Value)
		r.next = m.Alloc("values", kind, j.Graph.Vertices())
	}
	return m.Err()
}

// begin sets the first launch, when the size of the first frontier is known.
func (r *runner) begin(active int) {
	p := r.Params
	r.mem.Marks, r.mem.Queue = r.Stamp, r.First()
	r.run = Run{Iteration: 1, Limit: uint32(r.MaxIterations), First: uint32(active), Both: r.push && r.pull && !r.scatter, Filter: r.filter,
		PullAbove: uint32(p.Float("pull-above") * float64(r.Graph.Arcs())), OneBlock: uint32(p.Int("one-block")),
		Locks: p.Word("barrier-kind") == locks, Turn: r.pull && r.Algorithm.Turns(),
		Unstable: uint32((1 - p.Float("stable")) * float64(r.Vertices()))}
	r.wide = active == r.Vertices()
	r.run.PullFirst = r.pullFirst()
	if p.Int("max-iterations") == 0 && r.Algorithm.Phased {
		r.run.PerPhase = r.run.Limit
	}
}

// persistentGrids determines the grids of the persistent kernels, and the room in shared
// memory that does not make them smaller.
func (r *runner) persistentGrids(j scheduler.Job) error {
	p := j.Params
	for _, k := range []*device.Kernel{r.pushKernel, r.pullKernel, r.allKernel} {
		if k == nil {
			continue
		}
		block := p.Int("block")
		occ, err := j.Device.Occupancy(k, block)
		if err != nil {
			return err
		}
		r.grid[k] = Blocks(occ, block, p.Word("barrier") == eq1, p.Int("blocks"))
		r.most = max(r.most, r.grid[k])
		if k != r.pullKernel && !r.scatter && (r.filter == JIT || r.filter == Online) {
			r.mem.Stage = stageRoom(p.Int("block-list"), occ.SharedFree)
			r.stage = StageBytes(r.mem.Stage)
		}
	}
	return nil
}

// separateGrid determines the largest grid without fusion: that of the kernel of which the
// fewest blocks are resident.
func (r *runner) separateGrid(ctx context.Context, j scheduler.Job) error {
	for _, e := range separateKernels(j.Algorithm, r.push && !r.scatter, r.pull, r.scatter) {
		k, err := j.Kernels.Kernel(ctx, e.Name, nil)
		if err != nil {
			return err
		}
		occ, err := j.Device.Occupancy(k, j.Params.Int("block"))
		if err != nil {
			return err
		}
		if n := max(occ.BlocksPerSM*occ.SMs, 1); r.most == 0 || n < r.most {
			r.most = n
		}
	}
	return nil
}

// Blocks returns the grid of a persistent kernel: as many blocks as are resident or, if
// formula is set, what equation 1 of the paper says, which counts registers and no other
// limit; but at most most, unless that is 0.
func Blocks(occ device.Occupancy, block int, formula bool, most int) int {
	n := occ.Resident()
	if formula {
		n = scheduler.EquationOne(occ, block)
	}
	if most > 0 {
		n = min(n, most)
	}
	return max(n, 1)
}

// fused launches the persistent kernels until no vertex is active.
func (r *runner) fused(ctx context.Context) error {
	pulling := r.run.PullFirst
	for {
		d := device.Launch{Block: r.Block, DynamicShared: r.stage}
		switch {
		case r.allKernel != nil:
			d.Kernel, d.Args = r.allKernel, []any{r.Instance.Arg, r.out, r.in, r.Values, r.next, r.mem, r.run}
		case pulling:
			d.Kernel, d.DynamicShared, d.Args = r.pullKernel, 0, []any{r.Instance.Arg, r.in, r.out.Row, r.Values, r.next, r.mem, r.run}
		case r.scatter:
			d.Kernel, d.Args = r.pushKernel, []any{r.Instance.Arg, r.out, r.Values, r.next, r.mem, r.run}
		case r.levels:
			d.Kernel, d.Args = r.pushKernel, []any{r.Instance.Arg, r.out, r.Values, r.mem, r.run}
		default:
			d.Kernel, d.Args = r.pushKernel, []any{r.Instance.Arg, r.out, r.in, r.Values, r.mem, r.run}
		}
		d.Grid = r.grid[d.Kernel]
		if err := r.launch(ctx, d); err != nil {
			return err
		}
		switch s := r.status; s[EndStatus] {
		case Finished:
			return nil
		case TooMany:
			return &scheduler.NotConverged{Algorithm: r.Algorithm.Name, Iterations: r.MaxIterations, Active: int(s[ActiveStatus])}
		case Overflowed:
			return r.overflowed(s[IterationStatus] - 1)
		case Backward:
			return scheduler.PhaseError(r.Algorithm, s[ActiveStatus], s[PhaseStatus])
		}
		pulling = !pulling
	}
}

// overflowed is the error of a run with the online filter alone.
func (r *runner) overflowed(iteration uint32) error {
	return fmt.Errorf("%s: the online filter overflowed in iteration %d: a thread found more than %d vertices, or a list was full; filter=jit goes on with the ballot filter",
		r.Algorithm.Name, iteration, r.mem.BinSize)
}

// launch launches a persistent kernel, records it, and sets where the next one begins.
func (r *runner) launch(ctx context.Context, d device.Launch) error {
	r.status = [StatusWords]uint32{} // if the launch fails, nothing is read
	rep, err := r.LaunchRead(ctx, d, device.Answer{Buffer: r.mem.Status, To: r.status[:], Clear: true})
	s := r.status
	done := max(int(s[IterationStatus])-int(r.run.Iteration), 0)
	number := func(name string, at int) scheduler.Number { return scheduler.Number{Name: name, Value: float64(s[at])} }
	r.Record(d.Kernel, rep, scheduler.Step{Iteration: int(r.run.Iteration) + max(done, 1) - 1, Numbers: []scheduler.Number{
		number("frontier", EntriesStatus), number("next", ActiveStatus), number(arcs, ArcsStatus),
		{Name: iterations, Value: float64(done)}, number(ballots, BallotStatus), number(overflows, OverflowStatus), number(aloneOnes, OneBlockStatus), number(pulls, PullStatus)}})
	if err != nil {
		return err
	}
	r.run.Arrived += (s[RoundStatus] - r.run.Round) * uint32(d.Grid)
	if r.run.PerPhase > 0 { // the launch may have begun a phase
		r.run.Limit = max(r.run.Limit, s[IterationStatus]-1+r.run.PerPhase)
	}
	r.run.PullFirst = false
	r.run.Step, r.run.Iteration, r.run.Phase, r.run.Round, r.run.First = s[StepStatus], s[IterationStatus], s[PhaseStatus], s[RoundStatus], 0
	if s[SwappedStatus] != 0 {
		r.Values, r.next = r.next, r.Values
	}
	return nil
}
