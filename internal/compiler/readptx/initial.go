package readptx

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// variable returns the variable of the IR, with its initial value.
func (m *Module) variable(v *variable) (*ir.Variable, error) {
	if out := m.variables[v.name]; out != nil {
		return out, nil
	}
	fail := func(format string, args ...any) (*ir.Variable, error) {
		return nil, &Error{m.Name, v.line, fmt.Sprintf(format, args...)}
	}
	if v.extern {
		return fail("variable %s is declared .extern, and the module does not define it", v.name)
	}
	out := &ir.Variable{Name: v.name, Size: v.size(), Align: v.align, Const: v.space == ".const", Managed: v.managed, Source: &ir.Source{Text: m.text, Printer: m}}
	m.variables[v.name] = out // before its addresses, which may be its own
	for i, one := range v.init {
		at, size := i*v.typ.bytes(), v.typ.bytes()
		for len(out.Data) < at+size {
			out.Data = append(out.Data, 0)
		}
		if one.symbol == "" {
			put(out.Data[at:at+size], one, v.typ)
			continue
		}
		to := m.vars[one.symbol]
		if address, ok := m.functionAddress(one.symbol); ok && to == nil {
			if one.mask == 0 && size != 8 {
				return fail("an address in an element of %d bytes of %s", size, v.name)
			}
			put(out.Data[at:at+size], initial{bits: (address + one.bits) >> one.shift()}, v.typ)
			continue
		}
		if to == nil {
			return fail("the initial value of %s has the address of %s, which is no variable of the module", v.name, one.symbol)
		}
		if to.space == ".shared" {
			return fail("the initial value of %s has the address of %s, which is in shared memory", v.name, one.symbol)
		}
		of, err := m.variable(to)
		if err != nil {
			return nil, err
		}
		a := ir.Relocation{Off: at, Size: size, Of: of, Add: one.bits, Shift: one.shift()}
		if one.mask == 0 && size != 8 {
			return fail("an address in an element of %d bytes of %s", size, v.name)
		}
		out.Relocations = append(out.Relocations, a)
	}
	return out, nil
}

// shift returns by how many bits an address is shifted whose byte is meant.
func (one *initial) shift() (n int) {
	for one.mask != 0 && n < 64 && one.mask>>n&0xff == 0 {
		n += 8
	}
	return n
}

// put writes a number as the bytes of a type.
func put(to []byte, one initial, t typ) {
	bits := one.bits
	switch {
	case t.letter == 'f' && t.bits == 64 && one.one:
		bits = math.Float64bits(float64(math.Float32frombits(uint32(bits))))
	case t.letter == 'f' && t.bits == 64 && !one.real:
		bits = math.Float64bits(float64(int64(bits)))
	case t.letter == 'f' && t.bits == 32 && one.real && !one.one:
		bits = uint64(math.Float32bits(float32(math.Float64frombits(bits))))
	case t.letter == 'f' && t.bits == 32 && !one.real:
		bits = uint64(math.Float32bits(float32(int64(bits))))
	}
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], bits)
	copy(to, word[:])
}
