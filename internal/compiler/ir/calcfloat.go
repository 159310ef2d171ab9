package ir

import (
	"math"

	"github.com/weft-gpu/weft/internal/base/floats"
)

// Testp is a property that testp tests.
type Testp uint8

// The properties.
const (
	TestFinite Testp = iota
	TestInfinite
	TestNumber
	TestNotANumber
	TestNormal
	TestSubnormal
)

func (t Testp) holds(k Kind, x uint64) bool {
	f := floats.Single
	if k.Bits() == 64 {
		f = floats.Double
	}
	v := f.Value(x)
	exponent := x >> f.Mantissa & (1<<f.Exponent - 1)
	switch t {
	case TestFinite:
		return v == v && !math.IsInf(v, 0)
	case TestInfinite:
		return math.IsInf(v, 0)
	case TestNumber:
		return v == v
	case TestNotANumber:
		return v != v
	case TestNormal:
		return exponent != 0 && exponent != 1<<f.Exponent-1
	}
	return exponent == 0 && v != 0
}

// flush returns the bits of an F32 with a zero of its sign instead of a subnormal number.
func flush(x uint64) uint64 {
	if x>>23&255 == 0 {
		return x & (1 << 31)
	}
	return x
}

// FloatHow says how FuncFloat and FuncHalves compute: see NewFloat.
type FloatHow int64

// NewFloat returns how to compute one of "add", "sub", "mul", "fma", "div", "rcp", "sqrt",
// "min" and "max" on a format, with a rounding mode and with flags.
func NewFloat(op string, f floats.Format, mode floats.Rounding, flags FloatFlags) FloatHow {
	names := [...]string{"add", "sub", "mul", "fma", "div", "rcp", "sqrt", "min", "max"}
	for i, n := range names {
		if n == op {
			for j, format := range formats {
				if format == f {
					return FloatHow(i | j<<4 | int(mode)<<8 | int(flags)<<12)
				}
			}
		}
	}
	panic("ir: no float operation " + op)
}

var formats = [...]floats.Format{floats.Half, floats.BFloat, floats.Single, floats.Double}

// FloatFlags are what an instruction on floats does besides.
type FloatFlags uint8

// The flags.
const (
	Flush    FloatFlags = 1 << iota // subnormal operands and results become zero
	Saturate                        // the result is clamped to [0, 1]
	KeepNaN                         // min and max: NaN if an operand is
	XorSign                         // min and max of absolute values, with the product's sign
	Relu                            // a negative result becomes zero
)

func (h FloatHow) format() floats.Format { return formats[h>>4&3] }

func (h FloatHow) eval(x, y, z uint64) uint64 {
	f, mode, flags := h.format(), floats.Rounding(h>>8&7), FloatFlags(h>>12)
	op := floatOp(h & 15)
	subnormal := func(b uint64) uint64 {
		if flags&Flush != 0 && b>>f.Mantissa&(1<<f.Exponent-1) == 0 {
			return b & (1 << (f.Width() - 1))
		}
		return b
	}
	x, y, z = subnormal(x), subnormal(y), subnormal(z)
	var out uint64
	if op == floatMin || op == floatMax {
		out = extreme(f, op, flags, x, y)
	} else {
		out = rounded(op, f, mode, f.Value(x), f.Value(y), f.Value(z))
	}
	out = subnormal(out)
	v := f.Value(out)
	switch {
	case flags&Saturate != 0 && !(v > 0): // NaN becomes +0 too
		out = 0
	case flags&Saturate != 0 && v > 1:
		out = f.Round(1, floats.NearestEven)
	case flags&Relu != 0 && v != v:
		out = f.NaN
	case flags&Relu != 0 && !(v > 0):
		out = 0
	}
	return out
}

// extreme is min or max. -0 is below +0.
func extreme(f floats.Format, op floatOp, flags FloatFlags, x, y uint64) uint64 {
	sign := uint64(1) << (f.Width() - 1)
	product := (x ^ y) & sign
	if flags&XorSign != 0 {
		x, y = x&^sign, y&^sign
	}
	a, b := f.Value(x), f.Value(y)
	out := x
	switch {
	case a != a && b != b, flags&KeepNaN != 0 && (a != a || b != b):
		return f.NaN
	case a != a:
		out = y
	case b != b:
	case a == b:
		if (x&sign != 0) == (op == floatMax) {
			out = y
		}
	case (b < a) == (op == floatMin):
		out = y
	}
	if flags&XorSign != 0 {
		out |= product
	}
	return out
}
