//go:build cgo && linux

package cuda

import (
	"errors"
	"unsafe"
)

// MakeCurrent makes the context current on the calling thread: allocations, modules, launches and copies need that.
func (c *Context) MakeCurrent() error { return c.call("cuCtxSetCurrent", c.handle) }

// CanAccess reports whether kernels of GPU from can access the memory of GPU to, once EnablePeer was called.
func (d *Driver) CanAccess(from, to int) (bool, error) {
	v, err := d.get("cuDeviceCanAccessPeer", uint64(from), uint64(to))
	return int32(v) != 0, err
}

// PeerAttribute returns a CUdevice_P2PAttribute of the link from one GPU to another one.
func (d *Driver) PeerAttribute(a PeerAttribute, from, to int) (int, error) {
	v, err := d.get("cuDeviceGetP2PAttribute", uint64(a), uint64(from), uint64(to))
	return int(int32(v)), err
}

// EnablePeer lets kernels and copies of the context, which is current, access the memory of another GPU.
func (c *Context) EnablePeer(to *Context) error {
	const alreadyEnabled = 704
	err := c.call("cuCtxEnablePeerAccess", to.handle, 0)
	var e *Error
	if errors.As(err, &e) && e.Code == alreadyEnabled {
		return nil
	}
	return err
}

// Unregister undoes Register.
func (c *Context) Unregister(host []byte) error {
	return c.call("cuMemHostUnregister", hostAddr(host))
}

// Stream is a queue of a GPU: its work runs in the order in which it was added, and at the same time as that of other
// streams. It does not wait for the default stream, nor the other way round.
type Stream struct {
	c      *Context
	handle uint64
}

// NewStream creates a stream of the context, which is current.
func (c *Context) NewStream() (*Stream, error) {
	const nonBlocking = 1
	h, err := c.get("cuStreamCreate", nonBlocking)
	return &Stream{c, h}, err
}

// After makes the work that is added from now on wait for an event, also one of another GPU.
func (s *Stream) After(e *Event) error { return s.c.call("cuStreamWaitEvent", s.handle, e.handle, 0) }

// Record adds an event to the stream. It must be of the same context.
func (s *Stream) Record(e *Event) error { return s.c.call("cuEventRecord", e.handle, s.handle) }

// Launch adds a launch.
func (s *Stream) Launch(l *Launch, cooperative bool) error {
	return l.start(s.handle, cooperative)
}

// Write adds a copy of host memory to addr. Memory that is not registered was read when Write returns.
func (s *Stream) Write(addr uint64, host []byte) error {
	return s.c.call("cuMemcpyHtoDAsync_v2", addr, hostAddr(host), uint64(len(host)), s.handle)
}

// Read adds a copy from addr to host memory. If that is not registered, Read waits for the copy.
func (s *Stream) Read(addr uint64, host []byte) error {
	return s.c.call("cuMemcpyDtoHAsync_v2", hostAddr(host), addr, uint64(len(host)), s.handle)
}

// ReadWords is Read for words.
func (s *Stream) ReadWords(addr uint64, host []uint64) error {
	return s.Read(addr, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(host))), 8*len(host)))
}

// Copy adds a copy of n bytes from the memory of one GPU to that of another one or the same. The driver takes the link
// between the GPUs if the contexts have access to each other, else the memory of the host.
func (s *Stream) Copy(to *Context, dst uint64, from *Context, src uint64, n int) error {
	if to == from {
		return s.c.call("cuMemcpyDtoDAsync_v2", dst, src, uint64(n), s.handle)
	}
	return s.c.call("cuMemcpyPeerAsync", dst, to.handle, src, from.handle, uint64(n), s.handle)
}

// Set adds filling n bytes at addr with a value.
func (s *Stream) Set(addr uint64, value byte, n int) error {
	return s.c.call("cuMemsetD8Async", addr, uint64(value), uint64(n), s.handle)
}

// Reached reports whether the event has been reached. An error is that of any earlier work of its GPU.
func (e *Event) Reached() (bool, error) {
	const notReady = 600
	code, err := e.c.code("cuEventQuery", e.handle)
	if err != nil || code == notReady {
		return false, err
	}
	return code == 0, e.c.result("cuEventQuery", code)
}

// Until returns the seconds from e to a later event of the same GPU; both have been reached.
func (e *Event) Until(later *Event) (float64, error) {
	bits, err := e.c.get("cuEventElapsedTime", e.handle, later.handle)
	word := uint32(bits)
	return float64(*(*float32)(unsafe.Pointer(&word))) / 1e3, err
}
