package generate

import (
	"fmt"
	"math"
	"strconv"
)

// kind is a scalar type.
type kind int

const (
	boolK kind = iota
	u8
	s8
	u16
	s16
	u32
	s32
	u64
	s64
	intK
	uintK
	f32
	f64
)

var kindNames = [...]string{"bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "int", "uint", "float32", "float64"}

func (k kind) String() string { return kindNames[k] }

var kindBits = [...]int{1, 8, 8, 16, 16, 32, 32, 64, 64, 64, 64, 32, 64}

func (k kind) bits() int    { return kindBits[k] }
func (k kind) float() bool  { return k >= f32 }
func (k kind) int() bool    { return k >= u8 && k <= uintK }
func (k kind) signed() bool { return k == s8 || k == s16 || k == s32 || k == s64 || k == intK }

// frequent lists the kinds with their frequencies.
var frequent = []kind{
	boolK, u8, s8, u16, s16, u32, u32, u32, u32, s32, s32, s32, u64, u64, s64, s64, intK, uintK, f32, f32, f64,
}

func (g *gen) kind() kind { return frequent[g.n(len(frequent))] }

func (g *gen) intKind() kind {
	for {
		if k := g.kind(); k.int() {
			return k
		}
	}
}

func (g *gen) unsigned() kind { return []kind{u8, u16, u32, u32, u32, u64, uintK}[g.n(7)] }

// typ is a scalar, an array or a struct.
type typ struct {
	name   string
	kind   kind
	elem   *typ // element type of an array
	n      int
	fields []field // fields of a struct
}

type field struct {
	name string
	typ  *typ
}

func (t *typ) scalar() bool { return t.elem == nil && t.fields == nil }

var scalars = func() (s [f64 + 1]*typ) {
	for k := boolK; k <= f64; k++ {
		s[k] = &typ{name: k.String(), kind: k}
	}
	return s
}()

func arrayOf(n int, elem *typ) *typ {
	return &typ{name: fmt.Sprintf("[%d]%s", n, elem.name), elem: elem, n: n}
}

// The structs of package corpus.
var (
	pair = &typ{name: "Pair", fields: []field{{"A", scalars[u32]}, {"B", scalars[s64]}, {"C", scalars[boolK]}, {"D", scalars[f32]}}}
	box  = &typ{name: "Box", fields: []field{{"P", arrayOf(3, pair)}, {"N", scalars[u16]}}}
)

var array4 = arrayOf(4, scalars[u32])

var aggregates = []*typ{
	pair, pair, box, array4, arrayOf(8, scalars[u32]), arrayOf(8, scalars[u8]), arrayOf(4, scalars[s64]), arrayOf(4, scalars[f32]),
	arrayOf(8, scalars[boolK]), arrayOf(4, pair), arrayOf(2, arrayOf(4, scalars[s16])), arrayOf(5, scalars[s32]), arrayOf(2, scalars[f64]),
}

// literal returns a constant that fits kind k, often a special one.
func (g *gen) literal(k kind) string {
	switch {
	case k == boolK:
		return strconv.FormatBool(g.n(2) == 0)
	case k.float():
		return []string{"0.5", "1", "1.5", "3", "1e-3", "0.1", "100", "16777216", "1e30", "7"}[g.n(10)]
	}
	bits := k.bits()
	if k.signed() {
		bits--
	}
	top := uint64(math.MaxUint64) >> (64 - bits)
	v := g.r.Uint64()
	switch g.n(6) {
	case 0, 1, 2:
		v %= 10
	case 3:
		v %= 200
	case 4:
		v = top - v%3
	}
	v &= top
	if v == 0 {
		v = 1 // Go rejects a constant zero divisor
	}
	if k.signed() && g.n(3) == 0 {
		return "-" + strconv.FormatUint(v, 10)
	}
	return strconv.FormatUint(v, 10)
}
