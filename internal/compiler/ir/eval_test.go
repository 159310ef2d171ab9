package ir

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Eval computes what the table says, for all kinds that each op accepts.
func TestEvalCoversEveryOp(t *testing.T) {
	for op := range NumOps {
		for k, argK := range op.Variants() {
			_, err := Eval(op, k, argK, 0, 1, 1, 1)
			if op.Scalar() {
				assert.NoError(t, err, "op %s of kind %v and operands of %v has no case in Eval", op, k, argK)
			} else {
				assert.ErrorIs(t, err, ErrNoScalar, "op %s", op)
			}
		}
	}
}

type integer interface {
	~uint32 | ~int32 | ~uint64 | ~int64
}

// ints returns the edge values of a kind.
func ints[T integer](k Kind) []T {
	var one T = 1
	w := k.Bits()
	return []T{0, 1, 2, 3, 7, ^T(0), ^T(0) - 1, one << (w - 1), one<<(w-1) - 1, one<<(w/2) - 1, one << (w / 2), 0x12345678, 0x5bd1e995}
}

func bitsOf[T integer](k Kind, v T) uint64 { return narrow(k, uint64(v)) }

func checkInt[T integer](t *testing.T, k Kind) {
	binary := map[Op]func(a, b T) T{
		OpAdd: func(a, b T) T { return a + b },
		OpSub: func(a, b T) T { return a - b },
		OpMul: func(a, b T) T { return a * b },
		OpAnd: func(a, b T) T { return a & b },
		OpOr:  func(a, b T) T { return a | b },
		OpXor: func(a, b T) T { return a ^ b }, OpAndNot: func(a, b T) T { return a &^ b },
		OpMin: func(a, b T) T { return min(a, b) }, OpMax: func(a, b T) T { return max(a, b) },
		OpDiv: func(a, b T) T { return a / b }, OpRem: func(a, b T) T { return a % b },
		OpMulHi: func(a, b T) T { // with big integers
			p := new(big.Int).Mul(toBig(a), toBig(b))
			p.Rsh(p, uint(k.Bits()))
			p.And(p, new(big.Int).SetUint64(narrow(k, math.MaxUint64)))
			return T(p.Uint64())
		},
	}
	compare := map[Op]func(a, b T) bool{
		OpEq: func(a, b T) bool { return a == b }, OpNe: func(a, b T) bool { return a != b },
		OpLt: func(a, b T) bool { return a < b }, OpLe: func(a, b T) bool { return a <= b },
		OpGt: func(a, b T) bool { return a > b }, OpGe: func(a, b T) bool { return a >= b },
	}
	unary := map[Op]func(a T) T{OpNeg: func(a T) T { return -a }, OpNot: func(a T) T { return ^a }}
	for _, a := range ints[T](k) {
		x := bitsOf(k, a)
		for op, f := range unary {
			got, err := Eval(op, k, k, 0, x, 0, 0)
			require.NoError(t, err)
			assert.Equal(t, bitsOf(k, f(a)), got, "%s.%s %#x", op, k, x)
		}
		for _, n := range []uint64{0, 1, 5, 31, 32, 33, 63, 64, math.MaxUint32} {
			shl, _ := Eval(OpShl, k, k, 0, x, n, 0)
			assert.Equal(t, bitsOf(k, a<<n), shl, "shl.%s %#x %d", k, x, n)
			shr, _ := Eval(OpShr, k, k, 0, x, n, 0)
			assert.Equal(t, bitsOf(k, a>>n), shr, "shr.%s %#x %d", k, x, n)
		}
		for _, b := range ints[T](k) {
			y := bitsOf(k, b)
			for op, f := range binary {
				got, err := Eval(op, k, k, 0, x, y, 0)
				if (op == OpDiv || op == OpRem) && b == 0 {
					assert.ErrorIs(t, err, ErrDivideByZero)
					continue
				}
				require.NoError(t, err)
				assert.Equal(t, bitsOf(k, f(a, b)), got, "%s.%s %#x %#x", op, k, x, y)
			}
			for op, f := range compare {
				got, err := Eval(op, Pred, k, 0, x, y, 0)
				require.NoError(t, err)
				assert.Equal(t, f(a, b), got == 1, "%s.%s %#x %#x", op, k, x, y)
			}
			mad, err := Eval(OpMad, k, k, 0, x, y, 7)
			require.NoError(t, err)
			assert.Equal(t, bitsOf(k, a*b+7), mad)
		}
	}
}

func toBig[T integer](v T) *big.Int {
	if v < 0 {
		return big.NewInt(int64(v))
	}
	return new(big.Int).SetUint64(uint64(v))
}

func TestEvalIntegers(t *testing.T) {
	checkInt[uint32](t, U32)
	checkInt[int32](t, S32)
	checkInt[uint64](t, U64)
	checkInt[int64](t, S64)
}

