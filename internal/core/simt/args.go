package simt

import (
	"fmt"
	"math"
	"reflect"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// binder flattens arguments into the leaves of a kernel's parameters.
type binder struct {
	mem    *Memory
	leaves []ir.Leaf
	values []leafValue
}

// leafValue is the value of a leaf: the bits that the kernel sees and, for a
// base or pointer, the memory that it points to.
type leafValue struct {
	bits  uint64
	count int // elements from the address onwards
	alloc *Allocation
}

var bufferType = reflect.TypeFor[device.Buffer]()

func (b *binder) bind(params []ir.Param, args []any) error {
	next := 0
	for i := range params {
		param := &params[i]
		if param.Bound {
			continue
		}
		if next >= len(args) {
			return fmt.Errorf("argument %d (%s %s) is missing: the kernel takes %s", next+1, param.Name, param.Type, signature(params))
		}
		if err := b.param(param, args[next]); err != nil {
			return fmt.Errorf("argument %d (%s %s): %w", next+1, param.Name, param.Type, err)
		}
		next++
	}
	if next < len(args) {
		return fmt.Errorf("%d arguments where the kernel takes %d: %s", len(args), next, signature(params))
	}
	return nil
}

// bindTables sets the leaves of constant tables, and of variables of the module, to
// their addresses.
func (b *binder) bindTables() error {
	for i := range b.leaves {
		if leaf := &b.leaves[i]; leaf.Variable != nil {
			buffer, err := b.mem.variable(leaf.Variable)
			if err != nil {
				return err
			}
			b.values[i] = leafValue{bits: buffer.Base(), count: 1, alloc: buffer}
			continue
		}
		if leaf := &b.leaves[i]; leaf.Table != nil {
			buffer, err := b.mem.table(leaf)
			if err != nil {
				return err
			}
			b.values[i] = leafValue{bits: buffer.Base(), count: 1, alloc: buffer}
		}
	}
	return nil
}

func signature(params []ir.Param) string {
	s := ""
	for _, p := range params {
		if p.Bound {
			continue
		}
		if s != "" {
			s += ", "
		}
		s += p.Name + " " + p.Type
	}
	return "(" + s + ")"
}

func (b *binder) param(p *ir.Param, arg any) error {
	if p.Bytes > 0 {
		return b.raw(p, arg)
	}
	left, err := b.value(p, p.Leaves, reflect.ValueOf(arg))
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("it has no value for %s", b.leaves[left[0]].Name)
	}
	return nil
}

// value binds v to the first of leaves and returns the remaining ones.
func (b *binder) value(p *ir.Param, leaves []int, v reflect.Value) ([]int, error) {
	for v.IsValid() && v.Kind() == reflect.Interface {
		// An argument of an interface type stands for the value in it.
		v = v.Elem()
	}
	if v.IsValid() && v.Type() != bufferType {
		switch v.Kind() {
		// Structs and arrays are flattened in order, as the compiler flattens
		// parameters into leaves.
		case reflect.Struct:
			for i := range v.NumField() {
				field := v.Field(i)
				if !field.CanInterface() && v.Type().Field(i).Name == "_" { // getting the name allocates
					continue
				}
				var err error
				if leaves, err = b.value(p, leaves, field); err != nil {
					return nil, err
				}
			}
			return leaves, nil
		case reflect.Array:
			for i := range v.Len() {
				var err error
				if leaves, err = b.value(p, leaves, v.Index(i)); err != nil {
					return nil, err
				}
			}
			return leaves, nil
		}
	}
	if len(leaves) == 0 {
		return nil, fmt.Errorf("it has more values than the parameter")
	}
	leaf := &b.leaves[leaves[0]]
	switch leaf.Role {
	case ir.Base:
		err := b.buffer(leaf, leaves, v)
		// A slice has two leaves, base and length.
		return leaves[min(2, len(leaves)):], err
	case ir.Pointer:
		return leaves[1:], b.buffer(leaf, leaves, v)
	}
	if !v.IsValid() {
		return nil, fmt.Errorf("%s wants %s, got nil", leaf.Name, leaf.HostKind())
	}
	bits, err := scalar(leaf, v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", leaf.Name, err)
	}
	b.values[leaves[0]] = leafValue{bits: bits}
	return leaves[1:], nil
}

