package atos

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Peers are the inboxes by which the GPUs of a group send each other tasks: one for each ordered pair of GPUs, in the memory of the receiver. The sender stores into it,
// and the receiver takes from it; neither waits for a host, and only the sender uses the link.
//
// # Boxes
//
// An inbox has several boxes, so that workers do not all contend for one counter; a warp puts what it sends into one of them. A box is a ring of places with one sender and
// one receiver, each of which counts positions in its own memory: Sent how many places were reserved, by one atomic for all lanes of a warp, and Taken how many messages were
// taken. A message is a vertex and a value. Its first word has a sign that says in which round of the ring it was stored: a message is its own publication, and what
// is still being stored is not taken. Nobody has to empty a place.
//
// # Why nothing is overwritten
//
// A sender reserves a place only if the message that was there before has been taken. What it knows of that, Seen, may be old: Taken only grows. If there seems to be no room it loads Taken over the link,
// once, and keeps it. The receiver has loaded the messages of its places before it counts them as taken.
type Peers struct {
	// Bounds are the vertices with which the ranges of the other GPUs end, in their order. First and Count are the own range.
	Bounds       []uint32
	First, Count uint32
	// An inbox has Boxes boxes, a power of 2, of 1<<Bits places each.
	Boxes, Bits uint32
	// Of each other GPU, in their order: the own inbox in its memory, and what its workers have taken from it.
	Outbox [scheduler.MostPeers][]uint64
	Taken  [scheduler.MostPeers][]uint32
	// Inbox has the inboxes of all others in the memory of the own GPU, and Took what was taken from each box.
	Inbox []uint64
	Took  []uint32
	// Sent and Seen have a word for each box of another GPU.
	Sent, Seen []uint32
}

// sign returns the highest bit of the first word of the message at a position: places are 0 at first, which is the sign of the second round.
func (p *Peers) sign(position uint32) uint64 { return uint64(^position>>p.Bits) << 63 }

// room returns the number of places of a box.
func (p *Peers) room() uint32 { return 1 << p.Bits }

// place returns the first word of a position of a box, in an inbox for values of type V, or in several that follow each other.
func place[V gpu.Num](p *Peers, box, position uint32) uint32 {
	return words[V]() * (box<<p.Bits + position&(p.room()-1))
}

// words returns the number of words of a message.
func words[V gpu.Num]() uint32 {
	if scheduler.Wide[V]() {
		return 2
	}
	return 1
}

// owner returns the place of the GPU that has a vertex of another one among the others.
func (p *Peers) owner(v uint32) uint32 {
	k := uint32(0)
	for p.Bounds[k] <= v {
		k++
	}
	return k
}

// own reports whether a vertex is in the range of the own GPU.
func (p *Peers) own(v uint32) bool { return v-p.First < p.Count }

// box returns the box into which a warp puts messages for a GPU, among all boxes of other GPUs. Of a block that has few tasks the first warps send, so that blocks differ.
func (p *Peers) box(t gpu.Thread, k uint32) uint32 {
	return k*p.Boxes + (t.Block()+t.Warp())&(p.Boxes-1)
}

// taken returns the word in the memory of another GPU with what was taken from a box.
func (p *Peers) taken(box uint32) *uint32 {
	taken := p.Taken[0]
	// With constant indices the slices stay parameters of the kernel, and are no array in local memory.
	for i := 1; i < scheduler.MostPeers; i++ {
		if uint32(i) == box/p.Boxes {
			taken = p.Taken[i]
		}
	}
	return &taken[box&(p.Boxes-1)]
}

// send sends v, a vertex of another GPU, with what value returns if there is room. It returns false if there is none.
func send[V gpu.Num](t gpu.Thread, p *Peers, v uint32, value func() V) bool {
	k := p.owner(v)
	box := p.box(t, k)
	outbox := p.Outbox[0]
	for i := 1; i < scheduler.MostPeers; i++ {
		if uint32(i) == k {
			outbox = p.Outbox[i]
		}
	}
	// The lanes that are here may have different GPUs to send to, on whichever way they came.
	position, ok := reserve(t, p, gpu.Match(t, t.ActiveMask(), k), box)
	if ok {
		x := value()
		at := place[V](p, box&(p.Boxes-1), position)
		word := p.sign(position) | uint64(v)<<32
		if scheduler.Wide[V]() {
			gpu.Store(&outbox[at+1], scheduler.Bits(x), gpu.SystemScope)
		} else {
			word |= scheduler.Bits(x)
		}
		// The other GPU learns from the message also that its task was begun here, see Ending.
		gpu.Fence(gpu.SystemScope)
		gpu.Store(&outbox[at], word, gpu.SystemScope)
	}
	return ok
}

