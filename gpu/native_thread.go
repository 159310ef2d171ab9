package gpu

import (
	"iter"
	"unsafe"
)

// thread executes one thread of a launch as plain Go; it implements executor.
type thread struct {
	l      *launch
	b      *block
	w      *worker // set while the thread has started and not exited
	idx    uint32  // in the block
	state  state
	syncAt syncKind // the barrier at which the thread waits
	pred   bool     // its argument to the barrier
	warpAt warpKind // the collective at which the thread waits
	mask   uint32
	lane   uint32
	val    uint64  // its argument to the collective
	result uint64  // of the barrier or collective
	wake   uint64  // the round in which it may continue
	at     []Frame // where it was when the launch was ended
	spin   spin    // whether it repeats itself
	tile   *tile   // its argument to a product of matrices; nil before the first one
	copies copies
	stores stores
}

// state is what a thread does.
type state uint8

const (
	runs state = iota
	atBarrier
	atCollective
	exited
)

// worker is a coroutine that runs threads one after another, so that a thread that never
// pauses needs no coroutine of its own.
type worker struct {
	th    *thread
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	link  *worker // next in the idle list
}

// worker returns a coroutine for th.
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

// run is the body of the coroutine.
func (w *worker) run(yield func(struct{}) bool) {
	w.yield = yield
	for {
		w.th.main()
		if !yield(struct{}{}) {
			return
		}
	}
}

// aborted is the panic value that unwinds the threads of a launch that is ended early.
type aborted struct{}

// main runs the kernel for the thread and records a panic as the error of the launch.
func (th *thread) main() {
	defer func() {
		th.state = exited
		switch r := recover().(type) {
		case nil, aborted: // a normal exit, or runtime.Goexit, which iter.Pull propagates
		default:
			th.l.err = th.fault(r)
		}
	}()
	th.l.kernel(Thread{th})
}

// pause lets other threads run; th continues in the next round.
func (th *thread) pause() {
	th.l.next = append(th.l.next, th)
	th.suspend()
}

// suspend lets other threads run until th is resumed.
func (th *thread) suspend() {
	if !th.w.yield(struct{}{}) {
		panic(aborted{})
	}
	if th.l.aborting {
		th.at = kernelFrames()
		panic(aborted{})
	}
}

// pause lets other threads run. Outside a launch it does nothing.
func pause() {
	if running != nil {
		running.pause()
	}
}

// read performs an ordered load.
func read[T Num](p *T) T {
	look(p, true, false)
	v := *p
	if th := running; th != nil {
		th.observe(uintptr(unsafe.Pointer(p)), toBits(v))
		th.pause()
	}
	return v
}

// update performs an atomic. Its argument v was computed from *p, and no other thread has
// run since.
func update[T Num](p *T, v T) T {
	look(p, true, true)
	return set(p, v)
}

// write performs an exchange or an ordered store.
func write[T Num](p *T, v T) T {
	look(p, false, true)
	return set(p, v)
}

// set stores v to *p and returns the old value.
func set[T Num](p *T, v T) T {
	old := *p
	*p = v
	if th := running; th != nil {
		if toBits(old) != toBits(v) {
			th.l.changed = true
		}
		th.observe(uintptr(unsafe.Pointer(p)), toBits(v))
		th.pause()
	}
	return old
}

// roundCycles is the advance of both clocks per round: in cycles for the cycle counter, in
// nanoseconds for the timer.
const roundCycles = 1024

// sms is the number of multiprocessors over which blocks are distributed.
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
		return uint64(th.l.placeOf(th.b.index)[s-spCTAID])
	case spNTID, spNTIDY, spNTIDZ:
		return uint64(th.l.blockDim.list()[s-spNTID])
	case spNCTAID, spNCTAIDY, spNCTAIDZ:
		return uint64(th.l.gridDim.list()[s-spNCTAID])
	case spClusterRank:
		return uint64(th.b.index % len(th.b.cluster.blocks))
	case spClusterSize:
		return uint64(len(th.b.cluster.blocks))
	case spClusterRankX, spClusterRankY, spClusterRankZ:
		d := s - spClusterRankX
		return uint64(th.l.placeOf(th.b.index)[d] % th.l.clusterDim.list()[d])
	case spClusterSizeX, spClusterSizeY, spClusterSizeZ:
		return uint64(th.l.clusterDim.list()[s-spClusterSizeX])
	case spDynamic:
		return uint64(th.l.dynamic)
	case spSM:
		return uint64(th.b.index % sms)
	default:
		// Reading a clock ends the thread's turn, so that a loop that waits for a time lets
		// it pass.
		th.pause()
		return th.l.round * roundCycles
	}
}

func (th *thread) sleep(ns uint32) {
	th.wake = th.l.round + 1 + uint64(min(ns, 1_000_000)/roundCycles)
	th.pause()
}
