package sim

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/core/simt"
)

// TestStore checks that pieces do not overlap, and are at most a quarter larger than requested.
func TestStore(t *testing.T) {
	const piece = 5000
	s := store[simt.Row]{piece: piece / 8, most: piece}
	seen := map[*simt.Row]bool{}
	for _, n := range []int{1, 2, 5, 80, 192, 100, 3000, piece, 3 * piece, 80} {
		rows := s.take(n)
		require.GreaterOrEqual(t, len(rows), n)
		assert.LessOrEqual(t, len(rows), n+n/4+1)
		assert.Equal(t, len(rows), cap(rows))
		for i := range rows {
			require.False(t, seen[&rows[i]])
			seen[&rows[i]] = true
		}
	}
}

// TestSizes checks that what nearly every instruction needs stays in whole cache lines of the host.
func TestSizes(t *testing.T) {
	assert.EqualValues(t, 128, unsafe.Sizeof(warp{}), "a warp without what is seldom needed")
	assert.EqualValues(t, 64, unsafe.Sizeof(packet{}))
	assert.EqualValues(t, 64, unsafe.Sizeof(decoded{}))
}
