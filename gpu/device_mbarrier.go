package gpu

// MBarrier is a barrier in shared memory at which threads, and asynchronous copies, arrive without waiting, and which any thread
// can ask whether they have: the mbarrier object of PTX. It goes through phases. A phase is complete when so many arrivals as
// [MBarrier.Init] said have come, and all bytes that were expected; the next one then begins at once, with the other parity.
// The parity of the first phase is 0.
//
// An MBarrier lies in shared memory:
//
//	full := gpu.Shared[[2]gpu.MBarrier](t)
//
// One thread initialises it, and a barrier of the block must come before other threads use it. An arrival has release order, and a
// wait that finds the phase complete acquire order, in the block. What PTX leaves undefined ends a launch with a fault on
// simulated devices and in plain Go: use before Init or after Inval, Init of one in use, more arrivals than a phase still waits
// for, more that drop out than a phase takes, and more than 2^20-1 expected bytes.
//
// GPUs have it since compute capability 8.0; ArriveN, ArriveDropN, Expect, ArriveExpect, ArriveDropExpect, TryWait, TryWaitParity and Wait
// since 9.0.
type MBarrier struct{ state uint64 }

// Phase is a phase of an [MBarrier], as an arrival returns it.
type Phase uint64

// Init makes b a new barrier, for phases of so many arrivals: 1 to 2^20-1.
func (b *MBarrier) Init(arrivals uint32) { mbarrierInit(&b.state, uint64(arrivals)) }

// Inval ends the use of b as a barrier: its memory may then be used for something else, or initialised again.
func (b *MBarrier) Inval() { mbarrierInval(&b.state, 0) }

// Arrive counts an arrival in the current phase, which it returns.
func (b *MBarrier) Arrive() Phase { return Phase(mbarrierArrive(&b.state, 1)) }

// ArriveN counts n arrivals in the current phase, which it returns.
func (b *MBarrier) ArriveN(n uint32) Phase { return Phase(mbarrierArrive(&b.state, uint64(n))) }

// ArriveDrop counts an arrival in the current phase, which it returns, and takes it off all later ones, for a thread that does not come
// again. When nobody is left, phases can be waited for that are complete, and nothing else is allowed but Inval.
func (b *MBarrier) ArriveDrop() Phase { return Phase(mbarrierDrop(&b.state, 1)) }

// ArriveDropN is ArriveDrop of n arrivals.
func (b *MBarrier) ArriveDropN(n uint32) Phase { return Phase(mbarrierDrop(&b.state, uint64(n))) }

// ArriveCopied lets the asynchronous copies that the thread has begun so far (see [CopyAsync]) count as one of the arrivals of Init,
// when all of them have landed. It does not wait for them, and releases nothing but what they write.
func (b *MBarrier) ArriveCopied() { mbarrierCopied(&b.state, 0) }

// TrackCopies makes the current phase wait for one arrival more than Init said: that of ArriveCopied.
func (b *MBarrier) TrackCopies() { mbarrierTrack(&b.state, 0) }

// Expect makes the current phase wait for more bytes, which asynchronous copies bring.
func (b *MBarrier) Expect(bytes uint32) { mbarrierExpect(&b.state, uint64(bytes)) }

// ArriveExpect is Expect and then Arrive, in one step.
func (b *MBarrier) ArriveExpect(bytes uint32) Phase {
	return Phase(mbarrierArriveExpect(&b.state, uint64(bytes)))
}

// ArriveDropExpect is Expect and then ArriveDrop, in one step.
func (b *MBarrier) ArriveDropExpect(bytes uint32) Phase {
	return Phase(mbarrierDropExpect(&b.state, uint64(bytes)))
}

// TestWait reports whether a phase is complete. The phase must be the current one or the one before.
func (b *MBarrier) TestWait(p Phase) bool {
	return completed(mbarrierTest(&b.state, uint64(p)), uint64(p))
}

// TestWaitParity is TestWait for a phase that is named by its parity, 0 or 1: it is complete if the current phase has the other
// parity.
func (b *MBarrier) TestWaitParity(parity uint32) bool {
	p := uint64(parity) << 63
	return completed(mbarrierTestParity(&b.state, p), p)
}

// TryWait is TestWait, which may suspend the thread for some time if the phase is not complete.
func (b *MBarrier) TryWait(p Phase) bool {
	return completed(mbarrierTry(&b.state, uint64(p)), uint64(p))
}

// TryWaitParity is TestWaitParity, which may suspend the thread for some time if the phase is not complete.
func (b *MBarrier) TryWaitParity(parity uint32) bool {
	p := uint64(parity) << 63
	return completed(mbarrierTryParity(&b.state, p), p)
}

// Wait waits until the phase with a parity is complete. A thread that follows the phases waits for parity 0, 1, 0 and so on. One
// that waits for parity 1 at a new barrier goes on at once: the phase before the first one counts as complete.
func (b *MBarrier) Wait(parity uint32) {
	for !b.TryWaitParity(parity) {
	}
}

// completed compares the phase before an operation with the one that was asked for.
func completed(state, phase uint64) bool { return (state^phase)>>63 != 0 }
