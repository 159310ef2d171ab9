package function

import (
	"context"
	"errors"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
)

// The limits of running a launch again to explain it: warp instructions of the
// first run, and bytes that are kept for each warp and for each launch. To copy
// these takes less than a hundredth of the launch.
const (
	againInsts    = 1 << 26
	keptPerWarp   = 256
	keptPerLaunch = 16 << 10
)

// keep keeps the memory with which a launch begins.
func (d *Device) keep(g *simt.Grid) {
	d.kept = nil
	if d.race != nil || d.remote != nil || g.Launch.Unexplained {
		return
	}
	d.kept = &d.spare
	d.kept.Keep(keptPerLaunch+g.Blocks*g.Warps*keptPerWarp, g)
}

// record runs the launch again and records what happens to some words. The
// error says why it cannot, or that the launch does not end as it did.
func (r *run) record(ctx context.Context, h *waitfor.History) error {
	if r.insts > againInsts {
		return errTooLong
	}
	return remedy.Again(r.again(ctx, r.g.Launch, h, r.d.opts.Budget))
}

// try runs the launch again with a change. It has a few times the instructions
// of the first run.
func (r *run) try(ctx context.Context, c remedy.Change) remedy.Verdict {
	if r.insts > againInsts {
		return remedy.Verdict{Err: errTooLong}
	}
	budget := 4*r.insts + 1<<20
	if r.stands { // most of them have shown that it does not get on
		budget = r.insts
	}
	return remedy.Try(ctx, r.g.Launch, c, func(ctx context.Context, l device.Launch) (string, error) {
		return remedy.Ends(r.again(ctx, l, nil, budget))
	})
}

// again runs a launch from the memory that this one began with. Memory is as
// before when it returns. The error is that of the launch, or says why it cannot
// be run.
func (r *run) again(ctx context.Context, l device.Launch, h *waitfor.History, budget uint64) error {
	if r.d.kept == nil {
		return errNotKept
	}
	undo, ok := r.d.kept.Restore()
	if !ok {
		return errNotKept
	}
	defer undo()
	opts := r.d.opts
	opts.Memory, opts.Budget = r.d.mem, budget
	d := New(opts)
	d.history = h
	l.Unexplained = true
	_, err := d.Launch(ctx, l)
	return err
}

var errTooLong = errors.New("the launch is too long to be run again")

var errNotKept = errors.New("the memory that the launch began with was not kept")
