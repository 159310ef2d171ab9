//go:build !kernel

package atos

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// discrete launches the discrete kernel for portions of the queue until it is empty. A round
// of launches processes all tasks that were in the queue at its begin. The launches of a
// round are spread over streams; if they compete for the device, earlier ones go first
// (section 6.4).
func (l *loop) discrete(ctx context.Context) error {
	k, err := l.Kernels.Kernel(ctx, discreteEntry(l.Algorithm, l.TaskLayout, l.merges()).Name, nil)
	if err != nil {
		return err
	}
	blocks, err := l.Blocks(l.Device, k)
	if err != nil {
		return err
	}
	perBlock := l.PerBlock()
	portion := l.Params.Int("portion")
	if portion == 0 {
		portion = blocks * perBlock
	}
	rounds := l.Params.Int("max-iterations")
	if rounds == 0 {
		rounds = l.Vertices() + 1000
	}
	launches := []device.Launch{}
	for round, head := 1, uint32(0); head != l.tasks[0]; round++ {
		count := int(l.tasks[0] - head)
		if round > rounds {
			return &scheduler.NotConverged{Algorithm: l.Algorithm.Name, Iterations: rounds, Active: count}
		}
		launches = launches[:0]
		for at := 0; at < count; at += portion {
			n := min(portion, count-at)
			launches = append(launches, device.Launch{
				Kernel: k, Grid: min((n+perBlock-1)/perBlock, blocks), Block: l.Block, DynamicShared: l.Shared,
				Stream: len(launches) % l.Params.Int("streams"),
				Args:   []any{l.Instance.Arg, l.g, l.Values, l.arg(), l.Shape, l.done, head + uint32(at), uint32(n)},
			})
		}
		head = l.tasks[0]
		err := l.round(ctx, round, launches, head)
		if err == nil {
			err = l.full()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// round runs the launches of a round and reads the tail of the queue. The last round also
// reads what the run did, and with a history each round, because the host cannot know which tasks of a speculative
// algorithm were choices.
func (l *loop) round(ctx context.Context, round int, launches []device.Launch, head uint32) error {
	reports, err := l.LaunchAllRead(ctx, launches, device.Answer{Buffer: l.q.Tail, To: l.tasks[:]})
	ended := err == nil && l.tasks[0] == head
	counts := l.Algorithm.Speculates() && l.h.Width > 0
	before := uint64(0)
	if counts {
		before = l.sums[scheduler.TaskVisits]
	}
	if ended || err == nil && counts {
		err = l.Device.Read(l.done, l.sums[:])
	}
	for i, rep := range reports {
		s := scheduler.Step{Iteration: round}
		visits := float64(launches[i].Args[len(launches[i].Args)-1].(uint32))
		last := i == len(reports)-1
		switch {
		case !l.Algorithm.Speculates():
			s.Numbers = []scheduler.Number{{Name: visitCount, Value: visits}}
		case last: // of the round, or without a history of the run
			if visits = float64(l.sums[scheduler.TaskVisits] - before); counts {
				s.Numbers = []scheduler.Number{{Name: visitCount, Value: visits}}
			}
		}
		if ended && last {
			s.Numbers = l.numbers(visits)
		}
		l.Record(launches[i].Kernel, rep, s)
	}
	return err
}
