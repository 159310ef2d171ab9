package simt

import (
	"math"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

func lo32(x uint64) float32   { return math.Float32frombits(uint32(x)) }
func bits32(f float32) uint64 { return uint64(math.Float32bits(f)) }

// floatRows are the row operations on floats.
var floatRows = map[ir.Op]rows{
	ir.OpAdd: {fadd32Row, fadd64Row, 2},
	ir.OpSub: {fsub32Row, fsub64Row, 2},
	ir.OpMul: {fmul32Row, fmul64Row, 2},
	ir.OpDiv: {fdiv32Row, fdiv64Row, 2},
	ir.OpFMA: {fma32Row, fma64Row, 3},
	ir.OpNeg: {fneg32Row, fneg64Row, 1},
	ir.OpAbs: {fabs32Row, fabs64Row, 1},
}

// floatRow returns the row operation of an op on floats; nil if there is none.
func floatRow(op ir.Op, k ir.Kind) (rowFunc, int) {
	if k != ir.F32 && k != ir.F64 {
		return nil, 0
	}
	return floatRows[op].of(k.Bits())
}

func fadd32Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = bits32(lo32(a[i]) + lo32(b[i]))
	}
}

func fsub32Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = bits32(lo32(a[i]) - lo32(b[i]))
	}
}

func fmul32Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = bits32(lo32(a[i]) * lo32(b[i]))
	}
}

func fdiv32Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = bits32(lo32(a[i]) / lo32(b[i]))
	}
}

func fma32Row(d, a, b, c *Row) {
	for i := range d {
		d[i] = bits32(ir.FMA32(lo32(a[i]), lo32(b[i]), lo32(c[i])))
	}
}

func fneg32Row(d, a, _, _ *Row) {
	for i := range d {
		// On the bits, so that -0 and NaN change their sign as well; 0-x would
		// give +0 for 0.
		d[i] = a[i] ^ 1<<31
	}
}

func fabs32Row(d, a, _, _ *Row) {
	for i := range d {
		d[i] = a[i] &^ (1 << 31)
	}
}

func fadd64Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = math.Float64bits(math.Float64frombits(a[i]) + math.Float64frombits(b[i]))
	}
}

func fsub64Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = math.Float64bits(math.Float64frombits(a[i]) - math.Float64frombits(b[i]))
	}
}

func fmul64Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = math.Float64bits(math.Float64frombits(a[i]) * math.Float64frombits(b[i]))
	}
}

func fdiv64Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = math.Float64bits(math.Float64frombits(a[i]) / math.Float64frombits(b[i]))
	}
}

func fma64Row(d, a, b, c *Row) {
	for i := range d {
		d[i] = math.Float64bits(math.FMA(math.Float64frombits(a[i]), math.Float64frombits(b[i]), math.Float64frombits(c[i])))
	}
}

func fneg64Row(d, a, _, _ *Row) {
	for i := range d {
		d[i] = a[i] ^ 1<<63
	}
}

func fabs64Row(d, a, _, _ *Row) {
	for i := range d {
		d[i] = a[i] &^ (1 << 63)
	}
}

// convertRow returns the row operations of the common conversions; the others
// use ir.Eval.
func convertRow(op ir.Op, to, from ir.Kind) (rowFunc, int) {
	if op != ir.OpCvt || !to.Int() && !to.Float() || !from.Int() && !from.Float() {
		return nil, 0
	}
	switch {
	case to == from:
		return movRow, 1
	case to.Int() && from.Int():
		switch {
		// The low half is the result for both signs, whether the source is
		// wider or not.
		case to.Bits() == 32:
			return func(d, a, _, _ *Row) {
				for i := range d {
					d[i] = uint64(uint32(a[i]))
				}
			}, 1
		case from == ir.S32:
			return func(d, a, _, _ *Row) {
				for i := range d {
					d[i] = uint64(int64(int32(a[i])))
				}
			}, 1
		case from.Bits() >= 32:
			return movRow, 1
		}
	case to == ir.F32 && from == ir.S32:
		return func(d, a, _, _ *Row) {
			for i := range d {
				d[i] = bits32(float32(int32(a[i])))
			}
		}, 1
	case to == ir.F32 && from == ir.U32:
		return func(d, a, _, _ *Row) {
			for i := range d {
				// Through int64, which holds every u32.
				d[i] = bits32(float32(int64(uint32(a[i]))))
			}
		}, 1
	case to == ir.F64 && from == ir.F32:
		return func(d, a, _, _ *Row) {
			for i := range d {
				d[i] = math.Float64bits(float64(lo32(a[i])))
			}
		}, 1
	case to == ir.F32 && from == ir.F64:
		return func(d, a, _, _ *Row) {
			for i := range d {
				d[i] = bits32(float32(math.Float64frombits(a[i])))
			}
		}, 1
	}
	return nil, 0
}
