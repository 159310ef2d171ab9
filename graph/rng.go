package graph

import (
	"math/bits"
	"sync"
)

// splitMixGamma is the increment of splitmix64 (Steele, Lea, Flood: Fast
// Splittable Pseudorandom Number Generators, 2014): 2^64 over the golden ratio, odd.
const splitMixGamma = 0x9e3779b97f4a7c15

// mix64 is the output function of splitmix64, a bijection of 64-bit values.
func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// rng is xoshiro256** (Blackman, Vigna, 2018), seeded by splitmix64. It is implemented here
// so that a seed means the same graph with every Go version.
type rng struct{ s [4]uint64 }

// newRNG returns the sequence for a seed. Streams are independent sequences of one seed.
func newRNG(seed, stream uint64) *rng {
	r := &rng{}
	x := seed ^ mix64(stream*splitMixGamma)
	for i := range r.s {
		x += splitMixGamma
		r.s[i] = mix64(x)
	}
	return r
}

// next returns 64 random bits.
func (r *rng) next() uint64 {
	s := &r.s
	out := bits.RotateLeft64(s[1]*5, 7) * 9
	t := s[1] << 17
	s[2] ^= s[0]
	s[3] ^= s[1]
	s[1] ^= s[2]
	s[0] ^= s[3]
	s[2] ^= t
	s[3] = bits.RotateLeft64(s[3], 45)
	return out
}

// below returns a uniformly distributed number from 0 to n-1 (Lemire's multiplication with
// rejection).
func (r *rng) below(n uint64) uint64 {
	v, _ := r.belowCounted(n)
	return v
}

// belowCounted is below; rejected is the number of draws that were rejected before the last one.
func (r *rng) belowCounted(n uint64) (v, rejected uint64) {
	hi, lo := bits.Mul64(r.next(), n)
	if lo < n {
		for limit := -n % n; lo < limit; rejected++ {
			hi, lo = bits.Mul64(r.next(), n)
		}
	}
	return hi, rejected
}

// threshold converts a probability to an argument of chance, in units of 2^-32. The
// multiplication by a power of two is exact, so the result is the same on every machine.
func threshold(p float64) uint64 { return uint64(p * (1 << 32)) }

// chance returns true with probability t / 2^32.
func (r *rng) chance(t uint64) bool { return r.next()>>32 < t }

// ahead returns the generator that r is after a number of draws. With it, goroutines draw parts of
// one sequence at the same time, and the whole is the sequence of one goroutine.
func (r *rng) ahead(draws uint64) *rng {
	s := r.s
	for i := 0; draws != 0; i, draws = i+1, draws>>1 {
		if draws&1 != 0 {
			s = leaps()[i].of(s)
		}
	}
	return &rng{s}
}

// leap is what a number of draws does to the state. All operations of next on the state are linear
// over the field of two elements, so the whole is: the new state is the exclusive or of the images
// of the bits that are set in the old one.
type leap [256][4]uint64

func (l *leap) of(s [4]uint64) (to [4]uint64) {
	for w, x := range s {
		for ; x != 0; x &= x - 1 {
			image := &l[64*w+bits.TrailingZeros64(x)]
			to[0] ^= image[0]
			to[1] ^= image[1]
			to[2] ^= image[2]
			to[3] ^= image[3]
		}
	}
	return to
}

// twice returns the leap over twice as many draws.
func (l *leap) twice() (m leap) {
	for bit := range l {
		m[bit] = l.of(l[bit])
	}
	return m
}

// leaps returns the leaps over 2^i draws.
var leaps = sync.OnceValue(func() *[64]leap {
	var l [64]leap
	for bit := range l[0] {
		var r rng
		r.s[bit/64] = 1 << (bit % 64)
		r.next()
		l[0][bit] = r.s
	}
	for i := 1; i < len(l); i++ {
		l[i] = l[i-1].twice()
	}
	return &l
})
