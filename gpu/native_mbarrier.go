package gpu

import "github.com/weft-gpu/weft/internal/mbarrier"

// mbarrierStep is what an operation does with an mbarrier: the object after it, and what is wrong with it.
type mbarrierStep func(s mbarrier.State, y uint64) (mbarrier.State, string)

// The operations as plain Go.
var (
	initial         mbarrierStep = mbarrier.State.Init
	invalid         mbarrierStep = func(s mbarrier.State, _ uint64) (mbarrier.State, string) { return s.Inval() }
	arrived         mbarrierStep = mbarrier.State.Arrive
	tracked         mbarrierStep = func(s mbarrier.State, _ uint64) (mbarrier.State, string) { return s.Track() }
	announced       mbarrierStep = func(s mbarrier.State, _ uint64) (mbarrier.State, string) { return s, s.Tracked() }
	expected        mbarrierStep = mbarrier.State.Expect
	arrivedExpected mbarrierStep = mbarrier.State.ArriveExpect
	dropped         mbarrierStep = mbarrier.State.Drop
	droppedExpected mbarrierStep = mbarrier.State.DropExpect
	asked           mbarrierStep = func(s mbarrier.State, _ uint64) (mbarrier.State, string) { return s, s.Wait() }
)

// onMBarrier performs an operation of the running thread on an mbarrier, and returns the object before it.
func onMBarrier(p *uint64, y uint64, step mbarrierStep) uint64 {
	next, why := step(mbarrier.State(*p), y)
	if why != "" {
		panic(misuse(why))
	}
	if next == mbarrier.State(*p) {
		return read(p)
	}
	return write(p, uint64(next))
}

// lookAt asks an mbarrier for its phase. Copies that it waits for land now, if the phase that is asked for is not complete without them.
func lookAt(p *uint64, phase uint64) uint64 {
	if running != nil && !completed(*p, phase) {
		running.b.landFor(p)
	}
	return onMBarrier(p, 0, asked)
}

// onCopies lets an mbarrier wait for the copies of the running thread.
func onCopies(p *uint64, step mbarrierStep) uint64 {
	next, why := step(mbarrier.State(*p), 0)
	if why != "" {
		panic(misuse(why))
	}
	old := *p
	*p = uint64(next) // before other threads run: the arrival belongs to this phase
	announce(p)
	look(p, true, next != mbarrier.State(old))
	if th := running; th != nil {
		th.l.changed = true
		th.pause()
	}
	return old
}
