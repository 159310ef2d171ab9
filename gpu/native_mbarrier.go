package gpu

import "github.com/weft-gpu/weft/internal/mbarrier"

// mbarrierStep is what an operation does with an mbarrier: the object after it, and what is wrong with it.
type mbarrierStep func(s mbarrier.State, y uint64) (mbarrier.State, string)

// The operations as plain Go.
var (
	initial         mbarrierStep = mbarrier.State.Init
	invalid         mbarrierStep = func(s mbarrier.State, _ uint64) (mbarrier.State, string) { return s.Inval() }
	arrived         mbarrierStep = mbarrier.State.Arrive
	expected        mbarrierStep = mbarrier.State.Expect
	arrivedExpected mbarrierStep = mbarrier.State.ArriveExpect
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
