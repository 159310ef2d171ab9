//go:build !kernel

package scheduler_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// found is the largest value of the sources, and settles at any above 0.
type found struct{ scheduler.Max[uint32] }

func (found) Init(v scheduler.Vertex, in scheduler.Problem) uint32     { return 0 }
func (found) Start(v scheduler.Vertex, in scheduler.Problem) bool      { return true }
func (found) Compute(e scheduler.Edge, src uint32) (uint32, bool)      { return src, true }
func (found) EarlyEnd() bool                                           { return true }
func (found) Settled(x uint32) bool                                    { return x != 0 }
func (found) Apply(v scheduler.Vertex, old, sum uint32) (uint32, bool) { return sum, sum != 0 }

// TestPullEndsEarly checks that a team reads no arc that it does not need: of a vertex whose value is settled, and behind
// the strip in which one of its threads found a value. Such arcs lead to a vertex that does not exist, which would be an
// index out of range.
func TestPullEndsEarly(t *testing.T) {
	t.Run("thread", func(t *testing.T) { pullEndsEarly[scheduler.ThreadPerVertex](t, 1) })
	t.Run("warp", func(t *testing.T) { pullEndsEarly[scheduler.WarpPerVertex](t, 32) })
	t.Run("block", func(t *testing.T) { pullEndsEarly[scheduler.BlockPerVertex](t, 64) })
}

func pullEndsEarly[M scheduler.Mapping](t *testing.T, team uint32) {
	const nowhere = 1000
	arcs := 3 * team // of vertex 1; vertex 2 has two more
	g := scheduler.Graph{Row: []uint32{0, 0, arcs, arcs + 2}}
	for e := range arcs + 2 {
		switch {
		case e == 2*team-1: // the last arc of the second strip finds a value
			g.Col = append(g.Col, 2)
		case e < 2*team:
			g.Col = append(g.Col, 0)
		default:
			g.Col = append(g.Col, nowhere)
		}
	}
	values, next, changed := []uint32{0, 0, 6}, make([]uint32, 3), uint32(0)
	pull := func() error {
		return gpu.Launch(1, 64, func(th gpu.Thread) {
			scheduler.PullTeams[found, M, uint32](th, found{}, g, g.Row, values, next, &changed)
		})
	}
	require.NoError(t, pull())
	require.Equal(t, []uint32{0, 6, 6}, next)
	require.EqualValues(t, 1, changed)
	g.Col[2*team-1] = 0 // nothing is found, and the next strip leads nowhere
	require.ErrorContains(t, pull(), "index out of range")
}
