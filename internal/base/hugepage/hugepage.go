package hugepage

import "unsafe"

// size is the size of a huge page on the machines that we know.
const size = 2 << 20

// Make returns a slice of n zero elements. If it is large enough, Make asks the
// system for huge pages; whether the system provides them affects only speed.
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
