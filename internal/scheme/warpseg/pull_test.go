//go:build !kernel

package warpseg

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// rows returns row offsets for vertices of the given degrees, with the first row at arc base.
func rows(base uint32, degrees []uint32) []uint32 {
	row := []uint32{base}
	for _, d := range degrees {
		row = append(row, row[len(row)-1]+d)
	}
	return row
}

// groups are degrees of up to 32 vertices that meet the ends of strips in different ways.
func groups() map[string][]uint32 {
	rng := rand.New(rand.NewPCG(7, 7))
	random := make([]uint32, 32)
	for i := range random {
		random[i] = rng.Uint32N(9) * rng.Uint32N(9)
	}
	return map[string][]uint32{
		"one arc":             {1},
		"one each":            slices.Repeat([]uint32{1}, 32),
		"a strip each":        slices.Repeat([]uint32{32}, 32),
		"across strips":       slices.Repeat([]uint32{31, 33}, 16),
		"many, then none":     append([]uint32{200}, make([]uint32, 31)...),
		"none, then many":     append(make([]uint32, 31), 200),
		"every other is none": slices.Repeat([]uint32{0, 5}, 16),
		"fewer than a warp":   {3, 0, 40, 1},
		"random":              random,
	}
}

// TestSegments checks what each lane finds about its arc, for each strip of a group.
func TestSegments(t *testing.T) {
	for name, degrees := range groups() {
		row := rows(11, degrees)
		end := row[len(row)-1]
		g := scheduler.Graph{Row: row}
		for strip := row[0]; strip < end; strip += gpu.WarpSize {
			segments, lefts := make([]segment, gpu.WarpSize), make([]uint32, gpu.WarpSize)
			require.NoError(t, gpu.Launch(1, gpu.WarpSize, func(th gpu.Thread) {
				mine, e := rowOf(g, th.Lane()), strip+th.Lane()
				segments[th.Lane()] = segmentOf(th, mine, e, end)
				lefts[th.Lane()] = leftOf(th, mine, segments[th.Lane()], e, end)
			}))
			for lane, s := range segments {
				e := strip + uint32(lane)
				if e >= end {
					require.Zero(t, s.right, "%s, arc %d", name, e)
					require.Zero(t, lefts[lane], "%s, arc %d", name, e)
					continue
				}
				require.LessOrEqual(t, row[s.owner], e, "%s, arc %d", name, e)
				require.Less(t, e, row[s.owner+1], "%s, arc %d", name, e)
				require.Equal(t, min(row[s.owner+1], strip+gpu.WarpSize)-1-e, s.right, "%s, arc %d", name, e)
				require.Equal(t, e-max(row[s.owner], strip), lefts[lane], "%s, arc %d", name, e)
			}
		}
	}
}

// total is the sum of the sources' values; the sums of different vertices all differ.
type total struct{ scheduler.Add[uint32] }

func (total) Init(v scheduler.Vertex, in scheduler.Problem) uint32          { return 0 }
func (total) Start(v scheduler.Vertex, in scheduler.Problem) bool           { return true }
func (total) Compute(e scheduler.Edge, src uint32) (update uint32, ok bool) { return src, src%5 != 0 }
func (total) Apply(v scheduler.Vertex, old, sum uint32) (uint32, bool)      { return sum, sum > 0 }

// TestPullSumsEachVertex checks the sums and the count of changed vertices for groups with
// all kinds of segments, with several groups per warp.
func TestPullSumsEachVertex(t *testing.T) {
	var degrees []uint32
	for _, name := range []string{"across strips", "none, then many", "every other is none", "a strip each", "random", "fewer than a warp"} {
		degrees = append(degrees, groups()[name]...)
	}
	n := uint32(len(degrees))
	g := scheduler.Graph{Row: rows(0, degrees)}
	values, next, changed := make([]uint32, n), make([]uint32, n), uint32(0)
	rng := rand.New(rand.NewPCG(3, 4))
	for v := range values {
		values[v] = rng.Uint32N(1000)
	}
	for range g.Row[n] {
		g.Col = append(g.Col, rng.Uint32N(n))
	}
	for name, kernel := range map[string]func(th gpu.Thread){
		"whole": func(th gpu.Thread) { Pull(th, total{}, g, g.Row, values, next, &changed) },
		"sized": func(th gpu.Thread) { PullSized(th, total{}, g, g.Row, values, next, &changed) },
	} {
		changed = 0
		clear(next)
		require.NoError(t, gpu.Launch(1, 64, kernel))
		moved := uint32(0)
		for v := range n {
			want := uint32(0)
			for _, u := range g.Col[g.Row[v]:g.Row[v+1]] {
				if values[u]%5 != 0 {
					want += values[u]
				}
			}
			require.Equal(t, want, next[v], "%s, vertex %d", name, v)
			if want > 0 {
				moved++
			}
		}
		require.Equal(t, moved, changed, name)
	}
}

// first is the smallest value above 0 of the sources, and settles at any such value.
type first struct{ scheduler.Max[uint32] }

func (first) Init(v scheduler.Vertex, in scheduler.Problem) uint32     { return 0 }
func (first) Start(v scheduler.Vertex, in scheduler.Problem) bool      { return true }
func (first) Compute(e scheduler.Edge, src uint32) (uint32, bool)      { return src, true }
func (first) EarlyEnd() bool                                           { return true }
func (first) Settled(x uint32) bool                                    { return x != 0 }
func (first) Apply(v scheduler.Vertex, old, sum uint32) (uint32, bool) { return sum, sum != 0 }

// TestPullEndsEarly checks that a warp reads no arc that it does not need: of a vertex whose
// value is settled, and behind the strip that settles the last vertex. Such arcs lead to a
// vertex that does not exist, which would be an index out of range.
func TestPullEndsEarly(t *testing.T) {
	const nowhere = 1000
	g := scheduler.Graph{Row: rows(0, []uint32{0, 40, 100, 2})}
	for e := range g.Row[4] {
		switch {
		case e < 32: // the first strip: vertex 1 has no value yet, and its last arc finds one
			g.Col = append(g.Col, []uint32{0, 2}[e/31])
		default:
			g.Col = append(g.Col, nowhere)
		}
	}
	values, next, changed := []uint32{0, 0, 6, 7}, make([]uint32, 4), uint32(0)
	require.NoError(t, gpu.Launch(1, 32, func(th gpu.Thread) { Pull(th, first{}, g, g.Row, values, next, &changed) }))
	require.Equal(t, []uint32{0, 6, 6, 7}, next)
	require.EqualValues(t, 1, changed)
	values[3] = 0 // its arcs lead nowhere
	require.ErrorContains(t, gpu.Launch(1, 32, func(th gpu.Thread) { Pull(th, first{}, g, g.Row, values, next, &changed) }), "index out of range")
}
