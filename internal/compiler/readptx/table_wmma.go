package readptx

import (
	"strings"

	"github.com/weft-gpu/weft/internal/base/floats"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/mma"
)

const (
	wmmaShapes = "{m16n16k16,m32n8k16,m8n32k16}"
	wmmaSpaces = "{.global,.shared,.shared::cta}"
	layouts    = "{row,col}"
)

// wmmaRows are products of matrices whose elements lie in lanes as PTX does not say (PTX ISA, "Warp Level Matrix Multiply-Accumulate Operation
// using wmma Instructions"). They become loads, stores and the instructions mma.sync, where package mma says. .aligned is there since PTX 6.3.
var wmmaRows = []row{
	{pattern: "wmma.load.{a,b}.sync{.aligned}." + layouts + "." + wmmaShapes + wmmaSpaces + ".{f16,bf16,s8,u8}", args: "r, [p], {stride}", build: buildFragmentLoad},
	{pattern: "wmma.load.{a,b}.sync{.aligned}." + layouts + ".m16n16k8" + wmmaSpaces + ".tf32", args: "r, [p], {stride}", build: buildFragmentLoad},
	{pattern: "wmma.load.{a,b}.sync{.aligned}." + layouts + ".m8n8k4" + wmmaSpaces + ".f64", args: "r, [p], {stride}", build: buildFragmentLoad},
	{pattern: "wmma.load.c.sync{.aligned}." + layouts + "." + wmmaShapes + wmmaSpaces + ".{f16,f32,s32}", args: "r, [p], {stride}", build: buildFragmentLoad},
	{pattern: "wmma.load.c.sync{.aligned}." + layouts + ".m16n16k8" + wmmaSpaces + ".f32", args: "r, [p], {stride}", build: buildFragmentLoad},
	{pattern: "wmma.load.c.sync{.aligned}." + layouts + ".m8n8k4" + wmmaSpaces + ".f64", args: "r, [p], {stride}", build: buildFragmentLoad},
	{pattern: "wmma.store.d.sync{.aligned}." + layouts + "." + wmmaShapes + wmmaSpaces + ".{f16,f32,s32}", args: "[p], r, {stride}", build: buildFragmentStore},
	{pattern: "wmma.store.d.sync{.aligned}." + layouts + ".m16n16k8" + wmmaSpaces + ".f32", args: "[p], r, {stride}", build: buildFragmentStore},
	{pattern: "wmma.store.d.sync{.aligned}." + layouts + ".m8n8k4" + wmmaSpaces + ".f64", args: "[p], r, {stride}", build: buildFragmentStore},
	{pattern: "wmma.mma.sync{.aligned}." + layouts + "." + layouts + "." + wmmaShapes + ".{f16,f32}.{f16,f32}", args: "d, a, b, c", build: buildWmma},
	{pattern: "wmma.mma.sync{.aligned}." + layouts + "." + layouts + "." + wmmaShapes + ".f32.bf16.bf16.f32", args: "d, a, b, c", build: buildWmma},
	{pattern: "wmma.mma.sync{.aligned}." + layouts + "." + layouts + ".m16n16k8.f32.tf32.tf32.f32", args: "d, a, b, c", build: buildWmma},
	{pattern: "wmma.mma.sync{.aligned}." + layouts + "." + layouts + "." + wmmaShapes + ".s32.s8.s8.s32{.satfinite}", args: "d, a, b, c", build: buildWmma},
	{pattern: "wmma.mma.sync{.aligned}." + layouts + "." + layouts + "." + wmmaShapes + ".s32.u8.u8.s32{.satfinite}", args: "d, a, b, c", build: buildWmma},
	{pattern: "wmma.mma.sync{.aligned}." + layouts + "." + layouts + ".m8n8k4{.rn}.f64.f64.f64.f64", args: "d, a, b, c", build: buildWmma},
}

// shape returns the modifier that is a shape, without its dot.
func (s *inst) shape() string {
	for _, mod := range s.mods {
		if strings.HasPrefix(mod, ".m") && mod[2] >= '0' && mod[2] <= '9' {
			return mod[1:]
		}
	}
	return ""
}

// fragment is a matrix in the course of being loaded or stored.
type fragment struct {
	*mma.Fragment
	*builder
	along  bool // a lane's elements follow each other in memory
	at     *ir.Value
	off    int64
	space  ir.Space
	stride *ir.Value         // U32: elements from one row or column to the next
	whole  int64             // the same as a number; -1 if that is not known
	from   *ir.Value         // the address of the first element of the lane
	rows   map[int]*ir.Value // the same so many rows or columns further
}

