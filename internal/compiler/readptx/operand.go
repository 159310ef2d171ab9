package readptx

import (
	"math"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// ins appends an instruction to the current block.
func (b *builder) ins(op ir.Op, k ir.Kind, args ...*ir.Value) *ir.Value {
	v := b.f.NewValue(op, k, b.pos, args...)
	v.Block = b.cur
	b.cur.Ins = append(b.cur.Ins, v)
	return v
}

// of is ins for an op whose operands have a kind of their own.
func (b *builder) of(op ir.Op, k, argK ir.Kind, args ...*ir.Value) *ir.Value {
	v := b.ins(op, k, args...)
	v.ArgK = argK
	return v
}

// number returns a constant.
func (b *builder) number(k ir.Kind, bits uint64) *ir.Value { return b.f.Const(k, bits) }

func (b *builder) u32(n uint64) *ir.Value { return b.f.Const(ir.U32, n) }

func (b *builder) predicateOf(on bool) *ir.Value {
	if on {
		return b.f.Const(ir.Pred, 1)
	}
	return b.f.Const(ir.Pred, 0)
}

// not returns the opposite of a predicate.
func (b *builder) not(v *ir.Value) *ir.Value { return b.ins(ir.OpNot, ir.Pred, v) }

// widen returns an integer of 32 bits as one of 64.
func (b *builder) widen(v *ir.Value, signed bool) *ir.Value {
	if v.K.Bits() == 64 {
		return v
	}
	if signed {
		return b.of(ir.OpCvt, ir.S64, ir.S32, v)
	}
	return b.of(ir.OpCvt, ir.U64, ir.U32, v)
}

// low returns the lower half of an integer of 64 bits.
func (b *builder) low(v *ir.Value) *ir.Value { return b.of(ir.OpCvt, ir.U32, ir.U64, v) }

// high returns the upper half of an integer of 64 bits.
func (b *builder) high(v *ir.Value) *ir.Value {
	return b.low(b.ins(ir.OpShr, ir.U64, v, b.u32(32)))
}

// cut returns the value of a register of 8 or 16 bits: v with zeros above.
func (b *builder) cut(v *ir.Value, bits uint8) *ir.Value {
	switch {
	case bits == 8:
		return b.of(ir.OpExt, ir.U32, ir.U8, v)
	case bits == 16:
		return b.of(ir.OpExt, ir.U32, ir.U16, v)
	}
	return v
}

// cast returns v as an integer or a float of the same width, as k is.
func (b *builder) cast(v *ir.Value, k ir.Kind) *ir.Value {
	if v.K.Float() == k.Float() || v.K.Bits() != k.Bits() || k == ir.Pred {
		return v
	}
	if v.Op == ir.OpConst {
		return b.f.Const(k, v.Bits())
	}
	return b.of(ir.OpBitcast, k, v.K, v)
}

// register returns the SSA register of a name, and its type.
func (b *builder) reg(name string) (int32, typ) {
	t, ok := b.frame.fn.reg(name)
	if !ok {
		b.fail("%s is no register and no variable of %s", original(name), b.frame.fn.name)
	}
	r, ok := b.frame.regs[name]
	if !ok {
		k := t.reg()
		if k.Signed() {
			k = typ{'u', t.bits, false}.reg()
		}
		r = b.register(k)
		b.frame.regs[name] = r
	}
	return r, t
}

// original returns a name as the module has it.
func original(name string) string {
	name, _, _ = strings.Cut(name, "#")
	return name
}

// predicate returns the value of a predicate register.
func (b *builder) predicate(name string) *ir.Value {
	r, t := b.reg(name)
	if t.letter != 'p' {
		b.fail("%s is no predicate", original(name))
	}
	return b.read(r, b.cur)
}

// value returns an operand as a value of type t.
func (b *builder) value(o operand, t typ) *ir.Value { return b.valueOf(o, t, false) }

// narrower is value for an operand whose register may be wider than t.
func (b *builder) narrower(o operand, t typ) *ir.Value { return b.valueOf(o, t, true) }

func (b *builder) valueOf(o operand, t typ, wider bool) *ir.Value {
	switch o.form {
	case formNumber:
		return b.constant(o, t)
	case formReg:
	case formSkip:
		b.fail("_ has no value")
	default:
		b.fail("an operand is no register and no number")
	}
	if _, ok := b.frame.fn.reg(o.name); !ok {
		if v := b.special(o.name, t); v != nil {
			return v
		}
		if at, _, ok := b.address(o.name); ok {
			if t.bits != 64 && t.bits != 32 {
				b.fail("the address of %s in %d bits", original(o.name), t.bits)
			}
			if o.bits != 0 {
				at = b.ins(ir.OpAdd, ir.U64, at, b.number(ir.U64, o.bits))
			}
			if t.bits == 32 {
				return b.low(at)
			}
			return at
		}
	}
	r, have := b.reg(o.name)
	v := b.ssa.read(r, b.cur)
	switch {
	case (have.letter == 'p') != (t.letter == 'p'):
		b.fail("%s is %s, and the instruction wants %s", original(o.name), typeText(have), typeText(t))
	case t.letter == 'p':
		if o.not {
			return b.not(v)
		}
		return v
	case have.bits < t.bits || have.bits > t.bits && !wider:
		b.fail("%s has %d bits, and the instruction wants %d", original(o.name), have.bits, t.bits)
	}
	if have.bits == 64 && t.bits < 64 {
		v = b.low(b.cast(v, ir.U64))
	}
	return b.read16(b.cast(v, t.reg()), have, t)
}

// read16 extends a value that a register of at least t.bits holds, if t is narrower than the
// registers of the IR.
func (b *builder) read16(v *ir.Value, have, t typ) *ir.Value {
	switch {
	case t.bits > 16 || t.pair:
		return v
	case t.signed() && t.bits == 8:
		return b.of(ir.OpExt, ir.S32, ir.S8, v)
	case t.signed():
		return b.of(ir.OpExt, ir.S32, ir.S16, v)
	case have.bits > t.bits:
		return b.cut(v, t.bits)
	}
	return v
}

func typeText(t typ) string {
	if t.letter == 'p' {
		return "a predicate"
	}
	return "a number"
}

// constant returns a number as a value of type t.
func (b *builder) constant(o operand, t typ) *ir.Value {
	bits := o.bits
	switch {
	case o.real && t.letter == 'f' && !t.pair:
		f := math.Float64frombits(bits)
		if o.one {
			f = float64(math.Float32frombits(uint32(bits)))
		}
		switch t.bits {
		case 64:
			bits = math.Float64bits(f)
		case 32:
			if !o.one {
				bits = uint64(math.Float32bits(float32(f)))
			}
		default:
			b.fail("a constant of 16-bit floating point; write its bits, such as 0x3C00")
		}
	case o.real && (o.one && t.bits == 32 || !o.one && t.bits == 64):
	case o.real:
		b.fail("a float where the instruction wants an integer of %d bits", t.bits)
	case t.letter == 'p':
		return b.predicateOf(bits != 0)
	case t.real():
		b.fail("an integer where the instruction wants a float; write 0f3F800000, 0d3FF0000000000000 or 1.0")
	case t.bits == 16 && t.signed():
		bits = uint64(int64(int16(bits)))
	case t.bits == 8 && t.signed():
		bits = uint64(int64(int8(bits)))
	case t.bits < 32:
		bits &= 1<<t.bits - 1
	}
	return b.f.Const(t.reg(), bits)
}

// set writes the result of an instruction of type t to its destination. Under a
// predicate, threads in which it is not set keep what the register holds.
func (b *builder) set(s *inst, o operand, t typ, v *ir.Value) {
	if o.form == formSkip {
		return
	}
	if o.form != formReg {
		b.fail("the destination is no register")
	}
	r, have := b.reg(o.name)
	switch {
	case (have.letter == 'p') != (t.letter == 'p'):
		b.fail("%s is %s, and the result is %s", original(o.name), typeText(have), typeText(t))
	case t.letter == 'p':
	case have.bits < t.bits:
		b.fail("%s has %d bits, and the result %d", original(o.name), have.bits, t.bits)
	case have.bits == 64 && t.bits < 64:
		v = b.widen(b.cast(v, ir.U32), t.signed())
	case have.bits > t.bits && t.bits < 32 && !t.signed(), have.bits < 32:
		v = b.cut(b.cast(v, ir.U32), min(have.bits, max(t.bits, 8)))
		if t.signed() && have.bits > t.bits { // a signed byte in a register of 16 bits
			v = b.cut(b.of(ir.OpExt, ir.S32, ir.S8, v), have.bits)
		}
	}
	v = b.cast(v, b.kinds[r])
	if s.guard != "" {
		on, off := v, b.ssa.read(r, b.cur)
		if s.not {
			on, off = off, on
		}
		v = b.ins(ir.OpSelect, b.kinds[r], b.predicate(s.guard), on, off)
	}
	b.ssa.write(r, b.cur, v)
}

// guarded gives an instruction without a result the predicate of its statement.
func (b *builder) guarded(s *inst, v *ir.Value) {
	if s.guard != "" {
		v.Guard, v.GuardNot = b.predicate(s.guard), s.not
	}
}

// address returns the address of a variable, and its space.
func (b *builder) address(name string) (at *ir.Value, space string, ok bool) {
	fr := b.frame
	if v := fr.vars[name]; v != nil {
		return v, ".local", true
	}
	if v := fr.fn.vars[name]; v != nil {
		switch v.space {
		case ".local", ".param":
			at = b.local(v)
			fr.vars[name] = at
			return at, ".local", true
		case ".shared":
			if v.extern && b.m.vars[name] != nil {
				v = b.m.vars[name]
			}
			return b.shared(fr.fn.name+"/"+name, v), ".shared", true
		}
		return b.global(v), v.space, true
	}
	if v := b.m.vars[name]; v != nil {
		if v.space == ".shared" {
			return b.shared(name, v), ".shared", true
		}
		return b.global(v), v.space, true
	}
	if i := b.parameter(name); i >= 0 {
		return b.paramCopy(i), ".local", true
	}
	if at, ok := b.m.functionAddress(name); ok {
		return b.number(ir.U64, at), ".func", true
	}
	if b.m.functions[name] != nil {
		b.fail("the address of kernel %s: launches by a kernel are not supported; launch it from the host", demangled(name))
	}
	return nil, "", false
}

// local returns a new variable in local memory.
func (b *builder) local(v *variable) *ir.Value {
	if v.open || v.count == 0 {
		b.fail("variable %s has no size", original(v.name))
	}
	b.f.Local = append(b.f.Local, ir.Var{Name: shownName(v.name), Elem: v.typ.mem(), Size: v.size(), ElemSize: v.typ.bytes() * v.vector, Align: max(v.align, v.typ.bytes()), Pos: b.pos})
	at := b.f.NewValue(ir.OpLocal, ir.U64, 0)
	at.Imm = int64(len(b.f.Local) - 1)
	return at
}

// shared returns a variable in shared memory. All open arrays are the same dynamic
// memory.
func (b *builder) shared(key string, v *variable) *ir.Value {
	dynamic := v.open || v.count == 0
	if dynamic {
		key = "dynamic shared memory"
	}
	if at := b.locals[key]; at != nil {
		return at
	}
	one := ir.Var{Name: shownName(v.name), Elem: v.typ.mem(), Size: v.size(), ElemSize: v.typ.bytes() * v.vector, Align: v.align, Pos: b.pos, Dynamic: dynamic}
	if dynamic {
		one.Size, one.Align = 0, 16
	}
	b.f.Shared = append(b.f.Shared, one)
	at := b.f.NewValue(ir.OpShared, ir.U64, 0)
	at.Imm = int64(len(b.f.Shared) - 1)
	b.locals[key] = at
	return at
}

// shownName returns the name of a variable in the source: "s" for "_ZZ1kPiE1s".
func shownName(name string) string {
	name = original(name)
	if rest, ok := strings.CutPrefix(name, "_ZZ"); ok {
		for i := len(rest) - 1; i >= 0; i-- {
			if rest[i] == 'E' {
				if short := demangled("_Z" + rest[i+1:]); !strings.HasPrefix(short, "_Z") {
					return short
				}
			}
		}
	}
	return demangled(name)
}

// global returns the address of a variable of the module.
func (b *builder) global(v *variable) *ir.Value {
	if at := b.locals["."+v.name]; at != nil {
		return at
	}
	if old := b.m.vars[v.name]; old == nil {
		b.m.vars[v.name] = v // a variable of a function is on the device once
		b.m.varOrder = append(b.m.varOrder, v.name)
	}
	of, err := b.m.variable(b.m.vars[v.name])
	if err != nil {
		panic(buildError{err})
	}
	elem := v.typ.mem()
	if v.typ.bits == 8 || v.typ.bits == 128 {
		elem = ir.U8
	}
	at := b.f.NewValue(ir.OpParam, ir.U64, 0)
	at.Imm = int64(len(b.f.Leaves))
	b.f.Leaves = append(b.f.Leaves, ir.Leaf{Name: shownName(v.name), Kind: ir.U64, Role: ir.Pointer, Elem: elem, Size: max(of.Size, 1), Param: -1, Variable: of})
	b.locals["."+v.name] = at
	return at
}

// parameter returns the number of a parameter of the kernel; -1 if it has no such one.
func (b *builder) parameter(name string) int {
	if b.frame.outer != nil {
		return -1
	}
	for i := range b.entry.Params {
		if b.entry.Params[i].Name == name {
			return i
		}
	}
	return -1
}

// leaf returns the part of a parameter of the kernel at a byte offset.
func (b *builder) leaf(param, off int, k ir.Kind) *ir.Value {
	for _, l := range b.params {
		if l.param == param && l.off == off && l.kind == k {
			return l.value
		}
	}
	p := &b.entry.Params[param]
	if off < 0 || off+k.Bytes() > p.Size {
		b.fail("%d bytes at offset %d of parameter %s, which has %d", k.Bytes(), off, p.Name, p.Size)
	}
	v := b.f.NewValue(ir.OpParam, k.Register(), 0)
	v.Imm = int64(len(b.f.Leaves))
	name := b.paramName(param)
	if off != 0 || p.Size > k.Bytes() {
		name += "+" + itoa(off)
	}
	b.f.Leaves = append(b.f.Leaves, ir.Leaf{Name: name, Kind: k.Register(), Elem: k, Param: param, Off: off})
	b.params = append(b.params, paramLeaf{param, off, k, v})
	return v
}

// paramName returns a short name of a parameter: "p2" for "_Z3addPiS_i_param_2".
func (b *builder) paramName(param int) string {
	if rest, ok := strings.CutPrefix(b.entry.Params[param].Name, b.entry.Name+"_param_"); ok {
		return "p" + rest
	}
	return b.entry.Params[param].Name
}

// paramCopy returns the address of a copy of a parameter in local memory, for kernels
// that index it. The copy is made at the start of the kernel.
func (b *builder) paramCopy(param int) *ir.Value {
	p := &b.entry.Params[param]
	if at := b.frame.vars[p.Name]; at != nil {
		return at
	}
	at := b.local(&variable{name: b.paramName(param), typ: typ{'b', 8, false}, count: p.Size, vector: 1, align: max(p.Align, 8)})
	b.frame.vars[p.Name] = at
	first, pos := b.f.Blocks[0], b.pos
	was := b.cur
	b.cur, b.pos = first, 0
	for off := 0; off < p.Size; {
		k := ir.U8
		switch {
		case p.Size-off >= 4 && off%4 == 0:
			k = ir.U32
		case p.Size-off >= 2 && off%2 == 0:
			k = ir.U16
		}
		st := b.ins(ir.OpStore, ir.Void, at, b.leaf(param, off, k))
		st.Imm, st.Mem = int64(off), ir.Mem{Kind: k, Vec: 1, Space: ir.Local}
		off += k.Bytes()
	}
	b.cur, b.pos = was, pos
	return at
}
