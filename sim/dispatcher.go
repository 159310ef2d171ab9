package sim

import (
	"fmt"
	"math/bits"

	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/internal/timing"
	"github.com/weft-gpu/weft/sim/policy"
)

// dispatcher places the blocks of launches on SMs that have room, and gives them what a block needs: a slot, registers
// and warps. It hears from an SM when a block has ended.
type dispatcher struct {
	*chip
	sms    []sm
	policy policy.BlockDispatch // nil: launch.order breadth or depth
	slots  []*block             // every block slot used so far, by id
	regs   store[simt.Row]      // for the registers of blocks
	simts  store[simt.Warp]     // for the warps of blocks

	// Of the launches on the machine.
	free     timing.Tick   // when the next block can be placed
	called   bool          // an evDispatch is scheduled
	calledIn uint64        // cycle in which it was
	orders   *timing.Wheel // for evDispatch
	nexts    []uint64      // see windows; nil for none
	turn     int           // SM to try first
	full     int           // SMs without room
	placed   uint64        // warps
	clusters clusterTimes
	longest  uint64 // warp instructions of a warp that has ended
	places   places
	few      []int32 // the SMs of the only launch, one for each of its blocks; nil: in turn
	all      []int32 // the numbers of all SMs
	placing  *job    // the job whose block is to be placed, for a registered dispatch policy
}

func newDispatcher(c *chip, sms []sm, warps int) dispatcher {
	return dispatcher{chip: c, sms: sms, orders: &c.wheel,
		regs: store[simt.Row]{piece: warps / 2, most: 8 * warps}, simts: store[simt.Warp]{piece: warps / 16, most: warps}, clusters: newClusterTimes(&c.cfg.Cluster)}
}

// begin forgets the launches that have ended.
func (d *dispatcher) begin() {
	d.free, d.called, d.turn, d.full, d.placed, d.longest, d.placing = timing.At(d.now), false, 0, 0, 0, 0, nil
}

// localStride returns the size of the local memory of a warp in bytes, in whole lines.
func localStride(g *simt.Grid) uint64 {
	return uint64((g.Prog.LocalBytes*simt.Lanes + lineBytes - 1) / lineBytes * lineBytes)
}

// roomFor gives the SMs to which as many blocks come an L1 and slots for blocks, and returns their numbers.
func (d *dispatcher) roomFor(blocks, slots int) []int32 {
	cfg := d.cfg
	slots = min(slots, cfg.SM.Blocks)
	reached := d.reached(blocks)
	roomForL1(d.sms, reached, &cfg.L1)
	for _, number := range reached {
		unit := &d.sms[number]
		for len(unit.blocks) < slots {
			slot := &block{id: int32(len(d.slots)), sm: unit}
			slot.NewRows, slot.Scratch = d.regs.take, &unit.scratch
			d.slots = append(d.slots, slot)
			unit.blocks = append(unit.blocks, slot)
		}
	}
	return reached
}

// reached returns the numbers of the SMs to which so many blocks come. Those of a launch that has the machine for itself, and fewer blocks than there
// are SMs, are spread; see places.
func (d *dispatcher) reached(blocks int) []int32 {
	d.few = nil
	if d.policy != nil {
		blocks = len(d.sms) // a registered policy may begin with any SM
	}
	if run := d.run; blocks < len(d.sms) && d.cfg.Xbar.Groups > 1 && d.cfg.Launch.Order == "breadth" && run.count == 1 && run.job.grid.Cluster <= 1 {
		d.few = d.places.of(blocks, len(d.sms), uint64(d.cfg.Xbar.Groups))
		return d.few
	}
	for len(d.all) < len(d.sms) {
		d.all = append(d.all, int32(len(d.all)))
	}
	return d.all[:min(blocks, len(d.sms))]
}

func (d *dispatcher) call(t uint64) {
	// One event is enough: dispatch places whatever there is room for.
	if !d.called && d.run.waiting() {
		d.called, d.calledIn = true, d.now
		d.orders.At(max(t, d.now+1), evDispatch)
	}
}

