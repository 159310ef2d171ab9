package sim

import (
	"context"
	"fmt"
	"hash"
	"hash/fnv"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/sample"
)

// sampling simulates a part of the launches and blocks, and executes the others functionally, on the same memory: their values
// are as exact as those of the simulated ones, and their cycles and counters are estimated. Launches of one kernel and shape with
// similar amounts of work are a stratum (see package sample); of a launch with many more blocks than fit, windows are simulated
// (see pieces).
type sampling struct {
	bound   float64
	d       *Device
	exec    *function.Device
	classes map[class]*likes
	// deviations of the launches of which a part of the blocks was simulated.
	deviations sample.Deviations
	squares    float64 // of half of the widths of the intervals of the cycles, in sum
	guessed    float64 // cycles of launches that were left out
	beside     float64 // cycles by which stretches may be off that no window shows
	left       uint64  // warp instructions that were not simulated
	random     *rand.Rand
	choice     hash.Hash64 // of what was done with each launch
	facts      Sampled
}

// Sampled says how much of a run was simulated, and how far off the rest may be.
type Sampled struct {
	Bound  float64 `json:"bound"`         // that was asked for, relative to the time of the kernels
	Error  float64 `json:"error"`         // half of the width of the interval of that time, relative to it
	Whole  int     `json:"whole"`         // launches that were simulated whole
	Partly int     `json:"partly"`        // of which some blocks were
	Left   int     `json:"not_simulated"` // launches that were not
	// Corrected are the seconds by which the total differs from the sum of the launches: what is known of those left out at the end
	// differs from what was known when each was.
	Corrected float64 `json:"corrected_seconds"`
	Detailed  uint64  `json:"detailed_insts"` // warp instructions that were simulated
	Insts     uint64  `json:"insts"`          // all
	// Choice tells apart which launches were simulated, whole or in part: runs with equal ones, such as of machines that differ in a
	// parameter, left out the same launches.
	Choice string `json:"choice"`
	// Intervals are half of the width of the interval of each counter, by name.
	Intervals map[string]float64 `json:"intervals"`
}

// Holds reports whether the error is within the bound.
func (s Sampled) Holds() bool { return s.Error <= s.Bound }

// Share returns which part of the warp instructions was simulated.
func (s Sampled) Share() float64 { return float64(s.Detailed) / float64(max(s.Insts, 1)) }

// String says it in a line.
func (s Sampled) String() string {
	text := fmt.Sprintf("kernel time within %.2g%% (confidence %.0f%%; asked for %.2g%%)", 100*s.Error, 100*sample.Confidence, 100*s.Bound)
	if !s.Holds() {
		text = fmt.Sprintf("kernel time within %.2g%% only (confidence %.0f%%), and not %.2g%% as asked for", 100*s.Error, 100*sample.Confidence, 100*s.Bound)
	}
	text += fmt.Sprintf(": %d of %d launches simulated", s.Whole+s.Partly, s.Whole+s.Partly+s.Left)
	if s.Partly > 0 {
		text += fmt.Sprintf(", %d of them in part", s.Partly)
	}
	return text + fmt.Sprintf(", %.2g%% of the instructions", 100*s.Share())
}

// class is what launches have in common that are compared with each other.
type class struct {
	prog            *ir.Program
	threads, shared int
}

// likes are the launches of a class.
type likes struct {
	sample.Stratum
	// beyond are launches of sizes unlike those measured: of these, what was measured says little.
	beyond []beyond
	least  sample.Size // that was measured
	most   sample.Size
	last   sample.Size // of the last launch
	begun  bool
	waits  bool      // its warps wait for each other: their work depends on time
	since  int       // launches that were left out since the last one that was simulated
	stood  []float64 // what was counted for those left out, in sum
	run    int       // launches that are left out in a row, in the mean
	remain int       // of the run
	half   float64   // half of the interval's width of the cycles that were left out
}

// beyond is a launch beyond the sizes measured, and what was estimated of it.
type beyond []float64

// reach is the factor by which a launch may be smaller or larger than those measured.
const reach = 1.25

// reaches reports whether launches of about this size were measured.
func (l *likes) reaches(size sample.Size) bool {
	return size.Work >= l.least.Work/reach && size.Work <= l.most.Work*reach &&
		size.Chain >= l.least.Chain/reach && size.Chain <= l.most.Chain*reach
}

// within returns the size nearest to one that is as large as one that was measured, and how many times it the size is, if it is
// larger: a line through large launches says that a small one takes less than no time.
func (l *likes) within(size sample.Size) (near sample.Size, times float64) {
	near = sample.Size{Work: min(max(size.Work, l.least.Work), l.most.Work), Chain: min(max(size.Chain, l.least.Chain), l.most.Chain)}
	return near, max(1, size.Work/l.most.Work, size.Chain/max(l.most.Chain, 1))
}

