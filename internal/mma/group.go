package mma

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/tensormap"
)

// GroupProduct is an instruction wgmma.mma_async (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"): the four warps of a
// warpgroup multiply 64 rows of A by up to 256 columns of B, of each of which a step takes 32 bytes. Each warp computes 16 rows, and each
// 8 columns of them as Step does.
type GroupProduct struct {
	Step *Variant
	Func string // of package gpu
}

// GroupProducts are those of compute capability 9.0 for numbers of 16 and 8 bits, tf32, and bits, with sums of 32 bits. Those of 8-bit
// floats, of sums in f16 and of sparse matrices are not there.
var GroupProducts = func() (list []GroupProduct) {
	for _, f := range []struct{ step, name string }{
		{"MMA16x8x16F16", "F16"}, {"MMA16x8x16BF16", "BF16"}, {"MMA16x8x8TF32", "TF32"}, {"MMA16x8x32S8", "S8"}, {"MMA16x8x32U8", "U8"}, {"MMA16x8x256And", "And"},
	} {
		for i := range Variants {
			if Variants[i].Func == f.step {
				list = append(list, GroupProduct{Step: &Variants[i], Func: "GroupMMA" + f.name})
			}
		}
	}
	return list
}()

// GroupWarps is the number of warps of a warpgroup, and GroupRows that of the rows that it computes.
const GroupWarps, GroupRows = 4, 64

// Takes reports whether a thread may have so many sums: half as many as B has columns, a multiple of 8 columns up to 256, and of 16 from
// 32 on if the numbers are integers.
func (g *GroupProduct) Takes(sums int) bool {
	return sums > 0 && sums <= 128 && (sums%4 == 0 && g.Step.C == F32 || sums%8 == 0 || g.Step.C == S32 && (sums == 4 || sums == 12))
}

// Name returns the modifiers of the instruction in PTX, behind wgmma.mma_async.sync.aligned: "m64n32k16.f32.f16.f16".
func (g *GroupProduct) Name(sums int) string {
	s := fmt.Sprintf("m64n%dk%d.%v.%v.%v", 2*sums, g.Step.K, g.Step.C, g.Step.A, g.Step.B)
	if g.Step.Combine != "" {
		s += "." + g.Step.Combine + ".popc"
	}
	return strings.ToLower(s)
}

// Layout is where a matrix lies whose rows, or columns for B, have 32 bytes each in shared memory: in matrices of 8 rows of 16 bytes
// (PTX ISA, "Strides" and "Matrix Descriptor Format" of wgmma, K-major).
type Layout struct {
	Leading uint64 // bytes from the first to the second half of a row, if there is no swizzle
	Stride  uint64 // bytes from 8 rows to the next 8
	Swizzle uint64 // 0, 32, 64 or 128: also how far rows are apart; without one that is 16
}

// swizzles are the swizzles by their numbers in a descriptor.
var swizzles = [...]uint64{0, 128, 64, 32}

// Bits returns a matrix descriptor without the address.
func (l Layout) Bits() uint64 {
	return l.Leading>>4<<16 | l.Stride>>4<<32 | uint64(slices.Index(swizzles[:], l.Swizzle))<<62
}

// LayoutOf returns the layout of a matrix descriptor.
func LayoutOf(bits uint64) Layout {
	return Layout{Leading: bits >> 16 & 0x3FFF << 4, Stride: bits >> 32 & 0x3FFF << 4, Swizzle: swizzles[bits>>62]}
}

// Misuse returns why a GPU has no such layout; "" if it has.
func (l Layout) Misuse() string {
	switch {
	case !slices.Contains(swizzles[:], l.Swizzle):
		return fmt.Sprintf("Swizzle is %d; want 0, 32, 64 or 128", l.Swizzle)
	case l.Leading%16 != 0 || l.Leading >= 1<<18:
		return fmt.Sprintf("Leading is %d; want a multiple of 16 below %d", l.Leading, 1<<18)
	case l.Stride%16 != 0 || l.Stride >= 1<<18:
		return fmt.Sprintf("Stride is %d; want a multiple of 16 below %d", l.Stride, 1<<18)
	}
	return ""
}

// Place returns where a half of a row lies, 16 bytes, for a matrix at an address of shared memory.
func (l Layout) Place(at uint64, row, half int) uint64 {
	if l.Swizzle == 0 {
		return at + uint64(row/8)*l.Stride + uint64(row%8)*16 + uint64(half)*l.Leading
	}
	return tensormap.Swizzled(at+uint64(row/8)*l.Stride+uint64(row%8)*l.Swizzle+uint64(half)*16, l.Swizzle)
}

// Pieces calls yield with where each half of rows first to first+rows-1 lies.
func (l Layout) Pieces(at uint64, first, rows int, yield func(at uint64) bool) {
	for row := first; row < first+rows; row++ {
		for half := range 2 {
			if !yield(l.Place(at, row, half)) {
				return
			}
		}
	}
}

// Rows returns the registers of A of a warp, whose rows are where place says. word reads four bytes of shared memory.
func (g *GroupProduct) Rows(place func(row, half int) uint64, word func(at uint64) uint32) (a *[4]Row) {
	a = new([4]Row)
	for r := range a {
		for lane := range 32 {
			a[r][lane] = uint64(word(place(lane/4+r%2*8, r/2) + uint64(lane%4*4)))
		}
	}
	return a
}

// Multiply adds the products of the rows of a warp, which are in the registers of A, with the columns of B, which are where place says, to
// the warp's sums.
func (g *GroupProduct) Multiply(sums []*Row, a *[4]Row, place func(row, half int) uint64, word func(at uint64) uint32) {
	rows := [4]*Row{&a[0], &a[1], &a[2], &a[3]}
	var b [2]Row
	columns := [2]*Row{&b[0], &b[1]}
	for first := 0; first < len(sums); first += 4 {
		for half := range b {
			for lane := range 32 {
				b[half][lane] = uint64(word(place(2*first+lane/4, half) + uint64(lane%4*4)))
			}
		}
		part := sums[first : first+4]
		g.Step.Multiply(part, rows[:], columns[:], part)
	}
}
