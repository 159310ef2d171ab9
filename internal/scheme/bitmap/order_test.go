//go:build !kernel

package bitmap

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
)

// TestOrders checks that ranks are different numbers from 1, and that each gives its vertex.
func TestOrders(t *testing.T) {
	for _, n := range []uint32{1, 2, 3, 4, 5, 31, 32, 33, 1000, 1 << 12, 1<<12 + 1} {
		for _, random := range []uint32{0, 1, ^uint32(0)} {
			for round := range uint32(5) {
				o, seen := orderOf(n, round, random), map[uint32]bool{}
				for v := range n {
					rank := o.rank(v)
					require.Positive(t, rank)
					require.False(t, seen[rank])
					seen[rank] = true
					require.Equal(t, v, o.vertex(rank), "n %d, round %d", n, round)
					if round < random {
						require.Equal(t, v+1, rank)
					}
				}
			}
		}
	}
	for _, n := range []uint32{1 << 31, 1<<31 - 1, 1<<30 + 1} { // the last vertices of large graphs
		o := orderOf(n, 3, 1)
		for v := n - 1000; v < n; v++ {
			require.Equal(t, v, o.vertex(o.rank(v)))
		}
	}
}

// TestStrongRoom checks the largest graphs, by offsets alone.
func TestStrongRoom(t *testing.T) {
	require.NoError(t, strongRoom(&graph.CSR{Name: "small", Row: []uint64{0, 1}, Col: make([]uint32, 1)}))
	// Targets that nobody touches, so that they take no memory.
	g := &graph.CSR{Name: "huge", Row: []uint64{0, 1<<31 - 1}, Col: make([]uint32, 1<<31-1)}
	require.EqualError(t, strongRoom(g), "graph huge has 1 vertices and 2147483647 arcs; scheme forward-backward has room for fewer than 2147483648 of both together")
}
