//go:build !kernel

package hierq

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// ChainArg is a Chain as a launch argument.
type ChainArg struct {
	Words                    device.Buffer
	Limit, Most, Block, Last uint32
	Large, Small             uint32
}

// pushNested and pushSmallNested return the kernels that start each other.
func pushNested(a scheduler.Type, levels string) scheduler.EntryPoint {
	return entry("hierq.PushNested", "one push iteration, "+levels+" queues, that starts the next kernel", a, levels)
}

func pushSmallNested(a scheduler.Type, levels string) scheduler.EntryPoint {
	return entry("hierq.PushSmallNested", "push iterations of one block, "+levels+" queues, that start the next kernel", a, levels)
}

// nests returns an error if an algorithm or a choice of parameters needs the host between two launches.
func nests(a scheduler.Type, p scheduler.Values) error {
	switch {
	case p.Word("launch-from") != fromDevice:
		return nil
	case a.Phased:
		return fmt.Errorf("launch-from=device: %s runs in phases, between which the host decides; use launch-from=host", a.Name)
	case p.Word("full") == flush:
		return errors.New("launch-from=device has no kernel that empties full block queues; use full=overflow")
	case keeps(p):
		return errors.New("launch-from=device has no kernel for reserve=warp and registers=4 or 8; use launch-from=host")
	}
	return nil
}

// chain runs all iterations from a round on: it launches a kernel, which starts the next one and so on, and
// launches again where the GPU's limit of kernels that start each other ends the chain.
func (r *launcher) chain(ctx context.Context, round scheduler.Round) (active, done int, err error) {
	if can := r.Device.Capabilities(); !can.Has(device.Nested) {
		return 0, 1, fmt.Errorf("launch-from=device: device %s %s; use launch-from=host", r.Device.Name(), can.Lacks(device.Nested))
	}
	most, err := r.Resident(r.large, r.Block)
	if err != nil {
		return 0, 1, err
	}
	active, turn := int(round.In.Count), 0
	for active > 0 && round.Iteration+done <= r.MaxIterations {
		next := r.chained.Slice(ChainNext, ChainBlocks+1)
		c := device.Chain{Rest: r.rest(round, most), Next: next, Answer: device.Answer{Buffer: r.chained, To: r.words, Clear: true}}
		c.First = c.Rest[2*turn]
		if active <= r.limit {
			c.First = c.Rest[2*turn+1]
		} else {
			c.First.Grid = min((active+r.Block-1)/r.Block, most)
		}
		c.First.Args = r.first(c.First.Args, uint32(active), uint32(round.Iteration+done))
		started, err := r.LaunchChain(ctx, c)
		for i, s := range started {
			clear(r.counted)
			if err == nil { // after an error nothing was read
				copy(r.counted, r.words[ChainLog+i*Counts:][:Counts])
			}
			n := max(int(r.counted[IterationsCount]), 1)
			r.Record(s.Launch.Kernel, s.Report, scheduler.Step{Iteration: round.Iteration + done + n - 1, Numbers: r.numbers(active, n, s.Launch.Kernel)})
			done, active, turn = done+n, int(r.counted[NextCount]), 1-turn
		}
		if err != nil {
			return active, max(done, 1), err
		}
	}
	return active, max(done, 1), nil
}

// rest returns the kernels of a chain, each with the kernels that may follow it: large and small from the round's first
// queue to its second one, and then the two in the other direction.
func (r *launcher) rest(round scheduler.Round, most int) (list []device.Launch) {
	queues := [2]device.Buffer{round.In.Vertices, round.Out.Vertices}
	for turn := range 2 {
		in, other := scheduler.FrontierArg{Vertices: queues[turn]}, uint32(2*(1-turn))
		out := OutputArg{Vertices: queues[1-turn], Counts: r.chained.Slice(ChainCounts, ChainLog), Stamp: round.Out.Stamp}
		c := ChainArg{Words: r.chained, Limit: uint32(r.limit), Most: uint32(most), Block: uint32(r.Block), Last: uint32(r.MaxIterations), Large: other + 1, Small: other + 2}
		args := []any{r.Instance.Arg, round.Graph, r.Values, in, out, r.shape, c}
		list = append(list, device.Launch{Kernel: r.large, Grid: most, Block: r.Block, DynamicShared: r.sharedBytes(1), Args: args})
		if r.small != nil {
			list = append(list, device.Launch{Kernel: r.small, Grid: 1, Block: r.smallBlock, DynamicShared: r.sharedBytes(2), Args: args})
		} else {
			list = append(list, list[len(list)-1]) // never asked for: the limit is 0
		}
	}
	return list
}

// The places of the frontier and of the output among the arguments.
const (
	argFrontier = 3
	argOutput   = 4
)

// first returns the arguments of a launch that the host makes.
func (r *launcher) first(args []any, frontier, iteration uint32) []any {
	args = slices.Clone(args)
	in, out := args[argFrontier].(scheduler.FrontierArg), args[argOutput].(OutputArg)
	in.Count, out.Iteration = frontier, iteration
	args[argFrontier], args[argOutput] = in, out
	return args
}
