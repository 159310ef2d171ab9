package ir

import "github.com/weft-gpu/weft/internal/mma"

// A thread has words for sums to which its warpgroup adds products (PTX ISA, "wgmma.mma_async"): each variable for sums of the kernel
// is a range of them. They are registers, but which ones an instruction takes is a range and not a list of operands.

// SumsImm says which variable an instruction is about, and what it adds to it.
type SumsImm struct {
	First   int // word of the thread
	Words   int // of the variable
	Product int // an index into mma.GroupProducts
	Form    mma.Form
}

// Imm returns the field of an instruction that holds s.
func (s SumsImm) Imm() int64 { return int64(s.First | s.Words<<16 | s.Product<<32 | int(s.Form)<<48) }

// SumsOf returns what the field of an instruction holds.
func SumsOf(imm int64) SumsImm {
	return SumsImm{First: int(imm & 0xFFFF), Words: int(imm >> 16 & 0xFFFF), Product: int(imm >> 32 & 0xFFFF), Form: mma.Form(imm >> 48)}
}

// valid reports whether o may have s: as many words as a warpgroup's product has in each thread.
func (s SumsImm) valid(o Op) bool {
	if s.Words <= 0 || s.First < 0 || s.First+s.Words > MaxSums || s.Product < 0 {
		return false
	}
	if !o.IsGroupMMA() {
		return s.Product == 0 && s.Form == 0
	}
	if s.Product >= len(mma.GroupProducts) || s.Form&^mma.Forms != 0 || o == OpGroupMMAFrom && s.Form&mma.TransposedA != 0 {
		return false
	}
	g := &mma.GroupProducts[s.Product]
	return g.Takes(s.Words) && g.Misuse(s.Form) == ""
}

// MaxSums limits the words of a thread's sums: a GPU has 255 registers for a thread, of which the kernel needs others.
const MaxSums = 224

// MaxSumsPending is how many groups of products a wait may leave behind (PTX ISA, "wgmma.wait_group").
const MaxSumsPending = 7

// OfSums reports whether o is about sums of a warpgroup: it adds to them, waits for that, or reads or writes a word.
func (o Op) OfSums() bool { return o >= OpGroupMMA && o <= OpSumsSet }

// IsGroupMMA reports whether o begins a product of a warpgroup.
func (o Op) IsGroupMMA() bool { return o == OpGroupMMA || o == OpGroupMMAFrom }

// GroupProduct returns the product that an instruction begins.
func (in *Inst) GroupProduct() *mma.GroupProduct { return &mma.GroupProducts[SumsOf(in.Imm).Product] }

// GroupMatrices returns the numbers of the operands that are the addresses of A and B, behind each of which its layout follows; 0 for
// A in registers.
func (o Op) GroupMatrices() (a, b int) {
	if o == OpGroupMMAFrom {
		return 0, 5
	}
	return 1, 3
}

// SumWords returns how many words for sums the threads of code have.
func SumWords(code []Inst) (n int) {
	for i := range code {
		if in := &code[i]; Ops[in.Op].Imm == ImmSums {
			s := SumsOf(in.Imm)
			n = max(n, s.First+s.Words)
		}
	}
	return n
}
