//go:build !cgo || !linux

// Package cuda binds the CUDA driver API; this build does not include it.
package cuda

// Driver is the opened library; a build without cgo has none.
type Driver struct{}

// Open returns an error, because this build has no driver binding.
func Open() (*Driver, error) {
	return nil, &Missing{What: "this weft was built without cgo, which the hardware backend needs (CGO_ENABLED=1 on Linux)"}
}
