//go:build !linux

package memory

// addressSpace returns known on Linux only.
func addressSpace() (bytes uint64, ok bool) { return 0, false }
