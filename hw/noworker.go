//go:build !cgo || !linux

package hw

// MaybeChild does nothing in a build without the driver binding.
func MaybeChild() {}