// Launches that are left out in a row, in the mean: few at first, and not too many, since what a host loop does changes.
const (
	shortRun = 8
	longRun  = 32
)

// minMeasured is how many launches of a stratum are simulated before one is left out.
const minMeasured = 2

// minUnequal is how many there must be if their sizes differ: two small launches and a large one say little of one in between.
const minUnequal = 6

// modelError is the error of a launch that was left out, in addition to that which the interval has: launches of a loop change with
// time, which is no matter of size, and those after the last one that was simulated are represented by none. PageRank on a road network
// was off by that, with an interval of a third of it (results/sampling). What is stated is two fifths more: on a grid of TestHeavySample it
// was off by 1.47%, where seven eighths were left out, and a fifth more stated 1.45%.
const (
	modelError  = 0.0125
	statedError = 0.0175
)

// equal reports whether the launches that were measured have one size.
func (l *likes) equal() bool {
	return l.most.Work <= 1.02*l.least.Work && l.most.Chain <= 1.02*l.least.Chain
}

// sliceOf is how many instructions a warp executes before the next one has its turn: so few that warps come to memory in an order
// like that on the machine. With long turns, what atomics return differs so much that later launches have other work.
const sliceOf = 32

// newSampling prepares a device for sampling. The error says which of its options needs every launch to be simulated.
func newSampling(d *Device) (*sampling, error) {
	opts := &d.opts
	for _, excluded := range []struct {
		set  bool
		what string
	}{
		{opts.Races != nil, "looking for races"}, {opts.Profile != nil, "a profile"}, {opts.Trace != nil, "a trace"},
		{opts.Control != nil, "a schedule"}, {opts.Strict, "a strict device"},
	} {
		if excluded.set {
			return nil, fmt.Errorf("%s and sampling exclude each other: with the first, everything is simulated", excluded.what)
		}
	}
	progress := func(p function.Progress) {
		if opts.Progress != nil {
			insts, _ := d.m.steps()
			opts.Progress(Progress{Kernel: p.Kernel, Instructions: insts + d.sampling.left, Blocks: p.Blocks, Grid: p.Grid})
		}
	}
	return &sampling{bound: opts.Sample, choice: fnv.New64a(), d: d, random: rand.New(rand.NewPCG(opts.Seed, 0)), classes: map[class]*likes{}, exec: function.New(function.Options{
		Memory: d.mem, AllowUnwritten: true, Lax: true, Slice: sliceOf, Progress: progress,
		Budget: issuable(d.cfg, opts.Budget),
	})}, nil
}

// issuable returns the most instructions that a machine issues in some cycles: two in each of a sub-core (issue.dual). What is executed
// functionally exceeds a budget of cycles if it has more.
func issuable(c *config.GPU, cycles uint64) uint64 {
	overflow, insts := bits.Mul64(cycles, uint64(2*c.SM.Count*c.SM.SubCores))
	if overflow != 0 {
		return 0 // no limit
	}
	return insts
}

// of returns the launches that are like a job.
func (s *sampling) of(j *job) *likes {
	key := class{j.grid.Prog, j.grid.Threads, j.grid.SharedBytes}
	l := s.classes[key]
	if l == nil {
		l = &likes{Stratum: sample.Stratum{Model: sample.Linear}, run: shortRun}
		s.classes[key] = l
	}
	return l
}

// launch runs a launch of which the host waits for the end, in detail or not.
func (s *sampling) launch(ctx context.Context, j job) (*device.Report, error) {
	l := s.of(&j)
	if j.grid.Launch.Fresh || l.waits {
		s.decided(simulatedWhole, &s.facts.Whole)
		return s.d.execute(ctx, j)
	}
	if l.remain > 0 && s.affords(l) {
		l.remain--
		return s.leaveOut(ctx, j, l)
	}
	return s.simulate(ctx, j, l)
}

// What is done with a launch.
const (
	simulatedWhole  = 'w'
	simulatedPartly = 'p'
	leftOut         = 'l'
)

// decided notes what is done with a launch, of which the count is.
func (s *sampling) decided(what byte, count *int) {
	*count++
	s.choice.Write([]byte{what}) // a hash takes everything
}

// affords reports whether the bound still holds if a launch like the last one of its class is left out.
func (s *sampling) affords(l *likes) bool {
	if n := l.Count(); n < minMeasured || n < minUnequal && !l.equal() || !l.reaches(l.last) {
		return false
	}
	half, cycles := l.With(l.last, cyclesAt)
	total, model := float64(s.d.m.stats.Cycles)+cycles, modelError*(s.guessed+cycles)+s.beside
	return s.squares-l.half*l.half+half*half+model*model <= reserve*reserve*s.bound*s.bound*total*total
}

// reserve is the part of the bound that is used while the run goes on.
const reserve = 0.8

