//go:build !kernel

package kernels_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// A run may begin with pulls and end with pushes, and also change back. Beside the check, the
// answer is compared with a reference that spreads the rank of dangling vertices explicitly.
func TestHeavyPageRankTurnsAsPlainGo(t *testing.T) {
	for _, g := range small(t) {
		exact, err := reference.PageRank(t.Context(), g, reference.PageRankOptions{Damping: damping})
		require.NoError(t, err)
		for name, turns := range map[string]int{"pull": -1, "push after 4": 0, "pull, push, pull": 1, "push, pull, push, pull, push": 2} {
			t.Run(name+"/"+g.Name, func(t *testing.T) {
				alg := kernels.PageRank{Rank: make([]float32, g.Vertices()), Damping: damping, Epsilon: epsilon}
				values := turning(t, alg, g, turns)
				checkRanks(t, kernels.PageRankHost, g, values, alg.Rank)
				answer, err := kernels.PageRankHost.Answer(&scheduler.Outcome{Arrays: map[string]any{"Rank": alg.Rank}})
				require.NoError(t, err)
				sum := 0.0
				for v, rank := range answer.([]float32) {
					sum += float64(rank)
					require.InEpsilon(t, exact.Rank[v], float64(rank), 2*epsilon/(1-damping), "vertex %d", v)
				}
				require.InDelta(t, 1, sum, 1e-5)
			})
		}
	}
}

// turning pulls, and after 4 iterations pushes, so many times; after the last time it goes on
// to the end. A negative number is that of pulls to the end.
func turning(t *testing.T, alg kernels.PageRank, g *graph.CSR, turns int) []float32 {
	pulling := pulls[kernels.PageRank, float32]()["warpseg"]
	pushing := pushes[kernels.PageRank, float32]()["warp"]
	if turns < 0 {
		return pull(t, alg, pulling, g, 0)
	}
	values, _ := start[kernels.PageRank, float32](t, alg, g, 0)
	for range turns {
		turn(t, alg, g, values, true)
		values = pullOn(t, alg, pulling, g, values, 4)
		turn(t, alg, g, values, false)
	}
	turn(t, alg, g, values, true)
	values = pullOn(t, alg, pulling, g, values, 4)
	turn(t, alg, g, values, false)
	var frontier []uint32
	for v, residual := range values {
		if residual >= alg.Epsilon {
			frontier = append(frontier, uint32(v))
		}
	}
	return pushOn(t, alg, pushing, g, values, frontier)
}

// After a change to pushing, the active vertices are exactly those that the last pull called
// changed; the limit is a number that residuals hit.
func TestPageRankTurnsToWhatChanged(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 20_000 {
		v := scheduler.Vertex{Degree: r.Uint32N(50)}
		gathered := float32(r.Float64() * 2e-4)
		alg := kernels.PageRank{Rank: make([]float32, 1), Damping: float32(r.Float64()), Epsilon: gathered}
		share, changed := alg.Apply(v, 0, -gathered)
		require.True(t, math.Signbit(float64(share)))
		before := alg.Rank[0]
		require.InEpsilon(t, gathered, before, 1e-6)
		residual := alg.Turn(v, share, false)
		require.Equal(t, residual >= alg.Epsilon, changed)
		require.InEpsilon(t, gathered, residual, 1e-6)
		require.Equal(t, before-residual, alg.Rank[0])
	}
	for _, pull := range []bool{true, false} {
		x := kernels.PageRank{Rank: make([]float32, 1), Damping: damping}.Turn(scheduler.Vertex{}, 0, pull)
		require.Equal(t, pull, math.Signbit(float64(x)), "a share of 0 is told from a residual of 0")
	}
}
