package opt

import "math/bits"

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

// newBitsets is count sets of n numbers in one piece of memory.
func newBitsets(count, n int) []bitset {
	w := (n + 63) / 64
	room := make(bitset, count*w)
	sets := make([]bitset, count)
	for i := range sets {
		sets[i] = room[i*w : (i+1)*w : (i+1)*w]
	}
	return sets
}

func (s bitset) has(i int32) bool { return s[i>>6]&(1<<(i&63)) != 0 }
func (s bitset) add(i int32)      { s[i>>6] |= 1 << (i & 63) }
func (s bitset) remove(i int32)   { s[i>>6] &^= 1 << (i & 63) }

func (s bitset) union(t bitset) {
	for i, w := range t {
		s[i] |= w
	}
}

func (s bitset) meets(t bitset) bool {
	for i, w := range t {
		if s[i]&w != 0 {
			return true
		}
	}
	return false
}

func (s bitset) equal(t bitset) bool {
	for i, w := range t {
		if s[i] != w {
			return false
		}
	}
	return true
}

func (s bitset) each(f func(i int32)) {
	for i, w := range s {
		for w != 0 {
			f(int32(i<<6 + bits.TrailingZeros64(w)))
			w &= w - 1
		}
	}
}
