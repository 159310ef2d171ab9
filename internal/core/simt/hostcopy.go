package simt

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/weft-gpu/weft/device"
)

// Write copies the slice src to b. src must have exactly b.Len elements of b's
// kind ([]uint32 for device.U32, []bool or []uint8 for device.Bool and device.U8, ...;
// named types count as their underlying types). A buffer of device.U8 also accepts
// a slice of structs or arrays without pointers, and copies it byte for byte.
func (m *Memory) Write(b device.Buffer, src any) error {
	from, err := m.CheckWrite(b, src)
	if err != nil {
		return err
	}
	a, off, _ := m.find(b) // it exists, since CheckWrite found it
	copy(a.Data[off:off+len(from)], from)
	a.Wrote(off, len(from))
	m.Copied.ToDevice += uint64(len(from))
	return nil
}

// CheckWrite returns the bytes that Write would copy to b.
func (m *Memory) CheckWrite(b device.Buffer, src any) ([]byte, error) {
	if _, _, err := m.findOwn(b); err != nil {
		return nil, fmt.Errorf("write: %w", err)
	}
	from, err := hostBytes(b, src)
	if err != nil {
		return nil, fmt.Errorf("write to %s: %w", b.Name, err)
	}
	if len(from) != b.Bytes() {
		return nil, fmt.Errorf("write to %s: %d bytes of %T to a buffer of %d elements of %s (%d bytes); use Buffer.Slice for a part",
			b.Name, len(from), src, b.Len, b.Elem, b.Bytes())
	}
	return from, nil
}

// Read copies b to the slice dst, which must have at least b.Len elements.
// Kinds are as for Write.
func (m *Memory) Read(b device.Buffer, dst any) error {
	to, err := m.CheckRead(b, dst)
	if err != nil {
		return err
	}
	copy(to, m.bytes(b))
	m.Copied.ToHost += uint64(len(to))
	return nil
}

// CheckRead returns the memory to which Read would copy the bytes of b.
func (m *Memory) CheckRead(b device.Buffer, dst any) ([]byte, error) {
	if _, _, err := m.findOwn(b); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	to, err := hostBytes(b, dst)
	if err != nil {
		return nil, fmt.Errorf("read of %s: %w", b.Name, err)
	}
	if len(to) < b.Bytes() {
		return nil, fmt.Errorf("read of %s: %d elements of %s (%d bytes) to a %T of %d bytes",
			b.Name, b.Len, b.Elem, b.Bytes(), dst, len(to))
	}
	return to[:b.Bytes()], nil
}

// bytes returns the memory of a buffer that Find has accepted.
func (m *Memory) bytes(b device.Buffer) []byte {
	a, off, err := m.find(b)
	if err != nil {
		return nil
	}
	return a.Data[off : off+b.Bytes()]
}

// hostBytes returns the memory of a Go slice whose element type matches the
// buffer's kind.
func hostBytes(buf device.Buffer, slice any) ([]byte, error) {
	if slice == nil {
		return nil, fmt.Errorf("want a slice of %s, got nil", buf.Elem)
	}
	value := reflect.ValueOf(slice)
	if value.Kind() != reflect.Slice {
		return nil, fmt.Errorf("want a slice of %s, got %T", buf.Elem, slice)
	}
	elem := value.Type().Elem()
	if !fits(elem, buf.Elem) {
		return nil, fmt.Errorf("want a slice of %s, got %T", buf.Elem, slice)
	}
	bytes := value.Len() * int(elem.Size())
	if bytes == 0 {
		return nil, nil
	}
	return unsafe.Slice((*byte)(value.UnsafePointer()), bytes), nil
}

func fits(t reflect.Type, elem device.Kind) bool {
	k, ok := device.KindOfType(t)
	switch {
	case ok && k == elem:
		return true
	case ok:
		return k == device.Bool && elem == device.U8 || k == device.U8 && elem == device.Bool
	}
	return elem == device.U8 && (t.Kind() == reflect.Struct || t.Kind() == reflect.Array) && Plain(t)
}

// Plain reports whether the bytes of a t have the same meaning on the device.
func Plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return Plain(t.Elem())
	case reflect.Struct:
		for field := range t.Fields() {
			if !Plain(field.Type) {
				return false
			}
		}
		return true
	}
	_, ok := device.KindOfType(t)
	return ok
}
