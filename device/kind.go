package device

import "reflect"

// Kind is the type of a buffer's elements or of a scalar argument. The zero Kind is
// invalid; elements that are structs have it.
type Kind uint8

// The kinds. A bool in a buffer occupies one byte.
const (
	Bool Kind = iota + 1
	U8        // uint8
	S8        // int8
	U16       // uint16
	S16       // int16
	U32       // uint32
	S32       // int32
	U64       // uint64, uint
	S64       // int64, int
	F32       // float32
	F64       // float64
	kinds
)

var (
	kindNames = [kinds]string{"?", "bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"}
	kindBytes = [kinds]uint8{0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8}
	goKinds   = map[reflect.Kind]Kind{
		reflect.Bool: Bool, reflect.Uint8: U8, reflect.Int8: S8, reflect.Uint16: U16, reflect.Int16: S16,
		reflect.Uint32: U32, reflect.Int32: S32, reflect.Uint64: U64, reflect.Uint: U64, reflect.Uintptr: U64,
		reflect.Int64: S64, reflect.Int: S64, reflect.Float32: F32, reflect.Float64: F64,
	}
)

// Valid reports whether k is one of the kinds.
func (k Kind) Valid() bool { return k > 0 && k < kinds }

// String returns the Go type that k stands for, such as "uint32"; "?" if k is
// not valid.
func (k Kind) String() string {
	if !k.Valid() {
		return "?"
	}
	return kindNames[k]
}

// Bytes returns the size of an element in memory; 0 if k is not valid.
func (k Kind) Bytes() int {
	if !k.Valid() {
		return 0
	}
	return int(kindBytes[k])
}

// Element is a Go type whose values are elements of a buffer or scalar arguments.
type Element interface {
	~bool | ~uint8 | ~int8 | ~uint16 | ~int16 | ~uint32 | ~int32 | ~uint64 | ~int64 | ~uint | ~int | ~uintptr | ~float32 | ~float64
}

// KindOf returns the kind of T: U32 for uint32 and for types made of it.
func KindOf[T Element]() Kind {
	k, _ := KindOfType(reflect.TypeFor[T]())
	return k
}

// KindOfType returns the kind of a Go type. It reports false for types other
// than those of Element.
func KindOfType(t reflect.Type) (k Kind, ok bool) {
	k, ok = goKinds[t.Kind()]
	return k, ok
}

// hostTypes are the Go types of the kinds.
var hostTypes = [kinds]reflect.Type{nil, reflect.TypeFor[bool](), reflect.TypeFor[uint8](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](),
	reflect.TypeFor[int16](), reflect.TypeFor[uint32](), reflect.TypeFor[int32](), reflect.TypeFor[uint64](), reflect.TypeFor[int64](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64]()}

// hostSlice returns a slice that takes the contents of a buffer of a valid kind.
func hostSlice(b Buffer) any {
	return reflect.MakeSlice(reflect.SliceOf(hostTypes[b.Elem]), b.Len, b.Len).Interface()
}
