package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Limits of the instruction scheduler.
const (
	// window is the number of instructions that are scheduled together. It
	// bounds the time for long straight-line blocks.
	window = 192
	// moreLive is how many more 32-bit registers a block may need than in its
	// original order.
	moreLive = 16
	// freeLive is the pressure up to which registers cost nothing: with the 32
	// registers per thread that estimateRegs returns for it, all warps fit on
	// an SM. Above it, a block may only use as many registers as another block
	// needs anyway.
	freeLive = 18
	// loopLive is how many more a block of a loop may need above that if it
	// gathers from global memory: the loads of four iterations, or of one after
	// the other, are worth their registers also where these take a warp from an
	// SM. ptxas 13.0 for sm_90 decides so in kernels of 44 registers.
	loopLive = 12
	// loopPreds is the corresponding number of predicates. Without it, a loop in a kernel that holds many predicates across
	// the loop would keep its order of one load after the other, which no GPU does: ptxas keeps such predicates in registers.
	loopPreds = 4
	// freePreds is the corresponding limit for predicates; the hardware has
	// seven.
	freePreds = 6
	// farthest and nearest bound how far ahead of the oldest instruction that has not been issued another one may be, where
	// registers do not allow any order: a half of each after the other, until they do.
	farthest, nearest = 96, 12
)

// latency is the approximate number of cycles until a result is available, by
// class. Only the proportions matter.
var latency = [ir.NumClasses]int32{
	ir.ClassALU: 4, ir.ClassIMAD: 5, ir.ClassFP32: 4, ir.ClassFP64: 8, ir.ClassSFU: 18, ir.ClassDiv: 60,
	ir.ClassLSU: 300, ir.ClassWarp: 24, ir.ClassShuffle: 24, ir.ClassControl: 1, ir.ClassSpecial: 16, ir.ClassTensor: 25,
}

// sharedLatency is the latency of loads and atomics in shared memory.
const sharedLatency = 30

// schedule orders the instructions of each block for a machine that issues in
// order and stalls at the first use of a result that is not available yet: it
// issues long-latency instructions early and their uses late. It changes a
// region only if that saves cycles and the registers suffice.
func schedule(c *context) {
	machine := newMachine(c.f)
	count := len(machine.regs)
	s := &scheduler{
		m: machine, roots: findRoots(c.f), real: make([]bool, c.f.NumValues()), pos: make([]int32, c.f.NumValues()), next: make([]int32, c.f.NumValues()),
		left: make([]int32, count), live: newLiveSet(count), after: newLiveSet(count),
	}
	for i := range s.pos {
		s.pos[i], s.next[i] = -1, -1
	}
	for _, block := range machine.blocks {
		for i, arg := range block.args {
			s.next[arg.ID] = machine.reg[block.phisOf.phis[i].ID]
		}
		for _, v := range block.ins {
			s.real[v.ID] = true
		}
	}
	out := machine.liveOut()
	if out == nil {
		return // Program reports that the kernel is too large
	}
	// First the pressure of all blocks as they are: the register count of a
	// kernel is that of its worst block, so that the others may use as many for
	// nothing.
	peaks := make([]pressure, len(c.f.Blocks))
	var most pressure
	for i, b := range c.f.Blocks {
		s.enter(machine.blocks[i], out[i])
		peaks[i] = s.retreat(b.Ins)
		most = most.max(peaks[i])
	}
	c.f.Dominate()
	loops := c.f.Loops()
	inLoop := func(b *ir.Block) bool {
		return slices.ContainsFunc(loops, func(l *ir.Loop) bool { return l.Has(b) })
	}
	for i, block := range c.f.Blocks {
		s.limit = pressure{max(most.rows, min(peaks[i].rows+moreLive, freeLive)), max(most.preds, freePreds)}
		if inLoop(block) && gathers(c.f, block.Ins) {
			s.limit = s.limit.max(pressure{peaks[i].rows + loopLive, peaks[i].preds + loopPreds})
		}
		s.enter(machine.blocks[i], out[i])
		s.block(block.Ins)
	}
}

