package gpu

import (
	"fmt"
	"sync"
)

// MaxBlock is the largest number of threads a block.
const MaxBlock = 1024

// Option changes how Launch runs a kernel.
type Option func(*options)

type options struct {
	rounds    int
	poison    int  // a byte, or -1 for words that differ
	dynamic   int  // bytes of dynamic shared memory a block
	unwritten bool // atomics may read shared memory that nobody has written
}

// Rounds sets after how many rounds without progress a launch ends with an
// UndecidedError; 10,000 unless told. In a round every thread that does not wait
// runs to its next atomic, ordered access, fence, sleep, clock or collective.
// Progress is a value that an atomic or ordered store changed, a thread that
// left, or a barrier that a block passed; passing barriers alone, with nothing
// else, is taken for progress for a hundred times as long. Plain stores are
// not seen: a kernel that only makes those between very many loads needs a
// larger number.
func Rounds(n int) Option { return func(o *options) { o.rounds = max(n, 1) } }

// Poison sets the byte that fills shared memory before its first use; unless told,
// each word is a large number of its own. A kernel whose results depend on it reads
// what it did not write. Launch then does not look for that, as with AllowUnwritten.
func Poison(b byte) Option { return func(o *options) { o.poison, o.unwritten = int(b), true } }

// DynamicSharedBytes gives each block n bytes of dynamic shared memory; see
// DynamicShared.
func DynamicSharedBytes(n int) Option { return func(o *options) { o.dynamic = n } }

// AllowUnwritten lets atomics and ordered loads read words of shared memory that
// nobody has written.
func AllowUnwritten() Option { return func(o *options) { o.unwritten = true } }

// barrierRounds is how many times as long a launch may go on when all that
// happens is that barriers are passed.
const barrierRounds = 100

// turn makes launches take turns: running is one variable.
var turn sync.Mutex

// running is the thread that executes, nil between launches.
var running *thread

// launch is one kernel that runs.
type launch struct {
	options
	grid, block int // in all
	gridDim     Dim
	blockDim    Dim
	kernel      func(Thread)
	blocks      []block
	threads     []thread

	ready, next []*thread // who runs in this round and in the next one
	round       uint64
	idle        *worker // coroutines without a thread
	changed     bool    // a value changed or a thread left in this round
	passed      bool    // a block passed a barrier in this round
	aborting    bool    // threads that are resumed say where they are and unwind
	err         error   // a thread's fault
	stuckIn     *block  // all its threads wait, and none can go on
	stuckWhat   string
	places      places
}

// Launch runs a kernel of grid blocks with block threads each (at most
// MaxBlock) as plain Go, and returns when every thread has left. All blocks
// are resident. One thread runs at a time, and another one goes on at every
// atomic, ordered access, fence, sleep, clock and collective, in an order that
// depends on nothing but the kernel: equal launches give equal results, and
// memory is sequentially consistent. A loop that waits for another thread
// with plain loads never ends: use Load.
//
// A panic of the kernel, or a misuse of a collective, is returned as a *Fault; so is an
// atomic or ordered load of a word of shared memory that nobody has written. Plain Go
// cannot see the plain load of such a word: that finds a large number, and is an error
// on device func.
// A barrier or collective that cannot complete is a *HangError, and spinning for longer
// than Rounds allows an *UndecidedError. In each case all threads are ended where they are.
// Atomics and ordered accesses also work outside of a launch, but not while
// one runs in another goroutine. Launches wait for each other; a kernel cannot
// launch.
func Launch(grid, block int, kernel func(t Thread), opts ...Option) error {
	if grid < 1 || block < 1 || block > MaxBlock {
		return fmt.Errorf("gpu: launch of %d blocks with %d threads: want at least 1 block of 1 to %d threads", grid, block, MaxBlock)
	}
	return LaunchDim(Dim{X: grid}, Dim{X: block}, kernel, opts...)
}

// place makes the blocks and their threads, all ready.
func (l *launch) place() {
	warps := (l.block + WarpSize - 1) / WarpSize
	l.blocks = make([]block, l.grid)
	l.threads = make([]thread, l.grid*l.block)
	l.ready = make([]*thread, len(l.threads))
	ws := make([]warp, l.grid*warps)
	for b := range l.blocks {
		l.blocks[b] = block{
			index:   b,
			live:    l.block,
			threads: l.threads[b*l.block : (b+1)*l.block],
			warps:   ws[b*warps : (b+1)*warps],
		}
		for i := range l.block {
			th := &l.threads[b*l.block+i]
			th.l, th.b, th.idx = l, &l.blocks[b], uint32(i)
			th.b.warps[i/WarpSize].live |= 1 << (i % WarpSize)
			l.ready[b*l.block+i] = th
		}
	}
}

// run steps all ready threads, round by round, until none is left.
func (l *launch) run() error {
	still, only := 0, 0 // rounds without progress, without any but barriers
	for len(l.ready) > 0 {
		l.changed, l.passed = false, false
		for _, th := range l.ready {
			if th.wake > l.round {
				l.next = append(l.next, th)
				continue
			}
			l.step(th)
			if l.err != nil {
				return l.err
			}
			if l.stuckIn != nil {
				return &HangError{What: l.stuckWhat, Waits: l.giveUp(l.stuckIn.threads)}
			}
		}
		l.ready, l.next = l.next, l.ready[:0]
		l.round++
		still, only = still+1, only+1
		if l.changed {
			still, only = 0, 0
		} else if l.passed {
			still = 0
		}
		if len(l.ready) > 0 && (still >= l.rounds || only >= l.rounds*barrierRounds) {
			return &UndecidedError{Rounds: max(still, only), Waits: l.giveUp(l.threads)}
		}
	}
	return nil
}

// step lets th run to its next pause or its end.
func (l *launch) step(th *thread) {
	if th.w == nil {
		th.w = l.worker(th)
	}
	running = th
	th.w.next()
	running = nil
	if th.state != exited {
		return
	}
	w := th.w
	th.w = nil
	w.link, l.idle = l.idle, w
	if l.err == nil && !l.aborting {
		th.leave()
	}
}

// end ends all coroutines.
func (l *launch) end() {
	running = nil
	for i := range l.threads {
		if w := l.threads[i].w; w != nil {
			w.stop()
		}
	}
	for w := l.idle; w != nil; w = w.link {
		w.stop()
	}
}
