package gpu

import "iter"

// thread is the plain-Go executor of one thread; it implements executor.
type thread struct {
	l      *launch
	b      *block
	w      *worker // while it has started and not left
	idx    uint32  // in the block
	state  state
	syncAt syncKind // of a thread that waits at a barrier
	pred   bool     // what it brings to the barrier
	warpAt warpKind // of a thread that waits at a collective
	mask   uint32
	lane   uint32
	val    uint64 // what it brings to the collective
	result uint64 // of the barrier or collective
	wake   uint64 // the round in which it may go on
	at     Frame  // where it was when the launch was given up
}

// state says what a thread does.
type state uint8

const (
	runs state = iota
	atBarrier
	atCollective
	exited
)

// worker is a coroutine that runs threads, one after the other: a thread that
// never pauses costs no coroutine of its own.
type worker struct {
	th    *thread
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	link  *worker // of the idle list
}

// worker finds a coroutine for th.
func (l *launch) worker(th *thread) *worker {
	w := l.idle
	if w != nil {
		l.idle = w.link
	} else {
		w = new(worker)
		w.next, w.stop = iter.Pull(w.run)
	}
	w.th, w.link = th, nil
	return w
}

// run is the coroutine.
func (w *worker) run(yield func(struct{}) bool) {
	w.yield = yield
	for {
		w.th.main()
		if !yield(struct{}{}) {
			return
		}
	}
}

// aborted unwinds a thread of a launch that was given up.
type aborted struct{}

// main runs the kernel for the thread and turns a panic into the launch's error.
func (th *thread) main() {
	defer func() {
		th.state = exited
		switch r := recover().(type) {
		case nil, aborted: // left, or runtime.Goexit, which iter.Pull passes on
		default:
			th.l.err = th.fault(r)
		}
	}()
	th.l.kernel(Thread{th})
}

// pause lets other threads run; the thread goes on in the next round.
func (th *thread) pause() {
	th.l.next = append(th.l.next, th)
	th.suspend()
}

// suspend lets other threads run until the thread is resumed.
func (th *thread) suspend() {
	if !th.w.yield(struct{}{}) {
		panic(aborted{})
	}
	if th.l.aborting {
		th.at = kernelFrames(1)[0]
		panic(aborted{})
	}
}

// pause lets other threads run; it does nothing outside of a launch.
func pause() {
	if running != nil {
		running.pause()
	}
}

// read is an ordered load.
func read[T Num](p *T) T {
	look(p, true, false)
	v := *p
	pause()
	return v
}

// update is an atomic: its argument v was computed from *p, and no other thread has run
// since.
func update[T Num](p *T, v T) T {
	look(p, true, true)
	return set(p, v)
}

// write is an exchange or an ordered store.
func write[T Num](p *T, v T) T {
	look(p, false, true)
	return set(p, v)
}

// set makes *p v, and returns what it was.
func set[T Num](p *T, v T) T {
	old := *p
	*p = v
	if th := running; th != nil {
		if toBits(old) != toBits(v) {
			th.l.changed = true
		}
		th.pause()
	}
	return old
}

// roundCycles is by how much the clocks advance in a round, in cycles and
// nanoseconds.
const roundCycles = 1024

// sms is how many multiprocessors the blocks are spread over.
const sms = 8

func (th *thread) special(s special) uint64 {
	switch s {
	case spRank:
		return uint64(th.idx)
	case spTID, spTIDY, spTIDZ:
		if s == spTID && th.l.blockDim.flat() {
			return uint64(th.idx)
		}
		return uint64(th.l.blockDim.at(int(th.idx))[s-spTID])
	case spCTAID, spCTAIDY, spCTAIDZ:
		if s == spCTAID && th.l.gridDim.flat() {
			return uint64(th.b.index)
		}
		return uint64(th.l.gridDim.at(th.b.index)[s-spCTAID])
	case spNTID, spNTIDY, spNTIDZ:
		return uint64(th.l.blockDim.list()[s-spNTID])
	case spNCTAID, spNCTAIDY, spNCTAIDZ:
		return uint64(th.l.gridDim.list()[s-spNCTAID])
	case spDynamic:
		return uint64(th.l.dynamic)
	case spSM:
		return uint64(th.b.index % sms)
	default:
		// A loop that waits for a time must let it pass.
		th.pause()
		return th.l.round * roundCycles
	}
}

func (th *thread) sleep(ns uint32) {
	th.wake = th.l.round + 1 + uint64(min(ns, 1_000_000)/roundCycles)
	th.pause()
}
