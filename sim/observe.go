package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
	"github.com/weft-gpu/weft/sim/profile"
)

// What this file does happens only where Options ask for a profile: callers
// check that m.prof is there.

const (
	_ = uint(profile.MaxStalls - numStalls)                                                   // there is room for all reasons
	_ = uint(profile.TicksPerCycle-ticksPerCycle) + uint(ticksPerCycle-profile.TicksPerCycle) // both count alike
)

// profileBegin prepares the profile for the launch that is on the machine.
func (m *machine) profileBegin() {
	g := m.run.grid
	shared := 0
	for i := range m.run.code {
		if in := m.run.code[i].in; in.Op.IsAtomic() && in.Mem.Space != ir.Global {
			shared = g.Prog.SharedBytes
		}
	}
	m.prof.Begin(g.Kernel.Name, g.Prog, g.Blocks, g.Threads, m.now, len(m.slots), shared)
}

// profileCharge notes cycles that a warp waited.
func (m *machine) profileCharge(wp *warp, cycles uint64) {
	pc := wp.w.PC
	switch wp.reason {
	case stallBarrier, stallMembar, stallSleeping, stallBranch, stallDrain:
		pc = wp.cause // it has issued, and holds the warp up
	}
	if uint(pc) >= uint(len(m.prof.Insts)) { // all lanes have exited
		pc = wp.cause
	}
	m.prof.Insts[pc].Stalls[wp.reason] += cycles
}

// profileIssue notes that a warp issues its next instruction.
func (m *machine) profileIssue(w *simt.Warp) {
	in := &m.prof.Insts[w.PC]
	in.Issues++
	in.Lanes += uint64(bits.OnesCount32(w.Mask))
}

// profileRequest notes what an instruction asks of the load-store unit.
func (m *machine) profileRequest(e *lsuEntry) {
	op := &m.ops.items[e.op]
	in := &m.prof.Insts[op.pc]
	in.Requests += uint64(e.n)
	for i := range e.lines[:e.n] {
		r := &e.lines[i]
		in.Sectors += uint64(bits.OnesCount8(r.sectors))
		if e.kind < packAtomic {
			continue
		}
		groups := onWords(r.lanes, &op.off)
		for _, n := range &groups {
			if n > 0 {
				m.prof.GlobalDegree(op.pc, int(n))
			}
		}
	}
}

// onWords counts lanes by the word of their line that they are on.
func onWords(lanes uint32, off *[simt.Lanes]uint8) (n [lineBytes / 4]uint8) {
	for l := lanes; l != 0; l &= l - 1 {
		n[off[bits.TrailingZeros32(l)&31]/4]++
	}
	return n
}

// profileAtomic notes the lanes of an atomic that an L2 slice's unit serves
// from tick start on, for step each.
func (m *machine) profileAtomic(pk *packet, start, step tick) {
	op := &m.ops.items[pk.op]
	a, base := m.run.grid.Mem.Lookup(pk.line)
	to := profile.Target{Space: ir.Global, Name: a.Name, ElemSize: a.Elem.Bytes(), ID: a.ID}
	groups := onWords(pk.lanes, &op.off)
	for word, n := range &groups {
		if n > 0 {
			m.prof.GlobalAtomics(op.pc, to, base+4*word, int(n), uint64(at(m.now)), uint64(start), uint64(step))
		}
	}
}

// profilePasses notes an access to shared memory that takes ways passes.
func (m *machine) profilePasses(pc int32, ways, least int) {
	in := &m.prof.Insts[pc]
	in.Passes += uint64(ways)
	in.Conflicts += uint64(max(ways-least, 0))
	in.Ways[min(ways, profile.MaxWays)]++
}

