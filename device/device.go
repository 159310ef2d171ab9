package device

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
)

// Device runs kernels. Use a Device from one goroutine; Close may be called from any.
type Device interface {
	// Name returns the name by which the device was opened: "func", "sim:h200", "hw:0".
	Name() string
	// Capabilities returns what else the device can do.
	Capabilities() Capabilities
	// Alloc allocates n elements of kind elem. They are not initialized; devices that can
	// do so poison them. The name labels the buffer in reports.
	Alloc(name string, elem Kind, n int) (Buffer, error)
	// Free frees a buffer. Using it afterwards is an error.
	Free(b Buffer) error
	// Write copies the slice src ([]uint32, []float32, ...) to b.
	Write(b Buffer, src any) error
	// Read copies b to the slice dst, whose length must be at least b.Len.
	Read(b Buffer, dst any) error
	// Launch runs a kernel to its end. If ctx is canceled, the launch ends early with ctx's
	// error and a report of what happened so far.
	Launch(ctx context.Context, l Launch) (*Report, error)
	// Occupancy returns how many blocks of the kernel fit on an SM if each has the given
	// number of threads, over all dimensions.
	Occupancy(k *Kernel, block int) (Occupancy, error)
	// Total returns the sum of all launches and copies so far.
	Total() *Report
	// Now returns the time in seconds since a fixed moment, as a host program sees it. On a
	// real device it is the time of this machine, without the time to build kernels and to
	// allocate. On a simulated device it is the time of the simulated host, which spends
	// time only on launches, copies and waiting. It is 0 if the device has no Clock.
	Now() float64
	// Close closes the device; to close it again does nothing. It may be called while another
	// call runs in another goroutine, and from a callback of a launch. Close does not wait:
	// later calls fail with ErrClosed, a launch that runs ends early with ErrClosed and a report of what
	// happened so far, and other calls that run may finish. Everything is freed when the last
	// of them has ended, in its goroutine.
	Close() error
}

// Concurrent is a device that can run several launches at the same time. Its Capabilities
// include Streams.
type Concurrent interface {
	// LaunchAll runs launches to their end and returns a report for each. Launches of
	// different streams run at the same time; if they compete for resources, earlier
	// launches go first. Concurrent launches see each other's stores as blocks of one
	// launch do. Errors are those of Device.Launch; the first error ends all launches.
	LaunchAll(ctx context.Context, ls []Launch) ([]*Report, error)
}

// LaunchAll calls LaunchAll of a Concurrent device, and returns an error for any other
// device. A device that wraps another one thus supports streams if the other one does.
func LaunchAll(ctx context.Context, d Device, ls []Launch) ([]*Report, error) {
	c, ok := d.(Concurrent)
	if !ok || !d.Capabilities().Has(Streams) {
		return nil, fmt.Errorf("device %s cannot run launches concurrently", d.Name())
	}
	return c.LaunchAll(ctx, ls)
}

// Model is a device that is a commercial product. Its Capabilities include Silicon.
type Model interface {
	// Model returns the name of the product as its driver reports it: "NVIDIA H200".
	Model() string
}

// Buffer is an array of elements in device memory, or a part of one (see Slice). Addresses of two
// devices may be the same, so a buffer says whose memory it is in: using it on another device, or on
// one that lost its memory, is an error.
type Buffer struct {
	Name  string
	Elem  Kind
	Addr  uint64
	Len   int
	Owner uint64 // of NewOwner: the device, or the group, that allocated it
}

// owners is the last number that NewOwner returned.
var owners atomic.Uint64

// NewOwner returns a number for Buffer.Owner that no other device of this process has. A device
// takes another one when it loses what its buffers hold.
func NewOwner() uint64 { return owners.Add(1) }

// Bytes returns the size of the buffer in bytes.
func (b Buffer) Bytes() int { return b.Len * b.Elem.Bytes() }

