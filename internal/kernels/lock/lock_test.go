package lock_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/kernels/lock"
)

// TestCount checks that each lock excludes all other threads, of the same warp and of others.
func TestCount(t *testing.T) {
	const grid, threads, rounds = 5, 40, 3
	for name, count := range map[string]func(gpu.Thread, []uint32, uint32, uint32, *uint32){
		"plain": lock.Count[lock.Plain], "back-off": lock.Count[lock.Backoff], "ticket": lock.Count[lock.Ticket], "inside": lock.CountInside,
	} {
		for _, every := range []uint32{1, 3, threads} {
			words, n := make([]uint32, 2), uint32(0)
			require.NoError(t, gpu.Launch(grid, threads, func(th gpu.Thread) { count(th, words, every, rounds, &n) }), name)
			require.EqualValues(t, grid*rounds*((threads+every-1)/every), n, "%s, every %d", name, every)
		}
	}
}

// TestLost checks that the count notices a lock that excludes nobody.
func TestLost(t *testing.T) {
	words, n := make([]uint32, 2), uint32(0)
	require.NoError(t, gpu.Launch(4, 32, func(th gpu.Thread) { lock.Count[open](th, words, 1, 3, &n) }))
	require.Less(t, n, uint32(4*32*3))
}

// open is no lock.
type open struct{}

func (open) Acquire(gpu.Thread, []uint32) uint32 { return 0 }
func (open) Release([]uint32, uint32)            {}

// TestOrder checks that two blocks with the same order both count, and that with opposite orders
// they hang.
func TestOrder(t *testing.T) {
	run := func(opposite uint32) (n uint32, err error) {
		words := make([]uint32, 2)
		err = gpu.Launch(2, 32, func(th gpu.Thread) { lock.Order(th, words, opposite, 1000, 3, &n) })
		return n, err
	}
	n, err := run(0)
	require.NoError(t, err)
	require.EqualValues(t, 6, n)
	_, err = run(1)
	require.Error(t, err)
}

// TestExchange checks that every consumer receives all items, through rings that are smaller.
func TestExchange(t *testing.T) {
	const pairs, capacity, items = 6, 2, 9
	for name, exchange := range map[string]func(gpu.Thread, []uint32, uint32, []uint32, *uint32, uint32, []uint32){
		"consumers first": lock.Exchange[lock.ConsumersFirst], "producers first": lock.Exchange[lock.ProducersFirst],
		"by arrival": lock.Exchange[lock.InOrderOfArrival],
	} {
		rings, ends, arrived, sums := make([]uint32, pairs*capacity), make([]uint32, 2*pairs), uint32(0), make([]uint32, pairs)
		require.NoError(t, gpu.Launch(2*pairs, 32, func(th gpu.Thread) {
			exchange(th, rings, capacity, ends, &arrived, items, sums)
		}), name)
		for _, sum := range sums {
			require.EqualValues(t, items*(items+1)/2, sum, name)
		}
	}
}

// TestRequest checks that the waiter that looks again gets its answer, and that the one that
// does not misses it.
func TestRequest(t *testing.T) {
	run := func(again uint32) (received uint32, err error) {
		words := make([]uint32, 8)
		err = gpu.Launch(2, 1, func(th gpu.Thread) { lock.Request(th, words, again, 100_000, &received) })
		return received, err
	}
	received, err := run(1)
	require.NoError(t, err)
	require.EqualValues(t, 42, received)
	_, err = run(0)
	require.Error(t, err)
}

// TestFlag checks that the data is there once the flag is seen.
func TestFlag(t *testing.T) {
	for name, flag := range map[string]func(gpu.Thread, *uint32, *uint32, *uint32, *uint32, *uint32){
		"device": lock.Flag[lock.OfDevice], "block": lock.Flag[lock.OfBlock], "block, fenced": lock.Flag[lock.OfBlockFenced],
	} {
		var f, home, set, data, received uint32
		require.NoError(t, gpu.Launch(4, 1, func(th gpu.Thread) { flag(th, &f, &home, &set, &data, &received) }), name)
		require.EqualValues(t, 42, received, name)
	}
}
