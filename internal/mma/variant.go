package mma

import (
	"fmt"
	"strings"
)

// Type is the type of the elements of a matrix.
type Type uint8

// The types.
const (
	F16 Type = iota
	BF16
	TF32
	F64
	S8
	U8
	B1
	E4M3 // 8 bits, with no infinities and one NaN of each sign
	E5M2 // 8 bits, the upper ones of an f16
	F32
	S32
)

// String returns the name of the type in PTX.
func (t Type) String() string {
	return [...]string{"f16", "bf16", "tf32", "f64", "s8", "u8", "b1", "e4m3", "e5m2", "f32", "s32"}[t]
}

// Bits returns how many bits of a register an element takes.
func (t Type) Bits() int { return [...]int{16, 16, 32, 64, 8, 8, 1, 8, 8, 32, 32}[t] }

// RegisterBits returns the width of the registers that hold elements of the type.
func (t Type) RegisterBits() int { return max(32, t.Bits()) }

// packed returns how many elements a register holds.
func (t Type) packed() int { return t.RegisterBits() / t.Bits() }

// Variant is an instruction mma.sync with a shape and types.
type Variant struct {
	M, N, K  int
	A, B     Type
	C        Type   // of the accumulators and of the result
	Combine  string // how bits are combined: "and" or "xor"; "" for numbers
	Saturate bool   // .satfinite: a sum outside of S32 becomes the nearest number of it
	// Func is the function of package gpu; "" if only PTX has the instruction.
	Func string
}

// Variants are the instructions of compute capability 8.0, 8.9 and 9.0. Those of m8n8k4 on 16-bit floats, of 4-bit integers and of
// sparse matrices are not there, and m16n8k16 on f64 is two of m16n8k8, which add in the same order.
var Variants = variants()

func variants() []Variant {
	list := []Variant{
		{M: 16, N: 8, K: 8, A: F16, B: F16, C: F32, Func: "MMA16x8x8F16"},
		{M: 16, N: 8, K: 16, A: F16, B: F16, C: F32, Func: "MMA16x8x16F16"},
		{M: 16, N: 8, K: 8, A: F16, B: F16, C: F16, Func: "MMA16x8x8F16F16"},
		{M: 16, N: 8, K: 16, A: F16, B: F16, C: F16, Func: "MMA16x8x16F16F16"},
		{M: 16, N: 8, K: 8, A: BF16, B: BF16, C: F32, Func: "MMA16x8x8BF16"},
		{M: 16, N: 8, K: 16, A: BF16, B: BF16, C: F32, Func: "MMA16x8x16BF16"},
		{M: 16, N: 8, K: 4, A: TF32, B: TF32, C: F32, Func: "MMA16x8x4TF32"},
		{M: 16, N: 8, K: 8, A: TF32, B: TF32, C: F32, Func: "MMA16x8x8TF32"},
		{M: 8, N: 8, K: 4, A: F64, B: F64, C: F64, Func: "MMA8x8x4F64"},
	}
	for _, combine := range []string{"and", "xor"} {
		name := map[string]string{"and": "And", "xor": "Xor"}[combine]
		list = append(list,
			Variant{M: 8, N: 8, K: 128, A: B1, B: B1, C: S32, Combine: combine, Func: "MMA8x8x128" + name},
			Variant{M: 16, N: 8, K: 128, A: B1, B: B1, C: S32, Combine: combine, Func: "MMA16x8x128" + name},
			Variant{M: 16, N: 8, K: 256, A: B1, B: B1, C: S32, Combine: combine, Func: "MMA16x8x256" + name})
	}
	for _, k := range []int{16, 32} {
		for _, a := range []Type{S8, U8} {
			for _, b := range []Type{S8, U8} {
				wraps := Variant{M: 16, N: 8, K: k, A: a, B: b, C: S32}
				if a == b {
					wraps.Func = fmt.Sprintf("MMA16x8x%d%s", k, strings.ToUpper(a.String()))
				}
				saturates := wraps
				saturates.Saturate, saturates.Func = true, ""
				list = append(list, wraps, saturates)
			}
		}
	}
	for _, k := range []int{4, 8} {
		list = append(list, Variant{M: 16, N: 8, K: k, A: F64, B: F64, C: F64, Func: fmt.Sprintf("MMA16x8x%dF64", k)})
	}
	for _, k := range []int{16, 32} {
		for _, c := range []Type{F32, F16} {
			for _, a := range []Type{E4M3, E5M2} {
				for _, b := range []Type{E4M3, E5M2} {
					v := Variant{M: 16, N: 8, K: k, A: a, B: b, C: c}
					if a == b {
						v.Func = fmt.Sprintf("MMA16x8x%d%s%s", k, strings.ToUpper(a.String()), map[Type]string{F16: "F16"}[c])
					}
					list = append(list, v)
				}
			}
		}
	}
	return list
}

// Capability returns the compute capability that the instruction needs, times 10 (PTX ISA, "mma", Target ISA Notes).
func (v *Variant) Capability() int {
	switch {
	case v.A == E4M3, v.A == E5M2:
		return 89
	case v.A == F64 && v.M == 16:
		return 90
	}
	return 80
}

// Version returns the version of PTX that has the instruction (PTX ISA, "mma", PTX ISA Notes); "" if all that are printed have it.
func (v *Variant) Version() string {
	switch {
	case v.Capability() != 89:
		return ""
	case v.C == F32 && v.K == 32:
		return "8.4"
	}
	return "8.7"
}

// String returns the modifiers of the instruction in PTX, behind mma.sync.aligned: "m16n8k16.row.col.f32.f16.f16.f32".
func (v *Variant) String() string {
	s := fmt.Sprintf("m%dn%dk%d.row.col", v.M, v.N, v.K)
	if v.Saturate {
		s += ".satfinite"
	}
	s += fmt.Sprintf(".%v.%v.%v.%v", v.C, v.A, v.B, v.C)
	if v.Combine != "" {
		s += "." + v.Combine + ".popc"
	}
	return s
}

// ByName returns the number in Variants of the instruction with these modifiers.
func ByName(modifiers string) (id int, ok bool) {
	for i := range Variants {
		if Variants[i].String() == modifiers {
			return i, true
		}
	}
	return 0, false
}

// Products returns how many products a warp computes.
func (v *Variant) Products() int { return v.M * v.N * v.K }

// Registers returns how many registers of a lane hold A, B, and C or the result.
func (v *Variant) Registers() (a, b, c int) {
	const lanes = 32
	count := func(elements int, t Type) int { return elements * t.Bits() / lanes / t.RegisterBits() }
	return count(v.M*v.K, v.A), count(v.K*v.N, v.B), count(v.M*v.N, v.C)
}

// MaxRegisters is the largest sum of what Registers returns.
const MaxRegisters = 10
