package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/sim/internal/sample"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// stretches are what is not simulated of a launch whose blocks are all on the machine, such as one of threads that stride over
// the data. Between two windows that are measured, no warp issues until nothing is in flight; then all warps execute a stretch of
// their instructions functionally, one turn after the other, and the machine goes on with what they have come to. What a stretch
// would have taken follows from the windows, by its instructions; so does what the machine would have taken instead of the time
// in which it was emptied and filled again.
type stretches struct {
	s       *sampling
	phase   phase
	began   uint64   // cycle in which the phase began
	fill    uint64   // for how long the machine fills
	from    counters // at the beginning of the window, or of emptying
	fromAt  uint64   // the cycle of that
	stratum sample.Stratum
	window  window    // the last one, which the stratum does not know yet
	between float64   // instructions between it and the one that is being measured
	pace    float64   // cycles for an instruction, in the windows
	length  float64   // of the next stretch, in warp instructions
	last    float64   // of the last one, which the stratum does not know yet
	work    float64   // of all
	spent   []float64 // counted while the machine was emptied and filled
	warps   int       // that were there when the first window was measured
	waiting bool      // warps wait for each other, or their lanes do
	blocks  []function.Paused
}

// window is what was measured in one.
type window struct {
	work   float64   // warp instructions
	x      []float64 // counters; nil for no window
	before float64   // instructions that were not measured since the window before
}

// stands gives the last window to the stratum. Stretches are the longer the later they are, so that windows stand for different
// amounts of work: each for half of what was not measured before it, and half of what was not measured after it.
func (p *stretches) stands() {
	w := &p.window
	if w.x != nil {
		p.stratum.Measured(sample.Size{Work: w.work}, max((w.before+p.between)/2/w.work, leastWeight), w.x)
	}
	*w = window{before: p.between}
	p.between = 0
}

// leastWeight is that of a window between others: it stands for nothing but itself, and shows how windows differ.
const leastWeight = 0.1

// phase is what a launch that is simulated in part is doing.
type phase uint8

const (
	filling   phase = iota // the machine gets as full as it will be, or as it was before a stretch
	measuring              // a window
	emptying               // no warp issues
	whole                  // the rest is simulated
)

// Times in cycles: of a window, and the least until one is measured after a stretch, in which what the stretch has disturbed is
// over. An answer from device memory takes about 800 on all presets. The time until a window is random, up to twice this: all
// warps go on together after a stretch, so that what they do has a period at first, and windows must not begin at one place of it.
const (
	windowCycles = 1536
	fillCycles   = 1536
)

// A stretch is a part of what the launch has executed so far, so that a launch of any length has a window in each part of it, and
// a long one has few: so many times the bound, and at most as much as all before. It is as long as this many windows at least. A
// short launch has none: its begin and its end, which are unlike the rest, are much of it, and the time until warps are out of step.
const (
	stretchPerBound = 15
	stretchWindows  = 2
	firstWindows    = 8 // before the first stretch
)

// Errors of the time of a stretch that windows do not show: the warp that ends last may have been faster or slower than others. In
// PageRank on an R-MAT graph, what warps had executed when the first stretch began differed by 17% (one standard deviation), and 16%
// of the time of stretches was missing at the end of a launch, of which a tenth of the warps took two thirds of the time.
const (
	stretchError = 0.03
	tailError    = 0.15
	tailPart     = 0.2 // of a launch, after the last window
)

// mostPace is how many times as fast as in the mean a warp executes a stretch at most.
const mostPace = 2

// minWarps is the part of the warps of the first window that must be left: fewer take another time for the same work.
const minWarps = 0.9

// newStretches prepares a launch; nil if it has to be simulated whole.
func newStretches(s *sampling, j *job) *stretches {
	m := s.d.m
	if m.hooks != nil || m.dispatcher.policy != nil || j.order != nil || j.grid.Cluster != 1 || j.clusters || !j.stretchable(m.its) {
		return nil
	}
	return &stretches{s: s, fill: fillCycles, spent: make([]float64, len(m.stats.Words()))}
}

// stretchable reports whether a program can change from one executor to the other between two instructions. At barriers, the
// functional one lets lanes go on by themselves, as machines with independent thread scheduling (its) do.
func (j *job) stretchable(its bool) bool {
	for i := range j.grid.Prog.Code {
		in := &j.grid.Prog.Code[i]
		switch in.Op.Action() {
		case ir.ActCopy, ir.ActBulk, ir.ActCopies, ir.ActNamed, ir.ActCluster, ir.ActClock, ir.ActSums:
			return false
		case ir.ActBarrier:
			if !its {
				return false
			}
		}
		if in.Op.IsMBarrierWait() {
			return false
		}
	}
	return true
}

