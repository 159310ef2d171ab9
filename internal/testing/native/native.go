package native

import (
	"context"
	"fmt"
	"reflect"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
)

// Device runs Go functions as kernels. It is also a device.Kernels. The zero
// value is not usable; see New.
type Device struct {
	// Blocks is the occupancy that the device reports.
	Blocks int
	// FailAt is the number, from 1, of the launch that fails with Failure; 0
	// for none.
	FailAt  int
	Failure error
	// NoMemory is the name of the buffer that Alloc cannot allocate.
	NoMemory string
	// Nested lets kernels start kernels.
	Nested bool
	// After, if not nil, is called at the end of each launch.
	After func()
	// Grids and Threads are the blocks of all launches so far, and the threads of a
	// block. Live is the number of buffers that have not been freed.
	Grids, Threads []int
	Live           int

	kernels map[string]any // by entry point: a function whose first parameter is gpu.Thread
	entries map[*device.Kernel]any
	owner   uint64                   // of its buffers; 0 before the first
	memory  map[uint64]reflect.Value // slices by address
}

// New returns a device with kernels by entry point: functions whose first
// parameter is gpu.Thread.
func New(kernels map[string]any) *Device {
	return &Device{Blocks: 4, kernels: kernels, entries: map[*device.Kernel]any{}, memory: map[uint64]reflect.Value{}}
}

// Kernel returns the kernel of an entry point.
func (d *Device) Kernel(_ context.Context, entry string, _ map[string]any) (*device.Kernel, error) {
	fn, ok := d.kernels[entry]
	if !ok {
		return nil, fmt.Errorf("no kernel %s", entry)
	}
	k := &device.Kernel{Name: entry}
	d.entries[k] = fn
	return k, nil
}

// Name returns "native".
func (d *Device) Name() string { return "native" }

// Capabilities returns what d.Nested allows.
func (d *Device) Capabilities() device.Capabilities {
	if d.Nested {
		return device.Nested
	}
	return 0
}

// Now returns 0: the device has no clock.
func (d *Device) Now() float64 { return 0 }

// addressBits is the number of bits of an address within an allocation.
const addressBits = 40

// Alloc allocates a slice.
func (d *Device) Alloc(name string, elem device.Kind, n int) (device.Buffer, error) {
	if name == d.NoMemory {
		return device.Buffer{}, fmt.Errorf("out of memory")
	}
	types := map[device.Kind]reflect.Type{device.U32: reflect.TypeFor[uint32](), device.F32: reflect.TypeFor[float32](), device.S32: reflect.TypeFor[int32](), device.U64: reflect.TypeFor[uint64]()}
	if d.owner == 0 {
		d.owner = device.NewOwner()
	}
	b := device.Buffer{Name: name, Elem: elem, Addr: uint64(len(d.memory)+1) << addressBits, Len: n, Owner: d.owner}
	d.memory[b.Addr] = reflect.MakeSlice(reflect.SliceOf(types[elem]), n, n)
	d.Live++
	return b, nil
}

// Free only counts.
func (d *Device) Free(device.Buffer) error { d.Live--; return nil }

// Write copies to the slice.
func (d *Device) Write(b device.Buffer, src any) error {
	if n := reflect.ValueOf(src).Len(); n > b.Len {
		return fmt.Errorf("%d elements do not fit %s", n, b.Name)
	}
	reflect.Copy(d.slice(b), reflect.ValueOf(src))
	return nil
}

// Read copies from the slice.
func (d *Device) Read(b device.Buffer, dst any) error {
	reflect.Copy(reflect.ValueOf(dst), d.slice(b))
	return nil
}

// slice returns the elements of a buffer, which may be a part of an allocation.
func (d *Device) slice(b device.Buffer) reflect.Value {
	if b.Owner != d.owner {
		panic(fmt.Sprintf("native: buffer %s is not of this device", b.Name))
	}
	const within = 1<<addressBits - 1
	first := int(b.Addr&within) / b.Elem.Bytes()
	return d.memory[b.Addr&^within].Slice(first, first+b.Len)
}

// Launch runs the function in goroutines. Each launch takes 10 cycles.
func (d *Device) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	d.Threads = append(d.Threads, l.Shape().Threads())
	d.Grids = append(d.Grids, l.Grid)
	if len(d.Grids) == d.FailAt {
		return &device.Report{Launches: 1, Cycles: 5}, d.Failure
	}
	fn := reflect.ValueOf(d.entries[l.Kernel])
	args := []reflect.Value{{}}
	for i, a := range l.Args {
		args = append(args, d.convert(reflect.ValueOf(a), fn.Type().In(i+1)))
	}
	err := gpu.Launch(l.Grid, l.Block, func(t gpu.Thread) {
		own := append([]reflect.Value{reflect.ValueOf(t)}, args[1:]...)
		fn.Call(own)
	}, gpu.DynamicSharedBytes(l.DynamicShared))
	if d.After != nil {
		d.After()
	}
	return &device.Report{Launches: 1, Cycles: 10}, err
}

// LaunchChain runs the functions of a chain.
func (d *Device) LaunchChain(ctx context.Context, c device.Chain) ([]device.Started, error) {
	return device.RunChain(d, c, func(l device.Launch, _ bool) (*device.Report, error) { return d.Launch(ctx, l) })
}

// convert converts a launch argument to the type that the Go function expects:
// buffers become slices and pointers; embedded types without data are left out.
func (d *Device) convert(arg reflect.Value, want reflect.Type) reflect.Value {
	if b, ok := arg.Interface().(device.Buffer); ok {
		s := d.slice(b)
		if want.Kind() == reflect.Pointer {
			return s.Index(0).Addr()
		}
		return s
	}
	v := reflect.New(want).Elem()
	switch want.Kind() {
	case reflect.Array:
		for i := range want.Len() {
			v.Index(i).Set(d.convert(arg.Index(i), want.Elem()))
		}
		return v
	case reflect.Struct:
	default:
		return arg.Convert(want)
	}
	next := 0
	for i := range want.NumField() {
		if f := want.Field(i); f.Type.Size() > 0 {
			v.Field(i).Set(d.convert(arg.Field(next), f.Type))
			next++
		}
	}
	return v
}

// Occupancy returns Blocks, and registers and shared memory of which each block may have some.
func (d *Device) Occupancy(*device.Kernel, int) (device.Occupancy, error) {
	return device.Occupancy{BlocksPerSM: d.Blocks, SMs: 1, Regs: 32, RegsPerSM: 64 << 10, SharedFree: 16 << 10}, nil
}

// Total returns the number of launches.
func (d *Device) Total() *device.Report { return &device.Report{Launches: len(d.Grids)} }

// Close does nothing.
func (d *Device) Close() error { return nil }
