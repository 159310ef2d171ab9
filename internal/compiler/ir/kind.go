package ir

// Kind is the type of a register or of an element in memory.
//
// Registers hold only Pred and the 32- and 64-bit kinds. The front end keeps 8-
// and 16-bit Go integers in a U32 or S32 register, sign- or zero-extended, and
// narrows with OpExt. The 8- and 16-bit kinds describe memory accesses.
type Kind uint8

// The kinds, with the same numbers as those of package device: Void is the zero
// device.Kind, and Pred is device.Bool. Executors keep a lane of a 32-bit register
// zero-extended to 64 bits, also for S32.
const (
	Void Kind = iota
	Pred
	U8
	S8
	U16
	S16
	U32
	S32
	U64
	S64
	F32
	F64
	NumKinds
)

var kindNames = [NumKinds]string{"void", "pred", "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64"}

var kindBits = [NumKinds]uint8{0, 1, 8, 8, 16, 16, 32, 32, 64, 64, 32, 64}

// String returns the name of the kind in the text form: "u32", "pred", ...
func (k Kind) String() string { return kindNames[k] }

// Bits returns the width in bits; 1 for Pred.
func (k Kind) Bits() int { return int(kindBits[k]) }

// Bytes returns the size of an element in memory; a Pred takes one byte there.
func (k Kind) Bytes() int { return (int(kindBits[k]) + 7) / 8 }

// Signed reports whether k is a signed integer kind.
func (k Kind) Signed() bool { return k == S8 || k == S16 || k == S32 || k == S64 }

// Float reports whether k is a floating-point kind.
func (k Kind) Float() bool { return k == F32 || k == F64 }

// Int reports whether k is an integer kind of any width.
func (k Kind) Int() bool { return k >= U8 && k <= S64 }

// Register returns the kind of register that holds an element of kind k.
func (k Kind) Register() Kind {
	switch k {
	case U8, U16:
		return U32
	case S8, S16:
		return S32
	}
	return k
}

// KindByName returns the kind whose String is name; ok is false for an unknown
// name.
func KindByName(name string) (k Kind, ok bool) {
	for i, n := range kindNames {
		if n == name {
			return Kind(i), true
		}
	}
	return Void, false
}
