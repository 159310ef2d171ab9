package device_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/weft-gpu/weft/device"
)

// TestNumber counts the blocks of grids with clusters along several dimensions, and without.
func TestNumber(t *testing.T) {
	for _, c := range [][3]int{{}, {1, 2, 1}, {2, 3, 2}, {4, 1, 2}} {
		s := Shape{Grid: [3]int{4, 6, 2}, Clusters: c}
		for n := range s.Blocks() {
			require.Equal(t, n, s.Number(s.Place(n)), "%v", c)
		}
	}
	// By hand: clusters of 2 by 3 by 2 in a grid of 4 by 6 by 2 are two along x and two along y; (3,4,1) is in the last one, at (1,1,1).
	s := Shape{Grid: [3]int{4, 6, 2}, Clusters: [3]int{2, 3, 2}}
	require.Equal(t, 3*12+1+2*(1+3*1), s.Number([3]int{3, 4, 1}))
	require.Equal(t, "(3,4,1)", s.BlockName(s.Number([3]int{3, 4, 1})))
}
