package hw

import (
	"context"
	"os"
	"sync/atomic"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/internal/worker"
	"github.com/weft-gpu/weft/internal/core/simt"
)

var _ device.Readier = (*Device)(nil)

// Cold is the environment variable with which Ready and ReadyList do nothing: what a first launch takes beside its kernel can then be measured.
const Cold = "WEFT_HW_COLD"

// readied is a launch that Ready has prepared, as prepare returns it. It is used once it is launched, and dropped by whatever may change what it holds.
type readied struct {
	token uint64 // device.Launch.Prepared; 0 if there is none
	grid  *simt.Grid
	code  *code
}

// tokens is how many launches Ready has prepared, on all devices.
var tokens atomic.Uint64

// Ready waits until the GPU has nothing to do, and makes the way of the launch warm: the host has just copied a graph, which has left nothing of
// that way in the caches of its processors. It builds the kernel, binds the arguments, and launches an empty kernel twice by the same calls of the
// driver.
func (d *Device) Ready(ctx context.Context, l device.Launch) (device.Launch, error) {
	defer d.calls.Begin().End()
	if os.Getenv(Cold) != "" {
		return l, nil
	}
	ctx = d.calls.During(ctx)
	g, c, err := d.prepare(ctx, l)
	if err != nil {
		return l, err
	}
	d.child.Ready()
	call := d.child.Launch()
	d.describe(call, g, c)
	if err := d.request(ctx, 0, "launch of "+l.Kernel.Name, worker.OpReady); err != nil {
		return l, d.explain(l, err)
	}
	l.Prepared = tokens.Add(1)
	d.readied = readied{l.Prepared, g, c}
	return l, nil
}

// Ready does nothing for a launch: the first GPU of a group is one like any other. See ReadyList.
func (g *Group) Ready(_ context.Context, l device.Launch) (device.Launch, error) { return l, nil }

var _ device.ListReadier = (*Group)(nil)

// ReadyList waits until the GPUs have nothing to do, wakes the links between them, which sleep when they had nothing to carry for some milliseconds, and makes the way of a list
// warm: it launches empty kernels, and describes the commands as Run does.
func (g *Group) ReadyList(ctx context.Context, cmds []device.Command) ([]device.Command, error) {
	defer g.calls.Begin().End()
	if os.Getenv(Cold) != "" {
		return cmds, nil
	}
	ctx = g.calls.During(ctx)
	if g.child == nil || g.calls.Closed() {
		return cmds, closed("run")
	}
	if err := g.check(cmds); err != nil {
		return cmds, err
	}
	words, err := g.split(cmds)
	if err != nil {
		return cmds, err
	}
	if err := g.settleFor(nil); err != nil {
		return cmds, err
	}
	r, data := g.next(g.pieces, words, cmds, nil)
	if len(r.pieces) < len(g.pieces) {
		return cmds, nil // it takes several requests
	}
	if err := r.describe(ctx, words, data); err != nil {
		return cmds, err
	}
	g.child.Ready()
	if err := g.request(ctx, 0, "making the GPUs ready", worker.OpReadyLists); err != nil {
		return cmds, err
	}
	g.readiedList = readiedList{r, words, g.child.Requests()}
	return cmds, nil
}

// readiedList is a list that ReadyList has described to the child. It is used once, if no other request was made since: any other may change what it holds.
type readiedList struct {
	request
	words    int
	requests uint32 // Channel.Requests after it was described
}

// takeReadied returns the list that ReadyList has described, if it is this one, and forgets it.
func (g *Group) takeReadied(cmds []device.Command) (l readiedList, ok bool) {
	l, g.readiedList = g.readiedList, readiedList{}
	ok = l.Group != nil && len(cmds) == len(l.cmds) && len(cmds) > 0 && &cmds[0] == &l.cmds[0] && g.child.Requests() == l.requests
	return l, ok
}
