package ir

import (
	"math"

	"github.com/weft-gpu/weft/internal/base/floats"
)

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
	FuncPack // x in the lower half of a word and y in the upper one, both converted; how: see ConvertHow
	NumFunctions
)

var functionNames = [NumFunctions]string{
	"lop3", "prmt", "shf", "bfe", "field", "bmsk", "szext", "fns", "dp4a", "dp2a", "float", "convert", "copysign", "testp", "halves", "flush", "tanh", "exp2", "pack",
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
	case FuncPack:
		return ConvertHow(how).eval(x) | ConvertHow(how).eval(y)<<16, nil
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
		return h.format().Round(v, floats.NearestEven), nil
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
