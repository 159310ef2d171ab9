package function

import (
	"context"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/async"
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/race"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
)

// run is the state of a running launch.
type run struct {
	d       *Device
	g       *simt.Grid
	c       *code
	slots   []*slot
	next    int // next block to start
	end     int // the first block that does not belong to the run
	live    int // slots with a block
	tally   []tally
	insts   uint64 // warp-instructions so far
	more    uint64 // by which the instructions so far count as more; see Part
	longest uint64 // instructions of a warp, with more
	// checked is insts at the last checkpoint.
	checked uint64
	// generation counts the changes that a waiting warp may wait for.
	generation int
	clocks     uint64    // how often a warp has read a clock
	at         warpAt    // scratch
	livelock   *livelock // nil: the search has not begun
	standstill repeat.Standstill
	stands     bool // it was given up since it looks like a livelock
	budget     int
	race       *race.Detector // nil if races are not looked for
	watched    bool           // accesses are shown to others, see shown
	history    *waitfor.History
	touch      func(block int, w *simt.Warp, in *ir.Inst, mask uint32) // nil: nobody keeps caches warm
	ctx        context.Context
	since      time.Time // when it began
	// doomed looks for lanes that are unable to end, and doomedAt is the number of
	// instructions after which it looks again.
	doomed   waitfor.Doomsday
	doomedAt uint64
	recurred bool // its state has been shown to recur
	idles    bool // a warp has repeated itself
	// unwritten is the first read of unwritten memory, which may be due to a
	// race and does not end the launch while races are looked for.
	unwritten *device.Fault
}

// tally counts the executions of one instruction of the program.
type tally struct {
	warps uint64 // executions by a warp
	lanes uint64 // by active lanes
	acted uint64 // by lanes in which the guard holds
}

// slot holds one resident block.
type slot struct {
	simt.Block
	group   []*slot // of the blocks of its cluster, by rank
	running bool
	warps   []warpState
	written simt.Written
	done    int // warps that have ended
	named   simt.Named
	meeting simt.Meeting
	async   async.Pending // used if code.copies is set
	race    race.Block    // used if run.race is not nil
	races   *race.Cluster // the same, of its cluster
}

// warpState is the executor's state of a warp besides its registers.
type warpState struct {
	insts   uint64  // that it has executed, with run.more
	pace    float64 // how long its turns are, relative to the others'; 0: as long as all
	owed    float64 // instructions of its turn that are less than one
	arrived uint32  // lanes that wait at the block's barrier
	named   int     // the named barrier that the warp waits at, or 0
	// clustered: it waits at the barrier of its cluster.
	clustered bool
	loop      loopWatch // of a warp that is not split
	split     []*strand // the parts of a split warp (see strand), else nil
	cur       *strand   // the part that is running
}

func newRun(d *Device, g *simt.Grid, c *code, resident int) *run {
	resident -= resident % g.Cluster
	for len(d.slots) < resident {
		d.slots = append(d.slots, &slot{})
	}
	return &run{d: d, g: g, c: c, slots: d.slots[:resident], end: g.Blocks, tally: make([]tally, len(c.steps)), generation: 1, budget: d.opts.Slice, race: d.race, history: d.history, watched: d.race != nil || d.remote != nil || d.history != nil}
}

// run lets warps take turns until all blocks of the grid have ended: in each
// round every resident block, and in it every warp, has a turn.
func (r *run) run(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.begin()
	return r.rounds(ctx)
}

// rounds goes on until all blocks have ended.
func (r *run) rounds(ctx context.Context) error {
	for r.live > 0 {
		if err := r.round(ctx); err != nil {
			return err
		}
		if err := r.stalled(); err != nil {
			return err
		}
		if err := r.recurs(); err != nil {
			return err
		}
		if err := r.standsStill(); err != nil {
			return err
		}
		if err := r.overBudget(); err != nil {
			return err
		}
	}
	return nil
}

// begin starts the first blocks.
func (r *run) begin() {
	for _, s := range r.slots {
		s.running = false // a launch that failed left it
	}
	for i, s := range r.slots {
		r.start(s, i)
	}
	r.since = time.Now()
}

