package cure

import (
	"context"
	"slices"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
)

// Change changes a launch.
type Change func(l device.Launch) (device.Launch, error)

// Rerun runs the program again, from the beginning, and adds its races to races. Each launch is changed before it begins.
type Rerun func(ctx context.Context, races *device.Races, change Change) error

// Runs are the ways to run the program again.
type Runs struct {
	// Same runs it as it ran, and is to show the same races.
	Same Rerun
	// Others run it under other schedules, which a cure must order as well. Those that fail for another reason count for
	// nothing.
	Others []Rerun
}

// Time is how long Check looks for cures, for all races together.
const Time = 8 * time.Second

// search looks for what orders the accesses of one race.
type search struct {
	ctx           context.Context
	runs          Runs
	race          *device.Race
	all           []device.Race // of the program as it is
	first, second *ir.Inst
	progs         []*ir.Program
	distance      int
	scope         ir.Scope
}

// Check looks for cures of the races that the source does not mark as intended, and writes those that were checked into
// Race.Fix and Race.Checked. Without one it leaves the race as it is. It ends after Time, and with ctx.
func Check(ctx context.Context, races []device.Race, runs Runs) {
	ctx, cancel := context.WithTimeout(ctx, Time)
	defer cancel()
	for i := range races {
		r := &races[i]
		s := search{ctx: ctx, runs: runs, race: r, all: races, first: instOf(&r.First), second: instOf(&r.Second), distance: r.Distance()}
		if r.Racy != "" || s.first == nil || s.second == nil {
			continue
		}
		s.scope = scopeFor(s.distance)
		s.progs = slices.Compact([]*ir.Program{programOf(&r.First), programOf(&r.Second)})
		s.run()
	}
}

// run tries the plans, one kind after the other.
func (s *search) run() {
	text, checked := "", 0
	for n, list := range s.plans() {
		for _, p := range list {
			if p == nil || len(p.edits) == 0 || s.ctx.Err() != nil {
				continue
			}
			if !s.helps(p) {
				continue
			}
			if p.reduce {
				s.reduce(p)
			}
			runs := s.everywhere(p)
			if runs < 1 {
				continue
			}
			if text != "" {
				text += "; or "
			}
			text += p.String()
			if checked == 0 || runs < checked {
				checked = runs
			}
			break
		}
		if text != "" && (n > 0 || s.race.Kind != device.RaceAtomic) { // a barrier, or a strong access: both are named
			break
		}
	}
	if text != "" {
		s.race.Fix, s.race.Checked = text, checked
	}
}

// plans returns the plans by kind. The first of a kind that helps counts.
func (s *search) plans() [][]*plan {
	both := &plan{reduce: true}
	for _, p := range s.progs {
		for _, x := range sites(p, isShared) {
			if s.races(x) {
				both.edits = append(both.edits, x.strengthen(s.scope)...)
			}
		}
	}
	if s.race.Kind == device.RaceProxy {
		return [][]*plan{s.proxies()}
	}
	if isCopy(s.first) || isCopy(s.second) { // it has no order that could be another one
		return [][]*plan{s.waits(false), s.barriers(), s.waits(true)}
	}
	switch s.race.Kind {
	case device.RaceWidth:
		return nil
	case device.RaceScope:
		return [][]*plan{{both}}
	case device.RaceAtomic:
		return [][]*plan{s.barriers(), {both}, {s.synchronisation()}}
	}
	stores := isStore(s.first) && isStore(s.second)
	switch {
	case s.updates():
		both.text = "update the element at " + lineOf(s.progs[0], s.first).String() + " by one atomic, such as gpu.AtomicAdd: between a plain load and the store of the result another thread may store"
		return [][]*plan{{s.synchronisation()}, {s.oneLock()}, {both}}
	case stores && s.first == s.second:
		both.text = "let one thread store at " + lineOf(s.progs[0], s.first).String() + ", or use gpu.Store or an atomic there"
	case stores:
		both.text = "let one thread store, or use gpu.Store or an atomic at " + lineOf(s.progs[0], s.first).String() + " and " + lineOf(s.progs[len(s.progs)-1], s.second).String()
	}
	if !stores {
		both.before, both.after = "if the value before the store is as good as the one after it, ", "; if it is not: "+s.race.Fix
	}
	return [][]*plan{{s.synchronisation()}, {s.oneLock()}, s.barriers(), s.handovers(), {s.flags()}, {both}}
}

