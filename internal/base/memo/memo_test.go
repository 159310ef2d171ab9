package memo_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/memo"
)

type key int

// square computes the square of k by a memo, counts how often, and says that it has 10 bytes.
func square(ctx context.Context, k key, computed *int) (int, error) {
	return memo.Do(ctx, k, func(int) uint64 { return 10 }, func() (int, error) {
		*computed++
		return int(k * k), nil
	})
}

func TestDo(t *testing.T) {
	n := 0
	for range 2 {
		got, err := square(t.Context(), 3, &n)
		require.NoError(t, err)
		require.Equal(t, 9, got)
	}
	require.Equal(t, 2, n, "nothing is kept without a memo")

	ctx := memo.With(t.Context(), memo.New(25))
	n = 0
	ask := func(keys ...key) {
		for _, k := range keys {
			got, err := square(ctx, k, &n)
			require.NoError(t, err)
			require.Equal(t, int(k*k), got)
		}
	}
	ask(1, 2, 1, 2)
	require.Equal(t, 2, n)
	ask(1, 3, 1)
	require.Equal(t, 3, n, "2, which was not used for longest, makes way for 3")
	ask(2)
	require.Equal(t, 4, n)

	type other int
	got, err := memo.Do(ctx, other(1), func(string) uint64 { return 1000 }, func() (string, error) { return "large", nil })
	require.NoError(t, err)
	require.Equal(t, "large", got, "keys of other types are others")
	ask(2, 1)
	require.Equal(t, 4, n, "what is larger than the memo is not kept, and nothing makes way for it")
	_, err = square(memo.With(ctx, nil), 1, &n)
	require.NoError(t, err)
	require.Equal(t, 5, n)
}

// TestFailed checks that failures and panics are not kept, and that those who wait compute then.
func TestFailed(t *testing.T) {
	ctx := memo.With(t.Context(), memo.New(1000))
	size := func(int) uint64 { return 1 }
	_, err := memo.Do(ctx, key(1), size, func() (int, error) { return 0, errors.New("no") })
	require.EqualError(t, err, "no")
	require.Panics(t, func() { _, _ = memo.Do(ctx, key(1), size, func() (int, error) { panic("no") }) })

	began, end := make(chan bool), make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = memo.Do(ctx, key(1), size, func() (int, error) {
			close(began)
			<-end
			return 0, errors.New("no")
		})
	})
	<-began
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err = memo.Do(gone, key(1), size, func() (int, error) { return 0, errors.New("not called") })
	require.ErrorIs(t, err, context.Canceled, "who waits ends with the context")
	computed := 0
	for range 8 {
		wg.Go(func() {
			got, err := memo.Do(ctx, key(1), size, func() (int, error) { computed++; return 7, nil })
			if got != 7 || err != nil {
				t.Error(got, err)
			}
		})
	}
	close(end)
	wg.Wait()
	require.Equal(t, 1, computed, "one computes for all")
}
