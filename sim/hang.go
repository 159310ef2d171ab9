package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// stuck ends a launch in which nothing can happen any more.
func (d *diagnosis) stuck() {
	if d.links.asks(askStuck) {
		return
	}
	// A warp that the schedule holds could go on: it is the schedule that keeps the launch from its end.
	if d.hooks.schedule().held() > 0 {
		d.starved()
		return
	}
	what := "the remaining threads wait for threads that never arrive"
	for _, b := range d.dispatcher.slots {
		// bar.red and bar.sync at one barrier never complete together (PTX ISA, bar).
		if b.running > 0 && b.mixed && b.arrived > 0 {
			what = simt.MixedBarriers
		}
	}
	d.fail(d.hang(device.Stuck, what))
}

// starved ends a launch in which nothing changes any more because the schedule holds warps back for ever.
func (d *diagnosis) starved() {
	what := fmt.Sprintf("%s never lets %s go on, and the others wait or repeat themselves", d.hooks.schedule().name(), groups(d.hooks.schedule().held()))
	d.fail(d.hang(device.Starved, what))
}

// hang returns the error of a launch that cannot end.
func (d *diagnosis) hang(kind device.HangKind, what string) *device.HangError {
	return d.hangs(kind, what, kind == device.Hang || kind == device.Stuck)
}

// hangs is hang; decided says that nothing that the threads read can change any more.
func (d *diagnosis) hangs(kind device.HangKind, what string, decided bool) *device.HangError {
	h := &device.HangError{Kernel: d.run.unfinished().grid.Kernel.Name, Kind: kind, What: what + d.notPlaced()}
	h.Waiting, h.More = d.waits()
	// The search for reasons then looks for what is changed all the time, and not only for what stands still.
	d.run.recurs = kind == device.Livelock || kind == device.Starved
	h.Graph = d.graph(decided, kind == device.Starved, false)
	return h
}

// undecided returns the error of a launch that has used up its budget or, without one, looks like a livelock.
func (d *diagnosis) undecided(budget uint64) *device.UndecidedError {
	u := &device.UndecidedError{Kernel: d.run.unfinished().grid.Kernel.Name, Why: d.whyUndecided()}
	if budget > 0 {
		u.Budget = fmt.Sprintf("%d cycles%s", budget, d.notPlaced())
	}
	u.Waiting, u.More = d.waits()
	u.Graph = d.graph(false, false, false)
	return u
}

// patience is how long a launch must have run so that its end by the caller is explained.
const patience = time.Second

// interrupted returns the error of a launch that the caller ends: with what its threads do if it has run for long.
func (d *diagnosis) interrupted(ctx context.Context) error {
	cause := ctx.Err()
	// A deadline, a caller that has seen enough and a launch that has just begun ask for no explanation, which takes a second
	// or so.
	if !errors.Is(cause, context.Canceled) || errors.Is(context.Cause(ctx), device.ErrEnough) || time.Since(d.run.since) < patience {
		return cause
	}
	i := &device.InterruptedError{Kernel: d.run.unfinished().grid.Kernel.Name, Cause: cause,
		Ran: fmt.Sprintf("%s cycles, %s warp instructions%s", format.Thousands(d.now-d.run.start), format.Thousands(d.run.insts()), d.notPlaced())}
	i.Waiting, i.More = d.waits()
	i.Graph = d.graph(false, false, true)
	return i
}

// insts returns the warp instructions of the launches so far.
func (r *running) insts() (n uint64) {
	for _, j := range r.jobs {
		n += j.insts
	}
	return n
}

// notPlaced says how many blocks wait for others to end, or returns "" if none do.
func (d *diagnosis) notPlaced() string {
	left, all := 0, 0
	for _, j := range d.run.jobs {
		left, all = left+j.grid.Blocks-j.next, all+j.grid.Blocks
	}
	if left == 0 {
		return ""
	}
	text := fmt.Sprintf("; %d of %d blocks cannot be placed until others end", left, all)
	if order := d.run.order; order != nil {
		if s, ok := order.BlockOrder.(fmt.Stringer); ok {
			text += ": " + s.String()
		}
	}
	return text
}

// waits lists the waiting threads and where they wait, at most device.MaxWaits entries; more is the number of entries
// left out.
func (d *diagnosis) waits() (list []device.Wait, more int) {
	for _, wp := range d.live() {
		if wp.w.Mask != 0 {
			list = append(list, d.wait(wp))
		}
		list = append(list, d.parked(wp)...)
		list = append(list, d.parts(wp)...)
		if n := len(list); n > device.MaxWaits {
			more += n - device.MaxWaits
			list = list[:device.MaxWaits]
		}
	}
	return list, more
}

// wait describes what a warp is doing.
func (d *diagnosis) wait(wp *warp) device.Wait {
	w, grid := wp.w, wp.w.Grid
	out := device.Wait{Block: wp.block.ID, Warp: w.Index, Threads: w.Mask, Shape: grid.Shape}
	if d.links.group != nil {
		gpu := d.gpu
		out.GPU = &gpu
	}
	pc := w.PC
	switch {
	case wp.state == warpHeld:
		out.Why = d.hooks.schedule().heldBack()
	case wp.state == warpBarrier && (wp.named == clusterBarrier || wp.named == -clusterBarrier):
		out.Why = wp.block.cluster.Waits()
	case wp.state == warpBarrier && wp.named != 0:
		out.Why = wp.block.named.Waits(int(max(wp.named, -wp.named)), wp.w, &grid.Prog.Code[pc])
	case wp.state == warpBarrier:
		out.Why = atBarrier(wp.block, &grid.Prog.Code[pc])
	// The poll says more than the instruction at which the loop happens to be in this cycle.
	case d.watching(wp) && wp.watch.mem >= 0:
		pc = wp.watch.mem
		out.Why = "spins on " + grid.Element(wp.watch.addr)
	case d.repeats(wp):
		out.Why = "spins"
	default:
		out.Why = "runs"
	}
	if int(pc) < len(grid.Prog.Code) {
		out.At = grid.At(&grid.Prog.Code[pc])
	}
	return out
}

// parked returns the lanes of a warp that the reconvergence stack holds back until the active lanes reach the
// reconvergence point.
func (d *diagnosis) parked(wp *warp) (out []device.Wait) {
	w, grid := wp.w, wp.w.Grid
	seen := w.Mask | w.Exited
	// From the innermost branch outwards; lanes that an inner entry has are parked there, and not at the outer one.
	for i := len(w.Stack) - 1; i >= 0; i-- {
		path := w.Stack[i]
		lanes := path.Mask &^ seen
		if seen |= path.Mask; lanes == 0 || int(path.PC) >= len(grid.Prog.Code) {
			continue
		}
		out = append(out, device.Wait{
			At: grid.At(&grid.Prog.Code[path.PC]), Block: wp.block.ID, Warp: w.Index, Threads: lanes, Shape: grid.Shape,
			Why: "wait for the other lanes of their warp, from which they diverged",
		})
	}
	return out
}
