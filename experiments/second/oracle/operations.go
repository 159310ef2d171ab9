package oracle

import (
	"fmt"
	"math"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/opt"
)

// Operation is an operation on operands of certain kinds.
type Operation struct {
	Op      ir.Op
	K, ArgK ir.Kind
}

// String returns "shl u32" or "cvt f32 of s64".
func (o Operation) String() string {
	if o.ArgK == ir.Void {
		return fmt.Sprintf("%v %v", o.Op, o.K)
	}
	return fmt.Sprintf("%v %v of %v", o.Op, o.K, o.ArgK)
}

// Operations returns all operations on values of one thread, without those that only a Program has and without the functions
// of PTX, which package llvm refuses.
func Operations() (list []Operation) {
	for op := range ir.NumOps {
		if op.Action() != ir.ActALU || ir.Ops[op].InProgram || ir.Ops[op].Imm == ir.ImmFunction || op == ir.OpMapShared { // no other machine has the addresses of a cluster
			continue
		}
		for k, argK := range op.Variants() {
			list = append(list, Operation{op, k, argK})
		}
	}
	return list
}

// scale is the factor of lea.
const scale = 12

// Operands is the number of words that a thread reads for its operands.
const Operands = 3

// builder builds a kernel in SSA form.
type builder struct {
	f *ir.Func
	b *ir.Block
}

func (b *builder) value(op ir.Op, k ir.Kind, argK ir.Kind, args ...*ir.Value) *ir.Value {
	v := b.f.NewValue(op, k, 0, args...)
	v.ArgK, v.Block = argK, b.b
	b.b.Ins = append(b.b.Ins, v)
	return v
}

func (b *builder) leaf(n int) *ir.Value {
	v := b.f.NewValue(ir.OpParam, ir.U64, 0)
	v.Imm = int64(n)
	return v
}

func (b *builder) access(op ir.Op, k, elem ir.Kind, at int64, args ...*ir.Value) *ir.Value {
	v := b.value(op, k, ir.Void, args...)
	v.Imm, v.Mem = at, ir.Mem{Kind: elem, Vec: 1, Space: ir.Global}
	return v
}

// OperationsKernel returns a kernel func(in, out []uint64) whose threads compute each operation on three words of in, and
// write each result to a word of out. Divisors are odd, so that none is 0.
func OperationsKernel(list []Operation) (*ir.Kernel, error) {
	slice := func(name string) []ir.Leaf {
		return []ir.Leaf{{Name: name, Kind: ir.U64, Role: ir.Base, Elem: ir.U64, Size: 8}, {Name: name + ".len", Kind: ir.S64, Role: ir.Length}}
	}
	b := &builder{f: &ir.Func{Name: "operations", Leaves: append(slice("in"), slice("out")...)}}
	b.b = b.f.NewBlock()
	special := func(s ir.Special) *ir.Value {
		v := b.value(ir.OpSpecial, ir.U32, ir.Void)
		v.Imm = int64(s)
		return v
	}
	index := b.value(ir.OpMad, ir.U32, ir.Void, special(ir.CTAID), special(ir.NTID), special(ir.TID))
	in := b.value(ir.OpLea, ir.U64, ir.U32, b.leaf(0), index)
	in.Imm = 8 * Operands
	out := b.value(ir.OpLea, ir.U64, ir.U32, b.leaf(2), index)
	out.Imm = int64(8 * len(list))
	for i, o := range list {
		var args []*ir.Value
		for j := range o.Op.NArgs() {
			args = append(args, b.operand(o, j, in))
		}
		v := b.value(o.Op, o.K, o.ArgK, args...)
		if o.Op == ir.OpLea {
			v.Imm = scale
		}
		if o.K == ir.Pred {
			v = b.value(ir.OpSelect, ir.U32, ir.Void, v, b.f.Const(ir.U32, 1), b.f.Const(ir.U32, 0))
		}
		b.access(ir.OpStore, ir.Void, v.K, int64(8*i), out, v)
	}
	program, err := opt.Program(b.f)
	if err != nil {
		return nil, err
	}
	params := []ir.Param{{Name: "in", Type: "[]uint64", Leaves: []int{0, 1}}, {Name: "out", Type: "[]uint64", Leaves: []int{2, 3}}}
	return &ir.Kernel{Name: "operations", Params: params, Func: b.f, Program: program}, b.f.Verify()
}

// operand loads an operand.
func (b *builder) operand(o Operation, i int, in *ir.Value) *ir.Value {
	k := o.Op.ArgKind(i, o.K, o.ArgK, ir.Void)
	if k == ir.Pred {
		word := b.access(ir.OpLoad, ir.U32, ir.U32, int64(8*i), in)
		return b.value(ir.OpNe, ir.Pred, ir.U32, b.value(ir.OpAnd, ir.U32, ir.Void, word, b.f.Const(ir.U32, 1)), b.f.Const(ir.U32, 0))
	}
	v := b.access(ir.OpLoad, k, k, int64(8*i), in)
	if ir.Ops[o.Op].Faults && k.Int() && i == 1 {
		v = b.value(ir.OpOr, k, ir.Void, v, b.f.Const(k, 1))
	}
	return v
}

// Agree reports whether two results of an operation are equal: bit by bit, or both no number, or, for the approximations of
// the special function unit, within Tolerance.
func (o Operation) Agree(x, y uint64) bool {
	if x == y {
		return true
	}
	var a, b float64
	switch o.K {
	case ir.F32:
		a, b = float64(math.Float32frombits(uint32(x))), float64(math.Float32frombits(uint32(y)))
	case ir.F64:
		a, b = math.Float64frombits(x), math.Float64frombits(y)
	default:
		return false
	}
	if a != a || b != b {
		return a != a && b != b
	}
	return o.Op >= ir.OpApproxExp2 && o.Op <= ir.OpApproxRcp && math.Abs(a-b) <= Tolerance*max(math.Abs(a), math.SmallestNonzeroFloat32)
}

// Tolerance is how far approximations may differ, relative to the result. Weft's are rounded once or twice more often than
// the C library's.
const Tolerance = 1.0 / (1 << 22)