// buffer binds a Buffer, or nil, to a slice (base and length) or a pointer.
func (b *binder) buffer(leaf *ir.Leaf, leaves []int, v reflect.Value) error {
	what := "slice"
	if leaf.Role == ir.Pointer {
		what = "pointer"
	}
	var buf device.Buffer
	switch {
	case !v.IsValid():
	case v.Type() == bufferType:
		buf = bufferOf(v)
	case v.Kind() == reflect.Slice:
		return fmt.Errorf("%s is a %s: want a buffer, got %s; weft.Upload, or Alloc and Write, copies it to the device", leaf.Name, what, v.Type())
	default:
		return fmt.Errorf("%s is a %s: want a buffer, got %s", leaf.Name, what, v.Type())
	}
	var out leafValue
	if buf.Addr != 0 || buf.Len != 0 {
		within, off, err := b.mem.Find(buf)
		if err != nil {
			return fmt.Errorf("%s: %w", leaf.Name, err)
		}
		count, err := elements(leaf, buf)
		if err != nil {
			return err
		}
		if count >= 1<<32 { // the compiler counts elements with 32 bits
			return fmt.Errorf("%s: buffer %s has %d elements; a kernel takes fewer than 2^32", leaf.Name, buf.Name, count)
		}
		if leaf.Align > 1 && off%leaf.Align != 0 {
			return fmt.Errorf("%s: buffer %s begins at byte %d of %s; the kernel accesses %d bytes at once there, so it must begin at a multiple of %d",
				leaf.Name, buf.Name, off, within.Name, leaf.Align, leaf.Align)
		}
		out = leafValue{bits: within.Base() + uint64(off), count: count, alloc: within}
	}
	if leaf.Role == ir.Pointer {
		if out.alloc != nil && out.count == 0 {
			return fmt.Errorf("%s is a pointer: buffer %s has no element", leaf.Name, buf.Name)
		}
		out.count = min(out.count, 1)
	} else if len(leaves) > 1 {
		// The length in elements of the kernel, not of the buffer: a struct may
		// span several.
		b.values[leaves[1]] = leafValue{bits: uint64(out.count)}
	}
	b.values[leaves[0]] = out
	return nil
}

// elements returns how many of the kernel's elements fit in a buffer.
func elements(leaf *ir.Leaf, buf device.Buffer) (int, error) {
	if leaf.Elem == ir.Void {
		if leaf.Size == 0 || buf.Bytes()%leaf.Size != 0 {
			return 0, fmt.Errorf("%s has elements of %d bytes: buffer %s has %d bytes", leaf.Name, leaf.Size, buf.Name, buf.Bytes())
		}
		return buf.Bytes() / leaf.Size, nil
	}
	elem := device.Kind(leaf.Elem)
	// A bool is a byte on the device.
	same := buf.Elem == elem || buf.Elem == device.Bool && elem == device.U8 || buf.Elem == device.U8 && elem == device.Bool
	if !same {
		return 0, fmt.Errorf("%s has elements of %s: buffer %s has %s", leaf.Name, elem, buf.Name, buf.Elem)
	}
	if leaf.Size > 0 && buf.Bytes()%leaf.Size != 0 {
		return 0, fmt.Errorf("%s has elements of %d bytes: buffer %s has %d bytes", leaf.Name, leaf.Size, buf.Name, buf.Bytes())
	}
	return buf.Bytes() / max(leaf.Size, 1), nil
}

// bufferOf reads a Buffer from a field that may be unexported.
func bufferOf(v reflect.Value) device.Buffer {
	if v.CanInterface() {
		return v.Interface().(device.Buffer)
	}
	return device.Buffer{
		Name: v.FieldByName("Name").String(),
		Elem: device.Kind(v.FieldByName("Elem").Uint()),
		Addr: v.FieldByName("Addr").Uint(),
		Len:  int(v.FieldByName("Len").Int()),

		Owner: v.FieldByName("Owner").Uint(),
	}
}

// scalar returns a Go value as the bits of a register. It accepts any Go
// integer whose value fits, so that constants need no conversion; floats must
// have the parameter's width.
func scalar(leaf *ir.Leaf, v reflect.Value) (uint64, error) {
	want, exact := ir.Kind(leaf.HostKind()), leaf.Elem != ir.Void
	kind, ok := device.KindOfType(v.Type())
	got := ir.Kind(kind)
	mismatch := func() (uint64, error) {
		if v.Type() == bufferType {
			return 0, fmt.Errorf("want %s, got buffer %s", leaf.HostKind(), bufferOf(v).Name)
		}
		return 0, fmt.Errorf("want %s, got %s", leaf.HostKind(), v.Type())
	}
	switch {
	case !ok:
		return mismatch()
	case got == ir.Pred:
		if want != ir.Pred && (exact || want != ir.U32) {
			return mismatch()
		}
		if v.Bool() {
			return 1, nil
		}
		return 0, nil
	case want == ir.Pred:
		return mismatch()
	case want.Float():
		if got != want {
			return mismatch()
		}
		if want == ir.F32 {
			return uint64(math.Float32bits(float32(v.Float()))), nil
		}
		return math.Float64bits(v.Float()), nil
	case got.Float():
		return mismatch()
	}
	return integer(want, leaf.Kind, v)
}

func integer(want, reg ir.Kind, v reflect.Value) (uint64, error) {
	outside := func() (uint64, error) {
		return 0, fmt.Errorf("%v does not fit %s", v, device.Kind(want))
	}
	width := uint(want.Bits())
	var bits uint64
	if v.CanInt() {
		value := v.Int()
		if want.Signed() && value>>(width-1) != value>>63 || !want.Signed() && (value < 0 || uint64(value)>>(width-1)>>1 != 0) {
			return outside()
		}
		bits = uint64(value)
	} else {
		value := v.Uint()
		if want.Signed() {
			width--
		}
		if value>>(width-1)>>1 != 0 {
			return outside()
		}
		bits = value
	}
	// Registers of 32 bits are kept zero-extended.
	if reg.Bits() <= 32 {
		bits = uint64(uint32(bits))
	}
	return bits, nil
}
