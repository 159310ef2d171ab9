package simt

import "math/bits"

// Unwritten tracks the bytes of a buffer that have not been written yet: by no
// copy from the host, no store and no atomic.
type Unwritten struct {
	bits []uint64 // one bit per byte, set while it is unwritten
	left int      // number of set bits
}

// newUnwritten returns the Unwritten of a buffer of n bytes that was just
// allocated; nil for an empty one.
func newUnwritten(n int) *Unwritten {
	if n == 0 {
		return nil
	}
	u := &Unwritten{bits: make([]uint64, (n+63)/64), left: n}
	for i := range u.bits {
		u.bits[i] = ^uint64(0)
	}
	// Bits beyond the buffer must be clear, or left would never become zero.
	if n%64 != 0 {
		u.bits[len(u.bits)-1] = 1<<(n%64) - 1
	}
	return u
}

// Meets reports whether one of the n bytes at off is unwritten, for an access
// of at most 16 bytes that is aligned to its size. Bytes beyond the buffer do
// not count.
func (u *Unwritten) Meets(off, n uint64) bool {
	return u != nil && off>>6 < uint64(len(u.bits)) && u.bits[off>>6]>>(off&63)&(1<<n-1) != 0
}

// Left returns the number of unwritten bytes.
func (u *Unwritten) Left() int {
	if u == nil {
		return 0
	}
	return u.left
}

// First returns the first of the count bytes at off that is unwritten; ok is
// false if all are written.
func (u *Unwritten) First(off, count int) (at int, ok bool) {
	if u == nil {
		return 0, false
	}
	for i := off; i < min(off+count, 64*len(u.bits)); {
		word := u.bits[i/64] >> (i % 64)
		if word == 0 { // the rest of the word has been written
			i = (i/64 + 1) * 64
			continue
		}
		if word&1 != 0 {
			return i, true
		}
		i++
	}
	return 0, false
}

// Unwritten returns which bytes of the buffer are unwritten; nil if none is or
// if the memory does not track them.
func (a *Allocation) Unwritten() *Unwritten { return a.unwritten }

// Wrote records that the count bytes at off have been written.
func (a *Allocation) Wrote(off, count int) {
	unwritten := a.unwritten
	if unwritten == nil {
		return
	}
	for i := off; i < min(off+count, 64*len(unwritten.bits)); {
		word, mask := &unwritten.bits[i/64], ^uint64(0)<<(i%64)
		// The last word may be covered in part.
		if end := off + count - i/64*64; end < 64 {
			mask &= 1<<end - 1
		}
		unwritten.left -= bits.OnesCount64(*word & mask)
		*word &^= mask
		i = (i/64 + 1) * 64
	}
	if unwritten.left == 0 {
		a.unwritten = nil
	}
}
