package ir

import "math"

// Function is a function of up to three operands that OpCalc1 to OpCalc3 compute: what
// PTX has and Go has not. The lower 8 bits of Imm are the Function, the others say how it
// computes: the table of lop3, a rounding mode.
type Function uint8

// The functions. how is the rest of Imm.
const (
	FuncLop3      Function = iota // how: the table
	FuncPrmt                      // how: the mode, see Prmt
	FuncShf                       // z is the count; how: bit 0 right, bit 1 wrap
	FuncBfe                       // bits y and z of x
	FuncFieldMask                 // y bits from bit x on
	FuncBmsk                      // the same, clamped or (how 1) wrapped
	FuncSzext                     // x extended from y bits, clamped or (how 1) wrapped
	FuncFns                       // the bit that is z-th from bit y on in x
	FuncDp4a                      // how: bit 0 x is signed, bit 1 y is
	FuncDp2a                      // and bit 2: the upper bytes of y
	FuncFloat                     // arithmetic; how: see FloatHow
	FuncConvert                   // conversions; how: see ConvertHow
	FuncCopySign                  // y with the sign of x
	FuncTestp                     // how: a Testp
	FuncHalves                    // arithmetic on two halves of a word; how: see FloatHow
	FuncFlush                     // a subnormal F32 becomes zero
	FuncTanh                      // of 16-bit formats; how: see FloatHow
	FuncExp2
	NumFunctions
)

var functionNames = [NumFunctions]string{
	"lop3", "prmt", "shf", "bfe", "field", "bmsk", "szext", "fns", "dp4a", "dp2a", "float", "convert", "copysign", "testp", "halves", "flush", "tanh", "exp2",
}

// String returns the name of the function.
func (f Function) String() string { return functionNames[f] }

// CalcImm returns the Imm of a function.
func CalcImm(f Function, how int64) int64 { return int64(f) | how<<8 }

// calc computes a function.
func calc(k, argK Kind, imm int64, x, y, z uint64) (uint64, error) {
	how := imm >> 8
	switch f := Function(imm); f {
	case FuncLop3:
		return lop3(how, x, y, z), nil
	case FuncPrmt:
		return prmt(how, uint32(x), uint32(y), uint32(z)), nil
	case FuncShf:
		return funnel(how, x, y, uint32(z)), nil
	case FuncBfe:
		return narrow(k, extract(argK, x, y, z)), nil
	case FuncFieldMask:
		return narrow(k, fieldMask(argK.Bits(), y&255, x&255)), nil
	case FuncBmsk:
		return bmsk(how, uint32(x), uint32(y)), nil
	case FuncSzext:
		return szext(how, k, uint32(x), uint32(y)), nil
	case FuncFns:
		return fns(uint32(x), uint32(y), int32(z)), nil
	case FuncDp4a:
		return dot4(how, uint32(x), uint32(y), uint32(z)), nil
	case FuncDp2a:
		return dot2(how, uint32(x), uint32(y), uint32(z)), nil
	case FuncFloat:
		return FloatHow(how).eval(x, y, z), nil
	case FuncHalves:
		h := FloatHow(how)
		low := h.eval(x&0xFFFF, y&0xFFFF, z&0xFFFF)
		return low | h.eval(x>>16, y>>16, z>>16)<<16, nil
	case FuncConvert:
		return narrow(k, ConvertHow(how).eval(x)), nil
	case FuncCopySign:
		sign := uint64(1) << (argK.Bits() - 1)
		return x&sign | y&^sign, nil
	case FuncTestp:
		return pick(Testp(how).holds(argK, x), 1, 0), nil
	case FuncFlush:
		return flush(x), nil
	case FuncTanh, FuncExp2:
		h := FloatHow(how)
		v := h.format().Value(x)
		if f == FuncTanh {
			v = math.Tanh(v)
		} else {
			v = math.Exp2(v)
		}
		return h.format().Round(v, NearestEven), nil
	}
	return 0, ErrNoScalar
}

// lop3 looks each bit of the three operands up in a table of eight bits.
func lop3(table int64, x, y, z uint64) uint64 {
	var out uint64
	for i := range 8 {
		if table>>i&1 == 0 {
			continue
		}
		pick := func(v uint64, on int) uint64 {
			if on != 0 {
				return v
			}
			return ^v
		}
		out |= pick(x, i&4) & pick(y, i&2) & pick(z, i&1)
	}
	return uint64(uint32(out))
}

// The modes of prmt.
const (
	PrmtAny int64 = iota
	PrmtF4E
	PrmtB4E
	PrmtRC8
	PrmtECL
	PrmtECR
	PrmtRC16
)

