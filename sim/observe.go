package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/sim/internal/observe"
	"github.com/weft-gpu/weft/sim/internal/shared"
	"github.com/weft-gpu/weft/sim/internal/timing"
	"github.com/weft-gpu/weft/sim/profile"
)

// What the profile and the trace learn; see Options.Profile and Options.Trace.

const (
	_ = uint(profile.MaxStalls - counter.NumStalls)                                                         // there is room for all stall reasons
	_ = uint(profile.TicksPerCycle-timing.TicksPerCycle) + uint(timing.TicksPerCycle-profile.TicksPerCycle) // both use the same ticks
)

// joined is told that launches are on the machine, and prepares the profile for them.
func (h *hooks) joined(jobs []*job) {
	if h.prof == nil {
		return
	}
	shared := 0
	for _, job := range jobs {
		for i := range job.code {
			if in := job.code[i].in; in.Op.IsAtomic() && in.Mem.Space != ir.Global {
				shared = max(shared, job.grid.SharedBytes)
			}
		}
	}
	h.prof.Prepare(len(h.m.dispatcher.slots), shared)
	for _, job := range jobs {
		grid := job.grid
		job.prof = h.prof.Begin(grid.Kernel.Name, grid.Prog, grid.Blocks, grid.Threads, h.m.now)
	}
}

// charged is told of cycles for which a warp waited.
func (h *hooks) charged(wp *warp, cycles uint64) {
	if h.prof == nil {
		return
	}
	// A wait is charged to the instruction that cannot issue, except where one that has issued is the reason.
	pc := wp.w.PC
	switch wp.reason {
	case counter.StallBarrier, counter.StallMembar, counter.StallSleeping, counter.StallBranch, counter.StallDrain:
		pc = wp.cause // it has been issued, and delays the warp
	}
	insts := wp.job.prof.Insts
	if uint(pc) >= uint(len(insts)) { // all lanes have exited
		pc = wp.cause
	}
	insts[pc].Stalls[wp.reason] += cycles
}

// issue is told that a warp issues its next operation, which takes slots issue slots.
func (h *hooks) issue(wp *warp, slots uint64) {
	if h.prof == nil {
		return
	}
	in := &wp.job.prof.Insts[wp.w.PC]
	in.Issues += slots
	in.Lanes += slots * uint64(bits.OnesCount32(wp.w.Mask))
}

// request records the requests of an instruction to the load-store unit.
func (h *hooks) request(unit *lsu, entry *lsuEntry) {
	op := &unit.ops.items[entry.op]
	job := unit.warpOf(op).job
	prof := job.prof
	in := &prof.Insts[op.pc]
	in.Requests++
	for i := range entry.lines[:entry.n] {
		part := &entry.lines[i]
		in.Sectors += unit.sectors(entry, part)
		// Only atomics contend for words: the L2 serves lanes that load or store one word at once.
		if entry.kind < packAtomic {
			continue
		}
		var groups onWords
		groups.steps(acts(&job.code[op.pc], part.lanes), &op.off)
		for _, lanes := range &groups {
			if lanes > 0 {
				prof.GlobalDegree(op.pc, int(lanes))
			}
		}
	}
}

// hits records sectors of a load that L1 holds or has requested.
func (h *hooks) hits(u *lsu, index int32, sectors uint8) {
	op := &u.ops.items[index]
	u.warpOf(op).job.prof.Insts[op.pc].L1Hits += uint64(bits.OnesCount8(sectors))
}

// atomic is told of lanes of an atomic on the word at a byte of its line, which an L2 slice's unit serves from tick
// start, in step ticks each.
func (h *hooks) atomic(unit *lsu, pk *packet, at, lanes int, start, step timing.Tick) {
	if h.prof == nil {
		return
	}
	m := h.m
	op := &unit.ops.items[pk.op]
	buffer, base := m.run.grid.Mem.Lookup(pk.line)
	to := observe.Target{Space: profile.Global, Name: buffer.Name, ElemSize: buffer.Elem.Bytes(), ID: buffer.Key()}
	unit.warpOf(op).job.prof.GlobalAtomics(op.pc, to, base+at, lanes, uint64(timing.At(m.now)), uint64(start), uint64(step))
}

// arrived is told of a packet that finds the port of its L2 slice reserved until tick port.
func (h *hooks) arrived(unit *lsu, pk *packet, port timing.Tick) {
	if h.prof == nil {
		return
	}
	m := h.m
	now := timing.At(m.now)
	// Local memory belongs to no buffer of the program, and less than a cycle is no queue.
	if pk.local || port < now+timing.TicksPerCycle {
		return
	}
	op := &unit.ops.items[pk.op]
	prof := unit.warpOf(op).job.prof
	buffer, base := m.run.grid.Mem.Lookup(pk.line)
	to := observe.Target{Space: profile.Global, Name: buffer.Name, ElemSize: buffer.Elem.Bytes(), ID: buffer.Key()}
	for left := pk.sectors; left != 0; left &= left - 1 {
		// The port takes one sector after the other: each waits for those before it as well.
		prof.SliceWait(op.pc, to, base+sectorBytes*bits.TrailingZeros8(left), uint64(now), uint64(port), uint64(m.l2.sector))
		port += m.l2.sector
	}
}

// passes is told of a load or store of shared memory.
func (h *hooks) passes(wp *warp, passes shared.Passes) {
	if h.prof == nil {
		return
	}
	in := &wp.job.prof.Insts[wp.w.PC]
	in.Passes += uint64(passes.Count)
	in.Conflicts += uint64(passes.Conflicts)
	in.Ways[min(passes.Count, profile.MaxWays)]++
}

