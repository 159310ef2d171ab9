package gpu

import (
	"fmt"
	"unsafe"

	"github.com/weft-gpu/weft/internal/mbarrier"
)

// copies are the asynchronous copies of a thread that have not landed, in the order in which they were begun, and arrivals at
// mbarriers behind them. Each lands as late as PTX allows: when the thread waits for it, or when a thread looks at an mbarrier
// that waits for it.
type copies struct {
	pending []pendingCopy
	groups  uint32 // that have been committed
}

// pendingCopy is a copy, or an arrival of those before it.
type pendingCopy struct {
	land  func()  // nil for an arrival
	at    *uint64 // the mbarrier of an arrival
	group uint32
	by    *begun // of a copy of another block of the cluster; nil for others
}

// beginCopy begins a copy of the running thread. Outside of a launch it is done at once.
func beginCopy[T any](dst, src *T) {
	switch size := unsafe.Sizeof(*dst); {
	case size != 4 && size != 8 && size != 16:
		panic(misuse(fmt.Sprintf("CopyAsync of %d bytes; want 4, 8 or 16", size)))
	case running == nil:
		*dst = *src
		return
	}
	_ = *src // a nil pointer is the fault of this line
	c := &running.copies
	c.pending = append(c.pending, pendingCopy{land: func() { *dst = *src }, group: c.groups})
}

func (th *thread) commitCopies() { th.copies.groups++ }

func (th *thread) waitCopies(pending uint32) {
	c := &th.copies
	if c.groups <= pending {
		return
	}
	n := 0
	for n < len(c.pending) && c.pending[n].group < c.groups-pending {
		n++
	}
	th.land(n)
}

// land completes the first n entries of the pending copies.
func (th *thread) land(n int) {
	for _, p := range th.copies.pending[:n] {
		if p.land != nil {
			p.land()
			continue
		}
		th.arriveCopied(p.at)
	}
	th.copies.pending = append(th.copies.pending[:0], th.copies.pending[n:]...)
}

// arriveCopied counts the arrival of copies that have landed.
func (th *thread) arriveCopied(at *uint64) {
	next, why := mbarrier.State(*at).Arrive(1)
	if why != "" {
		panic(misuse(why))
	}
	*at = uint64(next)
	th.l.changed = true
}

// landFor lands what an mbarrier waits for, before a thread of the block looks at it.
func (b *block) landFor(at *uint64) {
	for i := 0; i < len(b.bulk); {
		if b.bulk[i].at != at {
			i++
			continue
		}
		land := b.bulk[i].land
		b.bulk = append(b.bulk[:i], b.bulk[i+1:]...)
		land()
		running.l.changed = true
	}
	for i := range b.threads {
		th := &b.threads[i]
		n := 0
		for k := range th.copies.pending {
			if th.copies.pending[k].at == at {
				n = k + 1
			}
		}
		if n > 0 {
			th.land(n)
		}
	}
}

// announce lets an mbarrier wait for the copies that the running thread has begun so far. Outside of a launch they have landed.
func announce(at *uint64) {
	if running == nil {
		onMBarrier(at, 1, arrived)
		return
	}
	c := &running.copies
	c.pending = append(c.pending, pendingCopy{at: at, group: c.groups})
}

// beginBulk begins a copy of n elements of the running thread, which completes on an mbarrier. Outside of a launch it is done at once.
func beginBulk[T Num](dst, src *T, n uint32, at *uint64) {
	land, over := bulkCopy(dst, src, n, at, "CopyBulk")
	if over {
		return
	}
	running.b.bulk = append(running.b.bulk, pendingCopy{land: land, at: at})
}

// bulkSize returns how many bytes n elements are, of a copy in bulk by a function of some name.
func bulkSize[T Num](n uint32, name string) uint64 {
	bytes := uint64(n) * uint64(sizeOf[T]())
	if bytes%16 != 0 {
		panic(misuse(fmt.Sprintf("%s of %d bytes; want a multiple of 16", name, bytes)))
	}
	return bytes
}

// bulkCopy returns what copies n elements and completes on an mbarrier. It reports whether that is over: there is nothing to copy, or there is no launch and it
// has been done.
func bulkCopy[T Num](dst, src *T, n uint32, at *uint64, name string) (land func(), over bool) {
	bytes := bulkSize[T](n, name)
	if n == 0 {
		return nil, true
	}
	_, _ = *src, *dst // a nil pointer is the fault of this line
	land = func() {
		copy(unsafe.Slice(dst, n), unsafe.Slice(src, n))
		brought(at, bytes)
	}
	if running == nil {
		land()
		return nil, true
	}
	return land, false
}

// brought counts the bytes of a copy in bulk at its mbarrier.
func brought(at *uint64, bytes uint64) {
	next, why := mbarrier.State(*at).Complete(bytes)
	if why != "" {
		panic(misuse(why))
	}
	*at = uint64(next)
}
