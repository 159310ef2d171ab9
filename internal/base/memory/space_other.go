//go:build !linux

package memory

// addressSpace returns false: the limit is known on Linux only.
func addressSpace() (bytes uint64, ok bool) { return 0, false }