// fragment reads the operands of a load or store and begins with the check of what must be the same in all lanes.
func (b *builder) fragment(s *inst, address operand, stride int) *fragment {
	id, _ := mma.FragmentByName(s.mods[1][1], s.shape(), s.mods[len(s.mods)-1][1:])
	f := &fragment{Fragment: &mma.Fragments[id], builder: b, space: s.space(), rows: map[int]*ir.Value{}, whole: -1}
	f.along = f.Along(s.has(".row"))
	f.at, f.off = b.memory(address, f.space)
	if f.stride = b.u32(uint64(f.Leading(s.has(".row")))); stride < len(s.args) {
		f.stride = b.value(s.args[stride], types[".u32"])
	}
	if f.stride.Op == ir.OpConst {
		f.whole = int64(uint32(f.stride.Bits()))
	}
	at := f.at
	if f.off != 0 {
		at = b.ins(ir.OpAdd, ir.U64, at, b.number(ir.U64, uint64(f.off)))
	}
	b.ins(ir.OpFragment, ir.Void, b.allLanes(), at, f.stride).Imm = int64(id)
	return f
}

// begin computes where the first element of the lane is, which is the given row or column and element in that.
func (f *fragment) begin(row, element *ir.Value) {
	index := f.ins(ir.OpAdd, ir.U32, f.ins(ir.OpMul, ir.U32, row, f.stride), element)
	f.from = f.of(ir.OpLea, ir.U64, ir.U32, f.at, index)
	f.from.Imm = int64(f.Type.Bits() / 8)
}

// part returns the lower bits of the number of the lane, behind some others, times a factor.
func (f *fragment) part(from, bits, times uint64) *ir.Value {
	v := f.lane()
	if from > 0 {
		v = f.ins(ir.OpShr, ir.U32, v, f.u32(from))
	}
	v = f.ins(ir.OpAnd, ir.U32, v, f.u32(1<<bits-1))
	if times > 1 {
		v = f.ins(ir.OpMul, ir.U32, v, f.u32(times))
	}
	return v
}

// place returns the address of an element some rows or columns, and some elements in these, behind the first of the lane.
func (f *fragment) place(row, element int) (at *ir.Value, off int64) {
	const most = 1 << 22
	size := int64(f.Type.Bits() / 8)
	off = f.off + int64(element)*size
	if row == 0 {
		return f.from, off
	}
	if far := int64(row) * f.whole * size; f.whole >= 0 && far < most && off < most {
		return f.from, off + far
	}
	if f.rows[row] == nil {
		v := f.of(ir.OpLea, ir.U64, ir.U32, f.from, f.ins(ir.OpMul, ir.U32, f.stride, f.u32(uint64(row))))
		v.Imm = size
		f.rows[row] = v
	}
	return f.rows[row], off
}

// pairs reports whether the elements have 16 bits, of which two are in a register.
func (f *fragment) pairs() bool { return f.Type.Bits() == 16 }

// beginLanes sets where the first element of each lane is for accesses by lane.
func (f *fragment) beginLanes() {
	per := uint64(f.PerLane())
	switch {
	case f.along:
		f.begin(f.part(2, 3, 1), f.part(0, 2, per))
	case f.pairs(): // the transposed pieces
		f.begin(f.part(2, 3, 1), f.part(0, 2, 2))
	default:
		f.begin(f.part(0, 2, per), f.part(2, 3, 1))
	}
}

// access appends a load or store of n elements at a place in memory.
func (f *fragment) access(op ir.Op, k ir.Kind, n uint8, row, element int, values ...*ir.Value) *ir.Value {
	at, off := f.place(row, element)
	result := k.Register()
	if op == ir.OpStore {
		result = ir.Void
	}
	v := f.ins(op, result, append([]*ir.Value{at}, values...)...)
	v.Imm, v.Mem, v.Wmma = off, ir.Mem{Kind: k, Vec: n, Space: f.space}, true
	return v
}

// element is the kind of elements in memory, or of two of 16 bits.
func (f *fragment) element() ir.Kind {
	switch f.Type {
	case mma.F32:
		return ir.F32
	case mma.S32:
		return ir.S32
	case mma.F64:
		return ir.F64
	}
	return ir.U32
}

