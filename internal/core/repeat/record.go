package repeat

import (
	"encoding/binary"
	"math/bits"
)

// Record receives the state of a machine as a sequence of words, always in the same order, and hashes it, keeps it or
// compares it with what another Record kept.
type Record struct {
	hash   [2]uint64 // two independent hashes
	words  int
	kept   []uint64
	mode   recordMode
	differ bool
}

type recordMode uint8

const (
	hashing recordMode = iota
	keeping
	comparing
)

// Digest is a hash of 128 bits of a state.
type Digest [2]uint64

// Hash makes r hash what follows.
func (r *Record) Hash() { r.mode, r.words, r.hash = hashing, 0, [2]uint64{1, 2} }

// Keep makes r keep what follows.
func (r *Record) Keep() { r.mode, r.words, r.kept = keeping, 0, r.kept[:0] }

// Compare makes r compare what follows with what it keeps.
func (r *Record) Compare() { r.mode, r.words, r.differ = comparing, 0, false }

// Digest returns the hash of the words since Hash.
func (r *Record) Digest() Digest {
	return Digest{mix(r.hash[0]^uint64(r.words), 0x2545f4914f6cdd1d), mix(r.hash[1]+uint64(r.words), 0xd1342543de82ef95)}
}

// Same reports whether the words since Compare are those that r keeps.
func (r *Record) Same() bool { return !r.differ && r.words == len(r.kept) }

// Differs reports whether a word since Compare differed, so that the rest of the state does not matter.
func (r *Record) Differs() bool { return r.mode == comparing && r.differ }

// Words returns the number of words so far.
func (r *Record) Words() int { return r.words }

// Word adds a word.
func (r *Record) Word(x uint64) {
	switch r.mode {
	case hashing:
		r.hash[0] = mix(r.hash[0]^x, 0x9e3779b97f4a7c15)
		r.hash[1] = mix(r.hash[1]+x, 0xbf58476d1ce4e5b9)
	case keeping:
		r.kept = append(r.kept, x)
	default:
		r.differ = r.differ || r.words >= len(r.kept) || r.kept[r.words] != x
	}
	r.words++
}

// Int adds a number.
func (r *Record) Int(x int) { r.Word(uint64(x)) }

// Bool adds a truth value.
func (r *Record) Bool(x bool) {
	if x {
		r.Word(1)
	} else {
		r.Word(0)
	}
}

// Bytes adds bytes; their number must follow from what was added before.
func (r *Record) Bytes(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		r.Word(binary.NativeEndian.Uint64(b))
	}
	for _, c := range b {
		r.Word(uint64(c))
	}
}

// mix multiplies to 128 bits, and folds and rotates the product. For a fixed k it does not map two values of x to one
// more often than by chance.
func mix(x, k uint64) uint64 {
	hi, lo := bits.Mul64(x, k)
	return bits.RotateLeft64(hi^lo, 23) + k
}