// prmt picks four of the eight bytes of y:x.
func prmt(mode int64, x, y, z uint32) uint64 {
	all := uint64(y)<<32 | uint64(x)
	n := z & 3
	var sel [4]uint32
	for i := range uint32(4) {
		switch mode {
		case PrmtAny:
			sel[i] = z >> (4 * i) & 15
		case PrmtF4E:
			sel[i] = n + i
		case PrmtB4E:
			sel[i] = (n - i) & 7
		case PrmtRC8:
			sel[i] = n
		case PrmtECL:
			sel[i] = max(i, n)
		case PrmtECR:
			sel[i] = min(i, n)
		case PrmtRC16:
			sel[i] = n&1*2 + i&1
		}
	}
	var out uint32
	for i, s := range sel {
		b := uint32(all>>(8*(s&7))) & 255
		if s&8 != 0 { // the sign of the byte, in all bits
			b = uint32(int32(int8(b))>>7) & 255
		}
		out |= b << (8 * i)
	}
	return uint64(out)
}

// funnel shifts y:x and returns the upper word, or (right) the lower one.
func funnel(how int64, x, y uint64, n uint32) uint64 {
	if how&2 != 0 {
		n &= 31
	} else {
		n = min(n, 32)
	}
	all := y<<32 | x&(1<<32-1)
	if how&1 != 0 {
		return uint64(uint32(all >> n))
	}
	return uint64(uint32(all << n >> 32))
}

// extract is bfe of the PTX ISA.
func extract(k Kind, x, from, n uint64) uint64 {
	width := uint64(k.Bits())
	from, n = from&255, n&255
	last := width - 1
	var sign uint64
	if k.Signed() && n > 0 {
		sign = x >> min(from+n-1, last) & 1
	}
	var out uint64
	for i := range width {
		bit := sign
		if i < n && from+i <= last {
			bit = x >> (from + i) & 1
		}
		out |= bit << i
	}
	return out
}

// fieldMask returns n bits from a bit on, as bfi replaces them.
func fieldMask(width int, n, from uint64) uint64 {
	if from >= uint64(width) || n == 0 {
		return 0
	}
	mask := uint64(1)<<min(n, 63) - 1
	if n >= 64 {
		mask = ^uint64(0)
	}
	return mask << from
}

func bmsk(how int64, from, n uint32) uint64 {
	if how != 0 {
		from, n = from&31, n&31
	} else {
		from, n = min(from, 32), min(n, 32)
	}
	return uint64(uint32((uint64(1)<<n - 1) << from))
}

func szext(how int64, k Kind, x, n uint32) uint64 {
	if how != 0 {
		n &= 31
	}
	switch {
	case n == 0:
		return 0
	case n >= 32:
		return uint64(x)
	case k.Signed():
		return uint64(uint32(int32(x<<(32-n)) >> (32 - n)))
	}
	return uint64(x & (1<<n - 1))
}

// fns finds the n-th set bit (Find-n-th-Set of the PTX ISA).
func fns(mask, base uint32, offset int32) uint64 {
	const none = 1<<32 - 1
	if base > 31 {
		return none
	}
	if offset == 0 {
		if mask>>base&1 != 0 {
			return uint64(base)
		}
		return none
	}
	pos, step, count := int32(base), int32(1), offset-1
	if offset < 0 {
		step, count = -1, -offset-1
	}
	for ; pos >= 0 && pos < 32; pos += step {
		if mask>>pos&1 != 0 {
			if count == 0 {
				return uint64(pos)
			}
			count--
		}
	}
	return none
}

func dotPart(signed bool, v uint32, width int) uint32 {
	if signed {
		return uint32(int32(v<<(32-width)) >> (32 - width))
	}
	return v << (32 - width) >> (32 - width)
}

func dot4(how int64, x, y, z uint32) uint64 {
	for i := range 4 {
		z += dotPart(how&1 != 0, x>>(8*i), 8) * dotPart(how&2 != 0, y>>(8*i), 8)
	}
	return uint64(z)
}