// rowsOf returns where a piece lies in memory: how many rows or columns, and how many elements in these, behind the start.
func (f *fragment) rowsOf(p mma.Piece) (row, element int) {
	if f.along {
		return p.Outer, p.Inner
	}
	return p.Inner, p.Outer
}

func buildFragmentLoad(b *builder, s *inst) {
	f := b.fragment(s, s.args[1], 2)
	to := b.parts(s.args[0], uint8(f.Registers()))
	var list []*ir.Value
	if f.pairs() && f.Bytes() >= 16 && (f.space == ir.Shared || f.space == ir.Generic && b.inShared(s.args[1], f.at)) {
		list = f.loadMatrices()
	} else {
		f.beginLanes()
		for _, p := range f.Pieces() {
			list = append(list, f.load(p)...)
		}
	}
	for i, d := range to {
		b.set(s, d, registerType(f.Type), list[i%len(list)])
	}
}

// load returns the registers of a piece.
func (f *fragment) load(p mma.Piece) []*ir.Value {
	row, element := f.rowsOf(p)
	switch n := uint8(f.PieceRegisters()); {
	case f.pairs() && !f.along:
		v := f.ins(ir.OpMovMatrix, ir.U32, f.allLanes(), f.access(ir.OpLoad, ir.U32, 1, row, element))
		v.Wmma = true
		return []*ir.Value{v}
	case n == 1 && (f.along || f.PerLane() == 1):
		return []*ir.Value{f.access(ir.OpLoad, f.element(), 1, row, element)}
	case f.along:
		both := f.access(ir.OpLoad, f.element(), n, row, element)
		list := make([]*ir.Value, n)
		for i := range list {
			list[i] = f.ins(ir.OpElem, both.K, both)
			list[i].Imm = int64(i)
		}
		return list
	case n > 1:
		return []*ir.Value{f.access(ir.OpLoad, f.element(), 1, row, element), f.access(ir.OpLoad, f.element(), 1, row+1, element)}
	}
	word := f.access(ir.OpLoad, ir.U8, 1, row, element)
	for i := 1; i < f.PerLane(); i++ {
		word = f.ins(ir.OpOr, ir.U32, word, f.ins(ir.OpShl, ir.U32, f.access(ir.OpLoad, ir.U8, 1, row+i, element), f.u32(uint64(8*i))))
	}
	return []*ir.Value{word}
}

// loadMatrices returns the registers of a matrix of elements of 16 bits in shared memory, which ldmatrix loads.
func (f *fragment) loadMatrices() (list []*ir.Value) {
	pieces := f.Pieces()
	n := min(len(pieces), 4)
	// Lane l has the address of row l%8 of piece l/8. The second piece, and the third and fourth, are some rows or elements further.
	row, element := f.part(0, 3, 1), f.u32(0)
	for bit := range n / 2 {
		x, y := f.rowsOf(pieces[1<<bit])
		next := f.part(uint64(3+bit), 1, uint64(max(x, y)))
		if x > 0 {
			row = f.ins(ir.OpAdd, ir.U32, row, next)
		}
		if y > 0 {
			element = f.ins(ir.OpAdd, ir.U32, element, next)
		}
	}
	f.begin(row, element)
	op := map[int]ir.Op{1: ir.OpLoadMatrix1, 2: ir.OpLoadMatrix2, 4: ir.OpLoadMatrix4}[n]
	if !f.along {
		op += ir.OpLoadTransposed1 - ir.OpLoadMatrix1
	}
	for first := 0; first < len(pieces); first += n {
		at, off := f.place(f.rowsOf(pieces[first]))
		v := f.ins(op, ir.U32, at)
		v.Imm, v.Mem, v.Wmma = off, ir.MatrixMem, true
		for i := range n {
			one := v
			if n > 1 {
				one = f.ins(ir.OpElem, ir.U32, v)
				one.Imm = int64(i)
			}
			list = append(list, one)
		}
	}
	return list
}

func buildFragmentStore(b *builder, s *inst) {
	f := b.fragment(s, s.args[0], 2)
	var list []*ir.Value
	for _, o := range b.parts(s.args[1], uint8(f.Registers())) {
		list = append(list, b.value(o, registerType(f.Type)))
	}
	f.beginLanes()
	n := f.PieceRegisters()
	for i, p := range f.Pieces() {
		row, element := f.rowsOf(p)
		values := list[i*n : i*n+n]
		switch {
		case f.pairs() && !f.along:
			v := f.ins(ir.OpMovMatrix, ir.U32, f.allLanes(), values[0])
			v.Wmma = true
			f.access(ir.OpStore, ir.U32, 1, row, element, v)
		case f.along || n == 1:
			f.access(ir.OpStore, f.element(), uint8(n), row, element, values...)
		default:
			f.access(ir.OpStore, f.element(), 1, row, element, values[0])
			f.access(ir.OpStore, f.element(), 1, row+1, element, values[1])
		}
	}
}

