package mma

import (
	"math"
	"math/bits"

	"github.com/weft-gpu/weft/internal/base/floats"
)

// Row is a register of all lanes of a warp. Those of 32 bits are zero-extended.
type Row = [32]uint64

// Multiply computes the result of a warp from the registers that hold A, B and C, as many as Registers says. Rows of d may be
// rows of the others.
func (v *Variant) Multiply(d, a, b, c []*Row) {
	var out [4]Row
	switch {
	case v.A == B1:
		v.bits(&out, a, b, c)
	case v.C == S32:
		v.integers(&out, a, b, c)
	default:
		v.floats(&out, a, b, c)
	}
	for r := range d {
		*d[r] = out[r]
	}
}

// Matrices of the largest shapes. B is there by columns.
type (
	numbers  struct{ a, b [16][32]float64 }
	integers struct{ a, b [16][32]int32 }
	words    struct{ a, b [16][8]uint32 }
)

func (v *Variant) floats(out *[4]Row, a, b, c []*Row) {
	var m numbers
	for r, row := range a {
		for lane, x := range row {
			for i := range v.A.packed() {
				at, k := v.ElementA(lane, r, i)
				m.a[at&15][k&31] = v.A.value(x >> (i * v.A.Bits()))
			}
		}
	}
	for r, row := range b {
		for lane, x := range row {
			for i := range v.B.packed() {
				k, at := v.ElementB(lane, r, i)
				m.b[at&15][k&31] = v.B.value(x >> (i * v.B.Bits()))
			}
		}
	}
	for r := range c {
		for lane, x := range c[r] {
			var word uint64
			for i := range v.C.packed() {
				row, column := v.ElementC(lane, r, i)
				sum := v.dot(v.C.value(x>>(i*16)), m.a[row&15][:v.K], m.b[column&15][:v.K])
				word |= v.C.bitsOf(sum) << (i * 16)
			}
			out[r][lane] = word
		}
	}
}

// value returns the number that the lower bits of a register are.
func (t Type) value(x uint64) float64 {
	switch t {
	case F16:
		return floats.Half.Value(x & 0xFFFF)
	case BF16:
		return float64(math.Float32frombits(uint32(x) << 16))
	case TF32: // the lower 13 bits are not used
		return float64(math.Float32frombits(uint32(x) &^ 0x1FFF))
	case F32:
		return float64(math.Float32frombits(uint32(x)))
	case E5M2:
		return floats.Half.Value(x & 0xFF << 8)
	case E4M3: // as an f16, but that the exponent is 8 less and the largest one is of numbers
		if x&0x7F == 0x7F {
			return math.NaN()
		}
		return floats.Half.Value(x&0x80<<8|x&0x7F<<7) * (1 << 8)
	}
	return math.Float64frombits(x)
}

// bitsOf returns a result as it stands in a register.
func (t Type) bitsOf(v float64) uint64 {
	switch t {
	case F16:
		return floats.Half.Round(v, floats.NearestEven)
	case F32: // which it fits
		if v != v {
			return floats.Single.NaN
		}
		return uint64(math.Float32bits(float32(v)))
	}
	return floats.Double.Round(v, floats.NearestEven)
}

// dot adds the inner product of x and y to an accumulator. Numbers of 64 bits are multiplied and added one after the other, each
// time rounded once; of others, groups of products are added at once.
func (v *Variant) dot(sum float64, x, y []float64) float64 {
	group := 8
	switch v.A {
	case F64:
		for k := range x {
			sum = math.FMA(x[k], y[k], sum)
		}
		return sum
	case TF32:
		group = 4
	}
	for k := 0; k < len(x); k += group {
		sum = addProducts(sum, x[k:k+group], y[k:k+group])
	}
	return sum
}

// kept is how many bits below the last one of a float32 a term keeps, if it is as large as the largest.
const kept = 1

// addProducts adds up to 8 exact products and an accumulator at once, as the tensor cores of an A100 do (Fasi, Higham, Mikaitis and
// Pranesh, "Numerical behavior of NVIDIA tensor cores", 2021): all terms are aligned to the largest, what is below its last bits is
// cut off, and the sum is rounded towards zero to a float32.
func addProducts(sum float64, x, y []float64) float64 {
	var terms [9]float64
	terms[0] = sum
	largest := math.Float64bits(sum) &^ (1 << 63)
	plain := sum
	for i := range x {
		t := x[i] * y[i] // exact
		terms[i+1] = t
		plain += t
		largest = max(largest, math.Float64bits(t)&^(1<<63))
	}
	if largest >= 0x7FF<<52 || largest == 0 { // an infinity, NaN, or nothing but zeros
		return plain
	}
	// The numbers are far from the smallest and the largest of 64 bits.
	unit := int(largest>>52) - 23 - kept
	up := math.Float64frombits(uint64(2*1023-unit) << 52)
	var n int64
	for _, t := range terms[:len(x)+1] {
		n += int64(t * up)
	}
	return single(float64(n) * math.Float64frombits(uint64(unit)<<52))
}

// single rounds towards zero to a float32. A sum beyond the largest is infinite.
func single(v float64) float64 {
	if math.Abs(v) >= 1<<128 {
		return math.Inf(int(math.Copysign(1, v)))
	}
	f := float32(v)
	if math.Abs(float64(f)) > math.Abs(v) {
		f = math.Nextafter32(f, 0)
	}
	return float64(f)
}

func (v *Variant) integers(out *[4]Row, a, b, c []*Row) {
	var m integers
	for r, row := range a {
		for lane, x := range row {
			for i := range v.A.packed() {
				at, k := v.ElementA(lane, r, i)
				m.a[at&15][k&31] = v.A.integer(x >> (i * 8))
			}
		}
	}
	for r, row := range b {
		for lane, x := range row {
			for i := range v.B.packed() {
				k, at := v.ElementB(lane, r, i)
				m.b[at&15][k&31] = v.B.integer(x >> (i * 8))
			}
		}
	}
	for r := range c {
		for lane, x := range c[r] {
			row, column := v.ElementC(lane, r, 0)
			sum := int64(int32(x))
			for k := range v.K {
				sum += int64(m.a[row&15][k&31] * m.b[column&15][k&31])
			}
			if v.Saturate {
				sum = max(math.MinInt32, min(sum, math.MaxInt32))
			}
			out[r][lane] = uint64(uint32(sum))
		}
	}
}

// integer returns the integer in the lowest 8 bits.
func (t Type) integer(x uint64) int32 {
	if t == S8 {
		return int32(int8(x))
	}
	return int32(uint8(x))
}

func (v *Variant) bits(out *[4]Row, a, b, c []*Row) {
	var m words
	for r, row := range a {
		for lane, x := range row {
			at, k := v.ElementA(lane, r, 0)
			m.a[at&15][k/32&7] = uint32(x)
		}
	}
	for r, row := range b {
		for lane, x := range row {
			k, at := v.ElementB(lane, r, 0)
			m.b[at&15][k/32&7] = uint32(x)
		}
	}
	for r := range c {
		for lane, x := range c[r] {
			row, column := v.ElementC(lane, r, 0)
			sum := uint32(x)
			for k := range v.K / 32 {
				word := m.a[row&15][k&7] & m.b[column&15][k&7]
				if v.Combine == "xor" {
					word = m.a[row&15][k&7] ^ m.b[column&15][k&7]
				}
				sum += uint32(bits.OnesCount32(word))
			}
			out[r][lane] = uint64(sum)
		}
	}
}
