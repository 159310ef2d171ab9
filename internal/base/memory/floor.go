package memory

import "runtime/debug"

// floor is never written, so that the system gives it no memory.
var floor []byte

// Floor keeps the garbage collector from running before the heap has grown by so many bytes, unless GOMEMLIMIT leaves
// little more. It runs when the heap has doubled, and what a command reads before it simulates (types of kernels, records)
// is some hundred thousand small objects: while the heap is small, to mark them again and again takes as long as a short
// run. It is called once.
func Floor(bytes int) {
	if debug.SetMemoryLimit(-1) >= 8*int64(bytes) {
		floor = make([]byte, bytes)
	}
}
