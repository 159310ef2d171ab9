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
		if to == nil && m.functions[one.symbol] != nil {
			return fail("the initial value of %s has the address of function %s: calls by address are not supported, also of virtual functions; call it by its name",
				demangled(v.name), demangled(one.symbol))
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
		a := ir.Relocation{Off: at, Size: size, Of: of, Add: one.bits}
		if one.mask != 0 {
			for a.Shift = 0; a.Shift < 64 && one.mask>>a.Shift&0xff == 0; a.Shift += 8 {
			}
		} else if size != 8 {
			return fail("an address in an element of %d bytes of %s", size, v.name)
		}
		out.Relocations = append(out.Relocations, a)
	}
	return out, nil
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
