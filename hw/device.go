package hw

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/worker"
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
	// NoReadOnlyPath keeps all loads coherent; else buffers that a kernel only
	// reads take the read-only path where they overlap no written one.
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
	total device.Report

	toDevice, toHost uint64 // bytes copied
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
	var reply worker.OpenReply
	if err = c.call(context.Background(), 0, "Open", d.index, &reply); err == nil {
		err = asError(reply.Err, "open")
		if err == nil {
			d.child, d.info = c, reply.Info
			d.mem = simt.NewVirtualMemory(reply.Info.Memory)
			d.addr = map[int]uint64{}
			d.code = map[codeKey]*code{}
			return nil
		}
		c.end(false)
		return err
	}
	c.end(true)
	return fmt.Errorf("opening GPU %d: %w", d.index, err)
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

// call calls the child and turns what goes wrong into an error. After an error
// that poisons the context a new child takes over, with empty memory.
func (d *Device) call(ctx context.Context, deadline time.Duration, during, method string, args, reply any, failed func() *worker.Failure) error {
	if d.child == nil {
		return fmt.Errorf("%s: the device is closed", during)
	}
	err := d.child.call(ctx, deadline, method, args, reply)
	if err != nil {
		return errors.Join(err, d.restart())
	}
	f := failed()
	if f != nil && f.Sticky {
		return errors.Join(asError(f, during), d.restart())
	}
	return asError(f, during)
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

// Model is the name of the GPU as its driver gives it: "NVIDIA H200".
func (d *Device) Model() string { return d.info.Name }

// Alloc reserves memory on the GPU and poisons it.
func (d *Device) Alloc(name string, elem ir.Kind, n int) (device.Buffer, error) {
	b, err := d.mem.Alloc(name, elem, n)
	if err != nil {
		return b, err
	}
	var reply worker.AddrReply
	err = d.call(context.Background(), 0, "alloc "+name, "Alloc", worker.AllocArgs{Bytes: b.Bytes(), Poison: true}, &reply, func() *worker.Failure { return reply.Err })
	if err != nil {
		return device.Buffer{}, errors.Join(err, d.mem.Free(b))
	}
	a, _, err := d.mem.Find(b)
	if err == nil {
		d.addr[a.ID] = reply.Addr
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
	var reply worker.PlainReply
	err = d.call(context.Background(), 0, "free "+b.Name, "Free", d.addr[a.ID], &reply, func() *worker.Failure { return reply.Err })
	delete(d.addr, a.ID)
	return err
}

// copyPart is how many bytes one call to the child copies.
const copyPart = 64 << 20

// Write copies src to b.
func (d *Device) Write(b device.Buffer, src any) error {
	from, err := d.mem.CheckWrite(b, src)
	if err != nil {
		return err
	}
	return d.copy(b, from, &d.toDevice, func(at uint64, part []byte) error {
		var reply worker.PlainReply
		return d.call(context.Background(), 0, "write to "+b.Name, "Write", worker.WriteArgs{Addr: at, Data: part}, &reply, func() *worker.Failure { return reply.Err })
	})
}

// Read copies b to dst.
func (d *Device) Read(b device.Buffer, dst any) error {
	to, err := d.mem.CheckRead(b, dst)
	if err != nil {
		return err
	}
	return d.copy(b, to, &d.toHost, func(at uint64, part []byte) error {
		var reply worker.ReadReply
		err := d.call(context.Background(), 0, "read of "+b.Name, "Read", worker.ReadArgs{Addr: at, Bytes: len(part)}, &reply, func() *worker.Failure { return reply.Err })
		copy(part, reply.Data)
		return err
	})
}

// copy calls do for the parts of a copy, with their address on the GPU, and
// counts their bytes.
func (d *Device) copy(b device.Buffer, host []byte, count *uint64, do func(at uint64, part []byte) error) error {
	a, off, err := d.mem.Find(b)
	if err != nil {
		return err
	}
	at := d.addr[a.ID] + uint64(off)
	for len(host) > 0 {
		n := min(len(host), copyPart)
		if err := do(at, host[:n]); err != nil {
			return err
		}
		*count += uint64(n)
		host, at = host[n:], at+uint64(n)
	}
	return nil
}

// Total is the sum over all launches and copies so far.
func (d *Device) Total() *device.Report {
	r := d.total
	r.Counters = append(device.CopyCounters(d.toDevice, d.toHost), d.total.Counters...)
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
