package launch

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"unsafe"
)

// Data is the host memory of a slice, or of a pointer's target.
type Data struct {
	leaf  *leaf
	units int    // number of scalars or structs; elements of arrays count separately
	bytes []byte // the memory of all units
	typed any    // the same memory as a slice of the buffer's kind
}

// newData returns zeroed memory for that many units.
func newData(l *leaf, units int) *Data {
	d := &Data{leaf: l, units: units}
	k := l.elem.buffer()
	n := units * l.elem.size / k.size()
	s := reflect.MakeSlice(reflect.SliceOf(k.typ), n, n)
	d.typed = s.Interface()
	if n > 0 {
		d.bytes = unsafe.Slice((*byte)(s.UnsafePointer()), n*k.size())
	}
	return d
}

// like returns zeroed memory of the same size.
func (d *Data) like() *Data { return newData(d.leaf, d.units) }

// elements returns the number of elements of the slice.
func (d *Data) elements() int { return d.units / max(d.leaf.elem.units, 1) }

// at returns a field of a unit.
func (d *Data) at(unit int, f field) uint64 {
	return f.kind.get(d.bytes[unit*d.leaf.elem.size+f.off:])
}

func (d *Data) set(unit int, f field, bits uint64) {
	f.kind.put(d.bytes[unit*d.leaf.elem.size+f.off:], bits)
}

// name returns the name of a unit in Go's notation: "x[7]", or "x[7][3]" if
// elements are arrays.
func (d *Data) name(unit int) string {
	switch n := d.leaf.elem.units; {
	case d.leaf.form == pointer && d.units == 1:
		return d.leaf.name
	case n > 1 && d.leaf.form == slice:
		return fmt.Sprintf("%s[%d][%d]", d.leaf.name, unit/n, unit%n)
	}
	return fmt.Sprintf("%s[%d]", d.leaf.name, unit)
}

// normalize makes every bool 0 or 1, since files can hold any byte.
func (d *Data) normalize() {
	for _, f := range d.leaf.elem.fields {
		if !f.kind.isBool() {
			continue
		}
		for i := range d.units {
			if d.at(i, f) > 1 {
				d.set(i, f, 1)
			}
		}
	}
}

// WriteText writes one unit per line; the numbers of a struct are separated by
// spaces.
func (d *Data) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	for i := range d.units {
		for j, f := range d.leaf.elem.fields {
			if j > 0 {
				_ = b.WriteByte(' ') // Flush reports the error
			}
			_, _ = b.WriteString(f.kind.text(d.at(i, f)))
		}
		_ = b.WriteByte('\n')
	}
	return b.Flush()
}

// WriteBinary writes the elements as they are in memory.
func (d *Data) WriteBinary(w io.Writer) error {
	_, err := w.Write(d.bytes)
	return err
}