// round gives every resident block, and in it every warp, a turn.
func (r *run) round(ctx context.Context) error {
	for i, s := range r.slots {
		if !s.running {
			continue
		}
		if err := r.turn(s); err != nil {
			return err
		}
		if s.done == len(s.Warps) {
			if r.c.copies {
				if f := r.endCopies(s); f != nil {
					return f
				}
			}
			s.running = false
			r.live--
			r.start(s, i)
		}
		if r.insts-r.checked > 1<<14 {
			r.checked = r.insts
			if err := r.checkpoint(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkpoint is called now and then, also while a round is long.
func (r *run) checkpoint(ctx context.Context) error {
	if ctx.Err() != nil {
		return r.interrupted(ctx)
	}
	if tell := r.d.opts.Progress; tell != nil {
		tell(Progress{Kernel: r.g.Kernel.Name, Instructions: r.d.insts + r.insts, Blocks: r.next - r.live, Grid: r.g.Blocks, Waiting: r.waiting})
	}
	if err := r.lookDoomed(); err != nil {
		return err
	}
	return r.overBudget()
}

// doomedAfter is the number of warp instructions of a launch after which it is
// asked first whether some of its threads can never end, and doomedAgain the
// factor between two such questions. Each is asked twice.
const (
	doomedAfter = 1 << 20
	doomedAgain = 4
)

// lookDoomed returns the error of a launch of which a part can never end,
// whatever the rest does.
func (r *run) lookDoomed() error {
	if r.insts < max(r.doomedAt, doomedAfter) || r.d.remote != nil || r.live == 0 {
		return nil
	}
	switch found, soon := r.doomed.Look(r.frozen(false)); {
	case len(found) > 0:
		return r.hangs(device.Hang, waitfor.DoomedText(found), false)
	case soon:
		r.doomedAt = r.insts + doomedAfter
	default:
		r.doomedAt = r.insts * doomedAgain
	}
	return nil
}

// overBudget returns the error for a launch that has exceeded its budget.
func (r *run) overBudget() error {
	if most := r.d.opts.Budget; most == 0 || r.insts <= most || r.live == 0 {
		return nil
	}
	return r.undecided()
}

// start starts the next block of the grid in slot i.
func (r *run) start(s *slot, i int) {
	switch {
	case r.g.Cluster > 1:
		r.startCluster(i)
	case r.next < r.end:
		r.startBlock(s, i)
		if r.c.clusters {
			(&simt.Cluster{}).Start(&s.Block)
			s.group = r.slots[i : i+1]
			r.meet(s)
		}
	}
}

// startBlock starts the next block, of which there is one.
func (r *run) startBlock(s *slot, i int) {
	s.Cluster = nil
	s.Start(r.g, r.next, i%sms)
	if r.race != nil {
		s.race.Start(r.race, r.g, r.next)
	}
	r.next++
	r.live++
	s.running, s.done, s.named, s.meeting = true, 0, simt.Named{}, simt.Meeting{}
	if cap(s.warps) < r.g.Warps {
		s.warps = make([]warpState, r.g.Warps)
	}
	s.warps = s.warps[:r.g.Warps]
	clear(s.warps)
	s.written.Reset(r.g.SharedBytes)
	if r.c.copies {
		s.async.Reset(r.g.Warps, r.g.SharedBytes, r.c.stores)
	} else {
		s.async.Forget() // a launch that failed may have left some
	}
}

// waits reports whether the warp waits at a barrier.
func (st *warpState) waits(w *simt.Warp) bool {
	return st.named != 0 || st.clustered || st.arrived == w.Live()
}

// turn runs every warp of a block that can run for one slice.
func (r *run) turn(s *slot) error {
	for i, w := range s.Warps {
		st := &s.warps[i]
		if w.Done() || st.waits(w) {
			continue
		}
		if st.pace != 0 {
			st.owed += st.pace * float64(r.d.opts.Slice)
			r.budget = int(st.owed)
			st.owed -= float64(r.budget)
		}
		if st.split == nil {
			if err := r.step(s, w); err != nil {
				return err
			}
		} else if err := r.strands(s, w); err != nil {
			return err
		}
		if w.Done() {
			if s.done++; s.Cluster != nil {
				if s.done == len(s.Warps) {
					s.Cluster.End(&s.Block)
				}
				r.openCluster(s)
			}
		}
		if r.barrier(s) {
			r.changed()
		}
	}
	return nil
}

// step runs a warp, or the part of it that is in place, for one slice.
func (r *run) step(s *slot, w *simt.Warp) error {
	exited, arrived, more := w.Exited, s.warps[w.Index].arrived, r.more
	left, changed, err := r.slice(s, w)
	used := uint64(r.budget - left)
	r.insts += used
	st := &s.warps[w.Index]
	st.insts += used + r.more - more
	r.longest = max(r.longest, st.insts)
	if changed || w.Exited != exited || st.arrived != arrived {
		r.changed()
	}
	return err
}
