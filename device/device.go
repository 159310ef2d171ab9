// Package device is what a host program knows of a GPU: memory, launches and
// reports. The functional executor, the simulator and real hardware implement
// Device, and the contract test (package devicetest) holds them to one behaviour.
package device

import (
	"context"
	"fmt"
)

// Device runs kernels. A Device is used from one goroutine.
type Device interface {
	// Name is the name the device was opened by: "func", "sim:h200", "hw:0".
	Name() string
	// Capabilities say what else it can do.
	Capabilities() Capabilities
	// Alloc reserves n elements of kind elem, not initialised (poisoned where
	// the device can). Name labels the buffer in reports.
	Alloc(name string, elem Kind, n int) (Buffer, error)
	// Free gives a buffer back; using it afterwards is an error.
	Free(b Buffer) error
	// Write copies the slice src ([]uint32, []float32, ...) to b.
	Write(b Buffer, src any) error
	// Read copies b to the slice dst, whose length must be at least b.Len.
	Read(b Buffer, dst any) error
	// Launch runs a kernel to its end. Cancelling ctx ends it early with
	// ctx's error and a report of what happened so far.
	Launch(ctx context.Context, l Launch) (*Report, error)
	// Occupancy says how many blocks of the kernel fit an SM that have block threads,
	// over all dimensions.
	Occupancy(k *Kernel, block int) (Occupancy, error)
	// Total is the sum over all launches and copies so far.
	Total() *Report
	// Now is the time in seconds, from a moment that never changes, as a host program
	// sees it: of this machine where the device is real, without what building and
	// allocating took; of the simulated host, which takes time for launches, copies
	// and waiting alone, where it is simulated. It is 0 where the device has no Clock.
	Now() float64
	// Close frees everything.
	Close() error
}

// Concurrent is a device that can run several launches at a time: one whose
// Capabilities have Streams.
type Concurrent interface {
	// LaunchAll runs launches to their end, those of different streams at a
	// time, and reports on each. An earlier launch goes first where they
	// compete. Launches that run at a time see each other's stores as blocks of
	// one launch do. Errors are as of Device.Launch; the first one ends all.
	LaunchAll(ctx context.Context, ls []Launch) ([]*Report, error)
}

// LaunchAll is that of a Concurrent device; any other one is an error that says
// so. A device that wraps another one has it do what the other can.
func LaunchAll(ctx context.Context, d Device, ls []Launch) ([]*Report, error) {
	c, ok := d.(Concurrent)
	if !ok || !d.Capabilities().Has(Streams) {
		return nil, fmt.Errorf("device %s cannot run launches at a time", d.Name())
	}
	return c.LaunchAll(ctx, ls)
}

// Model is a device that is a product: one whose Capabilities have Silicon.
type Model interface {
	// Model is the product's name as its driver gives it: "NVIDIA H200".
	Model() string
}

// Buffer is n elements of device memory, or a part of such (see Slice).
type Buffer struct {
	Name string
	Elem Kind
	Addr uint64
	Len  int
}

// Bytes is the size of the buffer.
func (b Buffer) Bytes() int { return b.Len * b.Elem.Bytes() }

// Slice is elements lo to hi (exclusive) of b. It panics when out of range, as a Go slice does.
func (b Buffer) Slice(lo, hi int) Buffer {
	if lo < 0 || hi < lo || hi > b.Len {
		panic(fmt.Sprintf("device: slice [%d:%d] of buffer %s with %d elements", lo, hi, b.Name, b.Len))
	}
	b.Addr += uint64(lo * b.Elem.Bytes())
	b.Len = hi - lo
	return b
}

// Launch is a kernel with its configuration and arguments.
type Launch struct {
	Kernel *Kernel
	Grid   int // blocks, along x
	Block  int // threads a block, along x
	// GridY and GridZ are the blocks along the other dimensions, BlockY and BlockZ the
	// threads of a block; 0 is 1. A block has at most 1024 threads and is at most 64
	// deep; GridY and GridZ are at most 65,535.
	GridY, GridZ, BlockY, BlockZ int
	// Args are the arguments, one for each Go parameter after gpu.Thread that
	// is not bound: a Buffer for a slice or pointer, a Go value for a scalar, a
	// Go struct or array (with Buffers in place of slices and pointers) for a
	// struct or array.
	Args []any
	// Cooperative asks that all blocks be resident at once; the launch is
	// refused when they do not fit.
	Cooperative bool
	// DynamicShared is the bytes of dynamic shared memory a block, beyond the kernel's
	// variables (see gpu.DynamicShared). It counts for occupancy, also where the kernel
	// does not use it.
	DynamicShared int
	// Stream is the queue that a launch of Concurrent waits in: launches of one
	// stream follow each other, those of several run at a time. 0 is the default.
	Stream int
	// Regs overrides the registers a thread, for occupancy; 0: the kernel's own.
	Regs int
	// Fresh has a simulated GPU run the launch as if on a new device, on which only the
	// buffers of Args had been allocated, in their order: caches are empty, policies as
	// they start. Then the same kernel, arguments, machine and seed take the same cycles,
	// whatever was allocated or launched before. Otherwise earlier allocations decide
	// which slices and channels a buffer lies in, and earlier launches what the L2 holds.
	// Buffers keep what they hold. Launches that follow go on there, with what the caches
	// hold by then, and have their other buffers placed in the order in which they come;
	// so a series of launches repeats if its first is fresh. Other devices have nothing
	// of this and ignore it.
	Fresh bool
}

// Occupancy is how a kernel fits an SM.
type Occupancy struct {
	BlocksPerSM int
	WarpsPerSM  int
	MaxWarps    int
	SMs         int
	Limit       string // what limits it: "blocks", "warps", "registers", "shared memory"
	Regs        int    // registers a thread
	Shared      int    // bytes a block
	Estimated   bool   // Regs is our estimate, not the driver's number
}

// Report says what one launch, or all so far, did.
type Report struct {
	Launches int
	Cycles   uint64  // device cycles; 0 where the device has no clock
	Seconds  float64 // device time; 0 where the device has no clock
	Counters []Counter
}

// Counter is one number that a device counted.
type Counter struct {
	Name  string // Nsight Compute's name where it has one
	Unit  string // "inst", "sector", "cycle", "byte", "%", ...
	Desc  string
	Value float64
}

// Counter is the value of a counter; ok is false when the device has none of that name.
func (r *Report) Counter(name string) (value float64, ok bool) {
	for _, c := range r.Counters {
		if c.Name == name {
			return c.Value, true
		}
	}
	return 0, false
}

// Names of the counters of bytes that Write and Read copied, which Device.Total
// reports on every device. No profiler counts them.
const (
	BytesToDevice = "host__bytes_to_device.sum"
	BytesToHost   = "host__bytes_to_host.sum"
)
