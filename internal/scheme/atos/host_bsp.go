//go:build !kernel

package atos

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// runBSP runs a speculative algorithm with two kernels per iteration and two frontiers that
// change places (section 5.3, algorithm 5). With worker=buckets each kernel is launched for the vertices of
// a thread, of a warp and of a block (section 3.3).
func runBSP(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	var b bsp
	workers := []string{j.Params.Word("worker")}
	if workers[0] == bucketWorkers {
		workers = []string{scheduler.ThreadWorker, scheduler.WarpWorker, scheduler.BlockWorker}
	}
	for _, w := range workers {
		p, err := newPart(ctx, j, w, len(workers) > 1)
		if err != nil {
			return nil, err
		}
		b.parts = append(b.parts, p)
	}
	return scheduler.RunRounds(ctx, j, func(l *scheduler.FrontierLoop) scheduler.RoundFunc {
		b.FrontierLoop = l
		b.done = l.Memory.Alloc("done", device.U64, scheduler.TaskSums)
		var err error
		if len(b.parts) > 1 {
			b.split, err = scheduler.NewSplitter(ctx, l.Loop, l.Block, l.Graph)
		}
		return func(r scheduler.Round) (active, iterations int, _ error) {
			if err != nil {
				return 0, 0, err
			}
			active, err := b.round(ctx, r)
			return active, 1, err
		}
	})
}

// bsp is a run of the bulk-synchronous baseline.
type bsp struct {
	*scheduler.FrontierLoop
	parts []part
	split *scheduler.Splitter // of the frontier among three parts
	done  device.Buffer
	sums  [scheduler.TaskSums]uint64 // of the run so far
	lost  [1]uint32                  // size of the next frontier
}

// part is a pair of kernels for the vertices of one worker size.
type part struct {
	scheduler.TaskLayout
	choose, detect *device.Kernel
}

// newPart compiles the kernels for workers of a size. In a bucket each worker has one vertex.
func newPart(ctx context.Context, j scheduler.Job, worker string, bucket bool) (p part, err error) {
	fetch := j.Params.Int("fetch")
	if bucket {
		fetch = 1
	}
	p.TaskLayout, err = scheduler.NewTaskLayout(worker, j.Params.Int("block"), fetch, 0, 4, ColourArrays, false)
	if err == nil {
		p.choose, err = j.Kernels.Kernel(ctx, chooseEntry(j.Algorithm, p.TaskLayout).Name, nil)
	}
	if err == nil {
		p.detect, err = j.Kernels.Kernel(ctx, detectEntry(j.Algorithm, p.TaskLayout).Name, nil)
	}
	return p, err
}

// round runs one iteration.
func (b *bsp) round(ctx context.Context, r scheduler.Round) (active int, err error) {
	if r.Iteration == 1 {
		if err := b.Device.Write(b.done, b.sums[:]); err != nil {
			return 0, err
		}
	}
	b.sums[scheduler.TaskVisits] += uint64(r.In.Count)
	if b.split != nil {
		return b.buckets(ctx, r)
	}
	p := b.parts[0]
	d, err := b.chooses(p, r, r.In)
	if err != nil {
		return 0, err
	}
	rep, err := b.Launch(ctx, d)
	b.Record(p.choose, rep, scheduler.Step{Iteration: r.Iteration, Numbers: []scheduler.Number{{Name: visitCount, Value: float64(r.In.Count)}}})
	if err != nil {
		return 0, err
	}
	if d, err = b.detects(p, r, r.In); err != nil {
		return 0, err
	}
	rep, err = b.LaunchRead(ctx, d, device.Answer{Buffer: b.Count, To: b.lost[:], Clear: true})
	return b.last(p.detect, rep, r, err)
}

// buckets runs one iteration on three lists. The host reads how many vertices each has, and what is left
// in the end.
func (b *bsp) buckets(ctx context.Context, r scheduler.Round) (active int, err error) {
	odd := r.Iteration % 2
	d, err := b.split.Launch(b.Loop, b.Block, r.Graph.Row, r.In, odd, b.Count)
	if err != nil {
		return 0, err
	}
	var counts [3]uint32
	rep, err := b.LaunchRead(ctx, d, device.Answer{Buffer: b.split.Counts(odd), To: counts[:]})
	b.Record(d.Kernel, rep, scheduler.Step{Iteration: r.Iteration})
	if err != nil {
		return 0, err
	}
	var launches []device.Launch
	for _, form := range []func(p part, r scheduler.Round, in scheduler.FrontierArg) (device.Launch, error){b.chooses, b.detects} {
		for i, p := range b.parts {
			if counts[i] == 0 {
				continue
			}
			d, err := form(p, r, scheduler.FrontierArg{Vertices: b.split.Lists[i], Count: counts[i]})
			if err != nil {
				return 0, err
			}
			launches = append(launches, d)
		}
	}
	reports, err := b.LaunchAllRead(ctx, launches, device.Answer{Buffer: b.Count, To: b.lost[:]})
	for i, rep := range reports {
		if i == len(launches)-1 {
			return b.last(launches[i].Kernel, rep, r, err)
		}
		s := scheduler.Step{Iteration: r.Iteration}
		if i < len(launches)/2 {
			s.Numbers = []scheduler.Number{{Name: visitCount, Value: float64(launches[i].Args[3].(scheduler.FrontierArg).Count)}}
		}
		b.Record(launches[i].Kernel, rep, s)
	}
	return 0, err
}

// last records the last launch of an iteration, and what the run did if that was the last one.
func (b *bsp) last(k *device.Kernel, rep *device.Report, r scheduler.Round, err error) (active int, _ error) {
	s := scheduler.Step{Iteration: r.Iteration, Numbers: []scheduler.Number{{Name: next, Value: float64(b.lost[0])}}}
	if err == nil && b.lost[0] == 0 {
		var sums [scheduler.TaskSums]uint64
		err = b.Device.Read(b.done, sums[:])
		n := float64(b.Vertices())
		s.Numbers = append(s.Numbers, scheduler.Number{Name: arcCount, Value: float64(sums[scheduler.TaskWork])},
			scheduler.Number{Name: least, Value: n}, scheduler.Number{Name: overwork, Value: float64(b.sums[scheduler.TaskVisits]) / n})
	}
	b.Record(k, rep, s)
	return int(b.lost[0]), err
}

// chooses and detects return the launches for a frontier.
func (b *bsp) chooses(p part, r scheduler.Round, in scheduler.FrontierArg) (device.Launch, error) {
	return b.launch(p, p.choose, in, b.Instance.Arg, r.Graph, b.Values, in, p.Shape, b.done)
}

func (b *bsp) detects(p part, r scheduler.Round, in scheduler.FrontierArg) (device.Launch, error) {
	return b.launch(p, p.detect, in, b.Instance.Arg, r.Graph, b.Values, in, r.Out, p.Shape, b.done)
}

// launch returns the launch of a kernel of a part for a frontier.
func (b *bsp) launch(p part, k *device.Kernel, in scheduler.FrontierArg, args ...any) (device.Launch, error) {
	limit, err := p.Blocks(b.Device, k)
	perBlock := p.PerBlock()
	return device.Launch{Kernel: k, Grid: min((int(in.Count)+perBlock-1)/perBlock, limit), Block: p.Block, DynamicShared: p.Shared, Args: args}, err
}
