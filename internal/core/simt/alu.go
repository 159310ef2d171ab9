package simt

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// ALUOp executes an op on given kinds for whole rows. Operations without side
// effects compute all lanes and then keep the results of the active ones: a
// plain loop over 32 lanes costs less than testing for each lane whether it is
// active.
type ALUOp struct {
	form aluForm
	row  func(d, a, b, c *Row)
	imm  func(d, a, b *Row, imm uint64)
	cmp  func(a, b *Row) uint32
	pred func(a, b, c uint32) uint32
	div  func(d, a, b *Row, mask uint32) uint32
}

// aluForm says which function of an ALUOp to call, and its operands.
type aluForm uint8

const (
	formLanes  aluForm = iota // lane by lane with ir.Eval
	formRow1                  // row = f(row)
	formRow2                  // row = f(row, row)
	formRow3                  // row = f(row, row, row)
	formImm                   // row = f(row, row, immediate)
	formCmp                   // predicate = f(row, row)
	formPred                  // predicate = f(up to three predicates)
	formSelect                // row = predicate ? row : row
	formDiv                   // row = f(row, row); can fail
)

// aluOps are the distinct operations. aluIndex finds the index of one by op,
// kind and operand kind. aluOps[0] uses ir.Eval.
var (
	aluOps   = make([]ALUOp, 1, 256)
	aluIndex [ir.NumOps][ir.NumKinds][ir.NumKinds]uint16
)

func init() {
	for op := range ir.NumOps {
		for k := range ir.NumKinds {
			for argK := range ir.NumKinds {
				if f := vectorized(newALU(op, k, argK), op, k, argK); f.form != formLanes {
					aluIndex[op][k][argK] = uint16(len(aluOps))
					aluOps = append(aluOps, f)
				}
			}
		}
	}
}

// DecodeALU returns the row operation of an instruction, for callers that
// execute it many times.
func DecodeALU(in *ir.Inst) *ALUOp { return &aluOps[aluIndex[in.Op][in.K][in.ArgK]] }

// ALU executes an instruction that is a function of its operands (arithmetic,
// comparison, conversion, select, move) in the lanes of mask. It returns the
// lanes that divide an integer by zero; their destination does not change.
func (w *Warp) ALU(in *ir.Inst, mask uint32) (divZero uint32) {
	return DecodeALU(in).Do(w, in, mask)
}

// Do is Warp.ALU for the instruction that f was decoded from.
func (f *ALUOp) Do(w *Warp, in *ir.Inst, mask uint32) (divZero uint32) {
	var dst *Row
	if f.form != formCmp && f.form != formPred && f.form != formLanes {
		dst = &w.Regs[in.Dst[0]]
	}
	out := dst
	// All lanes are computed, but inactive lanes must keep their old values,
	// also when the destination is an operand.
	if mask != Full {
		out = w.Block.Scratch
	}
	switch f.form {
	case formRow1:
		f.row(out, w.Row(in.Src[0]), nil, nil)
	case formRow2:
		f.row(out, w.Row(in.Src[0]), w.Row(in.Src[1]), nil)
	case formRow3:
		f.row(out, w.Row(in.Src[0]), w.Row(in.Src[1]), w.Row(in.Src[2]))
	case formImm:
		f.imm(out, w.Row(in.Src[0]), w.Row(in.Src[1]), uint64(in.Imm))
	case formSelect:
		selectRow(out, w.Pred(in.Src[0]), w.Row(in.Src[1]), w.Row(in.Src[2]))
	case formCmp:
		w.SetPred(in.Dst[0], f.cmp(w.Row(in.Src[0]), w.Row(in.Src[1])), mask)
		return 0
	case formPred:
		var preds [3]uint32
		for i := range int(in.NSrc) {
			preds[i] = w.Pred(in.Src[i])
		}
		w.SetPred(in.Dst[0], f.pred(preds[0], preds[1], preds[2]), mask)
		return 0
	// Not into tmp: the lanes that fault, and the inactive ones, keep what they
	// have.
	case formDiv:
		return f.div(dst, w.Row(in.Src[0]), w.Row(in.Src[1]), mask)
	default:
		return w.lanewise(in, mask)
	}
	if mask != Full {
		merge(dst, out, mask)
	}
	return 0
}