// dispatch places blocks while there is room, one each time the dispatcher is free: blocks of earlier launches first,
// in order of their number.
func (d *dispatcher) dispatch() {
	run := d.run
	// The search for a hang gives no verdict while a block is about to be placed, so that it is due again now.
	d.called, d.search.due = false, true
	d.free = max(d.free, timing.At(d.now))
	step := timing.Ticks(d.cfg.Launch.Block)
	for _, job := range run.jobs {
		if !run.mayStart(job) {
			continue
		}
		for job.next < job.grid.Blocks && !run.over {
			// The dispatcher places one block in each launch.block cycles, which may be a fraction of one.
			if d.free >= timing.At(d.now+1) {
				d.call(d.free.Cycle())
				return
			}
			id, ok := d.choose(job)
			if !ok {
				break // as below
			}
			if size := job.grid.Cluster; size > 1 {
				if !d.placeCluster(job, id-id%size) {
					break // as below
				}
				d.free += timing.Tick(size) * step
				continue
			}
			to := d.room(job)
			if to == nil {
				break // the end of a block calls dispatch again
			}
			d.place(job, to, id)
			job.next++
			if p := job.pieces; p != nil && job.next == p.at {
				p.step(d, job)
			}
			d.free += step
		}
	}
}

// room returns the SM for the next block, or nil if none has room.
func (d *dispatcher) room(job *job) *sm {
	run := d.run
	if run.count > 1 {
		return d.roomAmong(job)
	}
	// Most calls of a launch with more blocks than room end here: one block has ended, and one was placed.
	if d.full == len(d.sms) {
		return nil
	}
	if d.policy != nil {
		return d.chosen()
	}
	if d.few != nil {
		return &d.sms[d.few[job.next]]
	}
	for range d.sms {
		unit := &d.sms[d.turn]
		if unit.resident < run.occ.BlocksPerSM {
			// Breadth gives the next block to the next SM; depth fills an SM before it turns to the next.
			if d.cfg.Launch.Order == "breadth" {
				d.next()
			}
			return unit
		}
		d.next()
	}
	return nil
}

// chosen returns the SM that a registered dispatch policy selects. If that SM has no room, it ends the launch with an
// error and returns nil.
func (d *dispatcher) chosen() *sm {
	number := d.policy.Place(len(d.sms), d.roomOn)
	if number < 0 || number >= len(d.sms) || d.roomOn(number) <= 0 {
		d.fail(fmt.Errorf("block dispatch %q chose SM %d, which has no room", d.cfg.Launch.Order, number))
		return nil
	}
	return &d.sms[number]
}

// roomOn returns how many more blocks of the launch fit on an SM.
func (d *dispatcher) roomOn(number int) int {
	if run := d.run; run.count > 1 {
		return d.sms[number].fits(&d.cfg.SM, d.placing)
	}
	return d.run.occ.BlocksPerSM - d.sms[number].resident
}

func (d *dispatcher) next() {
	if d.turn++; d.turn == len(d.sms) {
		d.turn = 0
	}
}

// place makes block id of a job's grid resident on an SM.
func (d *dispatcher) place(job *job, unit *sm, id int) *block {
	run := d.run
	if job.next == 0 {
		job.start = d.now
	}
	if order := job.order; order != nil {
		order.placed[id], order.next = true, -1
	}
	unit.take(job, 1)
	// Any free slot will do: room has been counted.
	slot := unit.blocks[0]
	for _, other := range unit.blocks {
		if other.running == 0 {
			slot = other
			break
		}
	}
	d.moreWarps(slot, job.grid.Warps)
	slot.Start(job.grid, id, int(unit.id))
	if slot.cluster, slot.Cluster = nil, nil; job.clusters && job.grid.Cluster == 1 {
		slot.cluster = &cluster{blocks: []*block{slot}}
		slot.cluster.Start(&slot.Block)
	}
	if slot.named = (simt.Named{}); d.strict {
		slot.meeting = simt.Meeting{}
		slot.written.Reset(job.grid.SharedBytes)
	}
	slot.arrived, slot.opening, slot.live, slot.running = 0, false, job.grid.Threads, job.grid.Warps
	slot.warps, slot.insts, slot.longest = slot.warps[:0], 0, 0
	slot.began, slot.job = d.now, job
	slot.follows(d.chip)
	if job.pieces != nil {
		slot.pieces = len(job.pieces.list)
	}
	begin := d.now + uint64(d.cfg.Launch.Start)
	if h := d.hooks; h != nil {
		begin += h.placed(slot)
	}
	slot.knownAt = 0
	if slot.cluster != nil { // of one block
		slot.cluster.met(d.hooks.races())
	}
	// Before the number of warps changes: it is multiplied by the cycles since it last did.
	unit.countWarps(d.now)
	if unit.resident == 0 {
		unit.activeFrom, unit.ran = d.now, true
	}
	unit.resident++
	if unit.resident == run.occ.BlocksPerSM {
		d.full++
	}
	unit.warps += job.grid.Warps
	unit.stats.WarpsLaunched += uint64(job.grid.Warps)
	unit.stats.Blocks++
	d.progress()
	for number := range job.grid.Warps {
		wp := d.slotFor(unit, number)
		wp.w, wp.block, wp.job, wp.insts = slot.Warps[number], slot, job, 0
		wp.under, wp.doneAt, wp.fenceEnd, wp.acquire, wp.drained, wp.awaits, wp.ofSM = 0, 0, 0, false, false, false, false
		wp.named = 0
		wp.steps, wp.pass = 0, 0
		wp.retry, wp.spin = 0, spin{pc: -1}
		// No search has number 0, so that nothing of the last warp in this slot is taken for this one's.
		wp.watch.restart(0)
		wp.watch.blocked = 0
		wp.copies.reset()
		wp.sums = sums{}
		wp.board.reset(job.grid.Prog.NumRegs + job.grid.Prog.NumPreds)
		wp.state, wp.reason, wp.since = warpTimed, counter.StallStart, d.now
		slot.warps = append(slot.warps, wp)
		unit.at(begin, evWake|event(wp.id))
		if d.nexts != nil {
			d.nexts[unit.id] = min(d.nexts[unit.id], begin)
		}
	}
	return slot
}