func dot2(how int64, x, y, z uint32) uint64 {
	if how&4 != 0 {
		y >>= 16
	}
	for i := range 2 {
		z += dotPart(how&1 != 0, x>>(16*i), 16) * dotPart(how&2 != 0, y>>(8*i), 8)
	}
	return uint64(z)
}

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
	f := Single
	if k.Bits() == 64 {
		f = Double
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
func NewFloat(op string, f Format, mode Rounding, flags FloatFlags) FloatHow {
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

var formats = [...]Format{Half, BFloat, Single, Double}

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

func (h FloatHow) format() Format { return formats[h>>4&3] }

func (h FloatHow) eval(x, y, z uint64) uint64 {
	f, mode, flags := h.format(), Rounding(h>>8&7), FloatFlags(h>>12)
	op := floatOp(h & 15)
	subnormal := func(b uint64) uint64 {
		if flags&Flush != 0 && b>>f.Mantissa&(1<<f.Exponent-1) == 0 {
			return b & (1 << (f.width() - 1))
		}
		return b
	}
	x, y, z = subnormal(x), subnormal(y), subnormal(z)
	var out uint64
	if op == floatMin || op == floatMax {
		out = f.extreme(op, flags, x, y)
	} else {
		out = rounded(op, f, mode, f.Value(x), f.Value(y), f.Value(z))
	}
	out = subnormal(out)
	v := f.Value(out)
	switch {
	case flags&Saturate != 0 && !(v > 0): // NaN becomes +0 too
		out = 0
	case flags&Saturate != 0 && v > 1:
		out = f.Round(1, NearestEven)
	case flags&Relu != 0 && v != v:
		out = f.NaN
	case flags&Relu != 0 && !(v > 0):
		out = 0
	}
	return out
}

// extreme is min or max. -0 is below +0.
func (f Format) extreme(op floatOp, flags FloatFlags, x, y uint64) uint64 {
	sign := uint64(1) << (f.width() - 1)
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

// ConvertHow says how FuncConvert converts.
type ConvertHow int64

// Number is a type of number that FuncConvert takes and returns.
type Number uint8

// The numbers. Those of up to 32 bits stand in the lower bits of a register.
const (
	NumberU8 Number = iota
	NumberS8
	NumberU16
	NumberS16
	NumberU32
	NumberS32
	NumberU64
	NumberS64
	NumberHalf
	NumberBFloat
	NumberSingle
	NumberDouble
	NumberTF32
)

func (n Number) integer() bool { return n <= NumberS64 }
func (n Number) signed() bool  { return n&1 != 0 }
func (n Number) bits() int     { return 8 << (n / 2) }

func (n Number) format() Format {
	if n == NumberTF32 {
		return tensor32
	}
	return formats[n-NumberHalf]
}

// NewConvert returns how to convert. whole rounds to an integer that stays a float.
func NewConvert(from, to Number, mode Rounding, flags FloatFlags, whole bool) ConvertHow {
	how := ConvertHow(int(from) | int(to)<<4 | int(mode)<<8 | int(flags)<<12)
	if whole {
		how |= 1 << 20
	}
	return how
}

func (h ConvertHow) eval(x uint64) uint64 {
	from, to, mode, flags := Number(h&15), Number(h>>4&15), Rounding(h>>8&7), FloatFlags(h>>12)
	if from.integer() {
		return h.integer(from, to, mode, flags, x)
	}
	if from == NumberSingle && flags&Flush != 0 {
		x = flush(x)
	}
	v := from.format().Value(x)
	if to.integer() {
		return toInteger(v, from, to, mode)
	}
	if h>>20&1 != 0 {
		v = whole(v, mode)
		mode = NearestEven
	}
	if flags&Saturate != 0 {
		if v = min(v, 1); !(v > 0) {
			v = 0
		}
	}
	if flags&Relu != 0 && v <= 0 {
		v = 0
	}
	out := to.format().Round(v, mode)
	if to == NumberSingle && flags&Flush != 0 {
		out = flush(out)
	}
	if to == NumberTF32 {
		out <<= 13
	}
	return out
}

func (h ConvertHow) integer(from, to Number, mode Rounding, flags FloatFlags, x uint64) uint64 {
	drop := 64 - from.bits()
	if from.signed() {
		x = uint64(int64(x<<drop) >> drop)
	} else {
		x = x << drop >> drop
	}
	if !to.integer() {
		out := to.format().integerTo(x, from.signed(), mode)
		if flags&Saturate != 0 && to.format().Value(out) > 1 {
			out = to.format().Round(1, NearestEven)
		} else if flags&Saturate != 0 && !(to.format().Value(out) > 0) {
			out = 0
		}
		return out
	}
	if flags&Saturate != 0 {
		negative := from.signed() && int64(x) < 0
		least, most := uint64(0), ^uint64(0)>>(64-to.bits())
		if to.signed() {
			most >>= 1
			least = -most - 1
		}
		switch {
		case negative && !to.signed():
			x = 0
		case negative && int64(x) < int64(least):
			x = least
		case !negative && x > most:
			x = most
		}
	}
	// A register of 32 bits holds the number extended by its sign.
	if to.bits() < 32 {
		drop := 64 - to.bits()
		if to.signed() {
			return uint64(int64(x<<drop) >> drop)
		}
		return x << drop >> drop
	}
	return x
}

// whole rounds to an integer.
func whole(v float64, mode Rounding) float64 {
	switch mode {
	case TowardsZero:
		return math.Trunc(v)
	case Down:
		return math.Floor(v)
	case Up:
		return math.Ceil(v)
	case NearestAway:
		return math.Round(v)
	}
	return math.RoundToEven(v)
}

// toInteger converts to an integer: rounded, and brought into its range. NaN becomes 0, or
// the top bit if a side has 64 bits (PTX ISA, cvt).
func toInteger(v float64, from, to Number, mode Rounding) uint64 {
	width := to.bits()
	if v != v {
		if from != NumberDouble && width < 64 {
			return 0
		}
		return 1 << (width - 1)
	}
	v = whole(v, mode)
	if to.signed() {
		limit := math.Ldexp(1, width-1)
		switch {
		case v >= limit:
			return 1<<(width-1) - 1
		case v < -limit:
			return -uint64(1 << (width - 1))
		}
		return uint64(int64(v))
	}
	switch limit := math.Ldexp(1, width); {
	case v >= limit:
		return ^uint64(0) >> (64 - width)
	case v <= 0:
		return 0
	case v >= 1<<63:
		return uint64(int64(v-1<<63)) + 1<<63
	}
	return uint64(v)
}
