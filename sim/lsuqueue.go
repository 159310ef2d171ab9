package sim

import "math/bits"

// takes reports whether the queue has room for an instruction of a sub-core. The last place is that of the sub-core whose turn
// it is among those that have found no room: which sub-core looks first in a cycle must not decide which one gets all of it.
func (l *lsu) takes(from *subcore) bool {
	left := len(l.queue) - l.n
	if left > 1 || l.n == 0 {
		return true
	}
	sub := l.number(from)
	l.waiting |= 1 << sub
	if left == 0 {
		return false
	}
	next := int32(bits.TrailingZeros32(l.waiting &^ (1<<l.turn - 1)))
	if next == 32 {
		next = int32(bits.TrailingZeros32(l.waiting))
	}
	return next == sub
}

// number returns the number of a sub-core in the SM.
func (l *lsu) number(s *subcore) int32 { return s.id - l.sm.subs[0].id }

// push adds an entry for an instruction of a sub-core at the end of the queue and returns it.
func (l *lsu) push(from *subcore) *lsuEntry {
	sub := l.number(from)
	l.waiting &^= 1 << sub
	l.turn = sub + 1
	end := l.head + l.n
	if end >= len(l.queue) {
		end -= len(l.queue)
	}
	l.n++
	entry := &l.queue[end]
	entry.n, entry.next = 0, 0
	return entry
}