// reserve reserves a place in a box for each of the lanes, which all have the same one, as far as there is room: first lanes first.
func reserve(t gpu.Thread, p *Peers, lanes, box uint32) (position uint32, ok bool) {
	first, most := gpu.TrailingZeros(lanes), gpu.PopCount(lanes)
	base, n := uint32(0), uint32(0)
	if t.Lane() == first {
		base = gpu.Load(&p.Sent[box])
		limit := gpu.Load(&p.Seen[box]) + p.room()
		if int32(limit-base-most) < 0 {
			now := gpu.LoadAcquire(p.taken(box), gpu.SystemScope)
			gpu.StoreRelease(&p.Seen[box], now)
			limit = now + p.room()
		}
		for n == 0 && int32(limit-base) > 0 {
			if old := gpu.AtomicCAS(&p.Sent[box], base, base+min(most, limit-base)); old == base {
				n = min(most, limit-base)
			} else {
				base = old
			}
		}
	}
	base, n = gpu.Shfl(t, lanes, base, first), gpu.Shfl(t, lanes, n, first)
	rank := gpu.PopCount(lanes & (1<<t.Lane() - 1))
	return base + rank, rank < n
}

// none is no position.
const none = ^uint64(0)

// filled returns the position of the next message of a box, and reports whether it has come.
func filled[V gpu.Num](p *Peers, box uint32) (first uint32, ok bool) {
	first = gpu.Load(&p.Took[box], gpu.SystemScope)
	word := gpu.Load(&p.Inbox[place[V](p, box, first)], gpu.SystemScope)
	return first, (word^p.sign(first))>>63 == 0
}

// receive takes up to one message for each thread of a worker out of a box, and calls f for each. It returns their number in all threads.
func receive[M scheduler.Mapping, V gpu.Num](t gpu.Thread, p *Peers, w scheduler.Worker[uint32], box uint32, f func(v uint32, x V)) uint32 {
	var m M
	// Nearly always there is nothing: one thread looks at the first message for all.
	head := scheduler.Once(t, m, func() uint64 {
		first, filled := filled[V](p, box)
		if !filled {
			return none
		}
		return uint64(first)
	})
	if head == none {
		return 0
	}
	first := uint32(head)
	position := first + w.Index
	at := place[V](p, box, position)
	word := gpu.Load(&p.Inbox[at], gpu.SystemScope)
	here := w.Index < p.room() && (word^p.sign(position))>>63 == 0
	bits := word & (1<<32 - 1)
	if here {
		gpu.Fence(gpu.SystemScope) // acquires the message
		if scheduler.Wide[V]() {
			bits = gpu.Load(&p.Inbox[at+1], gpu.SystemScope)
		}
	}
	n := leading[M](t, here)
	if n == 0 || take(t, m, &p.Took[box], first, n) == 0 {
		return 0 // another worker was faster
	}
	if w.Index < n {
		f(uint32(word>>32)&^Second, scheduler.FromBits[V](bits))
	}
	return n
}

// take counts n messages from first on as taken, in all threads of a worker, and returns 1, or 0 if another worker has done so.
func take[M scheduler.Mapping](t gpu.Thread, m M, took *uint32, first, n uint32) uint32 {
	return scheduler.Once(t, m, func() uint32 {
		gpu.Fence(gpu.SystemScope) // all threads have loaded their messages
		if gpu.AtomicCAS(took, first, first+n, gpu.SystemScope) == first {
			return 1
		}
		return 0
	})
}

// leading returns the number of threads of a worker before the first one in which p is false.
func leading[M scheduler.Mapping](t gpu.Thread, p bool) uint32 {
	var m M
	switch m.Team() {
	case scheduler.OneWarp:
		return gpu.TrailingZeros(^t.Ballot(gpu.FullMask, p))
	case scheduler.OneBlock:
		missing := uint32(1)
		if p {
			missing = 0
		}
		return scheduler.TaskTally[M](t, scheduler.SumUpToBlock(t, missing) == 0)
	}
	if p {
		return 1
	}
	return 0
}
