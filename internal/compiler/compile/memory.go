package compile

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// address lowers an operand that is an address: a localAddr or a register.
func (lo *lowerer) address(fr *frame, v ssa.Value, pos token.Pos) leaf {
	l := lo.val(fr, v, pos)[0]
	if _, ok := l.(localAddr); ok {
		return l
	}
	return lo.reg(l, pos)
}

// load loads a value of type t from an address.
func (lo *lowerer) load(addr leaf, t types.Type, pos token.Pos) []leaf {
	l := lo.layoutAt(t, pos)
	out := make([]leaf, len(l.leaves))
	if a, ok := addr.(localAddr); ok {
		for i := range out {
			out[i] = lo.read(a.l.slots[a.first+i], pos)
		}
		return out
	}
	a := lo.reg(addr, pos)
	if n, k := lo.vector(a, l); n > 0 {
		return lo.loadVector(a, l, n, k)
	}
	for i, t := range l.leaves {
		if t.k == ir.Void {
			lo.fail(pos, "functions, interfaces and strings cannot lie in memory in device code; keep them in variables of their own")
		}
		out[i] = lo.loadLeaf(a, t, ir.Mem{})
	}
	return out
}

// loadLeaf emits one load; m gives order, scope and hint.
func (lo *lowerer) loadLeaf(a *ir.Value, t leafType, m ir.Mem) *ir.Value {
	if v, ok := lo.constElement(a, t); ok && m.Order == ir.Weak {
		return v
	}
	m.Kind, m.Vec = t.m, 1
	if t.k != ir.Pred {
		v := lo.emit(ir.OpLoad, t.k, a)
		v.Mem, v.Imm = m, t.off
		return v
	}
	m.Kind = ir.U8
	v := lo.emit(ir.OpLoad, ir.U32, a)
	v.Mem, v.Imm = m, t.off
	return lo.pure(ir.OpNe, ir.Pred, ir.U32, v, lo.constant(ir.U32, 0))
}

// store writes vals, of type t, to an address.
func (lo *lowerer) store(addr leaf, vals []leaf, t types.Type, pos token.Pos) {
	if a, ok := addr.(localAddr); ok {
		for i, l := range vals {
			lo.write(a.l.slots[a.first+i], l)
		}
		return
	}
	a := lo.reg(addr, pos)
	l := lo.layoutAt(t, pos)
	if n, k := lo.vector(a, l); n > 0 {
		regs := make([]*ir.Value, n)
		for i := range regs {
			regs[i] = lo.reg(vals[i], pos)
		}
		lo.storeVector(a, regs, k)
		return
	}
	for i, t := range l.leaves {
		if t.k == ir.Void {
			lo.fail(pos, "functions, interfaces and strings cannot lie in memory in device code; keep them in variables of their own")
		}
		lo.storeLeaf(a, lo.reg(vals[i], pos), t, ir.Mem{})
	}
}

func (lo *lowerer) storeLeaf(a, v *ir.Value, t leafType, m ir.Mem) {
	m.Kind, m.Vec = t.m, 1
	if t.k == ir.Pred {
		m.Kind = ir.U8
		v = lo.pure(ir.OpSelect, ir.U32, ir.Void, v, lo.constant(ir.U32, 1), lo.constant(ir.U32, 0))
	}
	st := lo.emit(ir.OpStore, ir.Void, a, v)
	st.Mem, st.Imm = m, t.off
}

// root returns the variable or parameter from which an address derives by
// constant offsets and indices; nil if there are several.
func (lo *lowerer) root(v *ir.Value) *ir.Value {
	for {
		v = lo.res(v)
		switch v.Op {
		case ir.OpLea, ir.OpAdd:
			v = v.Args[0]
		case ir.OpParam, ir.OpShared, ir.OpLocal:
			return v
		default:
			return nil
		}
	}
}

// space returns the space of an address as far as lowering knows it; the
// optimiser finds out more.
func (lo *lowerer) space(a *ir.Value) ir.Space {
	r := lo.root(a)
	if r == nil {
		return ir.Generic
	}
	switch r.Op {
	case ir.OpShared:
		return ir.Shared
	case ir.OpLocal:
		return ir.Local
	}
	return ir.Global
}

func (lo *lowerer) fieldAddr(fr *frame, in *ssa.FieldAddr) leaf {
	pos := in.Pos()
	st := deref(in.X.Type())
	if a, ok := lo.address(fr, in.X, pos).(localAddr); ok {
		return localAddr{a.l, a.first + lo.layoutAt(st, pos).fields[in.Field]}
	}
	off := lo.c.sizes.Offsetsof(structFields(st.Underlying().(*types.Struct)))[in.Field]
	return lo.offset(lo.operand(fr, in.X, pos), off)
}

// offset returns an address plus a constant.
func (lo *lowerer) offset(a *ir.Value, off int64) *ir.Value {
	if off == 0 {
		return a
	}
	return lo.pure(ir.OpAdd, ir.U64, ir.Void, a, lo.constant(ir.U64, uint64(off)))
}

