//go:build !cgo || !linux

package startup

// StdoutClosed returns false: without cgo it cannot tell.
func StdoutClosed() bool { return false }
