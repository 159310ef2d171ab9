//go:build !kernel

package bsp

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// runPull launches Init, and then Pull until no vertex changes. Values are double-buffered:
// an iteration reads the values of the previous one.
func runPull(ctx context.Context, j scheduler.Job, kernel scheduler.EntryPoint, team scheduler.Team) (*scheduler.Outcome, error) {
	step, err := j.Kernels.Kernel(ctx, kernel.Name, kernel.Bind)
	if err != nil {
		return nil, err
	}
	in, err := j.Graph.Transpose(ctx)
	if err != nil {
		return nil, err
	}
	var g scheduler.GraphArg
	var outRow device.Buffer
	l, _, err := scheduler.BeginFrontier(ctx, j, func(m *scheduler.Memory) device.Buffer {
		g = m.Graph(in)
		outRow = g.Row
		if !j.Graph.Symmetric {
			outRow = m.Rows("outRow", j.Graph)
		}
		return outRow
	})
	if l == nil {
		return nil, err
	}
	var next device.Buffer
	if err == nil {
		next = l.AllocValues()
		err = l.Memory.Err()
	}
	for i, changed := 1, l.Vertices(); changed > 0 && err == nil; i++ {
		if err = l.TooMany(i, changed); err != nil {
			break
		}
		changed, err = l.Step(ctx, i, step, team, l.Vertices(), l.Instance.Arg, g, outRow, l.Values, next, l.Count)
		if err == nil {
			l.Values, next = next, l.Values
		}
	}
	return l.Finish(err)
}