// moreWarps gives a block room for n warps.
func (d *dispatcher) moreWarps(slot *block, need int) {
	have := cap(slot.Warps)
	if need <= have {
		return
	}
	more := d.simts.take(need - have)
	all := make([]*simt.Warp, have, have+len(more)) // the capacity is limited, so that other blocks' warps are not overwritten
	copy(all, slot.Warps[:have])
	for number := range more {
		all = append(all, &more[number])
	}
	slot.Warps = all
}

// slotFor takes a warp slot of the SM for warp i of a block: in the sub-core with the fewest warps, beginning the
// search with a different sub-core for each warp.
func (d *dispatcher) slotFor(unit *sm, number int) *warp {
	// Of sub-cores with equally many warps, the one whose turn it is by the warp's number.
	best := &unit.subs[number%len(unit.subs)]
	for further := range unit.subs {
		sub := &unit.subs[(number+further)%len(unit.subs)]
		if bits.OnesCount64(sub.resident) < bits.OnesCount64(best.resident) {
			best = sub
		}
	}
	slot := bits.TrailingZeros64(^best.resident)
	if best.resident == 0 {
		best.activeFrom = d.now
	}
	best.resident |= 1 << slot
	d.placed++
	best.age[slot] = d.placed
	return &best.warps[slot]
}

// blockDone frees the slot of a block that has ended.
func (d *dispatcher) blockDone(ended *block) {
	run, unit, job := d.run, ended.sm, ended.job
	d.longest = max(d.longest, ended.longest)
	ended.leave()
	if ended.cluster != nil {
		ended.cluster.blockEnded(ended)
	}
	unit.take(job, -1)
	if unit.resident == run.occ.BlocksPerSM {
		d.full--
	}
	if unit.resident--; unit.resident == 0 {
		unit.stats.SMActive += d.now - unit.activeFrom
	}
	if h := d.hooks; h != nil {
		h.ended(ended)
	}
	d.progress()
	if job.order != nil {
		job.order.Ended(ended.ID)
	}
	if job.pieces != nil {
		job.pieces.ended(ended, d.now)
	}
	if job.done++; job.done == job.grid.Blocks {
		if d.jobDone(job); run.over {
			return
		}
	}
	// The room is there in the next cycle.
	d.call(d.now + 1)
}

// jobDone notes that all blocks of a launch have ended.
func (d *dispatcher) jobDone(job *job) {
	run := d.run
	job.end, run.finished = d.now, true
	if run.left--; run.left == 0 {
		run.over = true
	}
}

// roomAmong returns the SM for the next block of one of several jobs, or nil if none has room.
func (d *dispatcher) roomAmong(job *job) *sm {
	d.placing = job
	any := false // with a policy: whether it has to be asked
	for range d.sms {
		unit := &d.sms[d.turn]
		if unit.fits(&d.cfg.SM, job) > 0 {
			if d.policy != nil {
				any = true
				break
			}
			if d.cfg.Launch.Order == "breadth" {
				d.next()
			}
			return unit
		}
		d.next()
	}
	if any {
		return d.chosen()
	}
	return nil
}

// encode adds what determines where the next blocks go.
func (d *dispatcher) encode(e *encoder) {
	state := e.r
	e.tick(d.free)
	state.Bool(d.called)
	state.Int(d.turn)
	state.Int(d.full)
	state.Int(d.run.left)
	for _, job := range d.run.jobs {
		state.Int(job.next)
		state.Int(job.done)
	}
	for _, word := range d.active {
		state.Word(word)
	}
}