// indexed returns the address of element i.
func (lo *lowerer) indexed(a, i *ir.Value, t leafType, size int64) *ir.Value {
	if i.Op == ir.OpConst {
		return lo.offset(a, constInt(i, t.k)*size)
	}
	v := lo.f.NewValue(ir.OpLea, ir.U64, lo.frame.pos(lo), a, i)
	v.ArgK, v.Imm = t.k, size
	return lo.append(v)
}

// indexAddr lowers &x[i] for a slice or a pointer to an array.
func (lo *lowerer) indexAddr(fr *frame, in *ssa.IndexAddr) leaf {
	pos := in.Pos()
	elem := deref(in.Type())
	base := lo.address(fr, in.X, pos)
	t := lo.leafOf(in.Index.Type(), pos, "an index")
	i := lo.operand(fr, in.Index, pos)
	if a, ok := base.(localAddr); ok {
		if i.Op != ir.OpConst {
			return lo.demote(a.l)
		}
		n := len(lo.layoutAt(elem, pos).leaves)
		k := constInt(i, t.k)
		if k < 0 || k >= int64(len(a.l.slots)) && n > 0 || a.first+(int(k)+1)*n > len(a.l.slots) {
			lo.fail(pos, "index %d is out of range here", k)
		}
		return localAddr{a.l, a.first + int(k)*n}
	}
	return lo.indexed(lo.reg(base, pos), i, t, lo.c.sizes.Sizeof(elem))
}

// index lowers x[i] for an array that is a value, not a variable.
func (lo *lowerer) index(fr *frame, in *ssa.Index) []leaf {
	pos := in.Pos()
	if _, ok := in.X.Type().Underlying().(*types.Array); !ok {
		lo.reject(in)
	}
	t := lo.leafOf(in.Index.Type(), pos, "an index")
	at := lo.operand(fr, in.Index, pos)
	elem := lo.layoutAt(in.Type(), pos)
	if g := indexedTable(in.X); g != nil {
		a := lo.reg(lo.global(g, pos)[0], pos)
		return lo.load(lo.indexed(a, at, t, lo.c.sizes.Sizeof(in.Type())), in.Type(), pos)
	}
	if at.Op == ir.OpConst {
		n := len(elem.leaves)
		x := lo.val(fr, in.X, pos)
		if c := constInt(at, t.k); c < 0 || c >= int64(len(x)) && n > 0 || (int(c)+1)*n > len(x) {
			lo.fail(pos, "index %d is out of range here", c)
		}
		k := int(constInt(at, t.k))
		return x[k*n : (k+1)*n]
	}
	a := lo.spills[spillKey{fr, in.X}]
	if a == nil {
		a = lo.spill(fr, in.X, lo.val(fr, in.X, pos), pos)
	}
	return lo.load(lo.indexed(a, at, t, lo.c.sizes.Sizeof(in.Type())), in.Type(), pos)
}

// slice lowers x[lo:hi].
func (lo *lowerer) slice(fr *frame, in *ssa.Slice) []leaf {
	pos := in.Pos()
	if in.Max != nil {
		lo.fail(pos, "slices have no capacity in device code; write x[low:high]")
	}
	x := lo.val(fr, in.X, pos)
	base := x[0]
	var length *ir.Value
	var elem types.Type
	switch u := in.X.Type().Underlying().(type) {
	case *types.Slice:
		length, elem = lo.reg(x[1], pos), u.Elem()
	case *types.Pointer:
		if al, ok := in.X.(*ssa.Alloc); ok && al.Comment == "makeslice" {
			lo.fail(pos, "make allocates memory, which device code cannot; declare an array, as in var a [8]uint32, or use gpu.Shared or a parameter")
		}
		at := u.Elem().Underlying().(*types.Array)
		length, elem = lo.constant(ir.S64, uint64(at.Len())), at.Elem()
	default:
		lo.reject(in)
	}
	int64Leaf := leafType{k: ir.S64, m: ir.S64}
	hi := length
	if in.High != nil {
		hi = lo.convert(lo.operand(fr, in.High, pos), lo.leafOf(in.High.Type(), pos, "an index"), int64Leaf)
	}
	if in.Low == nil {
		return []leaf{base, hi}
	}
	t := lo.leafOf(in.Low.Type(), pos, "an index")
	low := lo.operand(fr, in.Low, pos)
	n := lo.pure(ir.OpSub, ir.S64, ir.Void, hi, lo.convert(low, t, int64Leaf))
	if a, ok := base.(localAddr); ok {
		if low.Op != ir.OpConst {
			return []leaf{lo.demote(a.l), n}
		}
		size := len(lo.layoutAt(elem, pos).leaves)
		k := constInt(low, t.k)
		if k < 0 || k > int64(len(a.l.slots)) && size > 0 || a.first+int(k)*size > len(a.l.slots) {
			lo.fail(pos, "index %d is out of range here", k)
		}
		return []leaf{localAddr{a.l, a.first + int(k)*size}, n}
	}
	return []leaf{lo.indexed(lo.reg(base, pos), low, t, lo.c.sizes.Sizeof(elem)), n}
}
