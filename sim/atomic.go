package sim

import (
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/timing"
	"github.com/weft-gpu/weft/sim/policy"
)

// atomicUnit performs the read-modify-write operations of an L2 slice. One step serves those lanes of a sector whose
// addresses differ; lanes on the same address take one step each. A step on all eight words of a sector of such a line is shorter than one on some of
// them, and further steps of a packet on several words follow each other more slowly, so that the packets of one half of the GPU do not fill
// the unit (results/hw/atomics, on an H100). The unit keeps the lines that it worked on most
// recently: while it stays on them, returning results costs nothing extra, and loads of these lines wait their turn
// behind its operations. For some time after an operation its line is the unit's: a load that comes then waits for the end of that
// time, and for each operation of that time one load makes the unit turn from one to the other; further loads cost it
// nothing. That is what an H200 shows: a load and an atomic of a word in turn take 4.1 cycles, a load right behind an atomic takes
// 120 cycles more than another one, and loads long after atomics have the rate of the home half of the L2 ("Loads beside atomics" in results/hw/h200/README.md, and results/hw/barriers/README.md).
type atomicUnit struct {
	free     timing.Tick
	lines    [4]uint64      // line numbers + 1 of the most recent lines, latest first
	turns    [4]uint32      // of each of these lines, operations after which no load has come
	until    [4]timing.Tick // of each of these lines, when the time after its last operation ends
	after    timing.Tick    // that time
	step     timing.Tick
	result   timing.Tick
	peer     timing.Tick
	word     timing.Tick
	replay   timing.Tick
	full     timing.Tick    // what an operation on all words of a sector saves; 0: nothing, and sides mean nothing
	again    timing.Tick    // with full: what a further operation costs the side from which it comes
	sides    [2]timing.Tick // with full: when the packets of near and of far SMs are through
	promised timing.Tick    // when it would have performed all work that was sent to it, without the way
	late     bool           // what room does not know is told later
	unknown  timing.Tick    // what room did not know of the last work
	queue    timing.Tick    // how much work can wait for it; 0: any
	loaded   timing.Tick
	latency  uint64
	busy     timing.Tick       // total time with operations
	loads    timing.Tick       // total time with loads
	custom   policy.AtomicUnit // nil: the built-in unit
}

func newAtomicUnit(cfg *config.Atomic) atomicUnit {
	u := atomicUnit{step: timing.Ticks(cfg.Step), result: timing.Ticks(cfg.Result), peer: timing.Ticks(cfg.Peer), word: timing.Ticks(cfg.Word), replay: timing.Ticks(cfg.Replay), queue: timing.Ticks(float64(cfg.Queue) * cfg.Step), loaded: timing.Ticks(cfg.Load), latency: uint64(cfg.Latency), after: timing.Ticks(float64(cfg.After))}
	if full := timing.Ticks(cfg.Full); full > 0 && full < u.step {
		u.full, u.again, u.replay = u.step-full, u.replay, u.step
	}
	return u
}

// passes returns how long the unit is busy with work on a line on which it has worked lately, apart from what other GPUs cost.
func (u *atomicUnit) passes(work *atomicWork) timing.Tick {
	return timing.Tick(work.steps)*u.step + timing.Tick(work.replays)*u.replay - timing.Tick(work.full)*u.full
}

// taken returns how long the unit has been busy so far.
func (u *atomicUnit) taken() timing.Tick { return u.busy + u.loads }

// mostTurns is how many operations of a line can have a load to come. Without a bound, the state of a machine whose threads change a
// word for ever would never recur.
const mostTurns = 1024

// atomicWork is the work that the lanes on one line cause.
type atomicWork struct {
	steps   int  // sectors, plus further operations if all lanes of a sector are on one address
	words   int  // of these, the operations of sectors of which all lanes are on one address
	replays int  // further operations on the most contended address of the other sectors
	full    int  // of these, operations on all words of a sector at once
	far     bool // it comes from an SM of the other half
	further int  // addresses beyond the first of each sector
}

// keep makes a line the most recent of the lines that the unit keeps, for an operation on it, and reports whether it was
// among them before.
func (u *atomicUnit) keep(line uint64, now timing.Tick) bool {
	last, turns, until := line+1, uint32(0), timing.Tick(0)
	for place := range u.lines {
		u.lines[place], last = last, u.lines[place]
		u.turns[place], turns = turns, u.turns[place]
		u.until[place], until = until, u.until[place]
		if last == line+1 {
			if until < now {
				turns = 0
			}
			u.turns[0] = min(turns+1, mostTurns)
			return true
		}
	}
	u.turns[0] = 1
	return false
}