// sharedAtomics is told of the lanes of an atomic on shared memory, whose addresses are in chip.addrs. The pipe serves them
// from tick start, those on one address in step ticks each.
func (h *hooks) sharedAtomics(wp *warp, mask uint32, start, step timing.Tick) {
	if h.prof == nil {
		return
	}
	m := h.m
	prof, pc, most := wp.job.prof, wp.w.PC, 0
	for left := mask; left != 0; {
		// Lanes on one address take turns, and lanes on others go on beside them: the longest row of turns is the degree.
		addr := m.addrs[bits.TrailingZeros32(left)&31]
		same := 0
		for others := left; others != 0; others &= others - 1 {
			i := bits.TrailingZeros32(others) & 31
			if m.addrs[i] == addr {
				same++
				left &^= 1 << i
			}
		}
		most = max(most, same)
		off := addr &^ ir.SharedWindow
		to, delta := sharedTarget(wp.job.grid.Shared, int(off))
		prof.SharedAtomics(pc, int(wp.block.id), to, off, delta, same, uint64(timing.At(m.now)), uint64(start), uint64(step))
	}
	in := &prof.Insts[pc]
	in.Degree = max(in.Degree, uint32(most))
	in.Ways[most]++
}

// sharedTarget returns the variable (or the field of one) that contains a byte of shared memory, and the offset of the
// byte in it.
func sharedTarget(vars []ir.Var, off int) (to observe.Target, delta int) {
	for i := range vars {
		if variable := &vars[i]; off >= variable.Off && off < variable.Off+variable.Size {
			field := variable.Place(off - variable.Off)
			return observe.Target{Space: profile.Shared, Name: field.Name, ElemSize: max(field.ElemSize, 1), Single: field.ElemSize == field.Size}, off - variable.Off - field.Off
		}
	}
	return observe.Target{Space: profile.Shared, Name: "dynamic", ElemSize: 4}, off
}

// observeBegin informs profile and trace about the launches on the machine, which begin at a second.
func (d *Device) observeBegin(at float64) {
	m, h := d.m, d.m.hooks
	if h == nil {
		return
	}
	h.joined(m.run.jobs)
	if h.trace != nil {
		h.trace.Begin(at, m.now, 1/(d.cfg.Clock.SM*1e6))
		h.sampleAt = m.now
	}
}

// observeEnd informs profile and trace that launches have ended.
func (d *Device) observeEnd(jobs []*job) {
	m, h := d.m, d.m.hooks
	if h == nil {
		return
	}
	if h.trace != nil && m.run.over {
		h.sample()
		h.sampleAt = never
	}
	for _, job := range jobs {
		began, ended := job.start, job.end
		if job.next == 0 { // an error ended the other launches before this one began
			began = m.now
		}
		if job.done < job.grid.Blocks {
			ended = m.now
		}
		if m.run.count == 1 { // including the wait for the first block and the last store
			began, ended = m.run.start, m.now
		}
		if h.prof != nil {
			job.prof.End(ended - began)
		}
		if h.trace != nil {
			h.trace.LaunchEnded(job.grid.Kernel.Name, job.stream, job.grid.Blocks, job.grid.Threads, began, ended)
		}
	}
}

// observeCopy informs the trace about a copy whose time in seconds has just been added.
func (d *Device) observeCopy(buffer device.Buffer, toHost bool, took float64) {
	if trace := d.m.hooks.tracer(); trace != nil {
		trace.Copy("", buffer.Name, toHost, buffer.Bytes(), d.seconds-took, d.seconds)
	}
}

// ended is told that a block leaves its SM.
func (h *hooks) ended(leaving *block) {
	if h.trace == nil {
		return
	}
	slot := 0
	for number, other := range leaving.sm.blocks {
		if other == leaving {
			slot = number
		}
	}
	h.trace.BlockEnded(leaving.job.grid.Kernel.Name, leaving.ID, int(leaving.sm.id), slot, leaving.began, h.m.now)
}

// sample takes a sample for the trace, and determines when the next one is due.
func (h *hooks) sample() {
	m := h.m
	sample := profile.Sample{
		L2Sectors: m.l2.stats.Hits + m.l2.stats.Misses, L2Atomics: m.l2.stats.Atom + m.l2.stats.Red, DRAMBytes: m.l2.mem.Counts.Read + m.l2.mem.Counts.Written,
	}
	sum := m.stats.Raw
	for i := range m.sms {
		unit := &m.sms[i]
		sample.Warps += unit.warps
		sample.LSUQueue += unit.lsu.n
		if unit.ran {
			now := unit.counted()
			sum = sum.Plus(&now)
		}
	}
	sample.Instructions, sample.ThreadInstructions = sum.Insts, sum.ThreadInsts
	second := m.cfg.Clock.SM * 1e6
	sample.WarpSeconds, sample.SMSeconds = float64(sum.WarpCycles)/second, float64(sum.SMActive)/second
	now := timing.At(m.now)
	// The longest queues, not their mean: one hot slice holds the machine up while the others have nothing to do.
	var port, atomics timing.Tick
	for i := range m.l2.slices {
		sl := &m.l2.slices[i]
		port = max(port, sl.port-min(sl.port, now))
		atomics = max(atomics, sl.atomic.free-min(sl.atomic.free, now))
	}
	sample.L2Queue = float64(port) / float64(max(m.l2.sector, 1))
	sample.AtomicQueue = float64(atomics) / float64(max(m.l2.slices[0].atomic.step, 1))
	sample.DRAMQueue = m.l2.mem.Backlog(now)
	if m.links.group != nil {
		sample.LinkBytes = m.links.group.linkBytes()
	}
	h.sampleAt = h.trace.Sampled(m.now, sample)
}
