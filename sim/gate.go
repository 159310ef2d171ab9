package sim

import (
	"errors"
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/policy"
)

// gate makes warps wait before memory steps, as a policy.StepOrder decides; see there. A machine without one has a nil
// gate.
type gate struct {
	*chip
	diagnosis *diagnosis

	order   policy.StepOrder
	byLane  bool
	launch  int
	warps   []*warp       // in which lanes wait, in the order in which they began to
	waiting []policy.Step // scratch: the steps of warps
	at      []place       // scratch: where the lanes of each are
	cycle   recurrence
}

// name says in messages what holds warps back.
func (g *gate) name() string {
	if s, ok := g.order.(fmt.Stringer); ok {
		return s.String()
	}
	return "the schedule"
}

// heldBack says why a warp waits.
func (g *gate) heldBack() string {
	return "could access memory, but " + g.name() + " does not let it go on"
}

// place says where lanes that wait are: in place, or a part of their warp.
type place struct {
	wp    *warp
	part  int    // -1: in place
	lanes uint32 // that wait
}

// control asks the policy that controls the machine's launches, if there is one, about the one that begins.
func (d *Device) control(jobs []job) error {
	if h := d.m.hooks; h != nil {
		h.gate = nil
	}
	if d.opts.Control == nil {
		return nil
	}
	if len(jobs) > 1 {
		return fmt.Errorf("%d concurrent launches: a schedule or a progress model is for one launch at a time", len(jobs))
	}
	job := &jobs[0]
	launch := policy.Launch{Index: d.launches, Blocks: job.grid.Blocks, Warps: job.grid.Warps, Room: job.occ.BlocksPerSM * job.occ.SMs, Cluster: job.grid.Cluster, Seed: d.opts.Seed,
		Kernel: job.grid.Kernel.Name, Source: job.source}
	if launch.Cluster > 1 {
		launch.Room = d.m.dispatcher.roomForClusters(launch.Cluster, job.occ.BlocksPerSM)
	}
	d.launches++
	blocks, steps, err := d.opts.Control.Begin(launch)
	if err != nil {
		return err
	}
	if blocks != nil {
		job.order = &blockOrder{BlockOrder: blocks, placed: make([]bool, launch.Blocks), next: -1}
	}
	if steps != nil {
		d.m.hook().gate = &gate{chip: &d.m.chip, diagnosis: &d.m.diagnosis, order: steps, byLane: steps.ByLane() && d.m.its, launch: launch.Index, cycle: newRecurrence(job.grid.Prog)}
	}
	return nil
}

// source returns the place of an instruction in the source; "" if it has none.
func (j *job) source(pc int) string {
	if at := j.grid.At(&j.grid.Prog.Code[pc]); len(at) > 0 {
		return at[0].String()
	}
	return ""
}

// blockOrder checks what a policy.BlockOrder selects.
type blockOrder struct {
	policy.BlockOrder
	placed []bool
	next   int // selected, and not placed yet; -1 for none
}

// choose returns the number of the block that a job places next, with its cluster; ok is false if none is to be placed now.
func (d *dispatcher) choose(job *job) (id int, ok bool) {
	order := job.order
	if order == nil {
		return job.next, true
	}
	if order.next < 0 {
		switch order.next = order.Next(); {
		case order.next < 0 && job.next == job.done:
			d.fail(errors.New("the order of blocks places none, although none is resident"))
		case order.next >= job.grid.Blocks || order.next >= 0 && order.placed[order.next]:
			d.fail(fmt.Errorf("the order of blocks places block %d, which does not exist or has been placed", order.next))
		}
	}
	return order.next, order.next >= 0 && !d.run.over
}

// holds is called when a warp is about to issue a memory instruction. It reports whether the warp waits; otherwise the
// lanes that are in place take a step.
func (g *gate) holds(wp *warp, d *decoded) bool {
	w := wp.w
	// No other thread sees local memory, and lanes that try a lock of shared memory again (wp.retry) have taken their step.
	if d.in.Mem.Space == ir.Local || wp.retry != 0 {
		return false
	}
	// Its turn has come, for these lanes. Others that stood with them wait on.
	if wp.pass != 0 {
		if rest := w.Guarded(d.in) &^ wp.pass; rest != 0 {
			w.SetAside(rest, simt.AtStep)
			g.add(wp)
		}
		wp.pass = 0
		wp.steps++
		g.cycle.moved[wp] |= w.Mask
		return false
	}
	// Without an acting lane nothing is accessed, and there is no step to order.
	mask := w.Guarded(d.in)
	if mask == 0 {
		return false
	}
	w.Addresses(d.in, mask, &g.addrs)
	if d.in.Mem.Space == ir.Generic {
		if shared, _, global := spaces(d.in, mask, &g.addrs); shared|global == 0 {
			return false
		}
	}
	step := g.step(wp, w.PC, mask)
	step.Addrs = (*[simt.Lanes]uint64)(&g.addrs)
	if !g.order.Holds(&step) {
		g.cycle.free = true
		wp.steps++
		return false
	}
	wp.heldAt = g.now
	g.add(wp)
	// With independent lanes, other parts of the warp go on while these wait; else the warp waits as a whole.
	if g.byLane && w.Diverged() {
		w.Split(simt.AtStep)
		wp.sub.sm.switchPart(wp)
	} else {
		wp.sub.sm.pause(wp, warpHeld, counter.StallNotSelected)
	}
	return true
}

