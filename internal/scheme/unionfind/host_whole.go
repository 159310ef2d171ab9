//go:build !kernel

package unionfind

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// wholeKernel returns the kernel of a whole run.
func (l *loop) wholeKernel(k kernels) scheduler.EntryPoint {
	switch {
	case l.skips:
		return k.wholeRest
	case l.Params.Int("tile") == 0:
		return k.wholeSmaller
	}
	return k.wholeAcross
}

// runWhole is a run in one kernel on a GPU alone.
func (t *team) runWhole(ctx context.Context, k kernels) error {
	p, e, l := t.parts[0], t.wholeKernel(k), t.newList()
	quantities := []string{forWarps, forBlocks, moved}
	args, dynamic := t.beginArgs(p), 0
	if t.skips {
		quantities = append([]string{share, visited}, quantities...)
		args = append(args, p.largestArg(), uint32(t.rounds))
	} else {
		_, _, edges := t.edges(k)
		args, dynamic = append(args, edges), t.tile*device.U32.Bytes()
	}
	args = append(args, p.wide, p.barrier)
	l.add(t.parts, e, quantities, func(*part) (device.Launch, error) {
		return t.resident(device.Launch{Kernel: t.compiled[e.Name], Block: t.block, DynamicShared: dynamic, Args: args})
	})
	l.Add(scheduler.Control, device.Command{Read: &device.HostCopy{Buffer: p.counts, Host: p.counted[:]}})
	return l.run(ctx)
}

// resident returns a launch, with the number of blocks that a barrier of all blocks waits for: as many as vertices need, of those that are resident.
func (t *team) resident(d device.Launch) (device.Launch, error) {
	return d, t.fit(t.Device, &d, t.Vertices())
}

// fit sets the grid of a launch whose blocks are all resident.
func (l *loop) fit(dev device.Device, d *device.Launch, vertices int) error {
	occ, err := device.Fit(dev, *d)
	if err == nil && occ.Resident() == 0 {
		err = &device.ArgError{Kernel: d.Kernel.Name, What: fmt.Sprintf("no block of %d threads fits on an SM", d.Block)}
	}
	d.Grid = max(min((vertices+d.Block-1)/d.Block, occ.Resident()), 1)
	return err
}

// wholeBlockSize returns the number of threads per block of a whole run in a kernel: as many as make a barrier of all blocks short, if they fit on an SM.
func (l *loop) wholeBlockSize(k *device.Kernel) int {
	block, dynamic := wholeBlock, 0
	if l.tile > 0 {
		block, dynamic = min(tileBlock, (l.tile+gpu.WarpSize-1)/gpu.WarpSize*gpu.WarpSize), l.tile*device.U32.Bytes()
	}
	for ; block > gpu.WarpSize; block = (block/2 + gpu.WarpSize - 1) / gpu.WarpSize * gpu.WarpSize {
		occ, err := device.Fit(l.Device, device.Launch{Kernel: k, Grid: 1, Block: block, DynamicShared: dynamic})
		if err == nil && occ.BlocksPerSM > 0 {
			break
		}
	}
	return block
}
