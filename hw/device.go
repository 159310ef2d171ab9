package hw

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/internal/worker"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// Options configures how kernels are built and monitored.
type Options struct {
	// Check compiles checks of bounds and divisors: a failing thread is reported with source line and index.
	Check bool
	// Watchdog compiles a clock check into every loop; a kernel that runs longer than Deadline reports where its
	// threads were.
	Watchdog bool
	// Deadline is the maximum run time of a kernel; 0 means 10 s with Watchdog, otherwise no limit. The child is
	// killed one second later, because threads that wait at a barrier cannot check the clock.
	Deadline time.Duration
	// NoReadOnlyPath keeps all loads coherent and at their place in the source. Otherwise, buffers that a kernel only
	// reads use the read-only path if they overlap no written buffer, and their loads are merged and hoisted out of
	// loops.
	NoReadOnlyPath bool
	// Substitute replaces kernels, by kernel name, with binaries built from other source; their parameters must be the
	// leaves of the kernel's parameters in order.
	Substitute map[string]Binary
}

// Binary is an entry point in PTX text or a cubin.
type Binary struct {
	Code  []byte
	Entry string
}

// Device is a real GPU. It implements device.Device.
type Device struct {
	*holder
	name   string
	gpu    int // its place in holder.gpus
	opts   Options
	info   worker.Info
	mem    *simt.Memory // the allocations; the bytes are on the GPU
	code   map[codeKey]*code
	native nativeCode
	// tensorMaps are those that the driver has encoded, and encoded those of the launch that was prepared last.
	tensorMaps map[worker.TensorMapArgs]worker.TensorMap
	encoded    []worker.TensorMap
	// frees frees memory that the driver did not allocate, by allocation ID.
	frees map[int]func(addr uint64) error
	rooms map[roomKey]room       // of launches that a deadline may end
	roots map[*ir.Program][]bool // by root: whether a kernel only reads it
	total device.Report

	toDevice, toHost uint64                 // bytes copied
	answer           [worker.MaxAnswer]byte // of the last launch
	binder           simt.Binder            // for launches, reused
	cleared          [maxCleared]cleared    // answers that the GPU set to zero after they were fetched
	readied          readied                // what Ready has prepared
	stages           *staging               // of launches; nil if nobody asks
	shared           map[uint64]bool        // buffers, by address, whose answers other launches use
}

var _ device.Device = (*Device)(nil)

// Open opens the GPU with the given index; name is the name of the device in reports. IsMissing reports whether the
// error means that this machine has no usable GPU.
func Open(name string, index int, opts Options) (*Device, error) {
	h := &holder{numbers: []int{index}}
	d := h.add(name, opts)
	stages, err := newStaging()
	if err != nil {
		return d, err
	}
	d.stages = stages
	return d, h.start(context.Background())
}

// missingBackend says why this build has no hardware backend.
const missingBackend = "this program was built without cgo: a real GPU needs it, on Linux (CGO_ENABLED=1 and a C compiler)"

// failureError is an error reported by the child.
type failureError struct {
	worker.Failure
	during string
}

func (e *failureError) Error() string {
	if e.Missing || e.during == "" {
		return e.Text
	}
	return e.during + ": " + e.Text
}

// asError returns the failure that the child reported, or nil if there is none.
func asError(f *worker.Failure, during string) error {
	if f == nil {
		return nil
	}
	return &failureError{*f, during}
}

// IsMissing reports whether an error means that this machine has no usable GPU.
func IsMissing(err error) bool {
	var f *failureError
	return errors.As(err, &f) && f.Missing
}

// ask sends the child a message and converts a failure to an error.
func (d *Device) ask(ctx context.Context, during string, op worker.Op, args, reply any) error {
	if d.child == nil || d.calls.Closed() {
		return closed(during)
	}
	d.child.For(d.gpu)
	return d.outcome(during)(d.child.ask(ctx, 0, op, args, reply))
}

// request sends the request that was described in shared memory. If deadline is positive, it returns an error at the
// deadline.
func (d *Device) request(ctx context.Context, deadline time.Duration, during string, op worker.Op) error {
	d.child.For(d.gpu)
	d.child.Send(op)
	return d.outcome(during)(d.child.wait(ctx, deadline))
}

func closed(during string) error { return fmt.Errorf("%s: %w", during, device.ErrClosed) }

// Name returns the name under which the device was opened.
func (d *Device) Name() string { return d.name }

// Capabilities are the capabilities of a real GPU.
const Capabilities = device.Clock | device.Deadline | device.Silicon

// Capabilities returns the constant of the same name.
func (d *Device) Capabilities() device.Capabilities { return Capabilities }

// Model returns the name of the GPU as given by its driver: "NVIDIA H200".
func (d *Device) Model() string { return d.info.Name }

// Alloc reserves memory on the GPU and fills it with a poison value.
func (d *Device) Alloc(name string, elem device.Kind, n int) (device.Buffer, error) {
	defer d.calls.Begin().End()
	start := time.Now()
	d.readied = readied{}
	mem := d.mem
	b, err := mem.Alloc(name, elem, n)
	if err != nil {
		return b, err
	}
	defer d.aside(start)
	var addr uint64
	err = d.ask(context.Background(), "alloc "+name, worker.OpAlloc, worker.AllocArgs{Bytes: b.Bytes(), Poison: true}, &addr)
	if err != nil {
		if !mem.Closed() { // it is if the child ended
			err = errors.Join(err, mem.Free(b))
		}
		return device.Buffer{}, err
	}
	a, _, err := d.mem.Find(b)
	if err == nil {
		d.addr[a.ID] = addr
	}
	return b, err
}

// Free frees a buffer.
func (d *Device) Free(b device.Buffer) error {
	defer d.calls.Begin().End()
	d.readied = readied{}
	a, _, err := d.mem.Find(b)
	if err != nil {
		return fmt.Errorf("free: %w", err)
	}
	if err := d.mem.Free(b); err != nil {
		return err
	}
	for i := range d.cleared {
		if c := &d.cleared[i]; overlaps(b, c.buffer) {
			c.buffer = device.Buffer{}
		}
	}
	delete(d.shared, b.Addr)
	if free := d.frees[a.ID]; free != nil {
		err = free(d.addr[a.ID])
	} else {
		err = d.ask(context.Background(), "free "+b.Name, worker.OpFree, d.addr[a.ID], nil)
	}
	delete(d.addr, a.ID)
	delete(d.frees, a.ID)
	return err
}

// Total returns the sum over all launches and copies so far.
func (d *Device) Total() *device.Report {
	r := d.total
	r.Counters = append(counter.Copied(d.toDevice, d.toHost), d.total.Counters...)
	return &r
}

// Close ends the child process, when no call is in progress. It does nothing to a GPU of a Group.
func (d *Device) Close() error {
	if d.group == nil {
		return d.close()
	}
	return nil
}
