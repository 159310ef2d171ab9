package bsp_test

import (
	"context"
	"fmt"
	"reflect"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/ir"
)

// nativeDevice runs Go functions as kernels by gpu.Launch, so that host loops
// are tested with no compiler and no executor. It is also a device.Kernels.
type nativeDevice struct {
	kernels  map[string]any // by entry point: a function whose first parameter is gpu.Thread
	entries  map[*device.Kernel]any
	memory   map[uint64]reflect.Value // slices by address
	live     int                      // buffers not freed
	blocks   int                      // that are resident at once
	grids    []int                    // of the launches so far
	failAt   int                      // this launch fails; 0: none
	failure  error
	noMemory string // the buffer that Alloc has no room for
	after    func() // called at the end of each launch
}

func newNative(kernels map[string]any) *nativeDevice {
	return &nativeDevice{kernels: kernels, entries: map[*device.Kernel]any{}, memory: map[uint64]reflect.Value{}, blocks: 4}
}

func (d *nativeDevice) Kernel(_ context.Context, entry string, _ map[string]any) (*device.Kernel, error) {
	fn, ok := d.kernels[entry]
	if !ok {
		return nil, fmt.Errorf("no kernel %s", entry)
	}
	k := &device.Kernel{Name: entry}
	d.entries[k] = fn
	return k, nil
}

func (d *nativeDevice) Name() string { return "native" }

func (d *nativeDevice) Capabilities() device.Capabilities { return 0 }

func (d *nativeDevice) Alloc(name string, elem ir.Kind, n int) (device.Buffer, error) {
	if name == d.noMemory {
		return device.Buffer{}, fmt.Errorf("out of memory")
	}
	types := map[ir.Kind]reflect.Type{ir.U32: reflect.TypeFor[uint32](), ir.F32: reflect.TypeFor[float32](), ir.S32: reflect.TypeFor[int32]()}
	b := device.Buffer{Name: name, Elem: elem, Addr: uint64(len(d.memory)+1) << 40, Len: n}
	d.memory[b.Addr] = reflect.MakeSlice(reflect.SliceOf(types[elem]), n, n)
	d.live++
	return b, nil
}

func (d *nativeDevice) Free(device.Buffer) error { d.live--; return nil }

func (d *nativeDevice) Write(b device.Buffer, src any) error {
	if n := reflect.ValueOf(src).Len(); n > b.Len {
		return fmt.Errorf("%d elements do not fit %s", n, b.Name)
	}
	reflect.Copy(d.memory[b.Addr], reflect.ValueOf(src))
	return nil
}

func (d *nativeDevice) Read(b device.Buffer, dst any) error {
	reflect.Copy(reflect.ValueOf(dst), d.memory[b.Addr].Slice(0, b.Len))
	return nil
}

func (d *nativeDevice) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	d.grids = append(d.grids, l.Grid)
	if len(d.grids) == d.failAt {
		return &device.Report{Launches: 1, Cycles: 5}, d.failure
	}
	fn := reflect.ValueOf(d.entries[l.Kernel])
	args := []reflect.Value{{}}
	for i, a := range l.Args {
		args = append(args, d.convert(reflect.ValueOf(a), fn.Type().In(i+1)))
	}
	err := gpu.Launch(l.Grid, l.Block, func(t gpu.Thread) {
		own := append([]reflect.Value{reflect.ValueOf(t)}, args[1:]...)
		fn.Call(own)
	})
	if d.after != nil {
		d.after()
	}
	return &device.Report{Launches: 1, Cycles: 10}, err
}

// convert makes a launch argument what the Go function takes: buffers become
// slices and pointers; embedded types without data are left out.
func (d *nativeDevice) convert(arg reflect.Value, want reflect.Type) reflect.Value {
	if b, ok := arg.Interface().(device.Buffer); ok {
		s := d.memory[b.Addr]
		if want.Kind() == reflect.Pointer {
			return s.Index(0).Addr()
		}
		return s.Slice(0, b.Len)
	}
	if want.Kind() != reflect.Struct {
		return arg.Convert(want)
	}
	v := reflect.New(want).Elem()
	next := 0
	for i := range want.NumField() {
		if f := want.Field(i); f.Type.Size() > 0 {
			v.Field(i).Set(d.convert(arg.Field(next), f.Type))
			next++
		}
	}
	return v
}

func (d *nativeDevice) Occupancy(*device.Kernel, int) (device.Occupancy, error) {
	return device.Occupancy{BlocksPerSM: d.blocks, SMs: 1}, nil
}

func (d *nativeDevice) Total() *device.Report { return &device.Report{Launches: len(d.grids)} }

func (d *nativeDevice) Close() error { return nil }