// gathers reports whether instructions load from what may be global memory, on which a warp waits longest, and nothing keeps these loads
// from moving.
func gathers(fn *ir.Func, ins []*ir.Value) (loads bool) {
	for _, v := range ins {
		if ir.Ops[v.Op].Fixed {
			return false
		}
		loads = loads || v.Op == ir.OpLoad && (v.Mem.Space == ir.Global || v.Mem.Space == ir.Generic) && !fromConstantBank(fn, v)
	}
	return loads
}

// pressure is the number of 32-bit registers and predicates that are live at
// the same time.
type pressure struct{ rows, preds int }

func (p pressure) max(q pressure) pressure {
	return pressure{max(p.rows, q.rows), max(p.preds, q.preds)}
}

func (p pressure) within(q pressure) bool { return p.rows <= q.rows && p.preds <= q.preds }

// plus returns p with one more virtual register, or with n = -1 one less.
func (s *scheduler) plus(p pressure, reg int32, n int) pressure {
	if s.m.regs[reg] == ir.Pred {
		p.preds += n
	}
	p.rows += n * s.m.rows[reg]
	return p
}

// scheduler is the state shared by the blocks of one kernel.
type scheduler struct {
	m     *machine
	roots *roots
	real  []bool   // by value: becomes an instruction; others only rename a value or are part of one
	pos   []int32  // by value: its node in the region, or -1
	next  []int32  // by value: register of a phi that takes it, or -1
	left  []int32  // by register: remaining reads in the region
	live  *liveSet // registers live at the current point of the backward walk
	after *liveSet // registers live after the region
	now   pressure
	limit pressure

	nodes []node
	edges []edge
	order []int32
	memos []int32 // nodes that must be ordered with respect to memory
	ready []int32
	d     []int32
}

// enter moves the walk to the end of b.
func (s *scheduler) enter(b *mblock, out []int32) {
	s.live.set(out)
	s.m.atEnd(b, s.live)
	s.now = pressure{}
	for _, r := range s.live.list {
		s.now = s.plus(s.now, r, 1)
	}
}

// retreat walks backwards over ins and returns the peak pressure on the way.
func (s *scheduler) retreat(ins []*ir.Value) pressure {
	peak := s.now
	start := func(reg int32) {
		if s.live.add(reg) {
			s.now = s.plus(s.now, reg, 1)
		}
	}
	for i := len(ins) - 1; i >= 0; i-- {
		value := ins[i]
		if !s.real[value.ID] {
			continue
		}
		s.d = s.m.defs(value, s.d[:0])
		for _, reg := range s.d {
			start(reg)
		}
		peak = peak.max(s.now)
		for _, reg := range s.d {
			s.live.remove(reg)
			s.now = s.plus(s.now, reg, -1)
		}
		s.m.uses(value, start)
		peak = peak.max(s.now)
	}
	return peak
}

// block schedules the regions between fixed instructions, last region first.
func (s *scheduler) block(ins []*ir.Value) {
	for end := len(ins); end > 0; {
		// A barrier, a fence, a clock: it stays, and nothing crosses it.
		if ir.Ops[ins[end-1].Op].Fixed {
			s.retreat(ins[end-1 : end])
			end--
			continue
		}
		from := end - 1
		for from > 0 && end-from < window && !ir.Ops[ins[from-1].Op].Fixed {
			from--
		}
		s.region(ins[from:end])
		end = from
	}
}

// region schedules one region, in place.
func (s *scheduler) region(ins []*ir.Value) {
	s.after.set(s.live.list)
	peak := s.retreat(ins)
	// Two instructions have one order if one depends on the other, and else
	// nothing to hide.
	if len(ins) < 3 {
		return
	}
	s.graph(ins)
	before := s.now
	old := s.time()
	// An order that is no worse than the source's is always allowed.
	limit := s.limit.max(peak)
	start := s.now
	got, most := s.list(limit, len(ins))
	// Without a bound, the beginnings of many independent chains come first, and more values are alive than registers: then fewer
	// chains are interleaved.
	for reach := farthest; reach >= nearest && !most.within(limit); reach /= 2 {
		s.now = start
		got, most = s.list(limit, reach)
	}
	// list has moved the pressure to the end of the region; the walk goes on at
	// its start.
	s.now = before
	for _, v := range ins {
		// Values of other regions must have no node.
		s.pos[v.ID] = -1
	}
	if got >= old || !most.within(limit) {
		return
	}
	for i, node := range s.order {
		ins[i] = s.nodes[node].v
	}
}
