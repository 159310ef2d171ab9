//go:build cgo && linux

package hw_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/internal/fakecuda"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
	"github.com/weft-gpu/weft/internal/testing/testkernels"
	"github.com/weft-gpu/weft/scheduler"
)

// interpreter runs kernels for the fake driver: it finds the kernel with the name of the entry point, copies the
// allocations to which its parameters point to a functional device, launches it there, and copies back what changed.
type interpreter struct {
	dev   *function.Device
	found map[string]*device.Kernel
}

// interpret makes the fake driver run all kernels of the project.
func interpret() {
	in := &interpreter{dev: function.New(function.Options{Budget: budget, AllowUnwritten: true}), found: map[string]*device.Kernel{}}
	fakecuda.Run = in.run
	fakecuda.Load = loadNative
}

// budget ends a kernel of the fake driver; it counts as one that hangs.
const budget = 1 << 24

// named returns the kernel whose entry point has a name. It compiles only that one.
func (in *interpreter) named(name string) (*device.Kernel, error) {
	if k := in.found[name]; k != nil {
		return k, nil
	}
	tests, err := devicetest.Kernels()
	if err != nil {
		return nil, err
	}
	schemes, err := catalog.Kernels()
	if err != nil {
		return nil, err
	}
	entries := catalog.EntryPoints()
	from := slices.Repeat([]device.Kernels{schemes}, len(entries))
	for _, n := range testEntries() {
		entries, from = append(entries, scheduler.EntryPoint{Name: n}), append(from, tests)
	}
	for i, e := range entries {
		if ir.Symbol(e.Name) != name {
			continue
		}
		k, err := from[i].Kernel(context.Background(), e.Name, e.Bind)
		if err == nil {
			in.found[name] = k
		}
		return k, err
	}
	return nil, fmt.Errorf("no kernel has this name")
}

