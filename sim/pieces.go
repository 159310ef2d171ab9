package sim

import (
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/sim/internal/sample"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// pieces are the blocks of a launch that are not simulated. When the machine is full and has been for a while, a window is
// measured; then the next piece of the grid is executed functionally at once, and the blocks after it take the places of those
// before it, so that the machine stays full. What a piece would have taken follows from the windows. A block that was placed
// before a piece goes on beside it, so its end does not move; one that is placed after it ends later by the time of the piece.
type pieces struct {
	s       *sampling
	full    int      // blocks that are resident at once
	at      int      // block whose placement is the next step
	open    bool     // a window is being measured
	from    counters // at the beginning of the window
	began   uint64   // its cycle
	stratum sample.Stratum
	list    []piece
	ends    []uint64       // by the number of pieces before their placement: when the last of these blocks ended, in cycles of the launch
	part    *function.Part // whose blocks wait for others; nil for none
	waiting bool           // there was such a part
	over    bool           // no more pieces
}

// piece is a part of the grid that is not simulated.
type piece struct {
	blocks  int
	work    float64
	longest float64 // warp
	at      uint64  // cycle of the launch
}

// A launch is simulated in part if its grid is at least so many times what fits. Lengths in eighths of that: until
// the machine is as full as it will be, until what a piece has disturbed is over, of a window, and of the end.
const (
	minFull  = 8
	fill     = 12
	settling = 4
	measure  = 6
	tail     = 8
)

// minWindows is how many windows of a launch are measured.
const minWindows = 8

func newPieces(s *sampling, j *job) *pieces {
	p := &pieces{s: s, full: j.occ.BlocksPerSM * j.occ.SMs, ends: make([]uint64, 1)}
	p.at = p.length(fill)
	return p
}

// length returns a number of blocks.
func (p *pieces) length(eighths int) int { return max(1, p.full*eighths/8) }

// step is called when the block p.at is to be placed.
func (p *pieces) step(d *dispatcher, job *job) {
	m := p.s.d.m
	if !p.open {
		p.open, p.from, p.began = true, m.snapshot(), m.now
		p.at += p.length(measure)
		return
	}
	p.open = false
	now := m.snapshot()
	counted := vector(&now, &p.from)
	counted[cyclesAt] = float64(m.now - p.began)
	p.stratum.Measured(sample.Size{Work: float64(now.Insts - p.from.Insts)}, 1, counted)
	// What is left, without the end of the launch, in equal parts between the windows that are still wanted.
	rest := job.grid.Blocks - p.at - p.length(tail)
	measured, wanted := p.stratum.Count(), minWindows
	if measured >= minWindows/2 { // the width falls with the root of their number
		wider := p.width() / p.s.bound
		wanted = max(wanted, int(float64(measured)*wider*wider)+1)
	}
	left := max(0, wanted-measured)
	blocks := rest/(left+1) - p.length(settling+measure)
	if left == 0 {
		blocks = rest - p.length(settling)
	}
	if blocks >= p.full {
		if !p.leaveOut(d, job, blocks) {
			return
		}
	}
	p.at = job.next + p.length(settling)
	if p.over = p.over || left == 0 || p.at+p.length(measure) > job.grid.Blocks; p.over {
		p.at = -1
	}
}

// width returns half of the interval's width of the cycles of a long piece, relative to them.
func (p *pieces) width() float64 {
	mean := p.stratum.Mean()
	long := sample.Size{Work: mean.Work * (1 << 20)}
	half, piece := p.stratum.Alone(long, cyclesAt)
	return half / piece
}

// leaveOut executes the next blocks functionally.
func (p *pieces) leaveOut(d *dispatcher, job *job, blocks int) bool {
	part, err := p.s.exec.Part(job.grid, job.next, job.next+blocks, p.full, job.weight)
	if err != nil {
		d.fail(err)
		return false
	}
	part.Touch(p.s.d.m.touch)
	p.list = append(p.list, piece{at: d.now - d.run.start, blocks: blocks})
	p.ends = append(p.ends, 0)
	job.next += blocks
	p.part = part
	p.resume(d)
	// Blocks that wait for others spend work that depends on time, which says nothing about the rest.
	p.waiting = p.part != nil
	p.over = p.over || p.waiting
	return !d.run.over
}

// resume goes on with a piece whose blocks wait for others, and reports whether these blocks have got on.
func (p *pieces) resume(d *dispatcher) (any bool) {
	part := p.part
	if part == nil || d.run.over {
		return false
	}
	// Blocks that were placed before the piece may have written what its blocks wait for since the last time.
	before, _ := part.Work()
	done, err := part.Go(p.s.d.comp.ctx)
	if err != nil {
		d.fail(err)
		return true
	}
	work, longest := part.Work()
	d.share()
	d.progress()
	if !done {
		return work > before
	}
	job := &d.run.job
	last := &p.list[len(p.list)-1]
	last.work, last.longest = float64(work), float64(longest)
	p.stratum.Skipped(sample.Size{Work: last.work})
	p.part = nil
	if job.done += last.blocks; job.done == job.grid.Blocks {
		d.jobDone(job)
	}
	return true
}

// resumed lets the blocks get on that are not simulated and wait for others, before anybody concludes that all wait for ever. It
// reports whether they have.
func (m *machine) resumed() bool {
	p := m.run.pieces
	return p != nil && p.resume(&m.dispatcher)
}

// ended notes the end of a block.
func (p *pieces) ended(b *block, now uint64) { p.ends[b.pieces] = now - b.job.put }

func (p *pieces) skipped() bool { return len(p.list) > 0 }

func (p *pieces) waits() bool { return p.waiting }

func (p *pieces) known() *sample.Stratum { return &p.stratum }

// longest returns the number of instructions of the longest warp that was not simulated.
func (p *pieces) longest() float64 {
	most := 0.0
	for _, piece := range p.list {
		most = max(most, piece.longest)
	}
	return most
}

// settle adds to the counters what the pieces would have counted, and returns by how many cycles the launch is longer.
func (p *pieces) settle(m *machine, port, unit timing.Tick) (cycles uint64) {
	if len(p.list) == 0 {
		return 0
	}
	work, blocks := 0.0, 0
	for _, piece := range p.list {
		work, blocks = work+piece.work, blocks+piece.blocks
	}
	counted := make([]float64, len(m.stats.Words()))
	p.stratum.Estimate(len(p.list), sample.Size{Work: work}, counted)
	perWork := counted[cyclesAt] / work
	pace := 0.0 // cycles of a warp for one of its instructions
	if insts := counted[instsAt]; insts > 0 {
		pace = counted[warpCyclesAt] / insts
	}
	// The busiest port and unit are those of the launch so far.
	detailed := float64(m.snapshot().Insts - p.s.d.before.Insts)
	m.stats.Busy.L2Most += uint64(float64(port) * work / detailed)
	m.stats.Busy.AtomicsMost += uint64(float64(unit) * work / detailed)
	p.s.add(m, counted, work, blocks, m.run.grid.Warps)
	// A piece moves all that was placed after it by its time. The launch ends with the block that ends last then, or with the
	// longest warp of a piece, which begins half of the piece's time after it on average.
	shift, end, last := 0.0, float64(p.ends[0]), p.ends[0]
	for number, piece := range p.list {
		end = max(end, float64(piece.at)+shift+piece.work*perWork/2+piece.longest*pace)
		shift += piece.work * perWork
		end = max(end, float64(p.ends[number+1])+shift)
		last = max(last, p.ends[number+1])
	}
	return uint64(max(0, end-float64(last)))
}
