//go:build !purego

package simt

import (
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt/vector"
)

// The tables of this file have the operations of package vector. What they lack is
// computed in plain Go.

var vectorInts = map[ir.Op]rows{
	ir.OpAnd:    {vector.And, vector.And, 2},
	ir.OpOr:     {vector.Or, vector.Or, 2},
	ir.OpXor:    {vector.Xor, vector.Xor, 2},
	ir.OpAndNot: {vector.AndNot, vector.AndNot, 2},
	ir.OpAdd:    {vector.Add32, vector.Add64, 2},
	ir.OpSub:    {vector.Sub32, vector.Sub64, 2},
	ir.OpMul:    {vector.Mul32, vector.Mul64, 2},
	ir.OpMad:    {vector.Mad32, vector.Mad64, 3},
	ir.OpShl:    {vector.Shl32, vector.Shl64, 2},
	ir.OpNeg:    {vector.Neg32, vector.Neg64, 1},
	ir.OpNot:    {vector.Not32, vector.Not64, 1},
}

var vectorFloats = map[ir.Op]rows{
	ir.OpAdd: {vector.AddF32, vector.AddF64, 2},
	ir.OpSub: {vector.SubF32, vector.SubF64, 2},
	ir.OpMul: {vector.MulF32, vector.MulF64, 2},
	ir.OpDiv: {vector.DivF32, vector.DivF64, 2},
	ir.OpFMA: {vector.FMAF32, vector.FMAF64, 3},
	ir.OpNeg: {vector.NegF32, vector.NegF64, 1},
	ir.OpAbs: {vector.AbsF32, vector.AbsF64, 1},
}

// vectorSigned are the operations that depend on the sign.
var vectorSigned = map[ir.Op]map[ir.Kind]rowFunc{
	ir.OpMin:   {ir.U32: vector.MinU32, ir.S32: vector.MinS32},
	ir.OpMax:   {ir.U32: vector.MaxU32, ir.S32: vector.MaxS32},
	ir.OpShr:   {ir.U32: vector.ShrU32, ir.S32: vector.ShrS32, ir.U64: vector.ShrU64, ir.S64: vector.ShrS64},
	ir.OpMulHi: {ir.U32: vector.MulHiU32, ir.S32: vector.MulHiS32},
}

var vectorCompares = map[ir.Op]map[ir.Kind]func(a, b *Row) uint32{
	ir.OpEq: {ir.F32: vector.EqualF32, ir.F64: vector.EqualF64, ir.U32: vector.Equal, ir.S32: vector.Equal, ir.U64: vector.Equal, ir.S64: vector.Equal},
	ir.OpNe: {ir.F32: vector.NotEqualF32, ir.F64: vector.NotEqualF64, ir.U32: vector.NotEqual, ir.S32: vector.NotEqual, ir.U64: vector.NotEqual, ir.S64: vector.NotEqual},
	ir.OpLt: {ir.F32: vector.LessF32, ir.F64: vector.LessF64, ir.U32: vector.LessU32, ir.S32: vector.LessS32, ir.U64: vector.LessU64, ir.S64: vector.LessS64},
	ir.OpLe: {ir.F32: vector.LessEqualF32, ir.F64: vector.LessEqualF64, ir.U32: vector.LessEqualU32, ir.S32: vector.LessEqualS32, ir.U64: vector.LessEqualU64, ir.S64: vector.LessEqualS64},
	ir.OpGt: {ir.F32: vector.GreaterF32, ir.F64: vector.GreaterF64, ir.U32: vector.GreaterU32, ir.S32: vector.GreaterS32, ir.U64: vector.GreaterU64, ir.S64: vector.GreaterS64},
	ir.OpGe: {ir.F32: vector.GreaterEqualF32, ir.F64: vector.GreaterEqualF64, ir.U32: vector.GreaterEqualU32, ir.S32: vector.GreaterEqualS32, ir.U64: vector.GreaterEqualU64, ir.S64: vector.GreaterEqualS64},
}

// vectors says whether the functions below may be called.
var vectors = vector.Available

func vectorSelect(d *Row, mask uint32, a, b *Row) { vector.Select(d, a, b, mask) }
func vectorMerge(to, from *Row, mask uint32)      { vector.Merge(to, from, mask) }
func vectorAdd(d, a *Row, n uint64, mask uint32) {
	if mask == Full {
		vector.AddAll(d, a, n)
		return
	}
	vector.Add(d, a, n, mask)
}

// vectorized returns f, which newALU made, by vector instructions where there are some.
func vectorized(f ALUOp, op ir.Op, k, argK ir.Kind) ALUOp {
	if !vectors {
		return f
	}
	switch f.form {
	case formCmp:
		if cmp := vectorCompares[op][argK]; cmp != nil {
			f.cmp = cmp
		}
	case formImm:
		f.imm = vectorLea(f.imm, argK)
	case formRow1, formRow2, formRow3:
		if row := vectorRow(op, k, argK); row != nil {
			f.row = row
		}
	}
	return f
}

// vectorLea returns plain, the multiplication of an index of some kind by a size and
// its addition to an address, by instructions that multiply words of 32 bits where both are such.
func vectorLea(plain func(d, a, b *Row, imm uint64), index ir.Kind) func(d, a, b *Row, imm uint64) {
	lea := vector.LeaU32
	switch index {
	case ir.U32:
	case ir.S32:
		lea = vector.LeaS32
	default:
		return plain
	}
	return func(d, a, b *Row, imm uint64) {
		if imm >= 1<<31 { // negative, too
			plain(d, a, b, imm)
			return
		}
		lea(d, a, b, imm)
	}
}

// vectorRow returns the function for an op of rows; nil if there is none.
func vectorRow(op ir.Op, k, argK ir.Kind) rowFunc {
	switch op {
	case ir.OpExt:
		return map[ir.Kind]rowFunc{ir.U8: vector.Low8, ir.U16: vector.Low16}[argK]
	case ir.OpCvt:
		switch {
		case k.Int() && argK.Int() && k.Bits() == 32:
			return vector.Low32
		case k.Int() && k.Bits() == 64 && argK == ir.S32:
			return vector.Sign32
		case k == ir.F32 && argK == ir.S32:
			return vector.F32OfS32
		}
		return nil
	}
	var row rowFunc
	switch {
	case k.Int():
		if row = vectorSigned[op][k]; row == nil {
			row, _ = vectorInts[op].of(k.Bits())
		}
	case k.Float():
		row, _ = vectorFloats[op].of(k.Bits())
	}
	return row
}
