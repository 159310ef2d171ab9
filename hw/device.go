package hw

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/worker"
	"github.com/weft-gpu/weft/internal/counter"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
)

// Options says how kernels are built and watched.
type Options struct {
	// Check keeps bounds and divisor checks: a failing thread is reported with
	// source line and index.
	Check bool
	// Watchdog compiles a look at the clock into every loop; a kernel that runs
	// longer than Deadline reports where its threads were.
	Watchdog bool
	// Deadline is how long a kernel may run; 0 is 10 s with Watchdog, else no
	// limit. The child is ended a second later, for threads in a barrier
	// cannot look at the clock.
	Deadline time.Duration
	// NoReadOnlyPath keeps all loads coherent, and where they are in the source; else
	// buffers that a kernel only reads take the read-only path where they overlap no
	// written one, and their loads are merged and hoisted out of loops.
	NoReadOnlyPath bool
	// Substitute replaces kernels by binaries built elsewhere from other
	// source, by kernel name; their parameters are our leaves in order.
	Substitute map[string]Binary
}

// Binary is an entry point in a PTX text or cubin.
type Binary struct {
	Code  []byte
	Entry string
}

// Device is a GPU.
type Device struct {
	name  string
	index int
	opts  Options
	info  worker.Info
	child *child
	mem   *simt.Memory   // what is allocated; the bytes are on the GPU
	addr  map[int]uint64 // allocation ID -> address on the GPU
	code  map[codeKey]*code
	roots map[*ir.Program][]bool // those that a kernel only reads
	total device.Report

	toDevice, toHost uint64                 // bytes copied
	apart            time.Duration          // see Now
	answer           [worker.MaxAnswer]byte // of the last launch
	marks            uint32                 // of answers, so far
	binder           simt.Binder            // of launches, one after the other
	// cleared is the last answer, where the GPU set it to zero once it was fetched.
	cleared cleared
}

var _ device.Device = (*Device)(nil)

// Open opens GPU index under the given name.
func Open(name string, index int, opts Options) (*Device, error) {
	if opts.Watchdog && opts.Deadline == 0 {
		opts.Deadline = 10 * time.Second
	}
	d := &Device{name: name, index: index, opts: opts}
	return d, d.start()
}

// start starts a child with an empty memory.
func (d *Device) start() error {
	c, err := startChild()
	if err != nil {
		return err
	}
	f, err := c.ask(context.Background(), 0, worker.OpOpen, d.index, &d.info)
	if err != nil {
		c.end(true)
		return fmt.Errorf("opening GPU %d: %w", d.index, err)
	}
	if f != nil {
		c.end(false)
		return asError(f, "open")
	}
	d.child = c
	d.mem = simt.NewVirtualMemory(d.info.Memory)
	d.addr = map[int]uint64{}
	d.code = map[codeKey]*code{}
	d.roots = map[*ir.Program][]bool{}
	d.cleared = cleared{}
	return nil
}

// missingBackend says why a build has no hardware.
const missingBackend = "this program was built without cgo: a real GPU needs it, on Linux (CGO_ENABLED=1 and a C compiler)"

// failureError is an error of the child.
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

// asError is what the child reported while it did something; nil for nothing.
func asError(f *worker.Failure, during string) error {
	if f == nil {
		return nil
	}
	return &failureError{*f, during}
}

// IsMissing reports an error that says that this machine has no usable GPU.
func IsMissing(err error) bool {
	var f *failureError
	return errors.As(err, &f) && f.Missing
}

// ask sends the child a message and turns what goes wrong into an error.
func (d *Device) ask(ctx context.Context, during string, op worker.Op, args, reply any) error {
	if d.child == nil {
		return closed(during)
	}
	return d.outcome(during)(d.child.ask(ctx, 0, op, args, reply))
}

// request sends what was described in the shared memory. It ends with an error
// at the deadline, where that is positive.
func (d *Device) request(ctx context.Context, deadline time.Duration, during string, op worker.Op) error {
	d.child.Send(op)
	return d.outcome(during)(d.child.wait(ctx, deadline))
}

func closed(during string) error { return fmt.Errorf("%s: the device is closed", during) }

// outcome turns what a request ended with into an error. After one that poisons
// the context a new child takes over, with empty memory.
func (d *Device) outcome(during string) func(*worker.Failure, error) error {
	return func(f *worker.Failure, err error) error {
		if err != nil {
			return errors.Join(err, d.restart())
		}
		if f != nil && f.Sticky {
			return errors.Join(asError(f, during), d.restart())
		}
		return asError(f, during)
	}
}

// restart ends the child and starts another.
func (d *Device) restart() error {
	d.child.end(true)
	d.child = nil
	d.mem.Close()
	if err := d.start(); err != nil {
		return fmt.Errorf("hw: no new child after the error: %w", err)
	}
	return nil
}

// Info describes the GPU.
func (d *Device) Info() worker.Info { return d.info }

// Name is the name that the device was opened by.
func (d *Device) Name() string { return d.name }

// Capabilities of a real GPU.
const Capabilities = device.Clock | device.Deadline | device.Silicon

// Capabilities are the constant of that name.
func (d *Device) Capabilities() device.Capabilities { return Capabilities }

// Now is the wall clock, less what building kernels and allocating took: a program
// does that before it starts.
func (d *Device) Now() float64 { return (time.Since(opened) - d.apart).Seconds() }

// opened is a moment that Now counts from.
var opened = time.Now()

// aside leaves the time from start to now out of Now.
func (d *Device) aside(start time.Time) { d.apart += time.Since(start) }

// Model is the name of the GPU as its driver gives it: "NVIDIA H200".
func (d *Device) Model() string { return d.info.Name }

// Alloc reserves memory on the GPU and poisons it.
func (d *Device) Alloc(name string, elem device.Kind, n int) (device.Buffer, error) {
	defer d.aside(time.Now())
	b, err := d.mem.Alloc(name, elem, n)
	if err != nil {
		return b, err
	}
	var addr uint64
	err = d.ask(context.Background(), "alloc "+name, worker.OpAlloc, worker.AllocArgs{Bytes: b.Bytes(), Poison: true}, &addr)
	if err != nil {
		return device.Buffer{}, errors.Join(err, d.mem.Free(b))
	}
	a, _, err := d.mem.Find(b)
	if err == nil {
		d.addr[a.ID] = addr
	}
	return b, err
}

// Free gives a buffer back.
func (d *Device) Free(b device.Buffer) error {
	a, _, err := d.mem.Find(b)
	if err != nil {
		return fmt.Errorf("free: %w", err)
	}
	if err := d.mem.Free(b); err != nil {
		return err
	}
	if overlaps(b, d.cleared.buffer) {
		d.cleared.buffer = device.Buffer{}
	}
	err = d.ask(context.Background(), "free "+b.Name, worker.OpFree, d.addr[a.ID], nil)
	delete(d.addr, a.ID)
	return err
}

// Total is the sum over all launches and copies so far.
func (d *Device) Total() *device.Report {
	r := d.total
	r.Counters = append(counter.Copied(d.toDevice, d.toHost), d.total.Counters...)
	return &r
}

// Close ends the child.
func (d *Device) Close() error {
	if d.child != nil {
		d.child.end(false)
		d.child = nil
		d.mem.Close()
	}
	return nil
}
