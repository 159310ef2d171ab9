//go:build !kernel

package scheduler_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/scheme/vwc"
	"github.com/weft-gpu/weft/scheduler"
)

func TestScalars(t *testing.T) {
	typ := scheduler.Type{Name: "my.Alg", Fields: []scheduler.Field{
		{Name: "Rank", Elem: reflect.TypeFor[float32](), Array: true},
		{Name: "Damping", Elem: reflect.TypeFor[float32](), Default: "0.85"},
		{Name: "K", Elem: reflect.TypeFor[int32]()},
		{Name: "Wide", Elem: reflect.TypeFor[uint64](), Default: "0x10"},
		{Name: "On", Elem: reflect.TypeFor[bool]()},
	}}
	require.Equal(t, []string{"damping", "k", "wide", "on"}, typ.Params())
	got, err := typ.Scalars(map[string]string{"K": "-3", "on": "true"})
	require.NoError(t, err)
	require.InDelta(t, 0.85, got["damping"].Float(), 1e-7)
	require.EqualValues(t, -3, got["k"].Int())
	require.EqualValues(t, 16, got["wide"].Uint())
	require.True(t, got["on"].Bool())
	for text, params := range map[string]map[string]string{
		`my.Alg has no parameter "rank"; there are: damping, k, wide, on`:                          {"Rank": "1"},
		`parameter k of my.Alg: "x" is not a whole number from -2147483648 to 2147483647`:          {"k": "x"},
		`parameter k of my.Alg: "3000000000" is not a whole number from -2147483648 to 2147483647`: {"k": "3000000000"},
		`parameter wide of my.Alg: "-1" is not a whole number from 0 to 18446744073709551615`:      {"wide": "-1"},
		`parameter on of my.Alg: "2" is neither true nor false`:                                    {"on": "2"},
		`parameter damping of my.Alg: "low" is not a number`:                                       {"damping": "low"},
		`parameter damping of my.Alg: "1e99" is too large for a number of 32 bits`:                 {"damping": "1e99"},
	} {
		_, err := typ.Scalars(params)
		require.EqualError(t, err, text)
	}
	typ.Fields[1].Default = "low"
	_, err = typ.Scalars(nil)
	require.EqualError(t, err, `the default of parameter damping of my.Alg, in the tag of field Damping: "low" is not a number`)
}

func TestIdentities(t *testing.T) {
	require.EqualValues(t, uint32(math.MaxUint32), scheduler.Min[uint32]{}.Identity())
	require.EqualValues(t, int32(math.MaxInt32), scheduler.Min[int32]{}.Identity())
	require.EqualValues(t, uint64(math.MaxUint64), scheduler.Min[uint64]{}.Identity())
	require.EqualValues(t, int64(math.MaxInt64), scheduler.Min[int64]{}.Identity())
	require.EqualValues(t, uint32(0), scheduler.Max[uint32]{}.Identity())
	require.EqualValues(t, int32(math.MinInt32), scheduler.Max[int32]{}.Identity())
	require.EqualValues(t, uint64(0), scheduler.Max[uint64]{}.Identity())
	require.EqualValues(t, int64(math.MinInt64), scheduler.Max[int64]{}.Identity())
}

func TestUpdates(t *testing.T) {
	x := uint32(10)
	require.EqualValues(t, 10, scheduler.Min[uint32]{}.Update(&x, 12))
	require.EqualValues(t, 10, x)
	require.EqualValues(t, 10, scheduler.Min[uint32]{}.Update(&x, 4))
	require.EqualValues(t, 4, x)
	require.EqualValues(t, 4, scheduler.Max[uint32]{}.Update(&x, 9))
	require.EqualValues(t, 9, x)
	require.EqualValues(t, 9, scheduler.Add[uint32]{}.Update(&x, 2))
	require.EqualValues(t, 11, x)
	y := float32(1)
	larger := func(a, b float32) float32 { return max(a, b) }
	require.EqualValues(t, 1, scheduler.Swap(&y, 0.5, larger))
	require.EqualValues(t, 1, scheduler.Swap(&y, 2.5, larger))
	require.EqualValues(t, 2.5, y)
}

