package graph

import "math/bits"

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
	hi, lo := bits.Mul64(r.next(), n)
	if lo < n {
		for limit := -n % n; lo < limit; {
			hi, lo = bits.Mul64(r.next(), n)
		}
	}
	return hi
}

// threshold converts a probability to an argument of chance, in units of 2^-32. The
// multiplication by a power of two is exact, so the result is the same on every machine.
func threshold(p float64) uint64 { return uint64(p * (1 << 32)) }

// chance returns true with probability t / 2^32.
func (r *rng) chance(t uint64) bool { return r.next()>>32 < t }
