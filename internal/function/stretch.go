package function

import (
	"context"
	"time"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// Paused is a block that another executor has begun. None of its warps is within an instruction, and none has parts that go on
// by themselves, but some may have afterwards; see simt.Part.
type Paused struct {
	Block *simt.Block
	Warps []PausedWarp // of Block.Warps
}

// PausedWarp is what is known of a warp besides its registers and places.
type PausedWarp struct {
	AtBarrier bool    // all its lanes that have not exited wait at the block's barrier
	Pace      float64 // of how long its turns are, relative to the others'; 1 in the mean
	Work      uint64  // executed since, in the sum of weights
}

// Stretch says what is executed of paused blocks, and how.
type Stretch struct {
	Work   uint64                                                  // ends it, in the sum of weights, within a turn of all warps
	Ends   int                                                     // so do this many warps that have ended in it
	Weight func(pc int) uint8                                      // of an instruction, at least 1; it is asked once for a program
	Touch  func(block int, w *simt.Warp, in *ir.Inst, mask uint32) // called before each access to memory; nil: nobody asks
}

// Advanced says what was executed of paused blocks.
type Advanced struct {
	Work  uint64 // of all warps
	Idles bool   // a warp only repeated itself, as one that waits for others does: how much it executes depends on time
	Split bool   // lanes of a warp go on by themselves
}

// Advance executes a stretch of all that is left of some blocks, whose warps take turns, and leaves them paused. No block
// begins. The blocks must have no instruction for clusters, asynchronous copies and named barriers.
func (d *Device) Advance(ctx context.Context, grid *simt.Grid, blocks []Paused, q Stretch) (Advanced, error) {
	c, err := d.weighted(grid, q.Weight)
	if err != nil {
		return Advanced{}, err
	}
	r := newRun(d, grid, c, 0)
	r.next, r.end = grid.Blocks, grid.Blocks
	for len(d.paused) < len(blocks) {
		d.paused = append(d.paused, &slot{})
	}
	r.slots = d.paused[:len(blocks)]
	for i, s := range r.slots {
		r.adopt(s, &blocks[i])
	}
	r.touch, r.watched, r.ctx, r.since = q.Touch, q.Touch != nil, ctx, time.Now()
	ended := func() (n int) {
		for _, s := range r.slots {
			n += s.done
		}
		return n
	}
	before := ended()
	r.changed()
	for r.live > 0 && !r.idles && r.insts+r.more < q.Work && ended()-before < q.Ends {
		if err := r.round(ctx); err != nil {
			return Advanced{}, err
		}
		r.idles = r.idles || r.standing()
	}
	done := Advanced{Work: r.insts + r.more, Idles: r.idles}
	for i, s := range r.slots {
		done.Split = blocks[i].take(s) || done.Split
	}
	return done, nil
}

// adopt makes a paused block the one of a slot. Registers, shared memory and places are those of the other executor.
func (r *run) adopt(s *slot, b *Paused) {
	s.Block = *b.Block
	s.running, s.done, s.named, s.meeting = false, 0, simt.Named{}, simt.Meeting{}
	if cap(s.warps) < len(s.Warps) {
		s.warps = make([]warpState, len(s.Warps))
	}
	s.warps = s.warps[:len(s.Warps)]
	clear(s.warps)
	s.written.Reset(r.g.SharedBytes)
	for i, w := range s.Warps {
		st := &s.warps[i]
		st.pace = b.Warps[i].Pace
		switch {
		case w.Done():
			s.done++
		case b.Warps[i].AtBarrier:
			st.arrived = w.Live()
		}
	}
	if s.done < len(s.Warps) {
		s.running = true
		r.live++
	}
}

// take notes where the warps of a slot stand, for the executor that goes on. It reports whether lanes of a warp are apart.
func (b *Paused) take(s *slot) (split bool) {
	for i, w := range s.Warps {
		st, to := &s.warps[i], &b.Warps[i]
		to.Work = st.insts
		to.AtBarrier = st.split == nil && st.arrived != 0
		split = split || st.split != nil
		st.leaveParts(w)
	}
	return split
}

// leaveParts makes what is split parts of the warp, with the first that can run in place.
func (st *warpState) leaveParts(w *simt.Warp) {
	if st.split == nil {
		return
	}
	w.Path, w.Stack = simt.Path{PC: int32(len(w.Grid.Prog.Code)), Recon: -1}, nil
	for _, strand := range st.alive() {
		if w.Mask == 0 && !strand.waits() {
			w.Path, w.Stack = strand.path, strand.stack
			continue
		}
		wait := simt.Runs
		switch {
		case strand.parked:
			wait = simt.AtBar
		case strand.gathering:
			wait = simt.AtMask
		}
		w.Parts = append(w.Parts, simt.Part{Path: simt.Path{PC: strand.path.PC, Recon: -1, Mask: strand.path.Mask}, Wait: wait})
		// A part has no stack: lanes that waited for it go on by themselves, and meet it where they stand at the same place. Of a
		// lane, the topmost entry says where it goes on.
		seen := strand.path.Mask | w.Exited
		for k := len(strand.stack) - 1; k >= 0; k-- {
			path := strand.stack[k]
			if path.Mask &^= seen; path.Mask != 0 {
				seen |= path.Mask
				w.Parts = append(w.Parts, simt.Part{Path: simt.Path{PC: path.PC, Recon: -1, Mask: path.Mask}})
			}
		}
	}
}
