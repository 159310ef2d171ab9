package explore

import (
	"context"
	"slices"
	"sync"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/memory"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/sim/policy"
)

// Setting is a schedule: what the machine draws from Seed with the parameters Set, and the order of blocks and pauses of
// warps that Schedule gives. A nil Schedule gives none.
type Setting struct {
	Seed     uint64
	Set      []devices.Setting
	Schedule *policy.Schedule
}

// Kinds of outcomes besides those of device.HangKind.
const (
	Ended     = "ended"
	Wrong     = "wrong"     // the answer is
	Differs   = "differs"   // the answer is not that of the default schedule, and which is right is unknown
	Fault     = "fault"     // in a kernel
	Raced     = "race"      // two threads race, if races are looked for
	Undecided = "undecided" // a budget ended it
	Unknown   = "unknown"   // the search was ended before it had
	Failed    = "failure"
)

// Outcome is how a program ended under a schedule.
type Outcome struct {
	Kind   string
	Err    error // what makes the command fail; nil if the program ended with a right answer
	Cycles uint64
	Result any           // for Trial, to compare answers
	Races  []device.Race // that were found, if races are looked for
}

// failed reports whether the outcome is one to look for.
func (o *Outcome) failed() bool {
	return o.Kind != Ended && o.Kind != Undecided && o.Kind != Differs
}

// Trial runs the program under a schedule. For the schedule that is the default of the machine, base is nil; else it is
// the outcome of that one. If record is not nil, the machine is to be controlled by it. An error other than that of an
// Outcome ends the exploration.
type Trial func(ctx context.Context, s Setting, record policy.Control, base *Outcome) (Outcome, error)

// Config says what to explore.
type Config struct {
	Seeds  int    // number of schedules
	First  uint64 // seed of the default schedule, and of the first of them
	Keep   bool   // go on after a failure
	Fixed  bool   // the program's own Control draws the schedules from the seed: no change points and no order of blocks
	Set    []string
	Plain  bool // no change points, and all that can be random is, for comparison
	Worker int  // trials at the same time; 0 for as many as processors and memory allow
	// Progress is called after each trial; may be nil.
	Progress func(done, failed int, shrinking bool)
}

// Failure is a schedule under which the program fails.
type Failure struct {
	Outcome
	Drawn   Setting // as it was drawn from its seed
	Setting Setting // reduced
	Tries   int     // trials that it took to reduce it
	Pauses  []Point // of the reduced schedule, with their places in the source
}

// Result is what an exploration found.
type Result struct {
	Base    Outcome        // under the default schedule
	Kinds   map[string]int // outcomes of the schedules that were tried
	Cycles  []uint64       // of those that ended, sorted
	Tried   int
	Points  int      // accesses at which a warp could be made to wait
	Workers int      // trials at the same time
	Failure *Failure // the first failure, by its seed; nil for none
	// Undecided is the first outcome that a budget ended; nil for none.
	Undecided *Outcome
}

// Run explores the schedules of a program. It stops at the first that fails. If none does, an answer that differs from
// that of the default schedule counts as a failure. The outcome is the same for any number of workers.
func Run(ctx context.Context, c Config, trial Trial) (*Result, error) {
	r := &Result{Kinds: map[string]int{}}
	rec := newRecorder()
	var record policy.Control = rec
	if c.Fixed {
		record = nil
	}
	var err error
	if r.Base, err = trial(ctx, Setting{Seed: c.First}, record, nil); err != nil {
		return nil, err
	}
	if r.Base.failed() {
		r.Failure = &Failure{Outcome: r.Base, Drawn: Setting{Seed: c.First}, Setting: Setting{Seed: c.First}}
		return r, nil
	}
	d := newDrawer(&c, rec)
	r.Points = len(d.all)
	r.Workers = c.Worker
	if r.Workers == 0 {
		r.Workers = workers()
	}
	all, err := tryAll(ctx, &c, d, trial, &r.Base, r.Workers)
	failure := -1 // the index of the seed
	for i := range all {
		o := &all[i]
		if o.Kind == "" {
			continue // the command was interrupted
		}
		r.Tried++
		r.Kinds[o.Kind]++
		switch {
		case o.Kind == Ended:
			r.Cycles = append(r.Cycles, o.Cycles)
		case o.Kind == Undecided && r.Undecided == nil:
			r.Undecided = o
		case o.failed() && (failure < 0 || !all[failure].failed()), o.Kind == Differs && failure < 0:
			failure = i
		}
	}
	if failure >= 0 {
		drawn := d.draw(c.First + uint64(failure))
		r.Failure = &Failure{Outcome: all[failure], Drawn: drawn, Setting: drawn}
	}
	slices.Sort(r.Cycles)
	if r.Failure == nil || err != nil {
		return r, err
	}
	s := &shrinker{ctx: ctx, trial: trial, base: &r.Base, first: c.First, fixed: c.Fixed, f: r.Failure, progress: c.Progress, done: r.Tried}
	err = s.run()
	for _, p := range pausesOf(&r.Failure.Setting) {
		r.Failure.Pauses = append(r.Failure.Pauses, Point{p, d.at[p]})
	}
	return r, err
}

// workers returns how many trials can run at the same time: the default schedule has just used the memory that each of
// them needs.
func workers() int {
	n := processors()
	used, known := peak()
	available, ok := memory.Available()
	if known && ok && used > 0 {
		n = min(n, 1+int(available/2/used))
	}
	return max(n, 1)
}

// tryAll tries the schedules of all seeds, or of those up to the first that fails.
func tryAll(ctx context.Context, c *Config, d *drawer, trial Trial, base *Outcome, workers int) ([]Outcome, error) {
	var (
		mu     sync.Mutex
		next   int
		done   int
		failed int
		last   = c.Seeds // seeds from here on do not matter any more
		first  error
		all    = make([]Outcome, c.Seeds)
		cancel = make([]context.CancelFunc, c.Seeds)
		group  sync.WaitGroup
	)
	for range min(workers, c.Seeds) {
		group.Go(func() {
			for {
				mu.Lock()
				i := next
				if next++; i >= last || first != nil || ctx.Err() != nil {
					mu.Unlock()
					return
				}
				own, stop := context.WithCancel(ctx)
				cancel[i] = stop
				mu.Unlock()
				o, err := trial(own, d.draw(c.First+uint64(i)), nil, base)
				stopped := own.Err() != nil && ctx.Err() == nil
				stop()
				mu.Lock()
				done++
				all[i] = o
				switch {
				case stopped: // since an earlier seed failed
				case err != nil:
					if first == nil {
						first = err
					}
				case o.failed():
					if failed++; !c.Keep {
						last = min(last, i+1)
						for _, stop := range cancel[last:] {
							if stop != nil {
								stop()
							}
						}
					}
				}
				if c.Progress != nil {
					c.Progress(done, failed, false)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if first == nil {
		first = context.Cause(ctx)
	}
	return all[:last], first
}
