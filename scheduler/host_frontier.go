//go:build !kernel

package scheduler

import (
	"cmp"
	"context"

	"github.com/weft-gpu/weft/device"
)

// What the frontier-based schemes have in common: they launch one kernel per iteration, and
// the host reads the counter of the next frontier in between.

// BlockParam is the parameter for the number of threads per block; the default is SIMD-X's.
func BlockParam() Param {
	return Param{Name: "block", Type: IntParam, Unit: "thread", Doc: "threads per block", Default: "128", Min: 32, Max: 1024, Multiple: 32}
}

// MaxIterationsParam is the parameter that ends a run that does not converge.
func MaxIterationsParam() Param {
	return Param{Name: "max-iterations", Type: IntParam, Unit: "iteration", Default: "0", Max: NoLimit,
		Doc: "largest number of iterations; 0: the number of vertices plus 1000, in each phase"}
}

// FrontierQuantities returns the quantities that FrontierLoop.Step reports.
func FrontierQuantities() []Quantity {
	return []Quantity{
		{"frontier", "vertex", "vertices processed: the frontier (push) or all vertices (pull)"},
		{"next", "vertex", "vertices that became active (push) or changed (pull)"},
	}
}

// InitKernel returns the entry point of Init for an algorithm.
func InitKernel(a Type) EntryPoint {
	return EntryPoint{Name: "scheduler.Init[" + a.Name + ", " + a.Value.String() + "]", What: "initial values and first frontier"}
}

// TurnKernel returns the entry point of Turn for an algorithm.
func TurnKernel(a Type) EntryPoint {
	return EntryPoint{Name: "scheduler.Turn[" + a.Name + ", " + a.Value.String() + "]", What: "values at a change of direction"}
}

// SetupKernels returns the entry points that RunPush and RunPull launch before the first
// iteration.
func SetupKernels(a Type) []EntryPoint {
	list := []EntryPoint{InitKernel(a)}
	if a.Turns() {
		list = append(list, TurnKernel(a))
	}
	return list
}

// FrontierLoop is a Loop with two frontiers, one that is read and one that is filled. The
// scheme must have BlockParam and MaxIterationsParam.
type FrontierLoop struct {
	*Loop
	Count         device.Buffer // one word: the counter of the next frontier
	Stamp         device.Buffer // see Queue
	Block         int
	MaxIterations int

	queue   [2]device.Buffer
	counted [1]uint32 // the value of Count after the last launch
}

// BeginFrontier checks the job, allocates the buffers that every such run needs and
// launches Init. rows copies the graph to the device and returns its row offsets. active is
// the size of the first frontier. If the job is invalid, the loop is nil; otherwise the
// caller must call Finish, also after an error.
func BeginFrontier(ctx context.Context, j Job, rows func(m *Memory) device.Buffer) (l *FrontierLoop, active int, err error) {
	l, row, err := placeFrontier(j, rows)
	if err == nil {
		active, err = l.init(ctx, row)
	}
	return l, active, err
}

// placeFrontier does what comes before the first launch of BeginFrontier. row has the row offsets of the graph.
func placeFrontier(j Job, rows func(m *Memory) device.Buffer) (l *FrontierLoop, row device.Buffer, err error) {
	base, err := Begin(j)
	if err != nil {
		return nil, row, err
	}
	l = &FrontierLoop{Loop: base, Block: j.Params.Int("block"), MaxIterations: j.Params.Int("max-iterations")}
	l.PhaseBegins(1)
	row = rows(l.Memory)
	l.Values = l.AllocValues()
	l.Count = l.Memory.Alloc("queue.Count", device.U32, 1)
	l.queue[0] = l.Memory.Alloc("queue", device.U32, l.Vertices())
	l.Stamp = l.Memory.Alloc("queue.Stamp", device.U32, l.Vertices())
	return l, row, l.Place()
}

// PhaseBegins sets the default limit of iterations for a phase whose first iteration is i.
func (l *FrontierLoop) PhaseBegins(i int) {
	if l.Params.Int("max-iterations") == 0 {
		l.MaxIterations = i - 1 + l.Vertices() + 1000
	}
}

// init launches Init.
func (l *FrontierLoop) init(ctx context.Context, row device.Buffer) (active int, err error) {
	k, err := l.Kernels.Kernel(ctx, InitKernel(l.Algorithm).Name, nil)
	if err != nil {
		return 0, err
	}
	g := GraphArg{Row: row, Col: l.Stamp, Weight: l.Stamp} // Init reads rows only
	in := Problem{Source: l.Source, Vertices: uint32(l.Vertices())}
	rep, active, err := l.launch(ctx, k, OneThread, l.Vertices(), l.Instance.Arg, g, in, l.Values, l.next(0, l.queue[0]))
	l.Record(k, rep, Step{Setup: true, Numbers: []Number{{"next", float64(active)}}})
	return active, err
}

