package compare

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestError(t *testing.T) {
	require.InDelta(t, 0.5, Error(3, 2), 1e-12)
	require.InDelta(t, -0.25, Error(3, 4), 1e-12)
	require.Zero(t, Error(0, 0))
	require.True(t, math.IsNaN(Error(1, 0)))
}

func TestCounters(t *testing.T) {
	a := Side{Counters: map[string]float64{"x": 2, "only a": 1, "zero": 0}}
	b := Side{Counters: map[string]float64{"x": 1, "only b": 1, "zero": 0}}
	require.Equal(t, []Counter{{"x", 2, 1, 1}}, Counters(a, b))
}

func TestSummarize(t *testing.T) {
	s := Summarize([][2]float64{{1, 1}, {3, 2}, {1, 4}, {0, 5}})
	require.Equal(t, 3, s.N)
	require.InDelta(t, (0+0.5+0.75)/3, s.Mean, 1e-12)
	require.InDelta(t, 0.5, s.Median, 1e-12)
	require.InDelta(t, 4, s.Worst, 1e-12)
	require.Equal(t, Summary{Worst: 1}, Summarize(nil))
}

func TestOrders(t *testing.T) {
	rows := []Row{
		{Algorithm: "bfs", Graph: "g", A: 1, B: 1},
		{Algorithm: "bfs", Graph: "g", A: 2, B: 3},
		{Algorithm: "bfs", Graph: "g", A: 3, B: 1.1}, // as fast as the first on b: no statement
		{Algorithm: "cc", Graph: "g", A: 9, B: 9},
	}
	require.Equal(t, Order{Agree: 1, Disagree: 1}, Orders(rows, 0.2))
}

func TestSameValues(t *testing.T) {
	same, known := SameValues(Side{Values: []uint32{1}}, Side{Values: []uint32{1}})
	require.True(t, same && known)
	_, known = SameValues(Side{Values: []uint32{1}}, Side{})
	require.False(t, known)
}
