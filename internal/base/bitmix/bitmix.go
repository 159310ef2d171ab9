package bitmix

// Mix mixes the bits of x (with the finaliser of a 64-bit hash).
func Mix(x uint64) uint64 {
	x ^= x >> 31
	x *= 0x9e3779b97f4a7c15
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return x ^ x>>32
}