// wmmaTypes returns the types of the factors, of C and of the result. Those with factors in f16 are named by the last two alone.
func (s *inst) wmmaTypes() (factors, c, d mma.Type) {
	of := func(mod string) mma.Type {
		for t := mma.F16; t <= mma.S32; t++ {
			if "."+t.String() == mod {
				return t
			}
		}
		return mma.F16
	}
	var list []mma.Type
	for _, mod := range s.mods {
		if _, ok := types[mod]; ok || mod == ".tf32" {
			list = append(list, of(mod))
		}
	}
	if len(list) == 2 {
		return mma.F16, list[1], list[0]
	}
	return list[1], list[3], list[0]
}

func buildWmma(b *builder, s *inst) {
	factors, c, d := s.wmmaTypes()
	sums := c
	if d != c { // one is f16: the sum is computed in f32
		sums = mma.F32
	}
	p := mma.ProductOf(s.shape(), factors, sums)
	step := p.Step
	if s.has(".satfinite") {
		name := strings.Replace(step.String(), ".row.col", ".row.col.satfinite", 1)
		id, _ := mma.ByName(name)
		step = &mma.Variants[id]
	}
	id, _ := mma.ByName(step.String())
	na, nb, nc := step.Registers()
	registers := func(o operand, use byte, t mma.Type) (list []*ir.Value) {
		id, _ := mma.FragmentByName(use, s.shape(), t.String())
		for _, r := range b.parts(o, uint8(mma.Fragments[id].Registers())) {
			list = append(list, b.value(r, registerType(t)))
		}
		return list
	}
	as, bs, cs := registers(s.args[1], 'a', factors), registers(s.args[2], 'b', factors), registers(s.args[3], 'c', c)
	if p.Swapped {
		as, bs = bs, as
	}
	if c == mma.F16 && sums == mma.F32 {
		cs = b.unpacked(cs)
	}
	var out []*ir.Value
	k, argK := ir.MMA(id).Kinds()
	for _, part := range p.Parts {
		args := append([]*ir.Value{b.allLanes()}, as[part.A:part.A+na]...)
		args = append(append(args, bs[part.B:part.B+nb]...), cs[part.C:part.C+nc]...)
		v := b.of(ir.OpMMA, k, argK, args...)
		v.Imm, v.Wmma = int64(id), true
		for i := range nc {
			one := b.ins(ir.OpElem, k, v)
			one.Imm = int64(i)
			out = append(out, one)
		}
	}
	if d == mma.F16 && sums == mma.F32 {
		out = b.packed(out)
	}
	for i, to := range b.parts(s.args[0], uint8(len(out))) {
		b.set(s, to, registerType(d), out[i])
	}
}

// unpacked returns the two numbers of 16 bits in each register as floats.
func (b *builder) unpacked(list []*ir.Value) (out []*ir.Value) {
	how := int64(ir.NewConvert(ir.NumberHalf, ir.NumberSingle, floats.NearestEven, 0, false))
	for _, v := range list {
		low := b.cut(v, 16)
		high := b.ins(ir.OpShr, ir.U32, v, b.u32(16))
		out = append(out, b.calc(ir.FuncConvert, ir.F32, ir.U32, how, low), b.calc(ir.FuncConvert, ir.F32, ir.U32, how, high))
	}
	return out
}

// packed returns each two floats as numbers of 16 bits in a register.
func (b *builder) packed(list []*ir.Value) (out []*ir.Value) {
	how := int64(ir.NewConvert(ir.NumberSingle, ir.NumberHalf, floats.NearestEven, 0, false))
	for i := 0; i < len(list); i += 2 {
		low, high := b.calc(ir.FuncConvert, ir.U32, ir.F32, how, list[i]), b.calc(ir.FuncConvert, ir.U32, ir.F32, how, list[i+1])
		out = append(out, b.ins(ir.OpOr, ir.U32, low, b.ins(ir.OpShl, ir.U32, high, b.u32(16))))
	}
	return out
}
