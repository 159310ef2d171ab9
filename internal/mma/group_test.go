package mma_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/internal/mma"
)

// TestLayout compares places with the definition of swizzles in the CUTLASS documentation, by which the bits of a 16-byte piece within its row are
// changed by the row, and descriptors with the fields of the PTX ISA.
func TestLayout(t *testing.T) {
	plain := mma.Layout{Leading: 128, Stride: 512}
	assert.Equal(t, []uint64{0, 128, 16, 512, 640, 512 + 7*16 + 128}, []uint64{plain.Place(0, 0, 0), plain.Place(0, 0, 1), plain.Place(0, 1, 0), plain.Place(0, 8, 0), plain.Place(0, 8, 1), plain.Place(0, 15, 1)})
	wide := mma.Layout{Stride: 1024, Swizzle: 128}
	for row := range 16 {
		for half := range 2 {
			piece := 4 + half // of the third step of the row
			want := uint64(2048 + row/8*1024 + row%8*128 + (piece^row%8)*16)
			assert.Equal(t, want, wide.Place(2048+64, row, half), "row %d", row)
		}
	}
	assert.Equal(t, uint64(8<<16|32<<32), plain.Bits())
	assert.Equal(t, uint64(64<<32|1<<62), wide.Bits())
	for _, l := range []mma.Layout{plain, wide, {Stride: 512, Swizzle: 64}, {Leading: 16, Stride: 256, Swizzle: 32}} {
		assert.Equal(t, l, mma.LayoutOf(l.Bits()))
		assert.Empty(t, l.Misuse())
	}
}

// TestGroupSums are the numbers of sums that the PTX ISA allows: N of 8 to 256 by 8, and for integers 8, 16, 24 and multiples of 16.
func TestGroupSums(t *testing.T) {
	for i := range mma.GroupProducts {
		g, n := &mma.GroupProducts[i], 0
		for sums := range 200 {
			if g.Takes(sums) {
				n++
			}
		}
		want := 32 // 8 to 256
		if g.Step.C == mma.S32 {
			want = 18
		}
		assert.Equal(t, want, n, g.Func)
	}
	assert.Equal(t, "m64n104k16.f32.f16.f16", mma.GroupProducts[0].Name(52))
	assert.Equal(t, "m64n104k16.f16.f16.f16", mma.GroupProducts[6].Name(26))
	assert.Equal(t, "m64n256k32.f32.e4m3.e4m3", mma.GroupProducts[7].Name(128))
	assert.Equal(t, "m64n8k32.f16.e5m2.e4m3", mma.GroupProducts[14].Name(2))
	assert.Equal(t, "m64n32k256.s32.b1.b1.and.popc", mma.GroupProducts[5].Name(16))
}

// TestTransposedLayout compares places with the canonical layouts of the PTX ISA ("Strides", MN-major): in units of 16 bytes, numbers of 8 rows,
// ((1,n),(8,2)):((X,SBO),(1,LBO)) without a swizzle, and ((W,n),(8,2)):((1,LBO),(W,SBO)) with one of W units, of which the number is
// exclusive-ored with bits of the place as in tensor maps.
func TestTransposedLayout(t *testing.T) {
	const leading, stride = 16384, 4096
	for swizzle, piece := range map[uint64]func(unit, k int) int{
		32: func(unit, k int) int { return unit%2 ^ k%8/4 }, 64: func(unit, k int) int { return unit%4 ^ k%8/2 }, 128: func(unit, k int) int { return unit%8 ^ k%8 },
	} {
		l := mma.Layout{Leading: leading, Stride: stride, Swizzle: swizzle, Transposed: true}
		seen := map[uint64]bool{}
		for k := range 16 {
			for unit := range 32 {
				w := int(swizzle / 16)
				want := uint64(65536 + unit/w*leading + k/8*stride + k%8*w*16 + piece(unit, k)*16)
				assert.Equal(t, want, l.PlaceAcross(65536, unit, k), "swizzle %d, number %d of rows %d", swizzle, k, 8*unit)
				seen[want] = true
			}
		}
		n := 0
		for at := range func(yield func(uint64) bool) { l.Pieces(65536, 16, 240, yield) } {
			assert.True(t, seen[at])
			n++
		}
		assert.Equal(t, 30*16, n)
	}
	plain := mma.Layout{Leading: 128, Stride: 512, Transposed: true}
	assert.Equal(t, []uint64{32, 32 + 16, 32 + 7*16, 32 + 128, 32 + 512, 32 + 3*512 + 128 + 7*16},
		[]uint64{plain.PlaceAcross(32, 0, 0), plain.PlaceAcross(32, 0, 1), plain.PlaceAcross(32, 0, 7), plain.PlaceAcross(32, 0, 8), plain.PlaceAcross(32, 1, 0), plain.PlaceAcross(32, 3, 15)})
	wide := mma.Layout{Swizzle: 64, Transposed: true}
	assert.Equal(t, []bool{false, false, true, true}, []bool{wide.Crosses(0, 64), wide.Crosses(32, 16), wide.Crosses(48, 16), wide.Crosses(16, 32)})
}

// TestForms are the products that the PTX ISA lets negate and transpose their factors.
func TestForms(t *testing.T) {
	for i := range mma.GroupProducts {
		g := &mma.GroupProducts[i]
		assert.Equal(t, g.Step.A != mma.S8 && g.Step.A != mma.U8 && g.Step.A != mma.B1, g.Negates(), g.Func)
		assert.Equal(t, g.Step.A == mma.F16 || g.Step.A == mma.BF16, g.Transposes(), g.Func)
		assert.Empty(t, g.Misuse(0))
		assert.Equal(t, g.Negates(), g.Misuse(mma.NegatedB) == "")
		assert.Equal(t, g.Transposes(), g.Misuse(mma.TransposedA) == "")
	}
}
