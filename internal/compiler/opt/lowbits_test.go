package opt

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// TestLowBits evaluates operations whose operands have known low bits and any others, and compares the low bits of the results with what is said of them.
func TestLowBits(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	claims := 0
	for range 20000 {
		f := &ir.Func{}
		kind := []ir.Kind{ir.U32, ir.S32, ir.U64, ir.S64}[random.IntN(4)]
		op := []ir.Op{ir.OpAdd, ir.OpSub, ir.OpNeg, ir.OpMul, ir.OpMad, ir.OpShl, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpLea, ir.OpSelect, ir.OpMulWide}[random.IntN(12)]
		of := make([]lowBits, 8)
		var args []*ir.Value
		operand := func(k ir.Kind) *ir.Value {
			v := f.NewValue(ir.OpSpecial, k, 0)
			of[v.ID] = low(int32(random.IntN(7)*random.IntN(2)), random.Uint32()<<random.IntN(5))
			if random.IntN(8) == 0 {
				of[v.ID] = low(most, random.Uint32()>>random.IntN(32))
			}
			args = append(args, v)
			return v
		}
		v := &ir.Value{Op: op, K: kind}
		switch op {
		case ir.OpLea:
			v.K, v.ArgK, v.Imm = ir.U64, []ir.Kind{ir.U32, ir.S32, ir.U64, ir.S64}[random.IntN(4)], int64(1+random.IntN(40))
			v.Args = []*ir.Value{operand(ir.U64), operand(v.ArgK)}
		case ir.OpMulWide:
			v.K, v.ArgK = ir.U64, []ir.Kind{ir.U32, ir.S32}[random.IntN(2)]
			v.Args = []*ir.Value{operand(v.ArgK), operand(v.ArgK)}
		case ir.OpShl:
			n := f.Const(ir.U32, uint64(random.IntN(40)))
			v.Args = []*ir.Value{operand(kind), n}
			args = append(args, n)
			of[n.ID] = low(most, uint32(n.Bits()))
		case ir.OpSelect:
			v.Args = []*ir.Value{operand(ir.Pred), operand(kind), operand(kind)}
			of[args[0].ID] = low(1, random.Uint32())
		default:
			for range len(ir.Ops[op].Args) {
				v.Args = append(v.Args, operand(kind))
			}
		}
		claim := transferLowBits(v, of, nil)
		claims += int(claim.known)
		for range 8 {
			var bits [3]uint64
			for i, a := range args {
				bits[i] = random.Uint64()<<of[a.ID].known | uint64(of[a.ID].bits)
				if a.K == ir.Pred {
					bits[i] &= 1
				} else if a.K.Bits() == 32 {
					bits[i] = uint64(uint32(bits[i]))
				}
			}
			got, err := ir.Eval(op, v.K, v.ArgK, v.Imm, bits[0], bits[1], bits[2])
			require.NoError(t, err)
			require.Equal(t, claim.bits, uint32(got)&claim.mask(), "%v of %v %v: %+v says %+v", op, kind, bits, of, claim)
		}
	}
	require.Greater(t, claims, 20000)
}

// TestLowBitsMeet joins what is known of two values.
func TestLowBitsMeet(t *testing.T) {
	unknown := lowBits{known: undefined}
	require.Equal(t, low(5, 3), low(5, 3).meet(unknown))
	require.Equal(t, low(5, 3), unknown.meet(low(5, 3)))
	require.Equal(t, low(2, 3), low(5, 3).meet(low(4, 7)))
	require.Equal(t, low(4, 7), low(5, 23).meet(low(4, 7)))
	require.Equal(t, low(0, 0), low(most, 1).meet(low(most, 2)))
}