// First returns the array with the vertices of the first frontier.
func (l *FrontierLoop) First() device.Buffer { return l.queue[0] }

// next returns the queue that an iteration fills, with the vertices in one of the two
// arrays.
func (l *FrontierLoop) next(iteration int, vertices device.Buffer) QueueArg {
	return QueueArg{Vertices: vertices, Count: l.Count, Stamp: l.Stamp, Iteration: uint32(iteration)}
}

// Step runs iteration i: it launches a kernel over work vertices, records the launch, and
// returns the value of Count afterwards.
func (l *FrontierLoop) Step(ctx context.Context, i int, k *device.Kernel, team Team, work int, args ...any) (counted int, err error) {
	rep, counted, err := l.launch(ctx, k, team, work, args...)
	l.Record(k, rep, Step{Iteration: i, Numbers: []Number{{"frontier", float64(work)}, {"next", float64(counted)}}})
	return counted, err
}

// launch launches a kernel over work vertices and returns the value of Count afterwards.
func (l *FrontierLoop) launch(ctx context.Context, k *device.Kernel, team Team, work int, args ...any) (rep *device.Report, counted int, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	grid, err := l.Grid(k, l.Block, team, work)
	if err != nil {
		return nil, 0, err
	}
	rep, err = l.LaunchRead(ctx, device.Launch{Kernel: k, Grid: grid, Block: l.Block, Args: args},
		device.Answer{Buffer: l.Count, To: l.counted[:], Clear: true})
	return rep, int(l.counted[0]), err
}

// TooMany returns an error if iteration i exceeds the limit of iterations.
func (l *FrontierLoop) TooMany(i, active int) error {
	if i > l.MaxIterations {
		return &NotConverged{l.Algorithm.Name, l.MaxIterations, active}
	}
	return nil
}

// RunPush launches Init, and then the kernel until the frontier is empty and there is no
// further phase. The kernel has the parameters of bsp.Push: the algorithm, the graph, the
// values, a Frontier and a Queue.
func RunPush(ctx context.Context, j Job, kernel EntryPoint, team Team) (*Outcome, error) {
	step, err := j.Kernels.Kernel(ctx, kernel.Name, kernel.Bind)
	if err != nil {
		return nil, err
	}
	return RunRounds(ctx, j, func(l *FrontierLoop) RoundFunc {
		return func(r Round) (active, iterations int, err error) {
			active, err = l.Step(ctx, r.Iteration, step, team, int(r.In.Count), l.Instance.Arg, r.Graph, l.Values, r.In, r.Out)
			return active, 1, err
		}
	})
}

// Round is one launch of a push scheme.
type Round struct {
	Iteration int         // the first iteration of the launch, from 1
	Graph     GraphArg    // the graph, or its transpose in a phase that traverses it in reverse
	In        FrontierArg // the frontier, which has at least one vertex
	Out       QueueArg    // the next frontier
}

// RoundFunc launches a kernel. It returns the number of vertices in the queue that the
// kernel filled and the number of iterations that it ran, at least 1.
type RoundFunc func(r Round) (active, iterations int, err error)

// RunRounds launches Init, and then calls a function until the frontier is empty and there
// is no further phase. begin returns that function. It may allocate buffers and prepare what the
// iterations share; RunRounds frees them, and calls the function only if there was memory for all
// of them. begin comes before the first launch, where the time of the algorithm begins.
func RunRounds(ctx context.Context, j Job, begin func(l *FrontierLoop) RoundFunc) (*Outcome, error) {
	var p Phases
	var unprepared error
	l, row, err := placeFrontier(j, func(m *Memory) device.Buffer {
		g := m.Graph(j.Graph)
		unprepared = p.Begin(ctx, j, m, g)
		return g.Row
	})
	if l == nil {
		return nil, err
	}
	var run RoundFunc
	active := 0
	if err = cmp.Or(err, unprepared); err == nil {
		l.queue[1] = l.Memory.Alloc("queue", device.U32, l.Vertices())
		run = begin(l)
		if err = l.Memory.Err(); err == nil {
			active, err = l.init(ctx, row)
		}
	}
	in, out := l.queue[0], l.queue[1]
	for i := 1; err == nil; {
		if active == 0 {
			if active, err = p.Advance(ctx, l, in); active == 0 || err != nil {
				break
			}
			l.PhaseBegins(i)
		}
		if err = l.TooMany(i, active); err != nil {
			break
		}
		r := Round{Iteration: i, Graph: p.Current(), In: FrontierArg{Vertices: in, Count: uint32(active), Phase: p.Now()}, Out: l.next(i, out)}
		var iterations int
		active, iterations, err = run(r)
		i += iterations
		in, out = out, in
	}
	return l.Finish(err)
}
