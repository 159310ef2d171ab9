// Package hugepage asks the system to back large tables by large pages. What a
// simulated GPU holds is many times what the translation buffer of a processor
// reaches with small ones, and is read at random.
package hugepage

import "unsafe"

// size is that of a large page on the machines that we know.
const size = 2 << 20

// Make makes a slice of n zero elements. Where it has room for large pages, the
// system is asked for them; whether it has any to give changes nothing but speed.
func Make[T any](n int) []T {
	s := make([]T, n)
	var zero T
	bytes := uintptr(n) * unsafe.Sizeof(zero)
	if bytes < 2*size {
		return s
	}
	lo := uintptr(unsafe.Pointer(&s[0]))
	first := (size - lo%size) % size
	if whole := (bytes - first) / size * size; whole > 0 {
		advise(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&s[0]), first)), whole))
	}
	return s
}