// step is called between two cycles.
func (p *stretches) step(m *machine) {
	if m.run.over {
		return
	}
	switch p.phase {
	case filling:
		if m.run.next == m.run.grid.Blocks && m.now-p.began >= p.fill {
			p.filled(m)
			if p.begin(m, measuring); p.waiting {
				p.phase = whole
			}
		}
	case measuring:
		if m.now-p.began >= windowCycles {
			p.measured(m)
		}
	case emptying:
		if _, more := m.wheel.Next(); !more {
			p.leap(m)
		}
	}
}

func (p *stretches) begin(m *machine, next phase) {
	p.phase, p.from, p.fromAt, p.began = next, m.snapshot(), m.now, m.now
}

// filled accounts for the time in which the machine was emptied and filled again.
func (p *stretches) filled(m *machine) {
	if p.last == 0 {
		return
	}
	now := m.snapshot()
	counted := vector(&now, &p.from)
	counted[cyclesAt] = float64(m.now - p.fromAt)
	for i, v := range counted {
		p.spent[i] += v
	}
	p.between = p.last + counted[instsAt]
	p.stratum.Skipped(sample.Size{Work: p.between})
	p.last = 0
}

// measured ends a window, and decides whether a stretch follows.
func (p *stretches) measured(m *machine) {
	now := m.snapshot()
	counted := vector(&now, &p.from)
	counted[cyclesAt] = float64(m.now - p.fromAt)
	work := counted[instsAt]
	warps, apart := 0, false
	for i := range m.sms {
		warps, apart = warps+m.sms[i].warps, apart || m.sms[i].split
	}
	if p.warps == 0 {
		p.warps = warps
	}
	// With less than a warp for each sub-core, the time is that of the longest warp, of which windows show nothing, and there is little to
	// simulate.
	if p.warps < len(m.subs) {
		p.phase, p.began = whole, m.now
		return
	}
	// Where lanes that have come to a barrier by themselves go on together is another place on the functional executor.
	if work == 0 || float64(warps) < minWarps*float64(p.warps) || apart {
		p.phase, p.began = whole, m.now
		return
	}
	p.stands()
	p.window.work, p.window.x = work, counted
	p.pace += (counted[cyclesAt]/work - p.pace) / float64(p.stratum.Count()+1)
	done := float64(now.Insts-p.s.d.before.Insts) + p.work
	least := stretchWindows * p.stratum.Mean().Work
	if p.stratum.Count() < firstWindows-1 {
		p.begin(m, measuring)
		return
	}
	for p.length = min(1, stretchPerBound*p.s.bound) * done; p.length >= least; p.length /= 2 {
		if p.affords(m, p.length+work) {
			p.begin(m, emptying)
			m.together()
			m.held = true
			return
		}
	}
	p.begin(m, measuring)
}

// affords reports whether the bound still holds if so many instructions are not simulated.
func (p *stretches) affords(m *machine, work float64) bool {
	s := p.s
	half, cycles := p.stratum.With(sample.Size{Work: work}, cyclesAt)
	left := p.left()
	total := float64(m.stats.Cycles) + float64(m.now-m.run.start) + left + cycles
	model := modelError*s.guessed + s.beside + stretchError*(left+cycles)
	return s.squares+half*half+model*model <= reserve*reserve*s.bound*s.bound*total*total
}

// left returns the cycles of what was not simulated so far, by the mean of all windows.
func (p *stretches) left() float64 {
	return max(0, p.pace*p.stratum.LeftSize.Work-p.spent[cyclesAt])
}

// leap executes a stretch functionally, when nothing is in flight.
func (p *stretches) leap(m *machine) {
	m.held = false
	p.phase = filling
	p.blocks = p.blocks[:0]
	paces := m.paces()
	var resident []*block
	for _, b := range m.dispatcher.slots {
		if b.running == 0 || b.job != &m.run.job {
			continue
		}
		paused := function.Paused{Block: &b.Block, Warps: make([]function.PausedWarp, len(b.Block.Warps))}
		for i, wp := range b.warps {
			if wp.block != b || wp.state == warpFree {
				continue
			}
			if len(wp.w.Parts) > 0 { // see measured
				p.phase = whole
				m.windows.again()
				return
			}
			paused.Warps[i] = function.PausedWarp{AtBarrier: wp.state == warpBarrier, Pace: paces[b.sm.id]}
		}
		resident, p.blocks = append(resident, b), append(p.blocks, paused)
	}
	done, err := p.s.exec.Advance(p.s.d.comp.ctx, m.run.grid, p.blocks, function.Stretch{
		Work: uint64(p.length), Ends: max(1, int((1-minWarps)*float64(p.warps))), Weight: m.run.weight, Touch: m.touch,
	})
	if err != nil {
		m.fail(err)
		return
	}
	p.last += float64(done.Work)
	p.work += float64(done.Work)
	for i := range m.sms {
		m.sms[i].l1.refresh()
	}
	for i, b := range resident {
		m.resume(b, p.blocks[i].Warps)
	}
	m.share()
	m.progress()
	m.windows.again()
	p.fill = fillCycles + uint64(p.s.random.IntN(fillCycles))
	p.began = m.now // of filling; the counters are those of emptying, so that both are accounted for together
	p.waiting = p.waiting || done.Idles || done.Split
}