// step describes the step that lanes of a warp are about to take.
func (g *gate) step(wp *warp, pc int32, mask uint32) policy.Step {
	return policy.Step{
		Launch: g.launch, Block: wp.block.ID, Warp: wp.w.Index, Number: int(wp.steps), Lanes: mask,
		PC: int(pc), Write: wp.job.code[pc].in.Op != ir.OpLoad, Waits: g.now - wp.heldAt,
	}
}

// add notes that lanes of a warp wait.
func (g *gate) add(wp *warp) {
	if !slices.Contains(g.warps, wp) {
		g.warps = append(g.warps, wp)
	}
}

// found adds a step to the list of those that wait.
func (g *gate) found(s policy.Step, wp *warp, part int) {
	g.waiting = append(g.waiting, s)
	g.at = append(g.at, place{wp, part, s.Lanes})
}

// collect lists the steps that wait.
func (g *gate) collect() {
	g.waiting, g.at = g.waiting[:0], g.at[:0]
	g.warps = slices.DeleteFunc(g.warps, func(wp *warp) bool {
		before := len(g.at)
		// It went on and has ended since.
		if wp.w == nil {
			return true
		}
		if wp.state == warpHeld {
			g.found(g.step(wp, wp.w.PC, wp.w.Guarded(wp.job.code[wp.w.PC].in)), wp, -1)
		}
		for i := range wp.w.Parts {
			if part := &wp.w.Parts[i]; part.Wait == simt.AtStep {
				g.found(g.step(wp, part.PC, part.Mask&acting(wp.w, wp.job.code[part.PC].in)), wp, i)
			}
		}
		return len(g.at) == before
	})
}

// letGo lets those of the waiting steps go on that the policy selects, and reports whether there are any. idle is as
// of policy.StepOrder.
func (g *gate) letGo(idle bool) bool {
	if g == nil || len(g.warps) == 0 && !idle || g.run.over {
		return false
	}
	// Only when all else is at rest does the state consist of what recurs compares.
	if idle && g.recurs() {
		return false
	}
	if g.collect(); len(g.waiting) == 0 && !idle {
		return false
	}
	chosen, err := g.order.Next(g.waiting, idle)
	if err != nil {
		g.fail(err)
		return false
	}
	gone := false
	for _, choice := range chosen {
		if choice < 0 || choice >= len(g.waiting) {
			g.fail(fmt.Errorf("the order of steps selected step %d of %d", choice, len(g.waiting)))
			return false
		}
		at := g.at[choice]
		if at.wp.state != warpHeld && at.wp.w.Mask != 0 {
			continue // other lanes of the warp have just gone on
		}
		if at.part >= 0 {
			at.wp.w.Take(at.part)
		}
		// A policy that takes the whole step lets also lanes go on that join these until the warp issues.
		if at.wp.pass = g.waiting[choice].Lanes; at.wp.pass == at.lanes {
			at.wp.pass = simt.Full
		} else if !g.byLane {
			g.fail(fmt.Errorf("schedule: lanes %08x of block %d, warp %d cannot access memory before lanes %08x: on this machine, lanes that are together stay so (sm.divergence=its)",
				at.wp.pass, at.wp.block.ID, at.wp.w.Index, at.lanes&^at.wp.pass))
			return false
		}
		at.wp.sub.sm.release(at.wp, g.now+1)
		gone = true
	}
	// A step that was let go on may end the wait of others, but no value has changed by it.
	if gone {
		g.searchAnew()
		g.cycle.blind = g.cycle.blind || !g.searching()
	}
	return gone
}

// held returns how many steps wait for the policy.
func (g *gate) held() int {
	if g == nil {
		return 0
	}
	g.collect()
	return len(g.at)
}

