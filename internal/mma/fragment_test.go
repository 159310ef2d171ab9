package mma_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/mma"
)

// TestFragmentPieces checks that each element of a fragment is in one place. PTX has 2 shapes of 3 matrices, and 3 with four types of factors and three of sums.
func TestFragmentPieces(t *testing.T) {
	assert.Len(t, mma.Fragments, 3*(2*4+2*3)+2*4)
	for i := range mma.Fragments {
		f := &mma.Fragments[i]
		outer, inner := f.M, f.K
		switch {
		case f.Use == 'b':
			outer = f.N
		case f.Use != 'a' && f.Swapped():
			outer, inner = f.N, f.M
		case f.Use != 'a':
			inner = f.N
		}
		seen := map[mma.Piece]int{}
		for _, p := range f.Pieces() {
			for lane := range 32 {
				for e := range f.PerLane() {
					at := mma.Piece{Outer: p.Outer + lane/4, Inner: p.Inner + lane%4*f.PerLane() + e}
					require.Less(t, at.Outer, outer, f.String())
					require.Less(t, at.Inner, inner, f.String())
					seen[at]++
				}
			}
		}
		assert.Len(t, seen, outer*inner, f.String())
		for at, n := range seen {
			require.Equal(t, 1, n, "%v of %v", at, f)
		}
		id, ok := mma.FragmentByName(f.Use, f.String()[len("load.a."):len(f.String())-len(f.Type.String())-1], f.Type.String())
		if !f.Stores() {
			assert.True(t, ok)
			assert.Equal(t, i, id)
		}
	}
	_, ok := mma.FragmentByName('a', "m16n16k16", "f64")
	assert.False(t, ok)
	assert.Nil(t, mma.ProductOf("m16n16k16", mma.F16, mma.S32))
}
