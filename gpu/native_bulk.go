package gpu

import (
	"fmt"
	"unsafe"
)

// stores are the copies in bulk of a thread to global memory that are not complete, in the order in which they were begun. Each reads
// its source, and writes, as late as PTX allows: when the thread waits for that, or at the end of the block.
type stores struct {
	pending []pendingStore
	groups  uint32 // that have been committed
}

// pendingStore is a copy in bulk to global memory.
type pendingStore struct {
	read  func()
	write func()
	group uint32
	done  bool // it has read its source
}

// keepNew is the reduction that is a copy.
func keepNew[T Num](_, v T) T { return v }

// beginStore begins a copy of n elements of the running thread, or a reduction. Outside of a launch it is done at once.
func beginStore[T Num](dst, src *T, n uint32, name string, combine func(old, v T) T) {
	if bytes := uint64(n) * uint64(unsafe.Sizeof(*dst)); bytes%16 != 0 {
		panic(misuse(fmt.Sprintf("%s of %d bytes; want a multiple of 16", name, bytes)))
	}
	if n == 0 {
		return
	}
	_, _ = *src, *dst // a nil pointer is the fault of this line
	var data []T
	p := pendingStore{read: func() { data = append(data, unsafe.Slice(src, n)...) }, write: func() {
		to := unsafe.Slice(dst, n)
		for i := range to {
			to[i] = combine(to[i], data[i])
		}
	}}
	if running == nil {
		p.land(false)
		return
	}
	s := &running.stores
	p.group = s.groups
	s.pending = append(s.pending, p)
}

// land lets a copy read its source, if it has not, and unless that is all that is waited for, write.
func (p *pendingStore) land(read bool) {
	if !p.done {
		p.read()
		p.done = true
	}
	if !read {
		p.write()
	}
}

func (th *thread) commitBulk() { th.stores.groups++ }

func (th *thread) waitBulk(pending uint32, read bool) {
	s, kept := &th.stores, 0
	for _, p := range s.pending {
		complete := p.group+pending < s.groups
		if complete {
			p.land(read)
			th.l.changed = true
		}
		if !complete || read {
			s.pending[kept] = p
			kept++
		}
	}
	s.pending = s.pending[:kept]
}

func (th *thread) fenceAsync() {}

// landStores completes the copies to global memory of a block whose threads have exited.
func (b *block) landStores() {
	for i := range b.threads {
		for k := range b.threads[i].stores.pending {
			b.threads[i].stores.pending[k].land(false)
		}
	}
}
