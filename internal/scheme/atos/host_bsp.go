//go:build !kernel

package atos

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// runBSP runs a speculative algorithm with two launches per iteration and two frontiers that
// change places (section 5.3, algorithm 5).
func runBSP(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	var b bsp
	var err error
	if b.TaskLayout, err = newLayout(j.Algorithm, j.Params); err != nil {
		return nil, err
	}
	if b.choose, err = j.Kernels.Kernel(ctx, chooseEntry(j.Algorithm, b.TaskLayout).Name, nil); err != nil {
		return nil, err
	}
	if b.detect, err = j.Kernels.Kernel(ctx, detectEntry(j.Algorithm, b.TaskLayout).Name, nil); err != nil {
		return nil, err
	}
	return scheduler.RunRounds(ctx, j, func(l *scheduler.FrontierLoop) scheduler.RoundFunc {
		b.FrontierLoop = l
		b.done = l.Memory.Alloc("done", device.U64, scheduler.TaskSums)
		return func(r scheduler.Round) (active, iterations int, err error) { return b.round(ctx, r) }
	})
}

// bsp is a run of the bulk-synchronous baseline.
type bsp struct {
	*scheduler.FrontierLoop
	scheduler.TaskLayout
	choose, detect *device.Kernel
	done           device.Buffer
	sums           [scheduler.TaskSums]uint64 // of the run so far
	lost           [1]uint32                  // size of the next frontier
}

// round runs one iteration.
func (b *bsp) round(ctx context.Context, r scheduler.Round) (active, iterations int, err error) {
	if r.Iteration == 1 {
		if err := b.Device.Write(b.done, b.sums[:]); err != nil {
			return 0, 0, err
		}
	}
	d, err := b.launch(b.choose, int(r.In.Count), b.Instance.Arg, r.Graph, b.Values, r.In, b.Shape, b.done)
	if err != nil {
		return 0, 0, err
	}
	rep, err := b.Launch(ctx, d)
	b.Record(b.choose, rep, scheduler.Step{Iteration: r.Iteration, Numbers: []scheduler.Number{{Name: visitCount, Value: float64(r.In.Count)}}})
	if err != nil {
		return 0, 0, err
	}
	if d, err = b.launch(b.detect, int(r.In.Count), b.Instance.Arg, r.Graph, b.Values, r.In, r.Out, b.Shape, b.done); err != nil {
		return 0, 0, err
	}
	rep, err = b.LaunchRead(ctx, d, device.Answer{Buffer: b.Count, To: b.lost[:], Clear: true})
	b.sums[scheduler.TaskVisits] += uint64(r.In.Count)
	s := scheduler.Step{Iteration: r.Iteration, Numbers: []scheduler.Number{{Name: next, Value: float64(b.lost[0])}}}
	if err == nil && b.lost[0] == 0 {
		var sums [scheduler.TaskSums]uint64
		err = b.Device.Read(b.done, sums[:])
		n := float64(b.Vertices())
		s.Numbers = append(s.Numbers, scheduler.Number{Name: arcCount, Value: float64(sums[scheduler.TaskWork])},
			scheduler.Number{Name: least, Value: n}, scheduler.Number{Name: overwork, Value: float64(b.sums[scheduler.TaskVisits]) / n})
	}
	b.Record(b.detect, rep, s)
	return int(b.lost[0]), 1, err
}

// launch returns the launch of a kernel for n vertices.
func (b *bsp) launch(k *device.Kernel, n int, args ...any) (device.Launch, error) {
	limit, err := b.Blocks(b.Device, k)
	perBlock := b.PerBlock()
	return device.Launch{Kernel: k, Grid: min((n+perBlock-1)/perBlock, limit), Block: b.TaskLayout.Block, DynamicShared: b.Shared, Args: args}, err
}
