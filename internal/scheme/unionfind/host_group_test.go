//go:build !kernel

package unionfind

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/testing/native"
)

// TestRefused checks what several GPUs cannot do in one kernel on each.
func TestRefused(t *testing.T) {
	small := &graph.CSR{Name: "small", Row: []uint64{0, 0}}
	require.NoError(t, refused(native.NewGroup(nil, 8), small))
	require.EqualError(t, refused(native.NewGroup(nil, 9), small), "native has 9 GPUs; kernels that store to the memory of others are for at most 8")
	// Offsets of 537 million vertices, which nobody touches, so that they take no memory.
	huge := &graph.CSR{Name: "huge", Row: make([]uint64, 1<<29)}
	require.NoError(t, refused(native.NewGroup(nil, 7), huge))
	require.EqualError(t, refused(native.NewGroup(nil, 8), huge), "graph huge has 536870911 vertices; with one kernel on each of 8 GPUs scheme union-find has room for 536870904")
}

// TestSplit checks that the pieces of a graph have each arc once, where it belongs, and samples that are some of the arcs between them.
func TestSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		n := 1 + rng.IntN(200)
		var edges []graph.Edge
		for range rng.IntN(4 * n) {
			edges = append(edges, graph.Edge{From: rng.Uint32N(uint32(n)), To: rng.Uint32N(uint32(n))})
		}
		g, _, err := graph.FromEdges(t.Context(), "random", n, edges, graph.LoadOptions{Symmetrize: true})
		require.NoError(t, err)
		bounds := []int{0, rng.IntN(n + 1), rng.IntN(n + 1), n}
		slices.Sort(bounds)
		for i, lo := range bounds[:3] {
			hi := bounds[i+1]
			p, err := pieceOf(t.Context(), g, lo, hi, 5)
			require.NoError(t, err)
			require.Equal(t, []int{hi - lo, hi - lo}, []int{p.near.Vertices(), p.far.Vertices()})
			between := map[[2]uint32]bool{}
			for u := lo; u < hi; u++ {
				var all []uint32
				for _, v := range p.near.Neighbors(uint32(u - lo)) {
					all = append(all, v+uint32(lo))
				}
				for _, v := range p.far.Neighbors(uint32(u - lo)) {
					require.True(t, int(v) < lo || int(v) >= hi)
					all = append(all, v)
					between[[2]uint32{uint32(u), v}] = true
				}
				slices.Sort(all)
				require.Equal(t, slices.Clone(g.Neighbors(uint32(u))), append([]uint32{}, all...))
			}
			require.Len(t, p.bridges, 2*min(5, p.far.Arcs()))
			for k := 0; k < len(p.bridges); k += 2 {
				require.True(t, between[[2]uint32{p.bridges[k], p.bridges[k+1]}])
			}
		}
	}
}
