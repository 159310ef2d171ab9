package mma

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/internal/tensormap"
)

// Layout is where a factor of a warpgroup's product lies in shared memory, whose rows, or columns for B, have 32 bytes each: in matrices of
// 8 times 16 bytes (PTX ISA, "Strides" and "Matrix Descriptor Format" of wgmma). PTX calls it K-major if the 16 bytes are of a row, and
// MN-major, which is transposed, if they are of 8 rows. A transposed matrix without a swizzle has Leading and Stride the other way round.
type Layout struct {
	// Bytes from the first to the second half of a row, if there is no swizzle. Transposed: from Swizzle/2 rows to the next, or from the first 8
	// numbers of the rows to the others without a swizzle.
	Leading uint64
	// Bytes from 8 rows to the next 8. Transposed: from the first 8 numbers of the rows to the others, or as before without a swizzle.
	Stride     uint64
	Swizzle    uint64 // 0, 32, 64 or 128: also how far rows, or numbers of a row, are apart; without one that is 16
	Transposed bool   // not in a descriptor, but said by the instruction
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

// Crosses reports whether so many rows of a transposed matrix do not fit behind an offset into the pattern of its swizzle, which would go on
// in the next number of the first rows.
func (l Layout) Crosses(offset uint64, rows int) bool {
	return l.Transposed && offset != 0 && l.Swizzle != 0 && offset+uint64(rows)*2 > l.Swizzle
}

// Place returns where a half of a row lies, 16 bytes, for a matrix at an address of shared memory that is not transposed.
func (l Layout) Place(at uint64, row, half int) uint64 {
	if l.Swizzle == 0 {
		return at + uint64(row/8)*l.Stride + uint64(row%8)*16 + uint64(half)*l.Leading
	}
	return tensormap.Swizzled(at+uint64(row/8)*l.Stride+uint64(row%8)*l.Swizzle+uint64(half)*16, l.Swizzle)
}

// PlaceAcross returns where number k of 8 rows lies, 16 bytes, of a matrix that is transposed: rows 8*group and so on.
func (l Layout) PlaceAcross(at uint64, group, k int) uint64 {
	if l.Swizzle == 0 {
		return at + uint64(group)*l.Stride + uint64(k/8)*l.Leading + uint64(k%8)*16
	}
	wide := int(l.Swizzle / 16)
	return tensormap.Swizzled(at+uint64(group/wide)*l.Leading+uint64(group%wide)*16+uint64(k/8)*l.Stride+uint64(k%8)*l.Swizzle, l.Swizzle)
}

// Pieces calls yield with where the 16 bytes lie of which rows first to first+rows-1 consist, multiples of 8.
func (l Layout) Pieces(at uint64, first, rows int, yield func(at uint64) bool) {
	if l.Transposed {
		for k := range 16 {
			for group := first / 8; group < (first+rows)/8; group++ {
				if !yield(l.PlaceAcross(at, group, k)) {
					return
				}
			}
		}
		return
	}
	for row := first; row < first+rows; row++ {
		for half := range 2 {
			if !yield(l.Place(at, row, half)) {
				return
			}
		}
	}
}

// Factor is a matrix in shared memory.
type Factor struct {
	Layout Layout
	At     uint64                 // where it begins
	First  int                    // the first row of those that a warp takes
	Word   func(at uint64) uint32 // reads four bytes
}

// register returns bytes 4*i to 4*i+3 of a half of a row: a number, two, or more.
func (f *Factor) register(row, half, i int) uint64 {
	row += f.First
	if !f.Layout.Transposed {
		return uint64(f.Word(f.Layout.Place(f.At, row, half) + uint64(4*i)))
	}
	var both uint64
	for j := range 2 {
		at := f.Layout.PlaceAcross(f.At, row/8, half*8+2*i+j) + uint64(row%8*2)
		both |= uint64(f.Word(at&^3)) >> (at % 4 * 8) & 0xFFFF << (16 * j)
	}
	return both
}
