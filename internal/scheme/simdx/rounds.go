package simdx

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file has what the persistent kernels have in common (section 5).

// Run says where a launch of a persistent kernel begins, and when it ends.
type Run struct {
	Step      uint32 // number of the frontier, over all launches
	Iteration uint32 // the first one of the launch, from 1
	Phase     uint32
	Limit     uint32 // the last iteration that may run
	PerPhase  uint32 // iterations that each phase may run; 0: Limit is for all of them
	First     uint32 // vertices in Memory.Queue; 0: the frontier are the marked vertices
	Both      bool   // whether the direction may change
	PullAbove uint32 // a frontier with more arcs is pulled
	Filter    uint32
	OneBlock  uint32 // the largest frontier that one block processes alone; 0: none
	Round     uint32 // barriers that were passed before
	Arrived   uint32 // blocks that arrived at them
	Locks     bool   // the form of the global barrier
	Turn      bool   // whether values must be converted before the first iteration
	PullFirst bool   // whether All begins with a pull
	Unstable  uint32 // vertices that may change in a pull before the direction changes to push
}

// The values of Run.Filter.
const (
	JIT    = iota // online until it overflows, then ballot for one iteration
	Online        // online; an overflow ends the launch
	Ballot        // ballot
	Batch         // batch; only without fusion
	Atomic        // a baseline, as the next two
	Strided
	Khorasani
)

// Why a launch ended.
const (
	Finished   = 1 + iota // no vertex is active
	Turned                // the other direction is better now
	TooMany               // Run.Limit
	Overflowed            // of the online filter alone
	Backward              // the next phase, in ActiveStatus, is not after the present one
)

// The elements of Memory.Status.
const (
	EndStatus       = iota // Finished, ...
	StepStatus             // Run for the next launch
	IterationStatus        // the iteration that would follow
	PhaseStatus
	RoundStatus
	SwappedStatus  // 1 if the values are in the other one of the two arrays
	ActiveStatus   // entries of the frontier, or vertices that changed
	EntriesStatus  // sum of the entries processed
	ArcsStatus     // sum of their arcs
	BallotStatus   // iterations whose next frontier the ballot filter made
	OverflowStatus // overflows of the online filter
	OneBlockStatus // iterations of one block alone
	PullStatus     // iterations that pulled
	StatusWords    // the number of elements
)

// The elements of an iteration in Memory.History. How has bits.
const (
	EntriesHistory = iota // entries of the frontier, or vertices pulled
	ArcsHistory           // arcs of the frontier
	HowHistory
	historyWords
)

// The bits of HowHistory.
const (
	BallotBit   = 1 << iota // the ballot filter made the next frontier
	PullBit                 // the iteration pulled
	OneBlockBit             // one block ran it alone
)

// rounds is where a persistent kernel is. It is the same in all threads.
type rounds struct {
	m         Memory
	run       Run
	barrier   scheduler.GridBarrier
	step      uint32
	iteration uint32 // the next one
	phase     uint32
	front     frontier // of the next iteration
	active    uint32   // see ActiveStatus
	swapped   bool     // see SwappedStatus
}

func start(m Memory, run Run) rounds {
	return rounds{m: m, run: run, barrier: scheduler.GridBarrier{Words: m.Locks, Round: run.Round, First: run.Round, Arrived: run.Arrived, Locks: run.Locks},
		step: run.Step, iteration: run.Iteration, phase: run.Phase}
}

// meet is the barrier after which the counters of the next step are known. The news stay as
// they are until the next one.
func (r *rounds) meet(t gpu.Thread) *news {
	n := gpu.Shared[news](t)
	r.step++
	r.barrier.WaitThen(t, func() { r.m.fetch(n, r.step) })
	return n
}

// ballot makes the lists of the frontier with the ballot filter. first and again are what
// picks the vertices in its two halves.
func (r *rounds) ballot(t gpu.Thread, shape Shape, n uint32, first, again func(i uint32) (v uint32, ok bool), expand func(v uint32) entry) {
	r.ballotTo(t, r.m.lists(r.step, shape), n, first, again, expand)
}

// ballotTo is ballot with the lists to make.
func (r *rounds) ballotTo(t gpu.Thread, out lists, n uint32, first, again func(i uint32) (v uint32, ok bool), expand func(v uint32) entry) {
	count(t, r.m, out.shape, n, first, expand)
	r.barrier.Wait(t)
	r.front = write(t, r.m, out, n, again, expand)
	r.barrier.Wait(t)
}

// tooWide reports whether a frontier should be pulled (section 5: above 30% of the arcs).
func (r *rounds) tooWide(f frontier) bool { return r.run.Both && f.Arcs > r.run.PullAbove }

// findPhase goes on to the smallest next phase that any warp has found, or returns why the
// launch ends. All threads must call it together.
func (r *rounds) findPhase(t gpu.Thread, found uint32) (end uint32) {
	now := r.phase
	r.m.clear(t, r.step+2)
	if t.Lane() == 0 && found != scheduler.NoPhase {
		gpu.AtomicMax(&r.m.set(r.step + 1)[phaseCount], ^found)
	}
	phase := ^r.meet(t).phase
	switch {
	case phase == scheduler.NoPhase:
		return Finished
	case phase <= now:
		r.active = phase
		return Backward
	}
	r.phase = phase
	if r.run.PerPhase > 0 {
		r.run.Limit = r.iteration - 1 + r.run.PerPhase
	}
	return 0
}

// marked picks the vertices of the frontier by their marks.
func (r *rounds) marked(v uint32) (uint32, bool) {
	return v, gpu.Load(&r.m.Marks[v]) == r.iteration
}

// record adds an iteration to the history and to the sums.
func (r *rounds) record(f frontier, iteration, how uint32) {
	gpu.AtomicAdd(&r.m.Status[EntriesStatus], f.entries())
	gpu.AtomicAdd(&r.m.Status[ArcsStatus], f.Arcs)
	if how&BallotBit != 0 {
		gpu.AtomicAdd(&r.m.Status[BallotStatus], 1)
	}
	if how&OneBlockBit != 0 {
		gpu.AtomicAdd(&r.m.Status[OneBlockStatus], 1)
	}
	if how&PullBit != 0 {
		gpu.AtomicAdd(&r.m.Status[PullStatus], 1)
	}
	if at := iteration * historyWords; at <= gpu.Len(r.m.History) {
		at -= historyWords
		r.m.History[at+EntriesHistory], r.m.History[at+ArcsHistory], r.m.History[at+HowHistory] = f.entries(), f.Arcs, how
	}
}

// finish tells the host why the launch ended and where the next one continues.
func (r *rounds) finish(t gpu.Thread, end uint32) {
	if t.Global() > 0 {
		return
	}
	s := r.m.Status
	gpu.Store(&s[EndStatus], end)
	gpu.Store(&s[StepStatus], r.step)
	gpu.Store(&s[IterationStatus], r.iteration)
	gpu.Store(&s[PhaseStatus], r.phase)
	gpu.Store(&s[RoundStatus], r.barrier.Round)
	gpu.Store(&s[ActiveStatus], r.active)
	if r.swapped {
		gpu.Store(&s[SwappedStatus], 1)
	}
}
