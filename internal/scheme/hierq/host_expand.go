//go:build !kernel

package hierq

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// expand runs the first iterations on the host, from the frontier that Init left, and copies
// what it found to the device: the values of the vertices that it reached, which Place
// stores, and the next frontier.
func (r *launcher) expand(ctx context.Context, round scheduler.Round) (active, done int, err error) {
	frontier := make([]uint32, round.In.Count)
	if err := r.Device.Read(round.In.Vertices.Slice(0, len(frontier)), frontier); err != nil {
		return 0, 0, err
	}
	x, err := scheduler.Expand(ctx, r.Job, frontier, min(r.hostLevels, r.MaxIterations))
	if err != nil {
		return 0, 0, err
	}
	reached, found := r.reached.Slice(0, len(x.Vertices)), r.found.Slice(0, len(x.Vertices))
	if err := r.Device.Write(reached, x.Vertices); err != nil {
		return 0, 0, err
	}
	if err := r.Device.Write(found, x.Values); err != nil {
		return 0, 0, err
	}
	if len(x.Frontier) > 0 {
		if err := r.Device.Write(round.Out.Vertices.Slice(0, len(x.Frontier)), x.Frontier); err != nil {
			return 0, 0, err
		}
	}
	grid, err := r.Grid(r.place, r.Block, scheduler.OneThread, len(x.Vertices))
	if err != nil {
		return 0, 0, err
	}
	rep, err := r.Launch(ctx, device.Launch{Kernel: r.place, Grid: grid, Block: r.Block, Args: []any{r.Values, reached, found}})
	r.Record(r.place, rep, scheduler.Step{Iteration: x.Iterations, Numbers: []scheduler.Number{
		{Name: "frontier", Value: float64(x.Processed)}, {Name: "next", Value: float64(len(x.Frontier))}, {Name: iterations, Value: float64(x.Iterations)}}})
	return len(x.Frontier), x.Iterations, err
}
