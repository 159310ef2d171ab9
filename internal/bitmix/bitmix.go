// Package bitmix spreads bits: neighbouring numbers become numbers that have nothing in common,
// the same ones on every run.
package bitmix

// Mix spreads the bits of x (the finaliser of a 64-bit hash).
func Mix(x uint64) uint64 {
	x ^= x >> 31
	x *= 0x9e3779b97f4a7c15
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return x ^ x>>32
}
