package weft

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// Buffer is elements of type T in the memory of a device: the argument of a launch
// for a parameter []T or *T.
type Buffer[T any] struct {
	raw device.Buffer
	dev *Device
}

// Alloc reserves n elements of type T on a device. T is a number, a bool, or a
// struct or array of these. Name is what reports and error messages call the
// buffer. The memory is not initialized: kernels on func may not read an element
// before it was written.
func Alloc[T any](dev *Device, name string, n int) (Buffer[T], error) {
	kind, per, err := layoutOf(reflect.TypeFor[T]())
	if err != nil {
		return Buffer[T]{}, fmt.Errorf("alloc %s: %w", name, err)
	}
	b, err := dev.Device.Alloc(name, kind, n*per)
	if err != nil {
		return Buffer[T]{}, err
	}
	return Buffer[T]{b, dev}, nil
}

// Upload reserves a buffer for the elements of data and copies them to it.
func Upload[T any](dev *Device, name string, data []T) (Buffer[T], error) {
	b, err := Alloc[T](dev, name, len(data))
	if err != nil {
		return b, err
	}
	return b, b.Write(data)
}

// Len returns the number of elements.
func (b Buffer[T]) Len() int {
	_, per, err := layoutOf(reflect.TypeFor[T]())
	if err != nil {
		return 0
	}
	return b.raw.Len / per
}

// Write copies data to the buffer. The two must have the same length.
func (b Buffer[T]) Write(data []T) error {
	if b.dev == nil {
		return errZero
	}
	if len(data) != b.Len() {
		return fmt.Errorf("write to %s: %d elements of %s to a buffer of %d; use Slice for a part", b.raw.Name, len(data), reflect.TypeFor[T](), b.Len())
	}
	return b.dev.Write(b.raw, elements(data))
}

// Read copies the buffer to data. The two must have the same length.
func (b Buffer[T]) Read(data []T) error {
	if b.dev == nil {
		return errZero
	}
	if len(data) != b.Len() {
		return fmt.Errorf("read of %s: %d elements of %s to a slice of %d; use Slice for a part", b.raw.Name, b.Len(), reflect.TypeFor[T](), len(data))
	}
	return b.dev.Read(b.raw, elements(data))
}

// Values returns a copy of what the buffer holds.
func (b Buffer[T]) Values() ([]T, error) {
	data := make([]T, b.Len())
	return data, b.Read(data)
}

// Slice returns elements lo to hi (exclusive) of b. It panics if they are out of
// range, as slicing a Go slice does.
func (b Buffer[T]) Slice(lo, hi int) Buffer[T] {
	_, per, err := layoutOf(reflect.TypeFor[T]())
	if err != nil {
		per = 1
	}
	return Buffer[T]{b.raw.Slice(lo*per, hi*per), b.dev}
}

// Free gives the memory back. Using the buffer afterwards is an error.
func (b Buffer[T]) Free() error {
	if b.dev == nil {
		return errZero
	}
	return b.dev.Free(b.raw)
}

// errZero is the error for a Buffer that Alloc did not return.
var errZero = fmt.Errorf("a zero weft.Buffer has no memory; make one by weft.Alloc or weft.Upload")

// Raw returns the buffer as package device knows it.
func (b Buffer[T]) Raw() device.Buffer { return b.raw }

// typed is a Buffer of any type of element.
type typed interface{ Raw() device.Buffer }

var typedType = reflect.TypeFor[typed]()

// plainArgs returns arguments with a device.Buffer for each Buffer.
func plainArgs(args []any) []any {
	out := args
	for i, a := range args {
		if p := plainArg(a); p != nil {
			if &out[0] == &args[0] {
				out = slices.Clone(args)
			}
			out[i] = p
		}
	}
	return out
}

// plainArg returns an argument with a device.Buffer for each Buffer; nil
// if there are none in it.
func plainArg(a any) any {
	if b, ok := a.(typed); ok {
		return b.Raw()
	}
	v := reflect.ValueOf(a)
	if !v.IsValid() || !holdsTyped(v.Type()) {
		return nil
	}
	// Devices take the fields of a struct, in order, and the elements of an array alike.
	var parts []any
	switch v.Kind() {
	case reflect.Struct:
		readable := reflect.New(v.Type()).Elem()
		readable.Set(v)
		for i := range v.NumField() {
			if v.Type().Field(i).Name == "_" { // it has no value
				continue
			}
			f := readable.Field(i)
			parts = append(parts, part(reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()))
		}
	case reflect.Array:
		for i := range v.Len() {
			parts = append(parts, part(v.Index(i)))
		}
	}
	list := reflect.New(reflect.ArrayOf(len(parts), reflect.TypeFor[any]())).Elem()
	for i, p := range parts {
		if p != nil {
			list.Index(i).Set(reflect.ValueOf(p))
		}
	}
	return list.Interface()
}

// part is one field or element of an argument.
func part(v reflect.Value) any {
	x := v.Interface()
	if p := plainArg(x); p != nil {
		return p
	}
	return x
}

// holdsTyped reports a struct or array that may have a Buffer in a field or an element.
func holdsTyped(t reflect.Type) bool {
	switch {
	case t.Implements(typedType):
		return true
	case t == reflect.TypeFor[device.Buffer]():
		return false
	case t.Kind() == reflect.Interface: // what it holds is seen at its elements
		return true
	case t.Kind() == reflect.Array:
		return holdsTyped(t.Elem())
	case t.Kind() == reflect.Struct:
		for f := range t.Fields() {
			if holdsTyped(f.Type) {
				return true
			}
		}
	}
	return false
}

// layoutOf returns the kind of the elements that a device has for a T, and how many
// of them a T is: structs are bytes there, and arrays elements of their own.
func layoutOf(t reflect.Type) (kind device.Kind, per int, err error) {
	if k, ok := device.KindOfType(t); ok {
		return k, 1, nil
	}
	if !simt.Plain(t) {
		return 0, 0, fmt.Errorf("elements of type %s cannot be in device memory; use numbers, bools, and structs and arrays of these", t)
	}
	if t.Size() == 0 {
		return 0, 0, fmt.Errorf("elements of type %s have no size", t)
	}
	if t.Kind() == reflect.Array {
		kind, per, err = layoutOf(t.Elem())
		return kind, per * t.Len(), err
	}
	return device.U8, int(t.Size()), nil
}

// elements returns data as a slice that devices take.
func elements[T any](data []T) any {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Array {
		return data
	}
	n := 1
	for t.Kind() == reflect.Array {
		n *= t.Len()
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		return data
	}
	return reflect.SliceAt(t, reflect.ValueOf(data).UnsafePointer(), n*len(data)).Interface()
}
