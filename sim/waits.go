package sim

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
	"github.com/weft-gpu/weft/sim/internal/occupancy"
)

// graph explains why a launch does not end, unless it is not to be explained; of several concurrent ones, the first that
// has not ended, or one that waits for it. decided says that nothing that its threads read can change any more, starved
// that some never get a turn, brief that the caller ended it.
func (d *diagnosis) graph(decided, starved, brief bool) *device.WaitGraph {
	j := d.run.unfinished()
	if j.grid.Launch.Unexplained {
		return nil
	}
	explain := func(j *job) *device.WaitGraph {
		s := d.frozen(j, decided, starved)
		s.Brief = brief
		return waitfor.Explain(s)
	}
	g := explain(j)
	// If nothing changes any more, the first launch says all; of a group, join adds what the others do.
	if decided || d.links.group != nil {
		return g
	}
	for _, o := range d.run.jobs { // one that waits for the first says more
		if o == j || o.next == 0 || o.done == o.grid.Blocks {
			continue
		}
		if other := explain(o); waitsForLaunch(other) {
			return other
		}
	}
	return g
}

// waitsForLaunch reports whether threads wait for what another launch would write.
func waitsForLaunch(g *device.WaitGraph) bool {
	return slices.ContainsFunc(g.Waiters, func(w device.Waiter) bool {
		return slices.ContainsFunc(w.Writers, func(w device.Writer) bool { return w.Of != "" && w.Ends })
	})
}

// frozen returns the state of a job.
func (d *diagnosis) frozen(job *job, decided, starved bool) *waitfor.Snapshot {
	g := job.grid
	snapshot := &waitfor.Snapshot{
		Device: "sim:" + d.cfg.Name, Grid: g, Warps: d.waitingWarps(job, starved), Stack: !d.its, Decided: decided, Livelock: d.run.recurs || d.stands, Likely: d.stands,
		Started: job.started, Occupancy: job.occ, Cached: d.inL1,
		Fit: func(registers int) (device.Occupancy, error) {
			return occupancy.Of(d.cfg, g.Launch.Kernel, g.Threads, registers, g.Launch.DynamicShared)
		},
	}
	snapshot.Again, snapshot.Try, snapshot.Flying = d.again, d.try, d.flying
	if d.links.group != nil {
		snapshot.NoTry = "launches of several GPUs are not run again"
		gpu := d.gpu
		snapshot.GPU, snapshot.Others = &gpu, d.links.group.others(g, decided)
	} else {
		snapshot.Others = d.beside(job, decided)
	}
	return snapshot
}

// flying calls visit for each lane of a store or atomic to global memory that may not have taken effect: it waits in a load-store unit, or its packet has
// not come to the L2. Those of atomics with a result are there until the answer comes.
func (d *diagnosis) flying(visit func(block, index int, pc int32, addr uint64)) {
	for i := range d.sms {
		unit := &d.sms[i].lsu
		each := func(op *memOp, line uint64, lanes uint32) {
			by := unit.warpOf(op)
			for left := lanes; left != 0; left &= left - 1 {
				lane := bits.TrailingZeros32(left) & 31
				visit(by.block.ID, by.w.Index*simt.Lanes+lane, op.pc, line+uint64(op.off[lane]))
			}
		}
		for place := range unit.n {
			entry := &unit.queue[(unit.head+place)%len(unit.queue)]
			for k := entry.next; entry.kind != packLoad && k < entry.n; k++ {
				if part := &entry.lines[k]; !part.local {
					each(&unit.ops.items[entry.op], part.addr, part.lanes)
				}
			}
		}
		unit.packets.each(func(pk *packet) {
			if pk.kind != packLoad && !pk.local {
				each(&unit.ops.items[pk.op], pk.line, pk.lanes)
			}
		})
	}
}

// beside returns the launches that are on the machine beside a job, on other streams or behind it: they may write what it
// waits for. decided says that no thread of them can change anything.
func (d *diagnosis) beside(asked *job, decided bool) (list []waitfor.Other) {
	for i, job := range d.run.jobs {
		if job == asked {
			continue
		}
		other := waitfor.Other{Name: fmt.Sprintf("%s, launch %d on stream %d,", job.grid.Kernel.Name, i+1, job.stream), Grid: job.grid}
		switch {
		case job.done == job.grid.Blocks:
			other.Why, other.Over = "which has ended", true
		case !d.run.mayStart(job):
			other.Why = fmt.Sprintf("which has not started: it comes after a launch on stream %d that has not ended", job.stream)
			other.Advice = fmt.Sprintf("launch %s on another stream, or before the launch that waits for it", job.grid.Kernel.Name)
		case job.next == 0:
			other.Why = "no block of which has started: the resident blocks of other launches leave no room"
			other.Advice = fmt.Sprintf("launch %s first, or leave room for it: fewer blocks, or blocks that use less of an SM", job.grid.Kernel.Name)
		case !decided && d.goesOn(job.grid):
			other.Why, other.Runs = fmt.Sprintf("which goes on and may still come there: %d of %d blocks have ended", job.done, job.grid.Blocks), true
		default:
			other.Why = fmt.Sprintf("of which %d of %d blocks have ended, %d have not started, and the others wait or repeat themselves", job.done, job.grid.Blocks, job.grid.Blocks-job.next)
			other.Advice = fmt.Sprintf("let a thread of %s write it before it waits itself", job.grid.Kernel.Name)
		}
		list = append(list, other)
	}
	return list
}

