package gpu

import (
	"fmt"
	"sync"
)

// Option configures a Launch.
type Option func(*options)

type options struct {
	rounds     int
	exact      bool // Rounds says how many
	poison     int  // a byte, or -1 for a different value in each word
	clusterDim Dim  // blocks of one
	dynamic    int  // bytes of dynamic shared memory per block
	unwritten  bool // atomics may read shared memory that no thread has written
	undefined  bool // shuffles may read lanes that do not take part, and threads may go around barriers
}

// Rounds sets the number of rounds without progress after which a launch ends with an
// [UndecidedError]. The default is 10,000, and as many more as two million operations take,
// which a kernel of few threads needs if it reads a word very often.
//
// In a round every thread that is not waiting runs to its next atomic, ordered access,
// fence, sleep, clock read or collective. Progress means that an atomic or ordered store
// changed a value, a thread exited, a block passed a barrier, or a thread did something else
// than before: it read another word, or another value. If a launch does nothing but pass
// barriers, or nothing but read, it may continue for a hundred times as many rounds. Plain
// stores do not count, since the executor cannot see them: a kernel that makes only plain
// stores between very many loads of the same word needs a larger number.
func Rounds(n int) Option { return func(o *options) { o.rounds, o.exact = max(n, 1), true } }

// Poison sets the byte that fills shared memory before its first use. By default each word
// holds a different number, which is large as an integer. A kernel whose result depends on the byte reads shared
// memory that it has not written. With Poison, Launch does not report such reads, as with
// [AllowUnwritten].
func Poison(b byte) Option { return func(o *options) { o.poison, o.unwritten = int(b), true } }

// DynamicSharedBytes gives each block n bytes of dynamic shared memory; see
// [DynamicShared].
func DynamicSharedBytes(n int) Option { return func(o *options) { o.dynamic = n } }

// AllowUnwritten permits atomics and ordered loads to read words of shared memory that no
// thread has written.
func AllowUnwritten() Option { return func(o *options) { o.unwritten = true } }

// AllowUndefined permits shuffles that read a lane which does not take part, and barriers
// around which some threads of a block go or to which they come in different places. PTX
// leaves both undefined. Such a shuffle returns an arbitrary number that is large as an
// integer and NaN as a float.
func AllowUndefined() Option { return func(o *options) { o.undefined = true } }

// barrierRounds is the factor by which a launch may exceed Rounds if its only progress is
// that blocks pass barriers, or that threads read other words.
const barrierRounds = 100

// turn serializes launches, since running is one variable for all of them.
var turn sync.Mutex

// running is the thread that executes now; it is nil between launches.
var running *thread

// launch is a kernel launch in progress.
type launch struct {
	options
	grid, block int // blocks, and threads per block, over all dimensions
	gridDim     Dim
	blockDim    Dim
	kernel      func(Thread)
	blocks      []block
	threads     []thread

	ready, next []*thread // threads that run in this round, and in the next one
	round       uint64
	idle        *worker // coroutines without a thread
	changed     bool    // a value changed or a thread exited in this round
	passed      bool    // a block passed a barrier in this round
	fresh       bool    // a thread did something that it did not just repeat
	still       idle    // since there was progress
	unchanged   idle    // since a value changed or a thread exited
	aborting    bool    // threads that are resumed record where they are and unwind
	err         *Fault  // of a thread
	stuckIn     *block  // a block whose threads all wait, with none able to continue
	stuckWhat   string
	places      places
	calls       map[site]*barrierCall
}

// Launch runs a kernel as plain Go, with grid blocks of block threads each (at most
// MaxBlock). It returns when every thread has exited.
//
// All blocks are resident. One thread runs at a time; threads switch at each atomic,
// ordered access, fence, sleep, clock read and collective, in an order that depends only on
// the kernel. Equal launches therefore give equal results, and memory is sequentially
// consistent. A loop that waits for another thread with plain loads never ends; use [Load].
//
// If the kernel panics or misuses a collective, Launch returns a [*Fault]. So it does if a
// shuffle reads a lane that does not take part, if threads of a block come to different calls
// of the same barrier, and if a thread goes around a barrier to the end of the kernel; see
// [AllowUndefined]. (Go does not tell a thread that returns early from one that goes around:
// Launch reads the kernel's source for that, and lets kernels pass that have a return before
// the barrier. Device func knows.) It also returns a *Fault if an atomic or ordered load reads a word of shared memory that no thread has
// written. A plain load of such a word is invisible to plain Go: it returns an arbitrary number
// here, and is an error on device func. If a barrier or collective cannot complete, Launch
// returns a [*HangError]; if threads spin for longer than [Rounds] allows, an
// [*UndecidedError]. In each case it ends all threads where they are.
//
// Atomics and ordered accesses also work outside a launch, but not while a launch runs in
// another goroutine. Concurrent calls of Launch wait for each other. A kernel cannot call
// Launch.
func Launch(grid, block int, kernel func(t Thread), opts ...Option) error {
	if grid < 1 || block < 1 || block > MaxBlock {
		return fmt.Errorf("gpu: launch of %d blocks with %d threads: want at least 1 block of 1 to %d threads", grid, block, MaxBlock)
	}
	return LaunchDim(Dim{X: grid}, Dim{X: block}, kernel, opts...)
}

// place creates the blocks and their threads; all threads are ready.
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
	l.join()
}

// run steps all ready threads, round by round, until none remains.
func (l *launch) run() error {
	for len(l.ready) > 0 {
		l.changed, l.passed, l.fresh = false, false, false
		steps := 0
		for _, th := range l.ready {
			if th.wake > l.round {
				l.next = append(l.next, th)
				continue
			}
			l.step(th)
			steps++
			if l.err != nil {
				return l.located()
			}
			if l.stuckIn != nil {
				return &HangError{What: l.stuckWhat, Waits: l.giveUp(l.stuckIn.stuckThreads(l))}
			}
		}
		l.ready, l.next = l.next, l.ready[:0]
		l.round++
		if rounds, giveUp := l.stands(steps); giveUp && len(l.ready) > 0 {
			return &UndecidedError{Rounds: rounds, Waits: l.giveUp(l.threads)}
		}
	}
	return nil
}

// located returns the fault that ended the launch, with its position: that of its thread, if
// the thread waits there.
func (l *launch) located() error {
	if f := l.err; f.At == nil {
		th := &l.blocks[f.Block].threads[f.Thread]
		l.aborting = true
		l.step(th)
		f.At = th.at
	}
	return l.err
}

// step runs th to its next pause or its exit.
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

// end stops all coroutines.
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
