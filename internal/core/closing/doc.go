// Package closing lets a device be closed while one of its calls runs in another goroutine, or
// from a callback of the call: what the device holds is freed when the last call has ended.
package closing
