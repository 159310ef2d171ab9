package sim

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// team is some goroutines that share the parts of a piece of work. They wait for the next piece without giving up their
// processor for a while, since windows follow each other closely, and sleep after that.
type team struct {
	threads int // with the caller; 0 and 1: there is no one else
	members int // goroutines that were started

	part  func(int) // the work of this piece
	parts int64
	next  atomic.Int64  // part that nobody has begun
	left  atomic.Int64  // members that work on this piece
	piece atomic.Uint64 // its number
	stop  atomic.Bool   // there is no other piece

	mutex  sync.Mutex
	wakeUp sync.Cond
	asleep int
}

// spins is how often a member looks for work before it sleeps, about 50 us.
const spins = 1 << 14

// pause is for how long a thread sleeps that waits longer than that.
const pause = 50 * time.Microsecond

// do calls f for the parts 0 to n-1, each on one of the threads, or all on this one, and returns when all are done.
func (t *team) do(parts int, part func(int), alone bool) {
	if alone || t.threads <= 1 || parts <= 1 {
		for number := range parts {
			part(number)
		}
		return
	}
	if t.members == 0 {
		t.start()
	}
	// A member reads these when it has seen the new number of the piece, so that they are written before it, and left before any
	// member can take one off.
	t.part, t.parts = part, int64(parts)
	t.next.Store(0)
	t.left.Store(int64(t.members))
	t.piece.Add(1)
	// A member looks at the number under the mutex before it sleeps: either it sees this piece, or it is counted as asleep here.
	t.mutex.Lock()
	if t.asleep > 0 {
		t.wakeUp.Broadcast()
	}
	t.mutex.Unlock()
	t.work()
	// The last parts of the others take no longer than one of this thread.
	for tries := 1; t.left.Load() > 0; tries++ {
		makeWay(tries)
	}
}

// makeWay is called by a thread that has looked so often for what another one does. It goes on looking at once for a while, lets other
// goroutines of its processor run now and then, and sleeps after that: the other one has no processor.
func makeWay(tries int) {
	switch {
	case tries > spins:
		time.Sleep(pause)
	case tries%64 == 0:
		runtime.Gosched()
	}
}

// work does parts until all have been begun.
func (t *team) work() {
	for {
		// Whoever is free takes the next part: SMs differ in how much they have to do.
		number := t.next.Add(1) - 1
		if number >= t.parts {
			return
		}
		t.part(int(number))
	}
}

// start begins the goroutines.
func (t *team) start() {
	t.wakeUp.L = &t.mutex
	t.stop.Store(false)
	t.members = t.threads - 1
	for range t.members {
		go t.member(t.piece.Load())
	}
}

// member works on one piece after the other, until the team is dismissed.
func (t *team) member(done uint64) {
	for {
		for tries := 0; t.piece.Load() == done; tries++ {
			if tries < spins {
				continue
			}
			t.mutex.Lock()
			t.asleep++
			for t.piece.Load() == done {
				t.wakeUp.Wait()
			}
			t.asleep--
			t.mutex.Unlock()
		}
		done++ // and not the number read: no piece begins before all members have left the last one
		if t.stop.Load() {
			t.left.Add(-1)
			return
		}
		t.work()
		t.left.Add(-1)
	}
}

// dismiss ends the goroutines.
func (t *team) dismiss() {
	if t.members == 0 {
		return
	}
	t.stop.Store(true)
	t.left.Store(int64(t.members))
	t.piece.Add(1)
	t.mutex.Lock() // one that is about to sleep sees the piece, or is woken
	t.wakeUp.Broadcast()
	t.mutex.Unlock()
	// A later start counts members anew: none of the old ones may be left to take part.
	for t.left.Load() > 0 {
		runtime.Gosched()
	}
	t.members = 0
}
