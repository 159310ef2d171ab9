//go:build !kernel

package bsp

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/scheduler"
)

// DefaultBlock is the threads a block where a Run does not say (SIMD-X's default).
const DefaultBlock = 128

// Run is one run of an algorithm by a scheme of this package.
type Run struct {
	Device    device.Device
	Kernels   device.Kernels
	Algorithm scheduler.Type
	Params    map[string]string // for the algorithm's scalar fields; nil for the defaults
	Init      string            // entry point: an instance of Init
	Step      string            // entry point of an iteration: an instance of Push or Pull, or one with the same parameters
	Team      scheduler.Team    // the mapping's
	Graph     *graph.CSR
	Source    uint32
	// Block is the threads a block, a multiple of 32 and at most 1024; 0 for DefaultBlock.
	Block int
	// MaxIterations ends a run that does not converge, with an error; 0 for
	// 1000 more than there are vertices.
	MaxIterations int
	// Progress, where set, is called after each iteration.
	Progress func(Iteration)
}

// Iteration is what one iteration did.
type Iteration struct {
	N        int     `json:"iteration"` // starts with 1
	Frontier int     `json:"frontier"`  // vertices worked off: the frontier, or all of them in a pull scheme
	Next     int     `json:"next"`      // vertices that became active (push) or changed (pull)
	Cycles   uint64  `json:"cycles"`    // of the launch
	Seconds  float64 `json:"seconds"`   // of the launch, device time
}

// Outcome is what a run left.
type Outcome struct {
	Values     any            // a slice with the value of each vertex
	Arrays     map[string]any // the algorithm's own arrays, by field name
	Iterations []Iteration
}

// NotConverged is the error of a run that reached its limit of iterations.
type NotConverged struct {
	Algorithm  string
	Iterations int
	Active     int // vertices still active
}

// Error names the algorithm and the limit.
func (e *NotConverged) Error() string {
	return fmt.Sprintf("%s did not end within %d iterations: %d vertices are still active", e.Algorithm, e.Iterations, e.Active)
}

// loop is a run in progress.
type loop struct {
	Run
	n        int // vertices
	mem      *scheduler.Memory
	alg      *scheduler.Instance
	values   device.Buffer
	count    device.Buffer // one word: the counter of the next frontier
	queue    [2]device.Buffer
	stamp    device.Buffer
	resident map[*device.Kernel]int // blocks of a kernel that the device holds at once
	outcome  *Outcome
}

// start checks the run, allocates what both schemes need and calls Init; active
// is the size of the first frontier.
func (r Run) start(ctx context.Context, rows func(m *scheduler.Memory) device.Buffer) (l *loop, active int, err error) {
	if r.Block == 0 {
		r.Block = DefaultBlock
	}
	if r.Block < 32 || r.Block > 1024 || r.Block%32 != 0 {
		return nil, 0, fmt.Errorf("%d threads a block: must be a multiple of 32 from 32 to 1024", r.Block)
	}
	n := r.Graph.Vertices()
	if n < 1 {
		return nil, 0, fmt.Errorf("graph %s has no vertices", r.Graph.Name)
	}
	if uint64(r.Source) >= uint64(n) {
		return nil, 0, fmt.Errorf("source %d: graph %s has vertices 0 to %d", r.Source, r.Graph.Name, n-1)
	}
	if r.MaxIterations == 0 {
		r.MaxIterations = n + 1000
	}
	l = &loop{Run: r, n: n, mem: scheduler.NewMemory(r.Device), resident: map[*device.Kernel]int{}, outcome: &Outcome{}}
	row := rows(l.mem)
	l.values = l.mem.Alloc("values", scheduler.KindOf(r.Algorithm.Value), n)
	l.count = l.mem.Alloc("queue.Count", ir.U32, 1)
	l.queue[0] = l.mem.Alloc("queue", ir.U32, n)
	l.stamp = l.mem.Alloc("queue.Stamp", ir.U32, n)
	if l.alg, err = r.Algorithm.New(l.mem, n, r.Params); err == nil {
		active, err = l.init(ctx, row)
	}
	if err != nil {
		return nil, 0, errors.Join(err, l.mem.Free())
	}
	return l, active, nil
}

// init launches Init.
func (l *loop) init(ctx context.Context, row device.Buffer) (active int, err error) {
	k, err := l.Kernels.Kernel(ctx, l.Init, nil)
	if err != nil {
		return 0, err
	}
	g := scheduler.GraphArg{Row: row, Col: l.stamp, Weight: l.stamp} // Init looks at rows only
	in := scheduler.Problem{Source: l.Source, Vertices: uint32(l.n)}
	_, active, err = l.launch(ctx, k, scheduler.OneThread, l.n, l.alg.Arg, g, in, l.values, l.next(0))
	return active, err
}

// next is the queue that iteration fills.
func (l *loop) next(iteration int) scheduler.QueueArg {
	return scheduler.QueueArg{Vertices: l.queue[iteration%2], Count: l.count, Stamp: l.stamp, Iteration: uint32(iteration)}
}

// launch runs a kernel over work vertices and returns what it counted.
func (l *loop) launch(ctx context.Context, k *device.Kernel, team scheduler.Team, work int, args ...any) (rep *device.Report, counted int, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	if err := l.Device.Write(l.count, []uint32{0}); err != nil {
		return nil, 0, err
	}
	grid, err := l.grid(k, team, work)
	if err != nil {
		return nil, 0, err
	}
	rep, err = l.Device.Launch(ctx, device.Launch{Kernel: k, Grid: grid, Block: l.Block, Args: args})
	if err != nil {
		return rep, 0, err
	}
	var count [1]uint32
	err = l.Device.Read(l.count, count[:])
	return rep, int(count[0]), err
}

// grid is a block for each team's share of work vertices, but no more blocks
// than the device holds at once: kernels stride over the rest.
func (l *loop) grid(k *device.Kernel, team scheduler.Team, work int) (int, error) {
	limit, ok := l.resident[k]
	if !ok {
		occ, err := l.Device.Occupancy(k, l.Block)
		if err != nil {
			return 0, err
		}
		limit = max(occ.BlocksPerSM*occ.SMs, 1)
		l.resident[k] = limit
	}
	perBlock := l.Block
	switch team {
	case scheduler.OneWarp:
		perBlock = l.Block / 32
	case scheduler.OneBlock:
		perBlock = 1
	}
	return min(max((work+perBlock-1)/perBlock, 1), limit), nil
}

// record notes an iteration; rep is nil where it was not even begun.
func (l *loop) record(it Iteration, rep *device.Report) {
	if rep == nil {
		return
	}
	it.N = len(l.outcome.Iterations) + 1
	it.Cycles, it.Seconds = rep.Cycles, rep.Seconds
	l.outcome.Iterations = append(l.outcome.Iterations, it)
	if l.Progress != nil {
		l.Progress(it)
	}
}

// finish reads the results and frees the device's memory. After an error the
// outcome holds the iterations so far and no values.
func (l *loop) finish(err error) (*Outcome, error) {
	if err == nil {
		l.outcome.Values, err = l.mem.ReadSlice(l.values, l.Algorithm.Value, l.n)
	}
	if err == nil {
		l.outcome.Arrays, err = l.alg.Arrays(l.mem)
	}
	return l.outcome, errors.Join(err, l.mem.Free())
}