// reduceAndShare checks Reduce and Once of a mapping: each team sums the numbers of its
// threads, and all threads get the leader's number.
func reduceAndShare[M scheduler.Mapping](t *testing.T, team int) {
	const blocks, threads = 2, 96
	var m M
	sums, shared := make([]uint32, blocks*threads), make([]uint32, blocks*threads)
	err := gpu.Launch(blocks, threads, func(th gpu.Thread) {
		i := th.Global()
		for range 2 { // the second call reuses shared memory
			sum := scheduler.Reduce(th, m, i, 0, func(a, b uint32) uint32 { return a + b })
			if scheduler.Leader(th, m) {
				sums[i] = sum
			}
			shared[i] = scheduler.Once(th, m, func() uint32 { return i })
		}
	})
	require.NoError(t, err)
	for i := range sums {
		first := i / team * team
		require.EqualValues(t, first, shared[i])
		if i == first {
			require.EqualValues(t, team*(first+first+team-1)/2, sums[i])
		}
	}
}

func TestTeams(t *testing.T) {
	t.Run("thread", func(t *testing.T) { reduceAndShare[scheduler.ThreadPerVertex](t, 1) })
	t.Run("2 lanes", func(t *testing.T) { reduceAndShare[vwc.Lanes2](t, 2) })
	t.Run("16 lanes", func(t *testing.T) { reduceAndShare[vwc.Lanes16](t, 16) })
	t.Run("warp", func(t *testing.T) { reduceAndShare[scheduler.WarpPerVertex](t, 32) })
	t.Run("block", func(t *testing.T) { reduceAndShare[scheduler.BlockPerVertex](t, 96) })
}

// visitsOnce checks that each vertex goes to one team, and each arc to one thread of the
// team.
func visitsOnce[M scheduler.Mapping](t *testing.T, until bool) {
	const vertices, arcs = 11, 70
	var m M
	teams, visits := make([]uint32, vertices), make([]uint32, vertices*arcs)
	err := gpu.Launch(2, 64, func(th gpu.Thread) {
		m.Vertices(th, vertices, func(i uint32) {
			if scheduler.Leader(th, m) {
				gpu.AtomicAdd(&teams[i], 1)
			}
			if until {
				m.ArcsUntil(th, 5, i*6, func(e uint32) bool { gpu.AtomicAdd(&visits[i*arcs+e], 1); return false })
			} else {
				m.Arcs(th, 5, i*6, func(e uint32) { gpu.AtomicAdd(&visits[i*arcs+e], 1) })
			}
		})
	})
	require.NoError(t, err)
	for i := range uint32(vertices) {
		require.EqualValues(t, 1, teams[i])
		for e := range uint32(arcs) {
			want := uint32(0)
			if e >= 5 && e < i*6 {
				want = 1
			}
			require.Equal(t, want, visits[i*arcs+e], "vertex %d, arc %d", i, e)
		}
	}
}

func TestMappings(t *testing.T) {
	for name, until := range map[string]bool{"arcs": false, "arcs until": true} {
		t.Run(name, func(t *testing.T) {
			visitsOnce[scheduler.ThreadPerVertex](t, until)
			visitsOnce[vwc.Lanes2](t, until)
			visitsOnce[vwc.Lanes4](t, until)
			visitsOnce[vwc.Lanes8](t, until)
			visitsOnce[vwc.Lanes16](t, until)
			visitsOnce[vwc.Lanes32](t, until)
			visitsOnce[scheduler.WarpPerVertex](t, until)
			visitsOnce[scheduler.BlockPerVertex](t, until)
		})
	}
}

func TestQueue(t *testing.T) {
	const n = 100
	list, count, stamp := make([]uint32, n), uint32(0), make([]uint32, n)
	q := scheduler.Queue{Vertices: list, Count: &count, Stamp: stamp, Iteration: 1}
	require.NoError(t, gpu.Launch(2, 64, func(th gpu.Thread) {
		for v := range uint32(n) {
			q.AddOnce(v)
		}
	}))
	require.EqualValues(t, n, count)
	require.ElementsMatch(t, upTo(n, 1), list)
	count = 0
	require.NoError(t, gpu.Launch(1, 128, func(th gpu.Thread) {
		q.AddWarp(th, th.Idx(), th.Idx()%3 == 0 && th.Idx() < n)
	}))
	require.ElementsMatch(t, upTo(n, 3), list[:count])
}

// upTo returns 0, step, 2 step, ... below n.
func upTo(n, step uint32) (s []uint32) {
	for i := uint32(0); i < n; i += step {
		s = append(s, i)
	}
	return s
}