// update accounts for a change of what is known or left out.
func (s *sampling) update(l *likes) {
	now := l.Half(cyclesAt)
	s.squares += now*now - l.half*l.half
	l.half = now
}

// The indices of some counters in a vector.
var (
	cyclesAt     = slices.Index((&counter.Raw{Cycles: 1}).Words(), 1)
	instsAt      = slices.Index((&counter.Raw{Insts: 1}).Words(), 1)
	blocksAt     = slices.Index((&counter.Raw{Blocks: 1}).Words(), 1)
	warpsAt      = slices.Index((&counter.Raw{WarpsLaunched: 1}).Words(), 1)
	launchesAt   = slices.Index((&counter.Raw{Launches: 1}).Words(), 1)
	warpCyclesAt = slices.Index((&counter.Raw{WarpCycles: 1}).Words(), 1)
)

// known are counters that are counted in what is executed functionally as well.
var known = []int{instsAt, blocksAt, warpsAt, launchesAt}

// vector returns the difference of two snapshots.
func vector(now, before *counters) []float64 {
	d := now.Minus(&before.Raw)
	v := make([]float64, len(d.Words()))
	for i, x := range d.Words() {
		v[i] = float64(x)
	}
	return v
}

// simulate simulates a launch, or some of its blocks.
func (s *sampling) simulate(ctx context.Context, j job, l *likes) (*device.Report, error) {
	before := s.d.m.snapshot()
	if s.manyBlocks(&j) {
		j.pieces = newPieces(s, &j)
	} else {
		j.stretches = newStretches(s, &j)
	}
	p := j.partial()
	r, err := s.d.execute(ctx, j)
	after := s.d.m.snapshot()
	longest := float64(s.d.m.dispatcher.longest)
	if p != nil && p.skipped() {
		s.decided(simulatedPartly, &s.facts.Partly)
		l.waits = l.waits || p.waits()
		longest = max(longest, p.longest())
		s.deviations.AddStratum(p.known())
		half := p.known().Half(cyclesAt)
		s.squares += half * half
	} else {
		s.decided(simulatedWhole, &s.facts.Whole)
	}
	if err != nil {
		return r, err
	}
	x := vector(&after, &before)
	size := sample.Size{Work: float64(after.Insts - before.Insts), Chain: longest}
	l.last = size
	if !l.begun { // it found caches without its data
		l.begun = true
		return r, nil
	}
	if l.Count() >= minMeasured {
		half, expected := l.Alone(size, cyclesAt)
		if off := math.Abs(x[cyclesAt] - expected); off > 2*half && off > 2*s.bound*expected {
			l.run = shortRun // something has changed
		} else {
			l.run = min(2*l.run, longRun)
		}
	}
	// A random number: loops have periods, and a fixed number would find the same kind of launch again and again.
	l.remain = 1 + s.random.IntN(2*l.run-1)
	l.measured(size, x)
	s.update(l)
	return r, nil
}

// measured adds a launch that was simulated.
func (l *likes) measured(size sample.Size, x []float64) {
	if l.Count() == 0 {
		l.least, l.most = size, size
	}
	l.least = sample.Size{Work: min(l.least.Work, size.Work), Chain: min(l.least.Chain, size.Chain)}
	l.most = sample.Size{Work: max(l.most.Work, size.Work), Chain: max(l.most.Chain, size.Chain)}
	l.Measured(size, float64(max(l.since, 1)), x)
	l.since = 0
}

// leaveOut executes a launch functionally, and estimates its cycles and counters.
func (s *sampling) leaveOut(ctx context.Context, j job, l *likes) (*device.Report, error) {
	d := s.d
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := d.renew([]job{j}); err != nil {
		return nil, err
	}
	// The host's part of a launch is no estimate: it is known without the kernel.
	d.host.launch(&d.cfg.Launch, []job{j})
	part, err := s.exec.Part(j.grid, 0, j.grid.Blocks, j.occ.BlocksPerSM*j.occ.SMs, j.weight)
	if err != nil {
		return nil, err
	}
	part.Touch(d.m.touch)
	done, err := part.Go(ctx)
	if err == nil && !done {
		// Its blocks wait for what no block of the launch will do: nothing remains to be simulated that could end it.
		l.waits = true
		err = part.Waits()
	}
	if err != nil {
		return nil, err
	}
	work, longest := part.Work()
	size := sample.Size{Work: float64(work), Chain: float64(longest)}
	x := s.estimate(l, size)
	m := d.m
	before := m.snapshot()
	cycles := uint64(math.Round(x[cyclesAt]))
	m.stats.Launches++
	m.elapsed(cycles)
	s.add(m, x, float64(work), j.grid.Blocks, j.grid.Warps)
	s.decided(leftOut, &s.facts.Left)
	l.last = size
	// Time passes on the machine, so that the launches that follow begin where they would have begun.
	m.skip(m.now + cycles)
	seconds := float64(cycles)/(d.cfg.Clock.SM*1e6) + d.overhead(&d.cfg.Launch)
	m.stats.seconds += seconds
	after := m.snapshot()
	r := report(d.cfg, &after, &before, 0)
	r.Seconds = seconds
	d.seconds += seconds
	d.pending = true
	return r, nil
}

