package simt

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// raw binds an argument to a parameter that is passed as bytes: those of a []byte, or of
// numbers, buffers (their addresses), and structs and arrays of these, laid out as C does.
func (b *binder) raw(p *ir.Param, arg any) error {
	bytes, err := rawBytes(b.mem, p, arg)
	if err != nil {
		return err
	}
	for _, number := range p.Leaves {
		leaf := &b.leaves[number]
		k := leaf.Elem
		var word [8]byte
		copy(word[:], bytes[leaf.Off:leaf.Off+k.Bytes()])
		b.values[number] = leafValue{bits: Load(word[:], 0, k)}
	}
	return nil
}

// rawBytes returns the bytes of an argument.
func rawBytes(mem *Memory, p *ir.Param, arg any) ([]byte, error) {
	bytes, ok := arg.([]byte)
	if !ok {
		w := rawWriter{mem: mem}
		if err := w.value(reflect.ValueOf(arg), p.Bytes); err != nil {
			return nil, err
		}
		w.pad(w.align)
		bytes = w.out
	}
	if len(bytes) != p.Bytes {
		return nil, fmt.Errorf("the argument has %d bytes, and the parameter %d", len(bytes), p.Bytes)
	}
	return bytes, nil
}

// rawWriter lays values out as C does.
type rawWriter struct {
	mem   *Memory
	out   []byte
	align int
}

func (w *rawWriter) pad(align int) {
	w.align = max(w.align, align)
	for align > 1 && len(w.out)%align != 0 {
		w.out = append(w.out, 0)
	}
}

// value appends a value. want is the size of the parameter, which says how wide an int is;
// 0 within a struct or an array.
func (w *rawWriter) value(v reflect.Value, want int) error {
	for v.IsValid() && v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() { // nil is the null pointer
		w.word(0, 8)
		return nil
	}
	if v.Type() == bufferType {
		buf := bufferOf(v)
		if buf.Addr == 0 && buf.Len == 0 {
			w.word(0, 8)
			return nil
		}
		a, off, err := w.mem.Find(buf)
		if err != nil {
			return err
		}
		w.word(w.mem.real(a)+uint64(off), 8)
		return nil
	}
	size := int(v.Type().Size())
	switch kind := v.Kind(); {
	case kind == reflect.Struct:
		// Its own alignment first: that of its widest part.
		inner := rawWriter{mem: w.mem}
		for i := range v.NumField() {
			if err := inner.value(v.Field(i), 0); err != nil {
				return err
			}
		}
		inner.pad(inner.align)
		w.pad(max(inner.align, 1))
		w.out = append(w.out, inner.out...)
	case kind == reflect.Array:
		for i := range v.Len() {
			if err := w.value(v.Index(i), 0); err != nil {
				return err
			}
		}
	case kind == reflect.Bool:
		n := uint64(0)
		if v.Bool() {
			n = 1
		}
		w.word(n, 1)
	case kind == reflect.Int && want > 0 && want < 8: // a constant of Go
		if n := v.Int(); n < -1<<(8*want-1) || n >= 1<<(8*want) {
			return fmt.Errorf("%d does not fit %d bytes", n, want)
		}
		w.word(uint64(v.Int()), want)
	case v.CanInt():
		w.word(uint64(v.Int()), size)
	case v.CanUint():
		w.word(v.Uint(), size)
	case kind == reflect.Float32:
		w.word(uint64(math.Float32bits(float32(v.Float()))), 4)
	case kind == reflect.Float64:
		w.word(math.Float64bits(v.Float()), 8)
	default:
		return fmt.Errorf("a %s has no bytes for a kernel; pass []byte, numbers, buffers, or structs and arrays of these", v.Type())
	}
	return nil
}

func (w *rawWriter) word(n uint64, size int) {
	w.pad(size)
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], n)
	w.out = append(w.out, word[:size]...)
}

// Variable returns the memory of a variable of a module. It is allocated and gets its
// initial value when it is first asked for.
func (m *Memory) Variable(v *device.Variable) (device.Buffer, error) {
	of, ok := v.Code().(*ir.Variable)
	if !ok {
		return device.Buffer{}, fmt.Errorf("variable %s is of no module", v.Name)
	}
	a, err := m.variable(of)
	if err != nil {
		return device.Buffer{}, err
	}
	return device.Buffer{Name: a.Name, Elem: a.Elem, Addr: a.Base(), Len: a.Len, Owner: m.owner}, nil
}

func (m *Memory) variable(v *ir.Variable) (*Allocation, error) {
	if a := m.variables[v]; a != nil {
		return a, nil
	}
	handle, err := m.Alloc(v.Name, device.U8, v.Size)
	if err != nil {
		return nil, err
	}
	a, _ := m.Lookup(handle.Addr)
	a.unwritten = nil
	if m.variables == nil {
		m.variables = map[*ir.Variable]*Allocation{}
	}
	m.variables[v] = a // before its addresses, which may be its own
	if m.virtual {
		return a, nil
	}
	clear(a.Data)
	copy(a.Data, v.Data)
	for _, r := range v.Relocations {
		of, err := m.variable(r.Of)
		if err != nil {
			return nil, err
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], (of.Base()+r.Add)>>r.Shift)
		copy(a.Data[r.Off:r.Off+r.Size], word[:])
	}
	return a, nil
}
