//go:build !cgo || !linux

package startup

// StdoutClosed reports nothing in a build without cgo.
func StdoutClosed() bool { return false }
