package ir

import (
	"math"

	"github.com/weft-gpu/weft/internal/base/floats"
)

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

func (n Number) format() floats.Format {
	if n == NumberTF32 {
		return floats.Tensor
	}
	return formats[n-NumberHalf]
}

// NewConvert returns how to convert. whole rounds to an integer that stays a float.
func NewConvert(from, to Number, mode floats.Rounding, flags FloatFlags, whole bool) ConvertHow {
	how := ConvertHow(int(from) | int(to)<<4 | int(mode)<<8 | int(flags)<<12)
	if whole {
		how |= 1 << 20
	}
	return how
}

// ConvertOf returns the types of a conversion without flags, with the mode that package gpu has, to nearest: of an OpCalc1 with
// this Imm. ok is false for another operation.
func ConvertOf(imm int64) (from, to Number, ok bool) { return conversion(imm, FuncConvert) }

// PackOf is ConvertOf of two numbers for a word: of an OpCalc2.
func PackOf(imm int64) (from, to Number, ok bool) { return conversion(imm, FuncPack) }

func conversion(imm int64, f Function) (from, to Number, ok bool) {
	h := ConvertHow(imm >> 8)
	from, to = Number(h&15), Number(h>>4&15)
	mode := floats.NearestEven
	if to == NumberTF32 {
		mode = floats.NearestAway
	}
	return from, to, Function(imm&255) == f && h == NewConvert(from, to, mode, 0, false)
}

// convertsTo reports whether an OpCalc1 or OpCalc2 with this Imm converts to one of two types.
func convertsTo(imm int64, a, b Number) bool {
	to := Number(imm >> 12 & 15)
	f := Function(imm & 255)
	return (f == FuncConvert || f == FuncPack) && (to == a || to == b)
}

func (h ConvertHow) eval(x uint64) uint64 {
	from, to, mode, flags := Number(h&15), Number(h>>4&15), floats.Rounding(h>>8&7), FloatFlags(h>>12)
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
		mode = floats.NearestEven
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

func (h ConvertHow) integer(from, to Number, mode floats.Rounding, flags FloatFlags, x uint64) uint64 {
	drop := 64 - from.bits()
	if from.signed() {
		x = uint64(int64(x<<drop) >> drop)
	} else {
		x = x << drop >> drop
	}
	if !to.integer() {
		out := integerTo(to.format(), x, from.signed(), mode)
		if flags&Saturate != 0 && to.format().Value(out) > 1 {
			out = to.format().Round(1, floats.NearestEven)
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
func whole(v float64, mode floats.Rounding) float64 {
	switch mode {
	case floats.TowardsZero:
		return math.Trunc(v)
	case floats.Down:
		return math.Floor(v)
	case floats.Up:
		return math.Ceil(v)
	case floats.NearestAway:
		return math.Round(v)
	}
	return math.RoundToEven(v)
}

// toInteger converts to an integer: rounded, and brought into its range. NaN becomes 0, or
// the top bit if a side has 64 bits (PTX ISA, cvt).
func toInteger(v float64, from, to Number, mode floats.Rounding) uint64 {
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
