package function

import (
	"context"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// Part is the execution of the blocks from one number to another.
type Part struct {
	run   *run
	began bool
}

// Part returns the execution of the blocks of a grid from first to end, without end, of which so many take turns at the same
// time, beside another executor that executes the other blocks on the same memory. weight says as how much an instruction of the
// program counts, at least 1; it is asked once. The part has not begun. Only one part of a device may be under way.
func (d *Device) Part(grid *simt.Grid, first, end, resident int, weight func(pc int) uint8) (*Part, error) {
	g := *grid
	g.Poison = true
	c, err := d.weighted(&g, weight)
	if err != nil {
		return nil, err
	}
	r := newRun(d, &g, c, min(resident, end-first))
	r.next, r.end = first, end
	return &Part{run: r}, nil
}

// weighted returns the code of a grid, with weights.
func (d *Device) weighted(g *simt.Grid, weight func(pc int) uint8) (*code, error) {
	known := d.codes[g.Prog] != nil
	c, err := d.code(g)
	if err == nil && !known {
		for pc := range c.steps {
			c.steps[pc].more = weight(pc) - 1
		}
	}
	return c, err
}

// Touch makes the part call touch before each access to memory, with the number of the block.
func (p *Part) Touch(touch func(block int, w *simt.Warp, in *ir.Inst, mask uint32)) {
	p.run.touch, p.run.watched = touch, true
}

// partPatience is the number of warp instructions after which a part that gets no block done leaves the memory to others.
const partPatience = 1 << 26

// Go executes the part. It returns false if the blocks that are left wait for others, or seem to: then it is to be called
// again when these have got on. The error is that of a fault, or of the context.
func (p *Part) Go(ctx context.Context) (done bool, err error) {
	r := p.run
	r.ctx = ctx
	if !p.began {
		p.began = true
		r.begin()
	}
	how, err := r.advance(ctx)
	return how == ended, err
}

// progress is how far a launch has got.
type progress int

const (
	ended  progress = iota // all blocks have
	waits                  // all that is left waits, or repeats itself, as long as nothing else changes memory
	goesOn                 // for long without the end of a block
)

// advance lets a launch that has begun run until all its blocks have ended, until those that are left wait for something
// outside, or for partPatience.
func (r *run) advance(ctx context.Context) (progress, error) {
	// What was found out about warps that repeat themselves rested on what memory held then.
	r.changed()
	next, live, since := r.next, r.live, r.insts
	for r.live > 0 {
		if err := r.round(ctx); err != nil {
			return goesOn, err
		}
		if r.next != next || r.live != live {
			next, live, since = r.next, r.live, r.insts
		}
		if r.standing() {
			return waits, nil
		}
		if r.live > 0 && r.insts-since > partPatience {
			return goesOn, nil
		}
	}
	return ended, nil
}

// Waits returns the error for blocks that wait for ever, when nothing else is left that could let them go on.
func (p *Part) Waits() error {
	r := p.run
	r.changed()
	return r.rounds(r.ctx)
}

// Work returns the sum of the weights of the warp instructions that were executed, and the largest such sum of a warp.
func (p *Part) Work() (all, longest uint64) { return p.run.insts + p.run.more, p.run.longest }
