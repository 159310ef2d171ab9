package floats

import "math"

// Rounding is a rounding mode.
type Rounding uint8

// The modes: to nearest, ties to even; towards zero; down; up; to nearest, ties away from zero.
const (
	NearestEven Rounding = iota
	TowardsZero
	Down
	Up
	NearestAway
)

// Format is a binary floating-point format.
type Format struct {
	Exponent, Mantissa int // bits
	NaN                uint64
}

// The formats, with the NaN that instructions return.
var (
	Half   = Format{5, 10, 0x7FFF}
	BFloat = Format{8, 7, 0x7FFF}
	Single = Format{8, 23, 0x7FFFFFFF}
	Double = Format{11, 52, 0x7FFFFFFFFFFFFFFF}
	Tensor = Format{8, 10, 0x7FFFFFFF >> 13} // TF32, in the upper 19 bits of a word
)

// Width returns the bits of a number.
func (f Format) Width() int { return 1 + f.Exponent + f.Mantissa }

// Value returns the number that bits of a format are.
func (f Format) Value(x uint64) float64 {
	switch f {
	case Double:
		return math.Float64frombits(x)
	case Single:
		return float64(math.Float32frombits(uint32(x)))
	}
	exponent := int(x>>f.Mantissa) & (1<<f.Exponent - 1)
	mantissa := x & (1<<f.Mantissa - 1)
	v := 0.0
	switch bias := 1<<(f.Exponent-1) - 1; {
	case exponent == 1<<f.Exponent-1 && mantissa != 0:
		return math.NaN()
	case exponent == 1<<f.Exponent-1:
		v = math.Inf(1)
	case exponent == 0:
		v = math.Ldexp(float64(mantissa), 1-bias-f.Mantissa)
	default:
		v = math.Ldexp(float64(mantissa|1<<f.Mantissa), exponent-bias-f.Mantissa)
	}
	if x>>(f.Width()-1)&1 != 0 {
		v = -v
	}
	return v
}

// Round returns the bits of v in a format.
func (f Format) Round(v float64, mode Rounding) uint64 {
	if f == Double {
		if v != v {
			return f.NaN
		}
		return math.Float64bits(v)
	}
	sign := uint64(0)
	if math.Signbit(v) {
		sign = 1 << (f.Width() - 1)
	}
	infinity := uint64(1<<f.Exponent-1) << f.Mantissa
	switch {
	case v != v:
		return f.NaN
	case math.IsInf(v, 0):
		return sign | infinity
	case v == 0:
		return sign
	}
	abs := math.Abs(v)
	least := 2 - 1<<(f.Exponent-1) // the exponent of the smallest normal number
	exponent := max(math.Ilogb(abs), least)
	scaled := math.Ldexp(abs, f.Mantissa-exponent)
	whole := math.Floor(scaled)
	n, rest := uint64(whole), scaled-whole
	up := false
	switch mode {
	case NearestEven:
		up = rest > 0.5 || rest == 0.5 && n&1 != 0
	case NearestAway:
		up = rest >= 0.5
	case Down:
		up = rest > 0 && sign != 0
	case Up:
		up = rest > 0 && sign == 0
	}
	if up {
		n++
	}
	// The leading bit of a normal number adds one to the exponent, and so does a carry.
	out := uint64(exponent-least)<<f.Mantissa + n
	if out >= infinity {
		out = infinity
		if mode == TowardsZero || mode == Down && sign == 0 || mode == Up && sign != 0 {
			out-- // the largest number
		}
	}
	return sign | out
}