func TestEvalPredicates(t *testing.T) {
	for x := range uint64(2) {
		for y := range uint64(2) {
			for op, want := range map[Op]uint64{OpAnd: x & y, OpOr: x | y, OpXor: x ^ y, OpAndNot: x &^ y} {
				got, err := Eval(op, Pred, Pred, 0, x, y, 0)
				require.NoError(t, err)
				assert.Equal(t, want, got, "%s %d %d", op, x, y)
			}
			eq, err := Eval(OpEq, Pred, Pred, 0, x, y, 0)
			require.NoError(t, err)
			assert.Equal(t, x == y, eq == 1)
		}
		not, err := Eval(OpNot, Pred, Pred, 0, x, 0, 0)
		require.NoError(t, err)
		assert.Equal(t, 1-x, not)
		sel, err := Eval(OpSelect, U64, U64, 0, x, 10, 20)
		require.NoError(t, err)
		assert.Equal(t, 20-10*x, sel)
	}
}

func TestEvalBits(t *testing.T) {
	for _, c := range []struct {
		op      Op
		k, argK Kind
		imm     int64
		x, y    uint64
		want    uint64
	}{
		{OpPopc, U32, U32, 0, 0xF00F, 0, 8},
		{OpPopc, U32, U64, 0, math.MaxUint64, 0, 64},
		{OpClz, U32, U32, 0, 0, 0, 32},
		{OpClz, U32, U32, 0, 1, 0, 31},
		{OpClz, U32, U64, 0, 1, 0, 63},
		{OpClz, U32, U64, 0, 0, 0, 64},
		{OpBrev, U32, U32, 0, 1, 0, 1 << 31},
		{OpBrev, U64, U64, 0, 1, 0, 1 << 63},
		{OpExt, U32, U8, 0, 0x1FF, 0, 0xFF},
		{OpExt, S32, S8, 0, 0x80, 0, 0xFFFFFF80},
		{OpExt, S32, S16, 0, 0x17FFF, 0, 0x7FFF},
		{OpExt, U32, U16, 0, 0xABCDEF, 0, 0xCDEF},
		{OpLea, U64, U32, 4, 1 << 40, 0xFFFFFFFF, 1<<40 + 4*0xFFFFFFFF},
		{OpLea, U64, S32, 4, 1 << 40, 0xFFFFFFFF, 1<<40 - 4},
		{OpLea, U64, S64, 8, 1 << 40, math.MaxUint64, 1<<40 - 8},
		{OpBitcast, U32, F32, 0, 0x7FC00001, 0, 0x7FC00001},
		{OpConst, S32, S32, -1, 0, 0, 0xFFFFFFFF},
		{OpMov, U64, U64, 0, 99, 0, 99},
	} {
		got, err := Eval(c.op, c.k, c.argK, c.imm, c.x, c.y, 0)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, "%s.%s.%s %#x %#x", c.op, c.k, c.argK, c.x, c.y)
	}
}

func f32(f float32) uint64 { return uint64(math.Float32bits(f)) }
func f64(f float64) uint64 { return math.Float64bits(f) }

func TestEvalConversions(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		to, from Kind
		x, want  uint64
	}{
		{S64, S32, 0xFFFFFFFF, math.MaxUint64},
		{S64, U32, 0xFFFFFFFF, 0xFFFFFFFF},
		{U64, S32, 0x80000000, 0xFFFFFFFF80000000},
		{U32, S64, math.MaxUint64, 0xFFFFFFFF},
		{F32, U32, 0xFFFFFFFF, f32(4294967296)},
		{F32, S32, 0xFFFFFFFF, f32(-1)},
		{F64, U64, math.MaxUint64, f64(18446744073709551616)},
		{F64, S64, 1 << 63, f64(-9223372036854775808)},
		// 2^24+1 plus a much lower bit: rounded through float64 it would become
		// a tie and round down to even.
		{F32, U64, 1<<60 + 1<<36 + 1, f32(1<<60 + 1<<37)},
		{F32, F64, f64(1e300), f32(float32(inf))},
		{F64, F32, f32(0.1), f64(float64(float32(0.1)))},
		{U32, F32, f32(-1.5), 0},
		{U32, F32, f32(4.9), 4},
		{U32, F32, f32(1e20), 0xFFFFFFFF},
		{U32, F64, f64(4294967295.5), 0xFFFFFFFF},
		{S32, F32, f32(-4.9), 0xFFFFFFFC},
		{S32, F64, f64(1e20), 0x7FFFFFFF},
		{S32, F64, f64(-1e20), 0x80000000},
		{S32, F64, f64(-2147483648.9), 0x80000000},
		{S32, F64, f64(nan), 0},
		{U64, F64, f64(nan), 0},
		{U64, F64, f64(1e30), math.MaxUint64},
		{U64, F64, f64(9223372036854775808), 1 << 63},
		{U64, F64, f64(18446744073709549568), 18446744073709549568},
		{S64, F64, f64(inf), math.MaxInt64},
		{S64, F64, f64(-inf), 1 << 63},
		{S64, F32, f32(-1e30), 1 << 63},
	} {
		got, err := Eval(OpCvt, c.to, c.from, 0, c.x, 0, 0)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, "cvt.%s.%s %#x", c.to, c.from, c.x)
	}
}

