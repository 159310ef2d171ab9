//go:build !cgo || !linux

package worker

import "io"

// MaybeChild does nothing in a build without the driver binding.
func MaybeChild() {}

// Serve answers nothing in a build without the driver binding.
func Serve(io.Reader, io.Writer) {}
