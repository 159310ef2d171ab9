//go:build !kernel

package bsp

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/scheduler"
)

// RunPush launches Init and then Push until the frontier is empty. It returns
// an outcome with the iterations so far also with an error (of the device, of
// ctx, or NotConverged) once the first launch was made.
func RunPush(ctx context.Context, r Run) (*Outcome, error) {
	step, err := r.Kernels.Kernel(ctx, r.Step, nil)
	if err != nil {
		return nil, err
	}
	var g scheduler.GraphArg
	l, active, err := r.start(ctx, func(m *scheduler.Memory) device.Buffer {
		g = m.Graph(r.Graph)
		return g.Row
	})
	if err != nil {
		return nil, err
	}
	l.queue[1] = l.mem.Alloc("queue", ir.U32, l.n)
	if err := l.mem.Err(); err != nil {
		return l.finish(err)
	}
	for i := 1; active > 0; i++ {
		if i > l.MaxIterations {
			return l.finish(&NotConverged{l.Algorithm.Name, l.MaxIterations, active})
		}
		in := scheduler.FrontierArg{Vertices: l.queue[(i-1)%2], Count: uint32(active)}
		rep, next, err := l.launch(ctx, step, l.Team, active, l.alg.Arg, g, l.values, in, l.next(i))
		l.record(Iteration{Frontier: active, Next: next}, rep)
		if err != nil {
			return l.finish(err)
		}
		active = next
	}
	return l.finish(nil)
}