// load makes a load of a line that the unit keeps wait its turn. It returns the cycle from which the data is
// available, and whether the unit keeps the line.
func (u *atomicUnit) load(line uint64, cycle uint64) (uint64, bool) {
	for place, kept := range u.lines {
		if kept == line+1 {
			start := max(timing.At(cycle), u.free)
			if start >= u.until[place] {
				u.turns[place] = 0
				return start.Cycle(), true
			}
			if u.turns[place] > 0 {
				u.turns[place]--
				u.free = start + u.loaded
				u.loads += u.loaded
			}
			return u.until[place].Cycle(), true
		}
	}
	return cycle, false
}

// forget lets the unit have worked on no line lately: what a launch did with atomics does not keep the loads of the next one from the near half (results/hw/chains).
func (u *atomicUnit) forget() {
	u.lines, u.turns, u.until = [len(u.lines)]uint64{}, [len(u.turns)]uint32{}, [len(u.until)]timing.Tick{}
}

// room announces work at tick now, and returns from when on what is left of it fits into the queue.
func (u *atomicUnit) room(now timing.Tick, work *atomicWork) timing.Tick {
	u.promised = max(now, u.promised) + u.passes(work)
	return u.promised - min(u.promised, u.queue)
}

// times returns how many operations the unit performs on sectors of the line.
func (w atomicWork) times() uint64 { return uint64(w.steps + w.replays) }

// serve makes the unit perform the lanes of a warp on a line, and returns the cycle at which the result is known; see
// perform.
func (u *atomicUnit) serve(line uint64, work atomicWork, lanes int, result, peer bool, cycle uint64) uint64 {
	if u.custom == nil {
		return u.perform(line, work, result, peer, cycle)
	}
	done := u.custom.Perform(policy.AtomicRequest{Cycle: cycle, Line: line, Lanes: lanes, Steps: int(work.times()), Result: result, Peer: peer})
	u.free = max(u.free, timing.At(done))
	u.busy += timing.At(done - cycle)
	return done
}

// perform reserves the unit for work on a line whose operands are available at a cycle, and returns the cycle at which
// the result is known; peer means that it is for another GPU.
func (u *atomicUnit) perform(line uint64, work atomicWork, result, peer bool, cycle uint64) uint64 {
	step, took := u.step, u.passes(&work)
	// Results cost more on a line that the unit has not worked on lately.
	kept := u.keep(line, timing.At(cycle))
	if !kept { // operations on all words of a sector are no shorter then
		took += timing.Tick(work.full) * u.full
	}
	if result && !kept {
		step += u.result
		took += timing.Tick(work.steps) * u.result
		took += timing.Tick(work.further) * u.result / (sectorBytes/4 - 1)
	}
	start := max(timing.At(cycle), u.free)
	// Work for another GPU takes longer, and by another time if all lanes of a sector are on one word.
	if peer {
		took += timing.Tick(work.steps-work.words)*u.peer + timing.Tick(work.words)*u.word
	}
	u.free = start + took
	done := u.free
	// Further operations of the packets of one half follow each other at this distance, and those of the other half come between.
	if u.full > 0 {
		side := &u.sides[0]
		if work.far {
			side = &u.sides[1]
		}
		*side = max(timing.At(cycle), *side) + timing.Tick(work.steps)*u.step + timing.Tick(work.replays)*u.again
		done = max(done, *side)
	}
	u.until[0] = u.free + u.after
	u.busy += took
	// What room did not know; see l2.told.
	if more := took - u.passes(&work); u.queue > 0 && u.late {
		u.unknown = more
	} else if u.queue > 0 {
		u.promised += more
	}
	// The first step is part of the latency.
	return (done - step).Cycle() + u.latency
}

// onWords counts lanes by the word of a line.
type onWords [lineBytes / 4]uint8

// atomicSteps counts the work of lanes at byte offsets off of a line.
func atomicSteps(lanes uint32, off *[32]uint8) atomicWork {
	var count onWords
	return count.steps(lanes, off)
}

// steps is atomicSteps; the lanes on each word are left in count, which was empty.
func (count *onWords) steps(lanes uint32, off *[32]uint8) (work atomicWork) {
	var most, words [sectorsPerLine]uint8
	for left := lanes; left != 0; left &= left - 1 {
		offset := off[bits.TrailingZeros32(left)]
		sector := offset / sectorBytes
		if count[offset/4]++; count[offset/4] == 1 {
			words[sector]++
		}
		most[sector] = max(most[sector], count[offset/4])
	}
	// A sector whose lanes are all on one word takes a step for each lane. With several words, their lanes are served together,
	// and only further lanes on the most contended word take more time: replays.
	for sector, n := range words {
		if n == sectorBytes/4 {
			// All words take part in as many operations as there are lanes on the one with the fewest.
			all := int(slices.Min(count[sector*sectorBytes/4:][:sectorBytes/4]))
			work.full += all
		}
		switch {
		case n == 1:
			work.steps += int(most[sector])
			work.words += int(most[sector])
		case n > 1:
			work.steps++
			work.replays += int(most[sector]) - 1
			work.further += int(n) - 1
		}
	}
	return work
}