// Slice returns elements lo to hi (exclusive) of b. It panics if the range is invalid, as a
// Go slice expression does.
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
	Block  int // threads per block, along x
	// GridY and GridZ are the numbers of blocks along y and z, BlockY and BlockZ the
	// numbers of threads per block; 0 means 1. A block has at most 1024 threads, of which
	// at most 64 are along z. GridY and GridZ are at most 65,535.
	GridY, GridZ, BlockY, BlockZ int
	// Cluster is the number of consecutive blocks along x that form a cluster, at most 16: they run at the same time, reach each
	// other's shared memory (gpu.MapShared) and have a barrier (Thread.SyncCluster). It divides Grid; 0 means 1. A launch fails where
	// the GPU has no clusters, which came with compute capability 9.0, or none so large.
	Cluster int
	// ClusterY and ClusterZ are those along y and z, likewise; a cluster has at most 16 blocks in all.
	ClusterY, ClusterZ int
	// Args are the arguments, one for each Go parameter after gpu.Thread that is not bound
	// at compile time: a Buffer for a slice or pointer, a Go value for a scalar, and a Go
	// struct or array for a struct or array, with Buffers in place of its slices and
	// pointers.
	Args []any
	// Cooperative requires that all blocks are resident at the same time. If they do not
	// fit, the launch fails.
	Cooperative bool
	// DynamicShared is the size of dynamic shared memory per block in bytes, in addition to
	// the kernel's shared variables (see gpu.DynamicShared). It counts for occupancy even
	// if the kernel does not use it.
	DynamicShared int
	// Stream is the queue of a launch for Concurrent: launches of one stream run one after
	// another, launches of different streams run at the same time. 0 is the default stream.
	Stream int
	// Regs overrides the number of registers per thread, for occupancy. 0 means the
	// kernel's own number.
	Regs int
	// Fresh makes a simulated GPU run the launch as if on a new device on which only the
	// buffers of Args have been allocated, in their order, with empty caches and policies
	// in their initial state. The same kernel, arguments, machine and seed then take the
	// same number of cycles, whatever was allocated or launched before. Without Fresh,
	// earlier allocations determine in which slices and channels a buffer is placed, and
	// earlier launches the contents of the L2.
	//
	// Buffers keep their contents. Later launches continue from the state of the caches
	// after this one, and place their other buffers in the order of their use; so a series
	// of launches is repeatable if its first launch is fresh. Other devices ignore Fresh.
	Fresh bool
	// Unexplained leaves out the WaitGraph of an error that says that the kernel does not end. To find
	// out who waits for whom may take longer than the launch, where thousands of warps wait.
	Unexplained bool
	// Prepared is set by Ready.
	Prepared uint64
}

// Occupancy is how a kernel fits on an SM.
type Occupancy struct {
	BlocksPerSM int
	WarpsPerSM  int
	MaxWarps    int
	SMs         int
	Limit       string // the limiting resource: "blocks", "warps", "registers", "shared memory"
	Regs        int    // registers per thread
	RegsPerSM   int    // registers of an SM, for all of its threads
	Shared      int    // bytes of shared memory per block
	// SharedFree is how many bytes of dynamic shared memory each block may have in addition
	// without a change of BlocksPerSM.
	SharedFree int
	Estimated  bool // Regs is an estimate and not the driver's number
}

// Report is what one launch, or all launches so far, did.
type Report struct {
	Launches int
	Cycles   uint64  // device cycles; 0 if the device has no clock
	Seconds  float64 // device time; 0 if the device has no clock
	Counters []Counter
	// Contended are the words of device memory for which atomics waited longest, the one with the most waiting time first.
	// Only Total of a simulated device has them, at most ten.
	Contended []ContendedWord
}

// ContendedWord is a word of device memory, and how long the atomics on it waited for each other.
type ContendedWord struct {
	GPU        int     `json:"gpu,omitempty"` // in a group
	Buffer     string  `json:"buffer"`
	Index      int     `json:"index"`          // of the element
	Byte       int     `json:"byte,omitempty"` // in the element
	Operations uint64  `json:"operations"`     // of lanes
	WaitCycles float64 `json:"wait_cycles"`    // summed over operations
	// Missed bounds what may be missing in WaitCycles: only the most contended words are tracked, and this one was not from
	// the beginning.
	Missed float64 `json:"wait_cycles_missed_at_most,omitempty"`
	Queue  int     `json:"longest_queue"` // operations that had arrived and were not done, at most
}

// String returns "queue.Count[0]".
func (w ContendedWord) String() string {
	name := fmt.Sprintf("%s[%d]", w.Buffer, w.Index)
	if w.Byte > 0 {
		name += fmt.Sprintf("+%d", w.Byte)
	}
	if w.GPU > 0 {
		name += fmt.Sprintf(" on GPU %d", w.GPU)
	}
	return name
}

// Counter is the value of one counter of a device.
type Counter struct {
	Name  string // Nsight Compute's name if it has this counter
	Unit  string // "inst", "sector", "cycle", "byte", "%", ...
	Desc  string
	Value float64
}

// Counter returns the value of a counter; ok is false if the report does not have it.
func (r *Report) Counter(name string) (value float64, ok bool) {
	for _, c := range r.Counters {
		if c.Name == name {
			return c.Value, true
		}
	}
	return 0, false
}

// String returns the report as text: a line with launches, cycles and time, if the device has
// a clock, and a line for each counter that is not 0.
func (r Report) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "launches %d", r.Launches)
	if r.Cycles > 0 {
		fmt.Fprintf(&s, ", cycles %d", r.Cycles)
	}
	if r.Seconds > 0 {
		fmt.Fprintf(&s, ", time %.6g us", r.Seconds*1e6)
	}
	s.WriteByte('\n')
	for _, c := range r.Counters {
		if c.Value != 0 {
			fmt.Fprintf(&s, "  %-75s %14.10g %s\n", c.Name, c.Value, c.Unit)
		}
	}
	return s.String()
}

// The counters of bytes copied by Write and Read, which Device.Total reports on every
// device, and of bytes copied by Command.Copy, which Total of a Group reports too. Profilers
// do not have them.
const (
	BytesToDevice = "host__bytes_to_device.sum"
	BytesToHost   = "host__bytes_to_host.sum"
	BytesCopied   = "gpu__bytes_copied.sum"
)
