//go:build !kernel

package scheduler

import (
	"context"

	"github.com/weft-gpu/weft/device"
)

// RunPull launches Init, and Turn if the algorithm defines it, and then the kernel until no vertex changes. The kernel has the
// parameters of bsp.Pull: the algorithm, the graph of the incoming arcs, the row offsets of
// the outgoing arcs, the values, the next values and a counter of changed vertices. Values
// are double-buffered: an iteration reads those of the previous one.
func RunPull(ctx context.Context, j Job, kernel EntryPoint, team Team) (*Outcome, error) {
	step, err := j.Kernels.Kernel(ctx, kernel.Name, kernel.Bind)
	if err != nil {
		return nil, err
	}
	in, err := j.Graph.Transpose(ctx)
	if err != nil {
		return nil, err
	}
	var g GraphArg
	var outRow device.Buffer
	l, _, err := BeginFrontier(ctx, j, func(m *Memory) device.Buffer {
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
	if err == nil && j.Algorithm.Turns() {
		err = l.turn(ctx, outRow)
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

// turn converts the values, which Init made for a push, to those of a pull.
func (l *FrontierLoop) turn(ctx context.Context, outRow device.Buffer) error {
	k, err := l.Kernels.Kernel(ctx, TurnKernel(l.Algorithm).Name, nil)
	if err != nil {
		return err
	}
	grid, err := l.Grid(k, l.Block, OneThread, l.Vertices())
	if err != nil {
		return err
	}
	values := l.Values.Slice(0, l.Vertices())
	rep, err := l.Launch(ctx, device.Launch{Kernel: k, Grid: grid, Block: l.Block, Args: []any{l.Instance.Arg, outRow, values, true}})
	l.Record(k, rep, Step{Setup: true})
	return err
}