// estimate returns what a launch that was not simulated would have counted, and notes that it was not.
func (s *sampling) estimate(l *likes, size sample.Size) []float64 {
	x := make([]float64, len((&counter.Raw{}).Words()))
	near, times := l.within(size)
	l.Estimate(1, near, x)
	for i := range x {
		x[i] = max(0, x[i]*times)
	}
	l.since++
	s.guessed += x[cyclesAt]
	if l.reaches(size) {
		l.Skipped(size)
		s.update(l)
		if l.stood == nil {
			l.stood = make([]float64, len(x))
		}
		for i, v := range x {
			l.stood[i] += v
		}
		return x
	}
	l.remain = 0 // the next one is simulated
	l.beyond = append(l.beyond, x)
	half := sample.Alone * x[cyclesAt]
	s.squares += half * half
	return x
}

// add adds an estimate for blocks of a grid to the counters of the machine. Cycles and launches are added by others; instructions,
// blocks and warps are known.
func (s *sampling) add(m *machine, x []float64, work float64, blocks, warps int) {
	var more counter.Raw
	for i, w := range x {
		more.Words()[i] = uint64(max(0, math.Round(w)))
	}
	more.Insts, more.Blocks, more.WarpsLaunched = uint64(work), uint64(blocks), uint64(blocks*warps)
	more.Cycles, more.Elapsed, more.Nanoseconds, more.Launches = 0, 0, 0, 0
	s.left += more.Insts
	m.extra = m.extra.Plus(&more)
}

// weight returns as how many instructions the machine issues one of the program.
func (j *job) weight(pc int) uint8 { return j.code[pc].issues }

// corrected returns the counters with all that is known now of the launches that were left out, and by how many seconds these took
// longer than was thought when they were.
func (s *sampling) corrected() (counters, float64) {
	c := s.d.m.snapshot()
	change := make([]float64, len(c.Words()))
	for _, l := range s.classes {
		if l.stood == nil {
			continue
		}
		l.Estimate(l.Left, l.LeftSize, change)
		for i, v := range l.stood {
			change[i] -= v
		}
	}
	for _, i := range known {
		change[i] = 0
	}
	for i, v := range change {
		w := &c.Words()[i]
		*w = uint64(max(0, math.Round(float64(*w)+v)))
	}
	more := change[cyclesAt] / (s.d.cfg.Clock.SM * 1e6)
	c.seconds += more
	return c, more
}

// Sampled returns what was simulated so far; nil without Options.Sample.
func (s *sampling) Sampled() *Sampled {
	if s == nil {
		return nil
	}
	d := s.d
	var deviations sample.Deviations
	deviations.Add(&s.deviations)
	for _, l := range s.classes {
		deviations.AddStratum(&l.Stratum)
		for i, x := range l.beyond {
			deviations.AddSingle(i, x)
		}
	}
	f := s.facts
	c, more := s.corrected()
	f.Corrected = more
	f.Detailed, f.Insts = c.Insts-s.left, c.Insts
	full := report(d.cfg, &c, &counters{}, 0)
	spread := make([][sample.Groups]float64, len(full.Counters))
	for g, dev := range deviations {
		if dev == nil {
			continue
		}
		with := c
		for _, i := range known {
			dev[i] = 0
		}
		for i, v := range dev {
			w := &with.Words()[i]
			*w = uint64(max(0, float64(*w)+v))
		}
		for i, k := range report(d.cfg, &with, &counters{}, 0).Counters {
			spread[i][g] = k.Value - full.Counters[i].Value
		}
	}
	if c.Cycles > 0 {
		f.Error = math.Hypot(deviations.Half(cyclesAt), statedError*s.guessed+s.beside) / float64(c.Cycles)
	}
	f.Bound, f.Choice = s.bound, fmt.Sprintf("%016x", s.choice.Sum64())
	f.Intervals = map[string]float64{}
	for i, k := range full.Counters {
		f.Intervals[k.Name] = sample.Half(&spread[i])
	}
	return &f
}

// manyBlocks reports whether a launch has so many blocks that some need not be simulated.
func (s *sampling) manyBlocks(j *job) bool {
	m := s.d.m
	return j.grid.Blocks >= minFull*j.occ.BlocksPerSM*j.occ.SMs && m.hooks == nil && m.dispatcher.policy == nil && j.order == nil &&
		!j.grid.Launch.Cooperative && j.grid.Cluster == 1
}