// recurrence finds out that a schedule of steps repeats itself for ever. Where every step waits for its turn, and a
// turn comes only when everything else has come to rest, what happens depends on nothing but the values in memory and
// in L1, the warps, and what the policy decides. So if all of these were the same at an earlier turn, they will be so
// for ever. This does not hold if a step did not wait, since timing counts then, nor for a program that reads a clock.
type recurrence struct {
	free   bool // a step did not wait
	clock  bool // the program reads a clock
	order  uint64
	blind  bool   // a change to an L1 may not have been noted since then
	change uint64 // search.changes then
	kept   uint64 // hash of the state that is compared, which is replaced as in Brent's algorithm
	visits uint64
	renew  uint64
	moved  map[*warp]uint32 // lanes that have taken a step since then
}

func newRecurrence(p *ir.Program) recurrence {
	return recurrence{moved: map[*warp]uint32{}, clock: slices.ContainsFunc(p.Code, func(in ir.Inst) bool { return in.Op == ir.OpReadSpecial })}
}

// recurs ends the launch if its state recurs.
func (g *gate) recurs() bool {
	cycle := &g.cycle
	if cycle.free || cycle.clock {
		return false
	}
	// The state of the policy is cheap to compare, that of memory is not: most visits end here.
	order := g.order.State()
	cycle.visits++
	if cycle.visits < cycle.renew && order != cycle.order {
		return false
	}
	state, ok := g.diagnosis.restingState()
	switch {
	case !ok:
		return false
	// Brent's algorithm: the kept state is replaced after 1, 2, 4, ... visits, so that it lies on the cycle in the end and is
	// kept for longer than the cycle lasts.
	case cycle.visits >= cycle.renew:
		cycle.order, cycle.kept, cycle.renew = order, state, 2*cycle.visits
		cycle.change, cycle.blind = g.search.changes, false
		clear(cycle.moved)
		return false
	case state != cycle.kept:
		return false
	}
	kind, what := device.Livelock, "the schedule repeats itself with the same values in memory and registers, so it does for ever"
	switch unmoved := g.unmoved(); {
	case unmoved > 0:
		// It is this schedule that holds them up, and no value that they wait for.
		kind = device.Starved
		what += fmt.Sprintf("; %s could go on and never gets a turn", groups(unmoved))
	case g.search.changes == cycle.change && !cycle.blind:
		// Each lane that does not wait for others came back to where it was, and found the same values all the time. So it
		// does in any other order.
		kind, what = device.Hang, nothingChanges
	}
	g.fail(g.diagnosis.hang(kind, what))
	return true
}

// unmoved returns how many of the steps that wait are of lanes that have taken none since the state was kept.
func (g *gate) unmoved() (n int) {
	g.collect()
	for _, at := range g.at {
		if g.cycle.moved[at.wp]&at.lanes == 0 {
			n++
		}
	}
	return n
}

// groups is a number of warps, or of groups of diverged lanes.
func groups(n int) string {
	if n == 1 {
		return "a warp"
	}
	return fmt.Sprintf("%d warps or diverged parts of one", n)
}

// restingState returns a hash of memory, L1 and all warps; ok is false if not everything is at rest.
func (d *diagnosis) restingState() (state uint64, ok bool) {
	var hash maphash.Hash
	hash.SetSeed(hashSeed)
	d.run.grid.Mem.Each(func(a *simt.Allocation) { hash.Write(a.Data) })
	for i := range d.sms {
		unit := &d.sms[i]
		// What an L1 without warps holds is read by nobody: a block that comes would change the state.
		if unit.resident == 0 {
			continue
		}
		unit.l1.Each(func(addr uint64, i int) {
			writeWord(&hash, addr)
			writeWord(&hash, uint64(*unit.l1.Valid(i)))
			hash.Write(unit.l1.Data[i][:])
		})
		for _, slot := range unit.blocks {
			if slot.running > 0 {
				writeWord(&hash, uint64(slot.ID))
				writeWord(&hash, uint64(slot.arrived))
				hash.Write(slot.Shared)
				for _, barrier := range slot.named.Barriers {
					writeWord(&hash, uint64(barrier.Arrived))
				}
				writeWord(&hash, uint64(slot.named.Free))
				hash.Write(slot.named.Held[:])
				if c := slot.cluster; c != nil {
					hash.Write(c.Barrier.Append(nil, 0, len(c.Barrier)))
				}
			}
		}
	}
	for i := range d.warps {
		wp := &d.warps[i]
		if wp.state == warpFree {
			continue
		}
		// It moves by itself, and not all is at rest.
		if wp.state != warpHeld && !wp.state.blocks() {
			return 0, false
		}
		one, known := d.stateOf(wp)
		if !known {
			return 0, false
		}
		writeWord(&hash, one)
		writeWord(&hash, uint64(wp.state)<<32|uint64(bits.OnesCount32(wp.w.Mask)))
		for _, v := range wp.w.Local {
			_ = hash.WriteByte(v)
		}
	}
	return hash.Sum64(), true
}