// paces returns for each SM how fast its warps have been in what was simulated of the launch, relative to all. Some SMs come later
// to the end, since they have farther to the L2. If all got on by equal parts, they would end together. Warps of one SM differ by
// what they work on just now, which says nothing of a stretch.
func (m *machine) paces() []float64 {
	all, warps := 0.0, 0
	for i := range m.sms {
		all, warps = all+float64(m.sms[i].stats.Insts), warps+m.sms[i].warps
	}
	paces := make([]float64, len(m.sms))
	for i := range paces {
		unit := &m.sms[i]
		paces[i] = min(max(float64(unit.stats.Insts)*float64(warps)/(float64(max(unit.warps, 1))*all), 1/mostPace), mostPace)
	}
	return paces
}

// resume lets the warps of a block go on from where they stand.
func (m *machine) resume(b *block, to []function.PausedWarp) {
	unit, code := b.sm, b.job.code
	b.live, b.arrived, b.mixed, b.opening = 0, 0, false, false
	come := func(pc int32, lanes uint32) {
		if op := code[pc].in.Op; b.arrived == 0 {
			b.kind = op
		} else {
			b.mixed = b.mixed || b.kind != op
		}
		b.arrived += bits.OnesCount32(lanes)
	}
	for i, w := range b.Block.Warps {
		b.live += bits.OnesCount32(w.Live())
		if to[i].AtBarrier {
			come(w.PC, w.Mask)
		}
		for _, part := range w.Parts {
			if part.Wait == simt.AtBar {
				come(part.PC, part.Mask)
			}
		}
	}
	for i, wp := range b.warps {
		if wp.block != b || wp.state == warpFree {
			continue
		}
		wp.insts += to[i].Work
		if to[i].Work > 0 { // the instruction for which it had waited is done
			wp.drained, wp.awaits, wp.spin = false, false, spin{pc: -1}
		}
		w := wp.w
		switch {
		case w.Done():
			if wp.state != warpDraining {
				unit.release(wp, m.now+1)
			}
		case to[i].AtBarrier:
			wp.stand(warpBarrier, counter.StallBarrier)
		case w.Mask != 0:
			if to[i].Work > 0 || wp.state != warpReady {
				unit.release(wp, m.now+1)
			}
		default: // all its lanes are parts, of which none can go on
			state, why := warpParted, counter.StallBranch
			for _, part := range w.Parts {
				if part.Wait == simt.AtBar {
					state, why = warpBarrier, counter.StallBarrier
				}
			}
			wp.stand(state, why)
		}
	}
	unit.barrier.try(b)
	for i := range unit.subs {
		unit.subs[i].rouse()
	}
}

// stand makes a warp wait in a state, if it does not already.
func (wp *warp) stand(state warpState, why counter.Stall) {
	if wp.state != state {
		wp.sub.sm.pause(wp, state, why)
	}
}

// refresh gives the lines the bytes that memory has now. A thread of the SM may have stored to them.
func (c *l1) refresh() {
	if c.Sets() == 0 || !c.filled {
		return
	}
	c.Each(func(addr uint64, i int) {
		if addr&ir.LocalWindow != 0 {
			return // local memory: only timing
		}
		if a, off := c.run.grid.Mem.Lookup(addr); a != nil {
			copy(c.Data[i][:], a.Data[off:])
		}
	})
}

func (p *stretches) skipped() bool { return p.work > 0 }

// longest returns 0: a block counts the instructions that its warps have executed in stretches.
func (p *stretches) longest() float64 { return 0 }

func (p *stretches) waits() bool { return p.waiting }

func (p *stretches) known() *sample.Stratum { return &p.stratum }

// settle adds to the counters what the stretches would have counted, and returns by how many cycles the launch is longer.
func (p *stretches) settle(m *machine, port, unit timing.Tick) (cycles uint64) {
	p.filled(m)
	p.stands()
	if !p.skipped() {
		return 0
	}
	counted := make([]float64, len(m.stats.Words()))
	p.stratum.Estimate(p.stratum.Left, p.stratum.LeftSize, counted)
	for i, v := range p.spent {
		counted[i] = max(0, counted[i]-v)
	}
	// The busiest port and unit are those of the launch so far.
	detailed := float64(m.snapshot().Insts - p.s.d.before.Insts)
	m.stats.Busy.L2Most += uint64(float64(port) * p.work / detailed)
	m.stats.Busy.AtomicsMost += uint64(float64(unit) * p.work / detailed)
	p.s.add(m, counted, p.work, 0, 0)
	// The end of a launch in which few warps are left for long is that of one of them.
	off := stretchError
	if p.phase == whole && float64(m.now-p.began) > tailPart*float64(m.now-m.run.start) {
		off = tailError
	}
	p.s.beside += off * counted[cyclesAt]
	return uint64(counted[cyclesAt])
}
