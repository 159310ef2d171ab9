package cluster_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/cluster"
)

// TestRounds follows two warps through two rounds, of which the second begins while one warp has not waited for the first.
func TestRounds(t *testing.T) {
	var b cluster.Barrier
	b.Start(2)
	all := func(int) bool { return true }
	require.False(t, b.Open(all), "nobody has come")
	require.Empty(t, b.Arrive(0))
	require.False(t, b.Open(all))
	goes, misuse := b.Wait(0)
	require.False(t, goes)
	require.Empty(t, misuse)
	require.Empty(t, b.Arrive(1))
	require.True(t, b.Open(all))
	goes, _ = b.Wait(0)
	require.True(t, goes)
	require.Empty(t, b.Arrive(0))
	require.False(t, b.Open(all), "warp 1 has not waited for the first round")
	goes, _ = b.Wait(1)
	require.True(t, goes)
	require.Empty(t, b.Arrive(1))
	require.True(t, b.Open(all))
}

// TestRestore keeps where two of three warps are, and puts them there in another barrier.
func TestRestore(t *testing.T) {
	var b, other cluster.Barrier
	b.Start(3)
	other.Start(3)
	require.Empty(t, b.Arrive(1))
	require.Empty(t, b.Arrive(2))
	require.True(t, b.Open(func(warp int) bool { return warp != 0 }))
	goes, _ := b.Wait(2)
	require.True(t, goes)
	require.Empty(t, b.Arrive(2))
	kept := b.Append([]byte("x"), 1, 2)
	require.Equal(t, "rest", other.Restore(string(kept[1:])+"rest", 1, 2))
	require.Equal(t, b, other)
	require.True(t, other.Arrived(2))
	goes, misuse := other.Wait(1)
	require.True(t, goes)
	require.Empty(t, misuse)
}

// TestLeft checks that warps without threads are not waited for, and that what PTX leaves undefined is refused.
func TestLeft(t *testing.T) {
	var b cluster.Barrier
	b.Start(3)
	require.Empty(t, b.Arrive(0))
	require.Empty(t, b.Arrive(2))
	require.False(t, b.Open(func(int) bool { return true }))
	require.True(t, b.Open(func(warp int) bool { return warp != 1 }))
	require.Equal(t, "the warp has not waited since it arrived at the barrier of the cluster before", b.Arrive(0))
	_, misuse := b.Wait(1)
	require.Equal(t, "the warp has not arrived at the barrier of the cluster", misuse)
	require.Equal(t, cluster.Barrier{2, 0, 2}, b)
	b.Start(2)
	require.False(t, b.Open(func(int) bool { return false }), "all have left")
}