// goesOn reports whether a thread of a grid neither waits nor was found to repeat itself.
func (d *diagnosis) goesOn(g *simt.Grid) bool {
	return slices.ContainsFunc(d.live(), func(wp *warp) bool { return wp.job.grid == g && !wp.state.blocks() && !d.repeats(wp) })
}

// started reports whether a block of the job has been placed.
func (j *job) started(block int) bool {
	if j.order != nil {
		return j.order.placed[block]
	}
	return block < j.next
}

// waitingWarps returns the warps of a job that have live lanes, where these are, and what holds them back.
func (d *diagnosis) waitingWarps(job *job, starved bool) (list []waitfor.Warp) {
	pending := d.pendingReads()
	for _, wp := range d.live() {
		if wp.job != job || wp.w.Done() {
			continue
		}
		waits := waitfor.Warp{Warp: wp.w, Pending: pending[wp.id]}
		if wp.w.Mask != 0 {
			group := waitfor.Group{Path: wp.w.Path, Stack: wp.w.Stack, Kind: device.WaitTurn}
			switch {
			case wp.state == warpBarrier:
				atBarrierOf(&group, wp)
			case wp.state == warpHeld && starved:
				group.Held = d.hooks.schedule().name()
			// Greedy-then-oldest passes a warp over for ever if one before it spins without a stall: the scheduler is named as
			// what holds it back.
			case wp.state == warpReady && starved && d.livelock.forgets(wp):
				group.Held = "issue.scheduler=" + d.cfg.Issue.Scheduler
			}
			waits.Groups = append(waits.Groups, group)
		}
		waits.Groups = append(waits.Groups, waitfor.Parked(wp.w.Mask, wp.w.Exited, wp.w.Stack, len(job.grid.Prog.Code))...)
		for i := range wp.w.Parts {
			part := &wp.w.Parts[i]
			group := waitfor.Group{Path: part.Path, Kind: device.WaitTurn}
			switch part.Wait {
			case simt.AtBar:
				atBarrierOf(&group, wp)
			case simt.AtStep:
				if starved {
					group.Held = d.hooks.schedule().name()
				}
			case simt.AtMask:
				group.Kind, group.Missing = device.WaitWarp, missing(wp.w, &job.grid.Prog.Code[part.PC], part.Mask)
			}
			waits.Groups = append(waits.Groups, group)
		}
		list = append(list, waits)
	}
	return list
}

// live returns the resident warps in order of block and warp.
func (d *diagnosis) live() (list []*warp) {
	for i := range d.warps {
		if wp := &d.warps[i]; wp.state != warpFree && wp.w != nil {
			list = append(list, wp)
		}
	}
	slices.SortFunc(list, func(a, b *warp) int {
		if a.block.ID != b.block.ID {
			return a.block.ID - b.block.ID
		}
		return a.w.Index - b.w.Index
	})
	return list
}

// pendingReads returns, by warp, the positions of the loads and atomics in flight that write registers.
func (d *diagnosis) pendingReads() map[int32][]int32 {
	reads := map[int32][]int32{}
	for i := range d.sms {
		d.sms[i].lsu.ops.each(func(op *memOp) {
			wp := &d.warps[op.warp]
			if wp.w == nil || wp.state == warpFree {
				return
			}
			if in := &wp.job.grid.Prog.Code[op.pc]; in.NDst > 0 && in.Op.Addressed() {
				reads[wp.id] = append(reads[wp.id], op.pc)
			}
		})
	}
	return reads
}

func atBarrierOf(g *waitfor.Group, wp *warp) {
	b := wp.block
	if wp.named == clusterBarrier || wp.named == -clusterBarrier {
		g.Kind = device.WaitCluster
		g.Arrived, g.Expected = b.cluster.Come()
		return
	}
	if wp.named == simt.Pool || wp.named == -simt.Pool {
		g.Kind = device.WaitRegisters
		g.Expected, g.Arrived = b.named.Lacks(wp.w, &wp.job.grid.Prog.Code[wp.w.PC])
		return
	}
	if wp.named != 0 {
		g.Kind, g.Barrier = device.WaitNamed, int(max(wp.named, -wp.named))
		g.Arrived, g.Expected = int(b.named.Barriers[g.Barrier].Arrived), int(b.named.Barriers[g.Barrier].Threads)
		return
	}
	g.Kind, g.Arrived, g.Expected, g.Mixed = device.WaitBarrier, b.arrived, b.live, b.mixed
}

// inL1 returns the bytes that L1 of an SM has for a load; nil if the load does not take them from there.
func (d *diagnosis) inL1(s int, in *ir.Inst, addr uint64) []byte {
	// Ordered loads beyond block scope are served by L2, which all SMs share; L1 of an SM need not be coherent (PTX ISA, "Cache
	// Operators").
	if !d.cacheable(&in.Mem) {
		return nil
	}
	c := &d.sms[s].l1
	if c.Sets() == 0 {
		return nil
	}
	line, off := addr&^(lineBytes-1), int(addr&(lineBytes-1))
	i := c.Peek(line)
	if i < 0 || *c.Valid(i)>>(off/sectorBytes)&1 == 0 {
		return nil
	}
	return c.Data[i][off:min(off+in.Mem.Bytes(), lineBytes)]
}