// lanewise executes ops without a row operation.
func (w *Warp) lanewise(in *ir.Inst, mask uint32) (divZero uint32) {
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left)
		var src [3]uint64
		for i := range src[:min(int(in.NSrc), len(src))] {
			if in.SrcPred(i) {
				src[i] = uint64(w.Pred(in.Src[i]) >> lane & 1)
			} else {
				src[i] = w.Row(in.Src[i])[lane]
			}
		}
		result, err := ir.Eval(in.Op, in.K, in.ArgK, in.Imm, src[0], src[1], src[2])
		switch {
		case err != nil:
			// The only error of an op of this kind.
			divZero |= 1 << lane
		case in.K == ir.Pred:
			w.SetPred(in.Dst[0], -uint32(result), 1<<lane)
		default:
			w.Regs[in.Dst[0]][lane] = result
		}
	}
	return divZero
}

// manyLanes reports whether vector instructions for all lanes are faster than a loop
// over the lanes of mask.
func manyLanes(mask uint32) bool {
	const few = 6
	return vectors && bits.OnesCount32(mask) > few
}

func selectRow(d *Row, p uint32, a, b *Row) {
	if vectors {
		vectorSelect(d, p, a, b)
		return
	}
	for i := range d {
		// Without a branch: the mask is all ones or zero.
		d[i] = b[i] ^ (a[i]^b[i])&-uint64(p>>i&1)
	}
}

// newALU returns the row operation; formLanes if there is none.
func newALU(op ir.Op, k, argK ir.Kind) ALUOp {
	switch {
	case op == ir.OpSelect && k != ir.Pred:
		return ALUOp{form: formSelect}
	case op.IsCompare():
		if argK == ir.Pred {
			return predOp(op)
		}
		if row := compareRow(op, argK); row != nil {
			return ALUOp{form: formCmp, cmp: row}
		}
		return ALUOp{}
	case k == ir.Pred:
		return predOp(op)
	case op == ir.OpLea:
		return leaOp(argK)
	case k.Int() && (op == ir.OpDiv || op == ir.OpRem):
		return divideOp(op, k)
	}
	row, operands := intRow(op, k, argK)
	if row == nil {
		row, operands = floatRow(op, k)
	}
	if row == nil {
		row, operands = convertRow(op, k, argK)
	}
	switch {
	case row == nil:
		return ALUOp{}
	case operands == 1:
		return ALUOp{form: formRow1, row: row}
	case operands == 2:
		return ALUOp{form: formRow2, row: row}
	}
	return ALUOp{form: formRow3, row: row}
}

func predOp(op ir.Op) ALUOp {
	var f func(a, b, c uint32) uint32
	switch op {
	case ir.OpAnd:
		f = func(a, b, _ uint32) uint32 { return a & b }
	case ir.OpOr:
		f = func(a, b, _ uint32) uint32 { return a | b }
	case ir.OpXor, ir.OpNe:
		f = func(a, b, _ uint32) uint32 { return a ^ b }
	case ir.OpEq:
		f = func(a, b, _ uint32) uint32 { return ^(a ^ b) }
	case ir.OpAndNot:
		f = func(a, b, _ uint32) uint32 { return a &^ b }
	case ir.OpNot:
		f = func(a, _, _ uint32) uint32 { return ^a }
	case ir.OpMov:
		f = func(a, _, _ uint32) uint32 { return a }
	case ir.OpSelect:
		f = func(a, b, c uint32) uint32 { return a&b | c&^a }
	default:
		return ALUOp{}
	}
	return ALUOp{form: formPred, pred: f}
}

func leaOp(index ir.Kind) ALUOp {
	f := func(d, a, b *Row, imm uint64) {
		for i := range d {
			d[i] = a[i] + b[i]*imm
		}
	}
	if index == ir.S32 {
		f = func(d, a, b *Row, imm uint64) {
			for i := range d {
				d[i] = a[i] + uint64(int64(int32(b[i])))*imm
			}
		}
	}
	return ALUOp{form: formImm, imm: f}
}
