package cache

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/base/bitmix"
)

// index maps consecutively numbered lines to the sets of a cache.
type index struct {
	how  indexKind
	bits uint // log2 of sets, if that is a power of two
	sets uint64
}

type indexKind uint8

const (
	linear indexKind = iota
	xor
	digits // xor for a number of sets that is not a power of two
	hashed
)

// newIndex returns the index that a parameter names; see config.L1.Index.
func newIndex(name string, sets uint64) index {
	x := index{sets: sets, bits: uint(bits.TrailingZeros64(sets))}
	switch name {
	case "xor":
		if x.how = xor; sets&(sets-1) != 0 {
			x.how = digits
		}
	case "hash":
		x.how = hashed
	}
	return x
}

// set returns the set of a line. All but hash give each set the same number of lines of a contiguous array that begins
// and ends at multiples of the number of sets. With linear that holds for any beginning; with the others, strides that
// are powers of two use all sets too.
func (x *index) set(line uint64) uint64 {
	switch x.how {
	case xor:
		if x.bits == 0 {
			return 0 // one set
		}
		s := line
		for rest := line >> x.bits; rest != 0; rest >>= x.bits {
			s ^= rest
		}
		return s & (x.sets - 1)
	case digits:
		s := line % x.sets
		for rest := line / x.sets; rest != 0; rest /= x.sets {
			s += rest % x.sets
		}
		return s % x.sets
	case hashed:
		return bitmix.Mix(line+1) % x.sets
	}
	return line % x.sets
}
