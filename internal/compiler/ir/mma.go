package ir

import "github.com/weft-gpu/weft/internal/mma"

// MMA is an instruction that multiplies matrices: an index into mma.Variants. It says of which registers the operands of OpMMA
// are, which follow its mask.
type MMA int64

// NumMMAs is the number of such instructions.
var NumMMAs = len(mma.Variants)

// Variant returns its shape and types.
func (m MMA) Variant() *mma.Variant { return &mma.Variants[m] }

// String returns its name in the text form, which is that of PTX without mma.sync.aligned.
func (m MMA) String() string { return m.Variant().String() }

// registerKind returns the kind of registers that hold elements of a type.
func registerKind(t mma.Type) Kind {
	switch t {
	case mma.F32:
		return F32
	case mma.F64:
		return F64
	case mma.S32:
		return S32
	}
	return U32
}

// Kinds returns the kinds of the registers of the result and of C, and of those of A and B.
func (m MMA) Kinds() (k, argK Kind) {
	return registerKind(m.Variant().C), registerKind(m.Variant().A)
}

// ArgKind returns the kind of operand i, of which the first is the mask.
func (m MMA) ArgKind(i int) Kind {
	a, b, _ := m.Variant().Registers()
	k, argK := m.Kinds()
	switch {
	case i == 0:
		return U32
	case i <= a+b:
		return argK
	}
	return k
}

// valid reports whether there is such an instruction, with results and operands of these kinds.
func (m MMA) valid(k, argK Kind, operands int) bool {
	if m < 0 || int(m) >= NumMMAs {
		return false
	}
	a, b, c := m.Variant().Registers()
	wantK, wantArgK := m.Kinds()
	return k == wantK && argK == wantArgK && operands == 1+a+b+c
}

// Aligned reports whether all lanes of a warp have to execute o together: PTX leaves undefined what happens in a warp that has
// diverged or of which lanes have exited (PTX ISA, "mma", "wmma", "wgmma", ".aligned").
func (o Op) Aligned() bool {
	return o == OpMMA || o == OpMovMatrix || o == OpFragment || o.OnMatrix() || o.SetsRegisters() || o.OfSums() && Ops[o].Action == ActWarp
}

// IsLoadMatrix reports whether o loads matrices of 8 by 8 elements of 16 bits (PTX ISA, "ldmatrix").
func (o Op) IsLoadMatrix() bool { return o >= OpLoadMatrix1 && o <= OpLoadTransposed4 }

// IsStoreMatrix reports whether o stores such matrices (PTX ISA, "stmatrix").
func (o Op) IsStoreMatrix() bool { return o >= OpStoreMatrix1 && o <= OpStoreTransposed4 }

// OnMatrix reports whether o loads or stores such matrices.
func (o Op) OnMatrix() bool { return o.IsLoadMatrix() || o.IsStoreMatrix() }

// Stores reports whether o only writes memory.
func (o Op) Stores() bool { return o == OpStore || o.IsStoreMatrix() }

// Matrices returns how many matrices o loads or stores, and whether it transposes them.
func (o Op) Matrices() (n int, transposes bool) {
	first := OpLoadMatrix1
	if o.IsStoreMatrix() {
		first = OpStoreMatrix1
	}
	return 1 << ((o - first) % 3), o >= first+3
}

// Rows returns the lanes that hold the address of a row.
func (o Op) Rows() uint32 {
	n, _ := o.Matrices()
	return uint32(1<<(8*n) - 1)
}

// MatrixMem is the access of a lane that holds the address of a row.
var MatrixMem = Mem{Kind: U32, Vec: 4, Space: Shared}

// Results returns how many registers the result takes: more than one for a vector, whose elements OpElem returns.
func (v *Value) Results() int {
	switch {
	case v.Op.IsLoadMatrix():
		n, _ := v.Op.Matrices()
		return n
	case v.Op == OpLoad:
		return int(v.Mem.Vec)
	case v.Op == OpMMA:
		_, _, c := MMA(v.Imm).Variant().Registers()
		return c
	case v.K == Void:
		return 0
	}
	return 1
}
