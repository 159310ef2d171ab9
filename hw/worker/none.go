//go:build !cgo || !linux

package worker

// MaybeChild does nothing in a build without the driver binding.
func MaybeChild() {}