func TestEvalFloats(t *testing.T) {
	edge := []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1.5, -2.5, 1e-45, 3.4e38, math.Inf(1), math.Inf(-1), math.NaN(), 16777217}
	binary := map[Op][2]any{
		OpAdd: {func(a, b float32) float32 { return a + b }, func(a, b float64) float64 { return a + b }},
		OpSub: {func(a, b float32) float32 { return a - b }, func(a, b float64) float64 { return a - b }},
		OpMul: {func(a, b float32) float32 { return a * b }, func(a, b float64) float64 { return a * b }},
		OpDiv: {func(a, b float32) float32 { return a / b }, func(a, b float64) float64 { return a / b }},
		OpMin: {func(a, b float32) float32 { return min(a, b) }, func(a, b float64) float64 { return min(a, b) }},
		OpMax: {func(a, b float32) float32 { return max(a, b) }, func(a, b float64) float64 { return max(a, b) }},
	}
	unary := map[Op]func(float64) float64{OpSqrt: math.Sqrt, OpFloor: math.Floor, OpCeil: math.Ceil, OpTrunc: math.Trunc, OpAbs: math.Abs, OpNeg: func(x float64) float64 { return -x }}
	for _, a := range edge {
		for op, f := range unary {
			g32, err := Eval(op, F32, F32, 0, f32(float32(a)), 0, 0)
			require.NoError(t, err)
			sameFloat(t, float64(float32(f(float64(float32(a))))), toFloat(F32, g32), "%s.f32 %v", op, a)
			g64, err := Eval(op, F64, F64, 0, f64(a), 0, 0)
			require.NoError(t, err)
			sameFloat(t, f(a), toFloat(F64, g64), "%s.f64 %v", op, a)
		}
		for _, b := range edge {
			for op, f := range binary {
				g32, err := Eval(op, F32, F32, 0, f32(float32(a)), f32(float32(b)), 0)
				require.NoError(t, err)
				sameFloat(t, float64(f[0].(func(a, b float32) float32)(float32(a), float32(b))), toFloat(F32, g32), "%s.f32 %v %v", op, a, b)
				g64, err := Eval(op, F64, F64, 0, f64(a), f64(b), 0)
				require.NoError(t, err)
				sameFloat(t, f[1].(func(a, b float64) float64)(a, b), toFloat(F64, g64), "%s.f64 %v %v", op, a, b)
			}
			for op, want := range map[Op]bool{OpEq: a == b, OpNe: a != b, OpLt: a < b, OpLe: a <= b, OpGt: a > b, OpGe: a >= b} {
				got, err := Eval(op, Pred, F64, 0, f64(a), f64(b), 0)
				require.NoError(t, err)
				assert.Equal(t, want, got == 1, "%s.f64 %v %v", op, a, b)
			}
		}
	}
}

func sameFloat(t *testing.T, want, got float64, format string, args ...any) {
	t.Helper()
	if math.IsNaN(want) {
		assert.True(t, math.IsNaN(got), format, args)
		return
	}
	assert.Equal(t, math.Float64bits(want), math.Float64bits(got), "%s: want %v, got %v", fmt.Sprintf(format, args...), want, got)
}

func TestFMA32RoundsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() float32 {
		return float32(math.Ldexp(1+r.Float64(), r.IntN(60)-30)) * float32(1-2*r.IntN(2))
	}
	for range 20000 {
		x, y := random(), random()
		z := random()
		if r.IntN(3) == 0 { // near a tie: z is the product with opposite sign plus a tiny rest
			z = float32(math.Ldexp(float64(x*y), -24-r.IntN(8)))
		}
		exact := new(big.Float).SetPrec(400).Mul(big.NewFloat(float64(x)), big.NewFloat(float64(y)))
		exact.Add(exact, new(big.Float).SetPrec(400).SetFloat64(float64(z)))
		want, _ := exact.Float32()
		require.Equal(t, want, FMA32(x, y, z), "%v*%v+%v", x, y, z)
	}
	assert.True(t, math.IsInf(float64(FMA32(math.MaxFloat32, 2, 1)), 1))
	assert.True(t, math.IsNaN(float64(FMA32(float32(math.Inf(1)), 0, 1))))
	assert.Equal(t, float32(0), FMA32(0, 5, 0))
}
