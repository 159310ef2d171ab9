package launch

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"go/types"
	"math"
	"math/big"
	"reflect"
	"strconv"
)

// kind is a scalar type of Go in its memory representation.
type kind struct {
	name string // "uint32"
	typ  reflect.Type
}

// kinds are the kinds that parameters of kernels consist of.
var kinds = map[types.BasicKind]kind{}

func init() {
	for basic, typ := range map[types.BasicKind]reflect.Type{
		types.Bool: reflect.TypeFor[bool](),
		types.Int8: reflect.TypeFor[int8](), types.Uint8: reflect.TypeFor[uint8](),
		types.Int16: reflect.TypeFor[int16](), types.Uint16: reflect.TypeFor[uint16](),
		types.Int32: reflect.TypeFor[int32](), types.Uint32: reflect.TypeFor[uint32](),
		types.Int64: reflect.TypeFor[int64](), types.Uint64: reflect.TypeFor[uint64](),
		types.Int: reflect.TypeFor[int64](), types.Uint: reflect.TypeFor[uint64](), types.Uintptr: reflect.TypeFor[uint64](),
		types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
	} {
		kinds[basic] = kind{types.Typ[basic].Name(), typ}
	}
}

func (k kind) size() int    { return int(k.typ.Size()) }
func (k kind) bits() int    { return 8 * k.size() }
func (k kind) isBool() bool { return k.typ.Kind() == reflect.Bool }
func (k kind) isFloat() bool {
	return k.typ.Kind() == reflect.Float32 || k.typ.Kind() == reflect.Float64
}
func (k kind) isInt() bool    { return !k.isBool() && !k.isFloat() }
func (k kind) isSigned() bool { return k.typ.Kind() >= reflect.Int && k.typ.Kind() <= reflect.Int64 }

// limits returns the minimum and the maximum of an integer kind.
func (k kind) limits() (lo, hi *big.Int) {
	width := uint(k.bits())
	if k.isSigned() {
		hi = new(big.Int).Lsh(big.NewInt(1), width-1)
		return new(big.Int).Neg(hi), hi.Sub(hi, big.NewInt(1))
	}
	hi = new(big.Int).Lsh(big.NewInt(1), width)
	return new(big.Int), hi.Sub(hi, big.NewInt(1))
}

// integer returns the representation of n, if n fits.
func (k kind) integer(n *big.Int) (uint64, error) {
	lo, hi := k.limits()
	if n.Cmp(lo) < 0 || n.Cmp(hi) > 0 {
		return 0, fmt.Errorf("%v is out of range of %s (%v to %v)", n, k.name, lo, hi)
	}
	if n.Sign() < 0 {
		return uint64(n.Int64()), nil
	}
	return n.Uint64(), nil
}

// float returns the representation of v, if v fits.
func (k kind) float(v float64) (uint64, error) {
	if k.bits() == 64 {
		return math.Float64bits(v), nil
	}
	f := float32(v)
	if math.IsInf(float64(f), 0) && !math.IsInf(v, 0) {
		return 0, fmt.Errorf("%v is out of range of float32 (at most %v)", v, math.MaxFloat32)
	}
	return uint64(math.Float32bits(f)), nil
}

// literal parses a value without references to other arguments.
func (k kind) literal(text string) (uint64, error) {
	switch {
	case k.isBool():
		switch text {
		case "true", "1":
			return 1, nil
		case "false", "0":
			return 0, nil
		}
		return 0, fmt.Errorf("%q is not true or false", text)
	case k.isFloat():
		v, err := strconv.ParseFloat(text, 64)
		if err != nil && !math.IsInf(v, 0) {
			return 0, fmt.Errorf("%q is not a %s, such as 0.5, -2e3, inf or nan", text, k.name)
		}
		if err != nil {
			return 0, fmt.Errorf("%s is out of range of %s", text, k.name)
		}
		return k.float(v)
	}
	n, ok := parseInt(text)
	if !ok {
		return 0, fmt.Errorf("%q is not a %s, such as 1024 or 0x400", text, k.name)
	}
	return k.integer(n)
}

// maxDigits limits the length of a number; a 64-bit number is never longer.
const maxDigits = 80

// parseInt parses an integer in Go's notation, with an optional sign.
func parseInt(text string) (*big.Int, bool) {
	if len(text) > maxDigits {
		return nil, false
	}
	return new(big.Int).SetString(text, 0)
}

// put stores a representation at the start of b.
func (k kind) put(b []byte, bits uint64) {
	switch k.size() {
	case 1:
		b[0] = byte(bits)
	case 2:
		binary.NativeEndian.PutUint16(b, uint16(bits))
	case 4:
		binary.NativeEndian.PutUint32(b, uint32(bits))
	default:
		binary.NativeEndian.PutUint64(b, bits)
	}
}

// get returns the representation at the start of b.
func (k kind) get(b []byte) uint64 {
	switch k.size() {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(b))
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	}
	return binary.NativeEndian.Uint64(b)
}

// signed returns a representation of an integer kind, sign-extended.
func (k kind) signed(bits uint64) int64 {
	free := 64 - k.bits()
	return int64(bits<<free) >> free
}

// asFloat returns the number for a representation of a float kind.
func (k kind) asFloat(bits uint64) float64 {
	if k.bits() == 32 {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// value returns the Go value for a representation.
func (k kind) value(bits uint64) any {
	v := reflect.New(k.typ).Elem()
	switch {
	case k.isBool():
		v.SetBool(bits&0xff != 0)
	case k.isFloat():
		v.SetFloat(k.asFloat(bits))
	case k.isSigned():
		v.SetInt(k.signed(bits))
	default:
		v.SetUint(bits)
	}
	return v.Interface()
}

// text returns a representation as text for users; literal parses it back.
func (k kind) text(bits uint64) string {
	switch {
	case k.isBool():
		return strconv.FormatBool(bits&0xff != 0)
	case k.isFloat():
		return strconv.FormatFloat(k.asFloat(bits), 'g', -1, k.bits())
	case k.isSigned():
		return strconv.FormatInt(k.signed(bits), 10)
	}
	return strconv.FormatUint(bits, 10)
}

// compare orders two representations; NaN is less than any number.
func (k kind) compare(a, b uint64) int {
	switch {
	case k.isFloat():
		return cmp.Compare(k.asFloat(a), k.asFloat(b))
	case k.isSigned():
		return cmp.Compare(k.signed(a), k.signed(b))
	}
	return cmp.Compare(a, b)
}

// same reports whether two representations are equal values, where NaN equals
// NaN and floats may differ by a tolerance of at least 0.
func (k kind) same(a, b uint64, tolerance float64) bool {
	if a == b || !k.isFloat() {
		return a == b
	}
	x, y := k.asFloat(a), k.asFloat(b)
	switch {
	case math.IsNaN(x) || math.IsNaN(y):
		return math.IsNaN(x) && math.IsNaN(y)
	case math.IsInf(x, 0) || math.IsInf(y, 0) || tolerance == 0:
		return x == y
	}
	return math.Abs(x-y) <= tolerance*max(1, math.Abs(x), math.Abs(y))
}