// testEntries are the names of the kernels of the contract test.
var testEntries = sync.OnceValue(func() []string {
	k, err := devicetest.Kernels()
	if err != nil {
		return nil
	}
	l, ok := k.(interface {
		Entries(qualifier string) ([]string, error)
	})
	if !ok {
		return nil
	}
	names, err := l.Entries(testkernels.Sources.Path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return names
})

// goTypes are the Go types of elements.
var goTypes = map[device.Kind]reflect.Type{
	device.Bool: reflect.TypeFor[bool](), device.U8: reflect.TypeFor[uint8](), device.S8: reflect.TypeFor[int8](),
	device.U16: reflect.TypeFor[uint16](), device.S16: reflect.TypeFor[int16](), device.U32: reflect.TypeFor[uint32](),
	device.S32: reflect.TypeFor[int32](), device.U64: reflect.TypeFor[uint64](), device.S64: reflect.TypeFor[int64](),
	device.F32: reflect.TypeFor[float32](), device.F64: reflect.TypeFor[float64](),
}

// view returns bytes as a slice of elements.
func view(k device.Kind, data []byte) any {
	return reflect.SliceAt(goTypes[k], unsafe.Pointer(unsafe.SliceData(data)), len(data)/k.Bytes()).Interface()
}

// image is an allocation on the functional device.
type image struct {
	real, before []byte // on the fake GPU, now and before the launch
	buffer       device.Buffer
}

// run implements fakecuda.Run.
func (in *interpreter) run(l fakecuda.Launch) (int, error) {
	k, err := in.named(l.Name)
	if err != nil {
		return 0, err
	}
	prog := ir.Compiled(k)
	images := map[*byte]*image{}
	for i := range prog.Program.Leaves {
		if leaf := &prog.Program.Leaves[i]; leaf.Addr() && leaf.Table == nil {
			if err := in.load(images, leaf, l.Values[i]); err != nil {
				return 0, err
			}
			if !fakecuda.Reaches(l.GPU, l.Values[i]) {
				return fakecuda.Failed, nil
			}
		}
	}
	var args []any
	for _, p := range prog.Params {
		if !p.Bound {
			args = append(args, argument(images, prog.Program.Leaves, p.Leaves, l.Values))
		}
	}
	for i, t := range prog.Program.Tensors { // an encoded map begins with the address of its buffer
		if at, want := l.Values[len(prog.Program.Leaves)+i], l.Values[prog.Program.Roots[t.Root].Leaf]; at != want {
			return 0, fmt.Errorf("tensor map %d is of a buffer at %#x, and not at %#x", i, at, want)
		}
	}
	launch := device.Launch{Kernel: k, Grid: l.Grid[0], GridY: l.Grid[1], GridZ: l.Grid[2], Block: l.Block[0], BlockY: l.Block[1], BlockZ: l.Block[2],
		DynamicShared: l.Shared, Args: args}
	_, err = in.dev.Launch(context.Background(), launch)
	var fault *device.Fault
	var hang *device.HangError
	var late *device.UndecidedError
	switch {
	case errors.As(err, &fault):
		return fakecuda.Failed, nil
	case errors.As(err, &hang), errors.As(err, &late):
		return fakecuda.Hung, nil
	case err != nil:
		return 0, err
	}
	for _, m := range images {
		now := make([]byte, len(m.before))
		if err := in.dev.Read(m.buffer, view(m.buffer.Elem, now)); err != nil {
			return 0, err
		}
		for i, v := range now { // others may write the rest at the same time
			if v != m.before[i] {
				m.real[i] = v
			}
		}
		if err := in.dev.Free(m.buffer); err != nil {
			return 0, err
		}
	}
	return fakecuda.Ended, nil
}

// load copies the allocation to which a leaf points to the functional device. The kind of its elements is that of the
// first leaf that has one.
func (in *interpreter) load(images map[*byte]*image, leaf *ir.Leaf, addr uint64) error {
	data, _ := fakecuda.Memory(addr)
	if data == nil {
		return nil
	}
	elem := device.U8
	if leaf.Elem != ir.Void {
		elem = device.Kind(leaf.Elem)
	}
	old := images[&data[0]]
	if old != nil && (leaf.Elem == ir.Void || old.buffer.Elem != device.U8) {
		return nil
	}
	b, err := in.dev.Alloc("image", elem, len(data)/elem.Bytes())
	if err != nil {
		return err
	}
	if old != nil {
		if err := in.dev.Free(old.buffer); err != nil {
			return err
		}
	}
	m := &image{real: data, before: slices.Clone(data[:b.Bytes()]), buffer: b}
	images[&data[0]] = m
	return in.dev.Write(b, view(elem, m.before))
}

// argument returns the argument of a parameter: all its values in one array, which counts as the struct that it is.
func argument(images map[*byte]*image, leaves []ir.Leaf, of []int, values []uint64) any {
	var list []any
	for j := 0; j < len(of); j++ {
		i := of[j]
		leaf, v := &leaves[i], values[i]
		if !leaf.Addr() {
			list = append(list, scalarOf(leaf.HostKind(), v))
			continue
		}
		n := 1
		if leaf.Role == ir.Base && j+1 < len(of) {
			j++
			n = int(values[of[j]])
		}
		b := device.Buffer{}
		if data, off := fakecuda.Memory(v); data != nil {
			m := images[&data[0]]
			size := m.buffer.Elem.Bytes()
			b = m.buffer.Slice(off/size, off/size+n*leaf.Size/size)
		}
		list = append(list, b)
	}
	a := reflect.New(reflect.ArrayOf(len(list), reflect.TypeFor[any]())).Elem()
	for i, v := range list {
		a.Index(i).Set(reflect.ValueOf(v))
	}
	return a.Interface()
}

// scalarOf returns the value that a register's bits are.
func scalarOf(k device.Kind, bits uint64) any {
	v := reflect.New(goTypes[k]).Elem()
	switch {
	case v.CanUint():
		v.SetUint(bits & (1<<(8*k.Bytes()-1)<<1 - 1))
	case v.CanInt():
		shift := 64 - 8*k.Bytes()
		v.SetInt(int64(bits<<shift) >> shift)
	case k == device.F32:
		v.SetFloat(float64(math.Float32frombits(uint32(bits))))
	case k == device.F64:
		v.SetFloat(math.Float64frombits(bits))
	default:
		v.SetBool(bits&1 != 0)
	}
	return v.Interface()
}