// updates reports whether both accesses are parts of an expression that loads an element and stores it, such as x[i]++.
func (s *search) updates() bool {
	if len(s.progs) != 1 || !isWeak(s.first) || !isWeak(s.second) {
		return false
	}
	p := s.progs[0]
	at := lineOf(p, s.first)
	if lineOf(p, s.second) != at || !sameWord(s.first, s.second) {
		return false
	}
	loads, stores := false, false
	for pc := range p.Code {
		if in := &p.Code[pc]; isWeak(in) && lineOf(p, in) == at && sameWord(in, s.first) {
			loads, stores = loads || isLoad(in), stores || isStore(in)
		}
	}
	return loads && stores
}

// races reports whether a site is one of the accesses of the race: of its lines, and of the same buffer.
func (s *search) races(x *site) bool {
	for i, in := range []*ir.Inst{s.first, s.second} {
		p := s.progs[min(i, len(s.progs)-1)]
		if x.prog == p && isShared(x.in) && x.in.Root == in.Root && x.at == lineOf(p, in) {
			return true
		}
	}
	return false
}

// sameRoot reports whether a site accesses the buffer of the race.
func (s *search) sameRoot(x *site) bool {
	return x.in.Root == s.first.Root && x.prog == s.progs[0] || x.in.Root == s.second.Root && x.prog == s.progs[len(s.progs)-1]
}

// accesses returns the instructions of a program that race.
func (s *search) accesses(p *ir.Program) (list []int32) {
	for _, x := range sites(p, isShared) {
		if s.races(x) {
			list = append(list, x.pcs...)
		}
	}
	return list
}

// helps reports whether a plan orders the accesses when the program runs as it ran. One that keeps a thread from its access
// is judged by all schedules, since the lines need not meet in each.
func (s *search) helps(p *plan) bool {
	if p.excludes() {
		return s.everywhere(p) > 0
	}
	return s.try(p, s.runs.Same, true) == met
}

// everywhere returns under how many schedules the lines meet with a plan and do not race, and -1 if they race under one.
func (s *search) everywhere(p *plan) (n int) {
	for i, run := range slices.Concat([]Rerun{s.runs.Same}, s.runs.Others) {
		switch s.try(p, run, i == 0) {
		case met:
			n++
		case apart:
			if p.excludes() {
				n++
			}
		case raced:
			return -1
		}
	}
	return n
}

// outcome is what became of the two lines in a run.
type outcome int

const (
	failed outcome = iota // the run did
	apart                 // they did not meet
	met
	raced
)

// try runs the program with a plan. When it runs as it ran, it must not fail and nothing else must race.
func (s *search) try(p *plan, run Rerun, same bool) outcome {
	races := device.NewRaces()
	races.Watch(s.race)
	err := run(s.ctx, races, p.change())
	list := races.List()
	for i := range list {
		r := &list[i]
		if r.Racy == "" && (r.SameLines(s.race) || same && !slices.ContainsFunc(s.all, func(x device.Race) bool { return x.SameLines(r) })) {
			return raced
		}
	}
	switch {
	case err != nil && same:
		return raced
	case err != nil:
		return failed
	case races.Met():
		return met
	}
	return apart
}

// reduce takes those edits back that are not needed.
func (s *search) reduce(p *plan) {
	if p.excludes() && s.try(p, s.runs.Same, true) != met {
		return // the lines do not meet, so that nothing shows which edits are needed
	}
	for i := 0; i < len(p.edits) && len(p.edits) > 1; {
		less := &plan{edits: slices.Delete(slices.Clone(p.edits), i, i+1)}
		if !p.edits[i].needed && s.helps(less) {
			p.edits = less.edits
			continue
		}
		i++
	}
}

// excludes reports whether a plan may keep threads from their accesses.
func (p *plan) excludes() bool {
	return slices.ContainsFunc(p.edits, func(e edit) bool { return e.needed })
}

// change returns the change of a launch that a plan is. A kernel is changed once.
func (p *plan) change() Change {
	kernels := map[*device.Kernel]*device.Kernel{}
	return func(l device.Launch) (device.Launch, error) {
		if k := kernels[l.Kernel]; k != nil {
			l.Kernel = k
			return l, nil
		}
		k := ir.Compiled(l.Kernel)
		if k == nil || k.Program == nil {
			return l, nil
		}
		e, mine := remedy.NewEdit(k.Program), false
		for _, x := range p.edits {
			if x.prog == k.Program {
				x.do(e)
				mine = true
			}
		}
		if !mine {
			return l, nil
		}
		out, err := remedy.Apply(l, remedy.Change{What: p.String(), Program: func(*ir.Program) (*ir.Program, error) { return e.Program() }})
		if err == nil {
			kernels[l.Kernel] = out.Kernel
		}
		return out, err
	}
}
