//go:build !kernel

package hierq

import (
	"cmp"
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// OutputArg is an Output as a launch argument.
type OutputArg struct {
	Vertices, Counts, Stamp device.Buffer
	Iteration               uint32
}

// launcher launches the kernels of a run.
type launcher struct {
	*scheduler.FrontierLoop
	levels     string
	shape      Shape
	large      *device.Kernel
	small      *device.Kernel // nil if the run does without
	limit      int            // largest frontier for small
	smallBlock int            // threads of small
	hostLevels int
	place      *device.Kernel // nil if hostLevels is 0, as are the buffers reached and found
	reached    device.Buffer  // the vertices that the host reached
	found      device.Buffer  // and their values
	counts     device.Buffer  // Output.Counts
	straight   bool           // whether the warp queues of large go straight to the global queue
	flushes    bool           // whether large empties full block queues
	counted    []uint32       // what the last launch left in counts
	chained    device.Buffer  // Chain.Words, if kernels start each other
	words      []uint32       // and their contents; nil if not
}

// run launches Init, and then one of the two kernels until the frontier is empty.
func run(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	r := launcher{levels: j.Params.Word("levels"), shape: shape(j.Params), smallBlock: j.Params.Int("one-block-threads")}
	r.limit = min(j.Params.Int("one-block"), int(r.shape.BlockLength))
	r.straight, r.flushes = j.Params.Word("warp-to") == toGlobal, j.Params.Word("full") == flush
	r.counted = make([]uint32, Counts)
	if r.flushes {
		r.counted = make([]uint32, Flushes+1)
	}
	err := cmp.Or(suits(j.Params), nests(j.Algorithm, j.Params))
	if err != nil {
		return nil, err
	}
	nested := j.Params.Word("launch-from") == fromDevice
	if nested {
		r.words = make([]uint32, ChainLog+(device.MaxNested+1)*Counts)
	}
	if r.large, err = j.Kernels.Kernel(ctx, r.grid(j).Name, nil); err != nil {
		return nil, err
	}
	if r.levels == globalLevel {
		r.limit = 0
	}
	if r.limit > 0 {
		small := pushSmall(j.Algorithm, r.levels)
		if nested {
			small = pushSmallNested(j.Algorithm, r.levels)
		}
		if r.small, err = j.Kernels.Kernel(ctx, small.Name, nil); err != nil {
			return nil, err
		}
	}
	if r.hostLevels = j.Params.Int("host-levels"); r.hostLevels > 0 {
		if err = j.CanExpand(); err != nil {
			return nil, fmt.Errorf("host-levels=%d: %w; use host-levels=0", r.hostLevels, err)
		}
		if r.place, err = j.Kernels.Kernel(ctx, place(j.Algorithm).Name, nil); err != nil {
			return nil, err
		}
	}
	return scheduler.RunRounds(ctx, j, func(l *scheduler.FrontierLoop) scheduler.RoundFunc {
		r.FrontierLoop = l
		r.counts = l.Memory.Alloc("counts", device.U32, len(r.counted))
		if nested {
			r.chained = l.Memory.Alloc("chain", device.U32, len(r.words))
		}
		if r.place != nil {
			r.reached = l.Memory.Alloc("reached", device.U32, l.Vertices())
			r.found = l.Memory.Alloc("found", l.Values.Elem, l.Vertices())
		}
		return func(round scheduler.Round) (active, iterations int, err error) {
			if r.place != nil && round.Iteration == 1 {
				return r.expand(ctx, round)
			}
			if nested {
				return r.chain(ctx, round)
			}
			return r.launch(ctx, round)
		}
	})
}

// grid returns the kernel for large frontiers.
func (r *launcher) grid(j scheduler.Job) scheduler.EntryPoint {
	a, levels := j.Algorithm, r.levels
	if r.straight {
		levels = straightLevel
	}
	switch {
	case keeps(j.Params):
		return pushKept(a, j.Params.Word("reserve"), j.Params.Word("registers"))
	case r.flushes:
		return pushFlush(a, levels)
	case r.words != nil:
		return pushNested(a, levels)
	}
	return push(a, levels)
}

// shape returns the queues that the parameters describe.
func shape(p scheduler.Values) Shape {
	s := Shape{WarpQueues: uint32(p.Int("warp-queues")), WarpLength: uint32(p.Int("warp-length")), BlockLength: uint32(p.Int("block-length"))}
	s.SlotStride, s.QueueStride = 1, s.WarpLength
	if p.Bool("interleaved") {
		s.SlotStride, s.QueueStride = s.WarpQueues, 1
	}
	return s
}

// launch launches the kernel for the size of the frontier and records it.
func (r *launcher) launch(ctx context.Context, round scheduler.Round) (active, done int, err error) {
	n := int(round.In.Count)
	out := OutputArg{Vertices: round.Out.Vertices, Counts: r.counts, Stamp: round.Out.Stamp, Iteration: uint32(round.Iteration)}
	d := device.Launch{Kernel: r.large, Block: r.Block, DynamicShared: r.sharedBytes(1),
		Args: []any{r.Instance.Arg, round.Graph, r.Values, round.In, out, r.shape}}
	if n <= r.limit {
		rounds := r.MaxIterations - round.Iteration + 1
		d.Kernel, d.Grid, d.Block, d.DynamicShared = r.small, 1, r.smallBlock, r.sharedBytes(2)
		d.Args = append(d.Args, uint32(r.limit), uint32(rounds))
	} else if d.Grid, err = r.Grid(r.large, r.Block, scheduler.OneThread, n); err != nil {
		return 0, 0, err
	}
	clear(r.counted) // if the launch fails, nothing is read
	rep, err := r.LaunchRead(ctx, d, device.Answer{Buffer: r.counts, To: r.counted, Clear: true})
	done = max(int(r.counted[IterationsCount]), 1)
	r.Record(d.Kernel, rep, scheduler.Step{Iteration: round.Iteration + done - 1, Numbers: r.numbers(n, done, d.Kernel)})
	return int(r.counted[NextCount]), done, err
}

// sharedBytes returns the size of a block's slots with some number of block queues.
func (r *launcher) sharedBytes(blockQueues int) int {
	vertices := 0
	if r.levels != globalLevel {
		vertices += blockQueues * int(r.shape.BlockLength)
	}
	if r.levels == warpLevel {
		vertices += int(r.shape.WarpQueues * r.shape.WarpLength)
	}
	return 4 * vertices
}

// numbers returns the quantities of the last launch, whose first frontier had n vertices.
func (r *launcher) numbers(n, done int, k *device.Kernel) []scheduler.Number {
	c := func(i int) float64 { return float64(r.counted[i]) }
	processed := max(c(FrontierCount), float64(n))
	// A vertex that was found was processed by the same launch or is in the next frontier.
	found := processed - float64(n) + c(NextCount)
	list := []scheduler.Number{{Name: "frontier", Value: processed}, {Name: "next", Value: c(NextCount)}, {Name: iterations, Value: float64(done)}}
	queued := func(level int, value float64) float64 {
		if r.depth() < level {
			return 0
		}
		return value
	}
	single, inBlock := c(BlockOverflows), found
	if r.straight && k == r.large {
		inBlock = c(WarpOverflows)
	}
	if r.levels == globalLevel {
		single = found
	}
	list = append(list,
		scheduler.Number{Name: warpQueued, Value: queued(withWarps, found-c(WarpOverflows))},
		scheduler.Number{Name: blockQueued, Value: queued(withBlock, inBlock-c(BlockOverflows))},
		scheduler.Number{Name: appended, Value: single},
		scheduler.Number{Name: warpOverflows, Value: c(WarpOverflows)},
		scheduler.Number{Name: blockOverflows, Value: c(BlockOverflows)})
	if r.flushes {
		list = append(list, scheduler.Number{Name: flushed, Value: c(Flushes)})
	}
	return list
}

// depth returns the depth of the hierarchy.
func (r *launcher) depth() int {
	switch r.levels {
	case globalLevel:
		return onlyGlobal
	case blockLevel:
		return withBlock
	}
	return withWarps
}
