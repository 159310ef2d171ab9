//go:build !kernel

package bsp

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// RunPull launches Init and then Pull until no vertex changes. Values are
// double-buffered: an iteration reads those of the one before. What it returns
// is as for RunPush.
func RunPull(ctx context.Context, r Run) (*Outcome, error) {
	step, err := r.Kernels.Kernel(ctx, r.Step, nil)
	if err != nil {
		return nil, err
	}
	in, err := r.Graph.Transpose(ctx)
	if err != nil {
		return nil, err
	}
	var g scheduler.GraphArg
	var outRow device.Buffer
	l, _, err := r.start(ctx, func(m *scheduler.Memory) device.Buffer {
		g = m.Graph(in)
		outRow = g.Row
		if !r.Graph.Symmetric {
			outRow = m.Rows("outRow", r.Graph)
		}
		return outRow
	})
	if err != nil {
		return nil, err
	}
	next := l.mem.Alloc("values", scheduler.KindOf(l.Algorithm.Value), l.n)
	if err := l.mem.Err(); err != nil {
		return l.finish(err)
	}
	changed := l.n
	for i := 1; changed > 0; i++ {
		if i > l.MaxIterations {
			return l.finish(&NotConverged{l.Algorithm.Name, l.MaxIterations, changed})
		}
		rep, moved, err := l.launch(ctx, step, l.Team, l.n, l.alg.Arg, g, outRow, l.values, next, l.count)
		l.record(Iteration{Frontier: l.n, Next: moved}, rep)
		if err != nil {
			return l.finish(err)
		}
		l.values, next = next, l.values
		changed = moved
	}
	return l.finish(nil)
}
