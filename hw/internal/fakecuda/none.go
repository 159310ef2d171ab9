//go:build !cgo || !linux

package fakecuda

// Install does nothing in a build without the driver binding.
func Install() {}
