package exec

import (
	"context"

	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
)

// run is one launch on its way.
type run struct {
	d      *Device
	g      *simt.Grid
	c      *code
	slots  []*slot
	next   int // block to start next
	live   int // slots with a block
	tally  []tally
	insts  uint64 // warp-instructions so far
	quiet  uint64 // of these since anything changed
	watch  watch
	budget int
}

// tally counts one instruction of the program.
type tally struct {
	warps uint64 // executions by a warp
	lanes uint64 // by active lanes
	acted uint64 // by lanes whose guard holds
}

// slot is room for one resident block.
type slot struct {
	simt.Block
	running bool
	warps   []warpState
	written []byte // a byte of shared memory is 1 once the block has written it
	waiting int    // warps at a barrier
	done    int    // warps that have ended
}

// warpState is what the executor keeps of a warp besides its registers.
type warpState struct {
	atBarrier bool
	loop      loopWatch
}

func newRun(d *Device, g *simt.Grid, c *code, resident int) *run {
	for len(d.slots) < resident {
		d.slots = append(d.slots, &slot{})
	}
	return &run{d: d, g: g, c: c, slots: d.slots[:resident], tally: make([]tally, len(c.steps)), budget: d.opts.Slice}
}

// run gives warps their turns, block by block and in each round every block
// that is resident, until all blocks of the grid have ended.
func (r *run) run(ctx context.Context) error {
	for i, s := range r.slots {
		r.start(s, i)
	}
	checked := uint64(0)
	for r.live > 0 {
		for i, s := range r.slots {
			if !s.running {
				continue
			}
			if err := r.turn(s); err != nil {
				return err
			}
			if s.done == len(s.Warps) {
				s.running = false
				r.live--
				r.start(s, i)
			}
			if r.insts-checked > 1<<14 {
				checked = r.insts
				if err := ctx.Err(); err != nil {
					return err
				}
			}
		}
		if err := r.stalled(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// start puts the next block of the grid in slot i.
func (r *run) start(s *slot, i int) {
	if r.next >= r.g.Blocks {
		return
	}
	s.Start(r.g, r.next, i%sms)
	r.next++
	r.live++
	s.running, s.waiting, s.done = true, 0, 0
	if cap(s.warps) < r.g.Warps {
		s.warps = make([]warpState, r.g.Warps)
	}
	s.warps = s.warps[:r.g.Warps]
	clear(s.warps)
	n := r.g.Prog.SharedBytes
	if cap(s.written) < n {
		s.written = make([]byte, n)
	}
	s.written = s.written[:n]
	clear(s.written)
}

// turn lets every warp of a block that can run do so for one slice.
func (r *run) turn(s *slot) error {
	for i, w := range s.Warps {
		if w.Done() || s.warps[i].atBarrier {
			continue
		}
		exited := w.Exited
		left, changed, err := r.slice(s, w)
		used := uint64(r.budget - left)
		r.insts += used
		if err != nil {
			return err
		}
		if w.Done() {
			s.done++
		}
		opened, err := r.barrier(s)
		if err != nil {
			return err
		}
		if changed || opened || w.Exited != exited {
			r.changed()
		} else {
			r.quiet += used
		}
	}
	return nil
}

// barrier opens the block's barrier once every warp that has not ended waits
// at it.
func (r *run) barrier(s *slot) (opened bool, err error) {
	if s.waiting == 0 || s.waiting+s.done < len(s.Warps) {
		return false, nil
	}
	var first *ir.Inst
	var votes, threads int
	for i, w := range s.Warps {
		if !s.warps[i].atBarrier {
			continue
		}
		in := &r.c.prog.Code[w.PC]
		if first == nil {
			first = in
		} else if in.Op != first.Op {
			return false, r.hang("threads of a block wait at barriers of different kinds", s)
		}
		threads += count(w.Mask)
		if in.NSrc > 0 {
			votes += count(w.Mask & w.Pred(in.Src[0]))
		}
	}
	for i, w := range s.Warps {
		if !s.warps[i].atBarrier {
			continue
		}
		in := &r.c.prog.Code[w.PC]
		switch in.Op {
		case ir.OpBarCount:
			d := &w.Regs[in.Dst[0]]
			for l := range d {
				if w.Mask>>l&1 != 0 {
					d[l] = uint64(votes)
				}
			}
		case ir.OpBarAnd:
			w.SetPred(in.Dst[0], all(votes == threads), w.Mask)
		case ir.OpBarOr:
			w.SetPred(in.Dst[0], all(votes > 0), w.Mask)
		}
		s.warps[i].atBarrier = false
		w.Next()
	}
	s.waiting = 0
	return true, nil
}

func all(p bool) uint32 {
	if p {
		return simt.Full
	}
	return 0
}
