package prefetch

import "unsafe"

// lineBytes is the size of a cache line on the hosts that we know.
const lineBytes = 64

// Value asks for all of a value.
func Value[T any](v *T) {
	if unsafe.Sizeof(*v) <= lineBytes {
		line(unsafe.Pointer(v))
	} else {
		lines(unsafe.Pointer(v), unsafe.Sizeof(*v))
	}
}

// Bytes asks for all bytes of a slice.
func Bytes(b []byte) {
	if len(b) > 0 {
		lines(unsafe.Pointer(&b[0]), uintptr(len(b)))
	}
}
