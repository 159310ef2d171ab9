//go:build amd64 || arm64

package prefetch

import "unsafe"

// line asks for the cache line at an address.
//
//go:noescape
func line(at unsafe.Pointer)

// lines asks for the cache lines of so many bytes, at least one.
//
//go:noescape
func lines(at unsafe.Pointer, bytes uintptr)