// profileShared notes the lanes of an atomic on shared memory, whose addresses
// are in m.addrs and which the pipe serves from tick start on, for step each
// where they are on one address.
func (m *machine) profileShared(wp *warp, mask uint32, start, step tick) {
	pc, most := wp.w.PC, 0
	for l := mask; l != 0; {
		a := m.addrs[bits.TrailingZeros32(l)&31]
		n := 0
		for k := l; k != 0; k &= k - 1 {
			i := bits.TrailingZeros32(k) & 31
			if m.addrs[i] == a {
				n++
				l &^= 1 << i
			}
		}
		most = max(most, n)
		off := a &^ ir.SharedWindow
		to, delta := sharedTarget(m.run.grid.Prog, int(off))
		m.prof.SharedAtomics(pc, int(wp.block.id), to, off, delta, n, uint64(at(m.now)), uint64(start), uint64(step))
	}
	in := &m.prof.Insts[pc]
	in.Degree = max(in.Degree, uint32(most))
	in.Ways[most]++
}

// sharedTarget is the variable that holds a byte of shared memory, and the
// bytes before it there.
func sharedTarget(p *ir.Program, off int) (to profile.Target, delta int) {
	for i := range p.Shared {
		if v := &p.Shared[i]; off >= v.Off && off < v.Off+v.Size {
			return profile.Target{Space: ir.Shared, Name: v.Name, ElemSize: max(v.ElemSize, 1)}, off - v.Off
		}
	}
	return profile.Target{Space: ir.Shared, Name: "dynamic", ElemSize: 4}, off
}

// observeBegin tells profile and trace of the launch that is on the machine.
func (d *Device) observeBegin() {
	m := d.m
	if m.prof != nil {
		m.profileBegin()
	}
	if m.trace != nil {
		g := m.run.grid
		m.trace.Begin(g.Kernel.Name, g.Blocks, g.Threads, d.seconds+d.cfg.Launch.Kernel*1e-6, m.now, 1/(d.cfg.Clock.SM*1e6))
		m.sampleAt = m.now
	}
}

// observeEnd tells them that it has ended after some cycles.
func (d *Device) observeEnd(cycles uint64) {
	m := d.m
	if m.prof != nil {
		m.prof.End(cycles)
	}
	if m.trace != nil {
		m.sample()
		m.trace.End(m.now)
		m.sampleAt = never
	}
}

// observeCopy tells the trace of a copy that has just been accounted.
func (d *Device) observeCopy(b device.Buffer, toHost bool) {
	if t := d.opts.Trace; t != nil {
		took := d.cfg.Copy.Latency*1e-6 + float64(b.Bytes())/(d.cfg.Copy.Rate*1e9)
		t.Copy(b.Name, toHost, b.Bytes(), d.seconds-took, d.seconds)
	}
}

// traceBlock notes a block that leaves its SM.
func (m *machine) traceBlock(b *block) {
	slot := 0
	for i, c := range b.sm.blocks {
		if c == b {
			slot = i
		}
	}
	m.trace.BlockEnded(b.ID, int(b.sm.id), slot, b.began, m.now)
}

// sample takes a sample for the trace, and decides when the next one is due.
func (m *machine) sample() {
	s := profile.Sample{
		Instructions: m.stats.insts, L2Sectors: m.l2.stats.hits + m.l2.stats.misses, DRAMBytes: m.dram.read + m.dram.written,
	}
	for i := range m.sms {
		p := &m.sms[i]
		s.Warps += p.warps
		s.LSUQueue += p.lsu.n
		if p.resident > 0 {
			s.Busy++
		}
	}
	now := at(m.now)
	var port, atomics tick
	for i := range m.l2.slices {
		sl := &m.l2.slices[i]
		port = max(port, sl.port-min(sl.port, now))
		atomics = max(atomics, sl.atomic.free-min(sl.atomic.free, now))
	}
	s.L2Queue = float64(port) / float64(max(m.l2.sector, 1))
	s.AtomicQueue = float64(atomics) / float64(max(m.l2.slices[0].atomic.step, 1))
	var bus tick
	for i := range m.dram.channels {
		c := &m.dram.channels[i]
		bus += c.bus - min(c.bus, now)
	}
	s.DRAMQueue = float64(bus) / ticksPerCycle / float64(len(m.dram.channels))
	m.sampleAt = m.trace.Sampled(m.now, s)
}
