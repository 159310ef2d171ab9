//go:build !kernel

package bitmap

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
)

// TestRoom checks the largest number of pieces, by graphs of which there are only the offsets that say how large they are.
func TestRoom(t *testing.T) {
	g := &graph.CSR{Name: "wide", Row: []uint64{0, 3*PieceArcs + 1}, Col: make([]uint32, 3*PieceArcs+1)}
	r, err := roomFor(g)
	require.NoError(t, err)
	require.Equal(t, room{2 * (1 + 3 + 1), 1 + 3 + 1}, r)
	r, err = roomFor(&graph.CSR{Name: "many", Row: make([]uint64, 16<<20)})
	require.NoError(t, err)
	require.Equal(t, room{18 << 20, 2 << 20}, r)
	// Offsets of 537 million vertices, which nobody touches, so that they take no memory.
	g = &graph.CSR{Name: "huge", Row: make([]uint64, 1<<29)}
	_, err = roomFor(g)
	require.EqualError(t, err, "graph huge may have frontiers of 536870912 pieces of rows; scheme bitmap has room for 536870911")
}
